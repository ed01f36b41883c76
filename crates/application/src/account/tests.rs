use super::*;

use allclear_domain::membership::Role;
use chrono::{DateTime, TimeDelta};
use uuid::Uuid;

use crate::fixture::{
    OUTDATED, PASSWORD, any_mail, clock, credentials, hash_of, hasher, hmac_key, kept_log, links,
    log_lines, mailer, no_mail_left, now, password, security_mails, session, unlimited_mail, user,
};
use crate::invitation::Invitation;
use crate::mail::{MailContent, MockMailer};
use crate::organisation::MockOrganisationStore;
use crate::password::MockPasswordHasher;
use crate::second_factor::{FactorPorts, Factors, MockFactorStore, SessionProof, TotpFactor};
use crate::secret::SecretToken;
use crate::session::{MockSessionStore, SignInProof};
use crate::waitlist::MockWaitlistStore;
use allclear_domain::account::{AddressDraft, ReauthenticationDraft, SignInDraft, SignUpDraft};
use allclear_domain::email::EmailKey;
use allclear_domain::id::InvitationId;

const ADDRESS: &str = "ann@example.com";

fn client() -> Client {
    Client {
        device: Some("Firefox on Linux".into()),
        address: Some([192, 0, 2, 1].into()),
        marks: Vec::new(),
    }
}

struct Ports {
    accounts: MockAccountStore,
    sessions: MockSessionStore,
    factors: MockFactorStore,
    organisations: MockOrganisationStore,
    waitlist: MockWaitlistStore,
    mailer: MockMailer,
    mail_budget: Arc<MailBudget>,
    hasher: MockPasswordHasher,
}

impl Ports {
    /// Accepts no writes, and exactly this many hashes and verifications.
    fn hashing(hashes: usize, verifications: usize) -> Self {
        let mut accounts = MockAccountStore::new();
        accounts
            .expect_record_refused_sign_in()
            .returning(|_| Ok(()));
        Self {
            accounts,
            sessions: MockSessionStore::new(),
            factors: MockFactorStore::new(),
            organisations: MockOrganisationStore::new(),
            waitlist: MockWaitlistStore::new(),
            mailer: MockMailer::new(),
            mail_budget: unlimited_mail(),
            hasher: hasher(hashes, verifications),
        }
    }

    /// Sets that the installation has accounts, and which one has the address.
    fn owned_by(mut self, owner: Option<Credentials>) -> Self {
        self.accounts.expect_any().return_once(|| Ok(true));
        self.accounts
            .expect_owner()
            .returning(move |_| Ok(owner.clone()));
        self
    }

    fn candidates(mut self, candidates: Candidates) -> Self {
        self.accounts
            .expect_candidates()
            .return_once(|_| Ok(candidates));
        self
    }

    fn creates(mut self, matching: impl Fn(&NewAccount) -> bool + Send + 'static) -> Self {
        self.accounts
            .expect_create()
            .withf(matching)
            .times(1)
            .returning(|new| Ok(CreationOutcome::Created(new.user)));
        self
    }

    /// An account without a second factor signs in from an unknown device.
    fn opens_session_of(mut self, number: u128) -> Self {
        let wanted = user(number, ADDRESS).id;
        self.sessions
            .expect_open()
            .withf(move |id, proof, session| {
                let by_password = matches!(proof, SignInProof::Password { code: None, .. });
                by_password
                    && *id == wanted
                    && session.device.as_deref() == Some("Firefox on Linux")
            })
            .times(1)
            .returning(|_, _, _| Ok(()));
        self.factors
            .expect_factors()
            .returning(|_| Ok(Factors::default()));
        self.mailer = any_mail();
        self
    }

    /// The link of [`new_address`] is stored and mailed.
    fn mails_new_address(mut self) -> Self {
        self = self.owned_by(None);
        self.accounts
            .expect_add_address()
            .withf(|pending| {
                pending.email == "new@example.com" && pending.user == user(1, ADDRESS).id
            })
            .times(1)
            .returning(|_| Ok(()));
        self.mailer = mailer(|to, content| {
            to == "new@example.com" && matches!(content, MailContent::NewAddress { .. })
        });
        self
    }

    fn service(self, mode: SignUpMode) -> Arc<Accounts> {
        let accounts: Arc<dyn AccountStore> = Arc::new(self.accounts);
        let sessions: Arc<dyn SessionStore> = Arc::new(self.sessions);
        let factors: Arc<dyn FactorStore> = Arc::new(self.factors);
        let mailer: Arc<dyn Mailer> = Arc::new(self.mailer);
        let (mails, background) = security_mails(Arc::clone(&mailer));
        let opener = SessionOpener::new(Arc::clone(&sessions), clock(), hmac_key(), mails.clone());
        let second_factors = SecondFactors::new(FactorPorts {
            accounts: Arc::clone(&accounts),
            organisations: Arc::new(MockOrganisationStore::new()),
            factors: Arc::clone(&factors),
            opener: opener.clone(),
            mails: mails.clone(),
            clock: clock(),
            app_clock: clock(),
            hmac_key: hmac_key(),
            signer: Arc::new(hmac_key()),
        });
        let ports = AccountPorts {
            accounts,
            sessions,
            factors,
            second_factors: Arc::new(second_factors),
            opener,
            organisations: Arc::new(self.organisations),
            waitlist: Arc::new(self.waitlist),
            hasher: Arc::new(self.hasher),
            mailer,
            mails,
            mail_budget: self.mail_budget,
            clock: clock(),
        };
        Arc::new(Accounts::new(ports, mode, background, links()))
    }
}

fn sign_up() -> SignUpDraft {
    SignUpDraft {
        name: "Ann".into(),
        email: ADDRESS.into(),
        password: password(PASSWORD),
    }
}

fn sign_in() -> SignInDraft {
    SignInDraft {
        email: "Ann@Example.com".into(),
        password: password(PASSWORD),
    }
}

fn new_address() -> AddressDraft {
    AddressDraft {
        email: "new@example.com".into(),
    }
}

fn signed_in(outcome: Result<SignedUp, Error>) -> SignedIn {
    match outcome.unwrap() {
        SignedUp::SignedIn(who) => who,
        other => panic!("{other:?}"),
    }
}

fn entered(outcome: Result<PasswordAccepted, Error>) -> SignedIn {
    match outcome.unwrap() {
        PasswordAccepted::SignedIn(who) => who,
        other @ PasswordAccepted::SecondFactor { .. } => panic!("{other:?}"),
    }
}

/// An authenticator app that is confirmed.
fn with_totp() -> Factors {
    Factors {
        totp: Some(TotpFactor {
            nonce: "nonce".into(),
            last_step: 0,
            created_at: now(),
            confirmed_at: Some(now()),
        }),
        passkeys: Vec::new(),
        recovery_codes: 10,
    }
}

#[tokio::test]
async fn the_password_alone_opens_no_session_of_an_account_with_a_second_factor() {
    let candidates = Candidates {
        owner: Some(credentials(1, ADDRESS, PASSWORD)),
        ..Candidates::default()
    };
    let mut ports = Ports::hashing(0, 1).candidates(candidates);
    ports
        .factors
        .expect_factors()
        .times(1)
        .returning(|_| Ok(with_totp()));
    let service = ports.service(SignUpMode::Open);
    let outcome = service.sign_in(sign_in(), &client()).await.unwrap();
    let PasswordAccepted::SecondFactor { token, .. } = outcome else {
        panic!("{outcome:?}")
    };
    let pending = service.ports.second_factors.pending_user(&token);
    assert_eq!(pending.unwrap(), user(1, ADDRESS).id);
}

#[tokio::test]
async fn only_a_browser_with_the_mark_of_the_account_is_known_to_the_hasher() {
    for (marked, expected) in [
        (Some((1, PASSWORD)), Requester::Known(user(1, ADDRESS).id)),
        (Some((1, "a former password")), Requester::Unknown),
        (Some((2, PASSWORD)), Requester::Unknown),
        (None, Requester::Unknown),
    ] {
        let mut ports = Ports::hashing(0, 0).candidates(Candidates {
            owner: Some(credentials(1, ADDRESS, PASSWORD)),
            ..Candidates::default()
        });
        ports.hasher = MockPasswordHasher::new();
        ports
            .hasher
            .expect_verify()
            .withf(move |_, _, requester| *requester == expected)
            .times(1)
            .returning(|_, _, _| Ok(None));
        let service = ports.service(SignUpMode::Open);
        let mark = |(number, password)| {
            let (id, hash) = (user(number, ADDRESS).id, hash_of(password));
            service.ports.opener.device_mark(id, &hash)
        };
        let client = Client {
            marks: marked.map(mark).into_iter().collect(),
            ..client()
        };
        let refused = service.sign_in(sign_in(), &client).await;
        assert!(
            matches!(refused, Err(Error::Unauthenticated(_))),
            "{refused:?}"
        );
    }
}

#[tokio::test]
async fn only_a_browser_with_the_mark_of_the_account_is_its_known_device() {
    let owner = credentials(1, ADDRESS, PASSWORD);
    let ports = Ports::hashing(0, 0).owned_by(Some(owner));
    let service = ports.service(SignUpMode::Open);
    let mark = |number, password| {
        let (id, hash) = (user(number, ADDRESS).id, hash_of(password));
        service.ports.opener.device_mark(id, &hash)
    };
    for (marks, expected) in [
        (vec![mark(2, PASSWORD), mark(1, PASSWORD)], true),
        (vec![mark(1, "a former password")], false),
        (vec![mark(2, PASSWORD)], false),
        (Vec::new(), false),
    ] {
        let client = Client { marks, ..client() };
        let address = EmailKey::of(ADDRESS);
        let is_known = service.is_known_device(&address, &client).await;
        assert_eq!(is_known.unwrap(), expected);
    }
}

#[tokio::test]
async fn authenticating_again_needs_every_factor() {
    let session = session(user(1, ADDRESS));
    for (typed, code, expected) in [
        ("another password", Some("123456"), "wrong password"),
        (PASSWORD, None, "no code"),
        (PASSWORD, Some("123456"), "wrong code"),
    ] {
        let mut ports = Ports::hashing(0, 1);
        ports
            .accounts
            .expect_find()
            .returning(|_| Ok(Some(credentials(1, ADDRESS, PASSWORD))));
        ports
            .factors
            .expect_factors()
            .returning(|_| Ok(with_totp()));
        let draft = ReauthenticationDraft {
            password: password(typed),
            code: code.map(str::to_owned),
        };
        let refused = ports
            .service(SignUpMode::Open)
            .reauthenticate(&session, draft, &client())
            .await;
        let refused = match refused {
            Ok(Err(ReauthenticationRefusal::Password)) => "wrong password",
            Ok(Err(ReauthenticationRefusal::Code)) => "wrong code",
            Err(Error::Invalid(invalid)) if invalid.errors[0].field == "code" => "no code",
            Ok(Ok(_)) => "nothing",
            Err(error) => panic!("{error:?}"),
        };
        assert_eq!(refused, expected);
    }
}

#[tokio::test]
async fn password_deletes_an_account_with_a_second_factor_only_after_a_recent_proof_of_it() {
    let old = TimeDelta::minutes(11);
    for (factors, proof, age, expected) in [
        (Factors::default(), SessionProof::Account, old, "deleted"),
        (
            with_totp(),
            SessionProof::Account,
            TimeDelta::zero(),
            "deleted",
        ),
        (with_totp(), SessionProof::Account, old, "authenticate"),
        (
            with_totp(),
            SessionProof::Missing,
            TimeDelta::zero(),
            "use the factor",
        ),
    ] {
        let mut ports = Ports::hashing(0, 1);
        ports
            .accounts
            .expect_find()
            .returning(|_| Ok(Some(credentials(1, ADDRESS, PASSWORD))));
        ports
            .accounts
            .expect_delete()
            .withf(|_, verified, _| *verified == Some(hash_of(PASSWORD)))
            .times(usize::from(expected == "deleted"))
            .returning(|_, _, _| Ok(DeletionOutcome::Deleted));
        ports
            .factors
            .expect_factors()
            .returning(move |_| Ok(factors.clone()));
        ports
            .factors
            .expect_session_proof()
            .returning(move |_| Ok(proof));
        let session = Session {
            authenticated_at: now() - age,
            ..session(user(1, ADDRESS))
        };
        let draft = DeletionDraft {
            password: Some(password(PASSWORD)),
        };
        let outcome = ports
            .service(SignUpMode::Open)
            .delete(&session, draft)
            .await;
        let outcome = match outcome {
            Ok(Ok(())) => "deleted",
            Ok(Err(WrongPassword)) => "enter the password",
            Err(Error::ReauthenticationRequired) => "authenticate",
            Err(Error::SecondFactorRequired) => "use the factor",
            Err(error) => panic!("{error:?}"),
        };
        assert_eq!(outcome, expected);
    }
}

#[tokio::test]
async fn password_that_was_replaced_after_it_was_verified_deletes_nothing() {
    let mut ports = Ports::hashing(0, 1);
    ports
        .accounts
        .expect_find()
        .returning(|_| Ok(Some(credentials(1, ADDRESS, PASSWORD))));
    ports
        .accounts
        .expect_delete()
        .times(1)
        .returning(|_, _, _| Ok(DeletionOutcome::PasswordChanged));
    ports
        .factors
        .expect_factors()
        .returning(|_| Ok(Factors::default()));
    ports
        .factors
        .expect_session_proof()
        .returning(|_| Ok(SessionProof::Account));
    let draft = DeletionDraft {
        password: Some(password(PASSWORD)),
    };
    let service = ports.service(SignUpMode::Open);
    let refused = service.delete(&session(user(1, ADDRESS)), draft).await;
    assert_eq!(refused.unwrap(), Err(WrongPassword));
}

fn invitation() -> Invitation {
    Invitation {
        id: InvitationId(Uuid::from_u128(7)),
        organisation: None,
        email: ADDRESS.into(),
        role: Role::Editor,
        inviter: None,
        created_at: DateTime::default(),
        expires_at: DateTime::default(),
    }
}

#[tokio::test]
async fn an_unknown_address_gets_a_link_and_no_account() {
    let mut ports = Ports::hashing(1, 0).owned_by(None);
    ports
        .accounts
        .expect_add_sign_up()
        .withf(|pending| {
            pending.email == ADDRESS
                && pending.name == "Ann"
                && pending.expires_at == now() + Accounts::CONFIRMATION_LIFETIME
        })
        .times(1)
        .returning(|_| Ok(true));
    ports.mailer = mailer(|to, content| {
        let MailContent::Confirmation { link } = content else {
            return false;
        };
        to == ADDRESS && link.starts_with("https://status.example.com/login?confirmation=")
    });
    let service = ports.service(SignUpMode::Open);
    let outcome = service.sign_up(sign_up(), None, &client()).await.unwrap();
    assert_eq!(outcome, SignedUp::Pending);
    service.background.wait_idle().await;
}

#[tokio::test]
async fn beyond_the_mail_budget_sign_up_has_the_same_response_and_stores_and_mails_nothing() {
    let mut ports = Ports::hashing(1, 0);
    ports.accounts.expect_any().return_once(|| Ok(true));
    ports.mail_budget = no_mail_left();
    let service = ports.service(SignUpMode::Open);
    let outcome = service.sign_up(sign_up(), None, &client()).await.unwrap();
    assert_eq!(outcome, SignedUp::Pending);
    service.background.wait_idle().await;
}

#[tokio::test]
async fn an_unknown_link_and_one_of_an_address_that_got_an_account_are_refused() {
    for confirmed in [ConfirmationOutcome::Unknown, ConfirmationOutcome::Taken] {
        let mut ports = Ports::hashing(0, 0);
        ports
            .accounts
            .expect_confirm_sign_up()
            .return_once(|_| Ok(confirmed));
        let refused = ports
            .service(SignUpMode::Open)
            .confirm(&SecretToken::generate(), &client())
            .await;
        assert!(matches!(refused, Err(Error::BadCode(_))));
    }
}

#[tokio::test]
async fn link_of_an_address_is_confirmed_for_the_account_of_the_session_only() {
    let session = session(user(1, ADDRESS));
    let expected = (session.user.id, session.id);
    let mut ports = Ports::hashing(0, 0);
    ports
        .accounts
        .expect_confirm_address()
        .withf(move |_, user, session, _| (*user, *session) == expected)
        .return_once(|_, _, _, _| Ok(ConfirmationOutcome::Unknown));
    let refused = ports
        .service(SignUpMode::Open)
        .confirm_address(&session, &SecretToken::generate(), &client())
        .await;
    let Err(Error::BadCode(reason)) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(
        reason,
        "This link is wrong, has expired or belongs to another account"
    );
}

#[tokio::test]
async fn sign_ups_beyond_the_pending_ones_have_the_same_response_and_are_not_mailed() {
    let mut ports = Ports::hashing(2, 0);
    ports.accounts.expect_any().returning(|| Ok(true));
    ports.accounts.expect_owner().returning(|_| Ok(None));
    ports
        .accounts
        .expect_add_sign_up()
        .times(2)
        .returning(|_| Ok(false));
    let service = ports.service(SignUpMode::Open);
    let (_guard, log) = kept_log();
    for _ in 0..2 {
        let outcome = service.sign_up(sign_up(), None, &client()).await.unwrap();
        assert_eq!(outcome, SignedUp::Pending);
    }
    service.background.wait_idle().await;
    assert_eq!(log_lines(&log).len(), 1);
}

#[tokio::test]
async fn requests_beyond_the_waitlist_have_the_same_response_and_are_logged_once_a_minute() {
    let mut ports = Ports::hashing(0, 0);
    ports.accounts.expect_any().returning(|| Ok(true));
    ports
        .waitlist
        .expect_add()
        .times(2)
        .returning(|_| Ok(false));
    let service = ports.service(SignUpMode::Waitlist);
    let (_guard, log) = kept_log();
    for _ in 0..2 {
        let outcome = service.sign_up(sign_up(), None, &client()).await.unwrap();
        assert_eq!(outcome, SignedUp::Waitlisted);
    }
    assert_eq!(log_lines(&log).len(), 1);
}

#[tokio::test]
async fn the_first_account_is_let_in_whatever_the_mode() {
    for mode in [SignUpMode::Open, SignUpMode::Waitlist, SignUpMode::Closed] {
        let mut ports = Ports::hashing(1, 0).creates(|new| new.admission == Admission::First);
        ports.accounts.expect_any().return_once(|| Ok(false));
        signed_in(
            ports
                .service(mode)
                .sign_up(sign_up(), None, &client())
                .await,
        );
    }
}

#[tokio::test]
async fn closed_installation_refuses_an_address_without_looking_for_its_account() {
    let mut ports = Ports::hashing(0, 0);
    ports.accounts.expect_any().return_once(|| Ok(true));
    ports.accounts.expect_owner().never();
    let refused = ports
        .service(SignUpMode::Closed)
        .sign_up(sign_up(), None, &client())
        .await;
    assert!(matches!(
        refused,
        Err(Error::Forbidden("Sign-up is closed"))
    ));
}

#[tokio::test]
async fn an_invitation_for_another_address_waits_for_the_link() {
    let token = SecretToken::generate();
    let wanted = token.digest();
    let mut ports = Ports::hashing(1, 0);
    ports.accounts.expect_owner().return_once(|_| Ok(None));
    ports
        .organisations
        .expect_find_invitation()
        .return_once(|_, _| {
            Ok(Some(Invitation {
                email: "bob@example.com".into(),
                ..invitation()
            }))
        });
    ports
        .accounts
        .expect_add_sign_up()
        .withf(move |pending| pending.invitation.as_ref() == Some(&wanted))
        .times(1)
        .returning(|_| Ok(true));
    ports.mailer = mailer(|to, _| to == ADDRESS);
    let service = ports.service(SignUpMode::Closed);
    let outcome = service
        .sign_up(sign_up(), Some(token), &client())
        .await
        .unwrap();
    assert_eq!(outcome, SignedUp::Pending);
    service.background.wait_idle().await;
}

#[tokio::test]
async fn invited_address_with_an_account_is_asked_to_sign_in() {
    let mut ports = Ports::hashing(1, 0);
    ports
        .organisations
        .expect_find_invitation()
        .return_once(|_, _| Ok(Some(invitation())));
    ports
        .accounts
        .expect_create()
        .return_once(|_| Ok(CreationOutcome::Taken));
    let refused = ports
        .service(SignUpMode::Open)
        .sign_up(sign_up(), Some(SecretToken::generate()), &client())
        .await;
    assert!(matches!(refused, Err(Error::Conflict(_))));
}

#[tokio::test]
async fn sign_in_upgrades_an_outdated_hash_and_does_not_depend_on_it() {
    for stored in [Ok(true), Err(())] {
        let typed = format!("{OUTDATED} {PASSWORD}");
        let candidates = Candidates {
            owner: Some(credentials(1, ADDRESS, &typed)),
            ..Candidates::default()
        };
        let mut ports = Ports::hashing(1, 1)
            .candidates(candidates)
            .opens_session_of(1);
        let wanted = hash_of(&typed);
        ports
            .accounts
            .expect_upgrade_password()
            .withf(move |id, outdated, _| *id == user(1, ADDRESS).id && *outdated == wanted)
            .times(1)
            .returning(move |_, _, _| stored.map_err(|()| Error::internal("no disk")));
        let draft = SignInDraft {
            password: password(&typed),
            ..sign_in()
        };
        let who = ports
            .service(SignUpMode::Open)
            .sign_in(draft, &client())
            .await;
        assert_eq!(entered(who).user, user(1, ADDRESS));
    }
}

#[tokio::test]
async fn sign_in_verifies_the_current_hash_if_the_outdated_one_was_replaced_meanwhile() {
    let typed = format!("{OUTDATED} {PASSWORD}");
    for (current, is_accepted) in [(typed.as_str(), true), ("a changed password", false)] {
        let found = credentials(1, ADDRESS, current);
        let candidates = Candidates {
            owner: Some(credentials(1, ADDRESS, &typed)),
            ..Candidates::default()
        };
        let mut ports = Ports::hashing(1, 2).candidates(candidates);
        if is_accepted {
            ports = ports.opens_session_of(1);
        }
        ports
            .accounts
            .expect_upgrade_password()
            .times(1)
            .returning(|_, _, _| Ok(false));
        ports
            .accounts
            .expect_find()
            .times(1)
            .return_once(move |_| Ok(Some(found)));
        let draft = SignInDraft {
            password: password(&typed),
            ..sign_in()
        };
        let result = ports
            .service(SignUpMode::Open)
            .sign_in(draft, &client())
            .await;
        if is_accepted {
            assert_eq!(entered(result).user, user(1, ADDRESS));
        } else {
            assert!(matches!(result, Err(Error::Unauthenticated(_))));
        }
    }
}

#[tokio::test]
async fn sign_in_finds_an_account_that_needs_an_address_by_its_former_one() {
    let candidates = Candidates {
        owner: Some(credentials(1, ADDRESS, "another password")),
        without_address: vec![
            credentials(2, ADDRESS, "a third password"),
            credentials(3, ADDRESS, PASSWORD),
        ],
        any_without_address: true,
    };
    let ports = Ports::hashing(0, 2)
        .candidates(candidates)
        .opens_session_of(3);
    let who = ports
        .service(SignUpMode::Open)
        .sign_in(sign_in(), &client())
        .await;
    assert_eq!(entered(who).user, user(3, ADDRESS));
}

#[tokio::test]
async fn sign_in_costs_the_same_for_every_address_of_an_installation() {
    let known = || Some(credentials(1, ADDRESS, "another password"));
    let others = || vec![credentials(2, ADDRESS, "a third password")];
    for (any_without_address, verifications) in [(false, 1), (true, 2)] {
        for (owner, without_address) in [
            (known(), vec![]),
            (None, vec![]),
            (
                known(),
                if any_without_address {
                    others()
                } else {
                    vec![]
                },
            ),
        ] {
            let candidates = Candidates {
                owner,
                without_address,
                any_without_address,
            };
            let refused = Ports::hashing(0, verifications)
                .candidates(candidates)
                .service(SignUpMode::Open)
                .sign_in(sign_in(), &client())
                .await;
            assert!(matches!(
                refused,
                Err(Error::Unauthenticated("Wrong email or password"))
            ));
        }
    }
}

#[tokio::test]
async fn account_that_needs_an_address_is_mailed_a_link_without_an_authentication() {
    let mut session = session(user(1, ADDRESS));
    session.user.needs_address = true;
    session.authenticated_at = now() - TimeDelta::minutes(11);
    let ports = Ports::hashing(0, 0).mails_new_address();
    let service = ports.service(SignUpMode::Closed);
    let requested = service.request_address(&session, new_address()).await;
    requested.unwrap();
    service.background.wait_idle().await;
}

#[tokio::test]
async fn another_address_needs_a_recent_authentication_with_every_factor() {
    for (proof, minutes, expected) in [
        (SessionProof::Account, 9, "mailed"),
        (SessionProof::Account, 11, "authenticate"),
        (SessionProof::Missing, 0, "use the factor"),
    ] {
        let mut ports = Ports::hashing(0, 0);
        if expected == "mailed" {
            ports = ports.mails_new_address();
        }
        ports
            .factors
            .expect_factors()
            .returning(|_| Ok(with_totp()));
        ports
            .factors
            .expect_session_proof()
            .returning(move |_| Ok(proof));
        let session = Session {
            authenticated_at: now() - TimeDelta::minutes(minutes),
            ..session(user(1, ADDRESS))
        };
        let service = ports.service(SignUpMode::Closed);
        let requested = service.request_address(&session, new_address()).await;
        let outcome = match requested {
            Ok(()) => "mailed",
            Err(Error::ReauthenticationRequired) => "authenticate",
            Err(Error::SecondFactorRequired) => "use the factor",
            Err(error) => panic!("{error:?}"),
        };
        assert_eq!(outcome, expected);
        service.background.wait_idle().await;
    }
}

#[tokio::test]
async fn the_address_of_the_account_is_no_new_address() {
    let mut ports = Ports::hashing(0, 0);
    ports
        .factors
        .expect_factors()
        .returning(|_| Ok(Factors::default()));
    ports
        .factors
        .expect_session_proof()
        .returning(|_| Ok(SessionProof::Account));
    let service = ports.service(SignUpMode::Open);
    let draft = AddressDraft {
        email: "Ann@Example.com".into(),
    };
    let refused = service
        .request_address(&session(user(1, ADDRESS)), draft)
        .await;
    let Err(Error::Invalid(invalid)) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(invalid.errors[0].field, "email");
}

#[tokio::test]
async fn former_address_is_mailed_a_change_unless_it_is_another_accounts() {
    for needs_address in [false, true] {
        let mut session = session(user(1, ADDRESS));
        session.user.needs_address = needs_address;
        let mut ports = Ports::hashing(0, 0);
        ports
            .accounts
            .expect_confirm_address()
            .return_once(|_, _, _, _| {
                let changed = credentials(1, "new@example.com", PASSWORD);
                Ok(ConfirmationOutcome::Confirmed(changed))
            });
        if !needs_address {
            ports.mailer = mailer(|to, content| {
                let MailContent::SecurityNotice(notice) = content else {
                    return false;
                };
                to == ADDRESS && notice.change == SecurityChange::AddressChanged
            });
        }
        let service = ports.service(SignUpMode::Open);
        let token = SecretToken::generate();
        let confirmed = service.confirm_address(&session, &token, &client()).await;
        assert_eq!(confirmed.unwrap().email, "new@example.com");
        service.background.wait_idle().await;
    }
}
