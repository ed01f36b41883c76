use super::*;

use allclear_domain::membership::Role;
use chrono::DateTime;
use uuid::Uuid;

use crate::fixture::{PASSWORD, clock, credentials, hasher, links, mailer, now, password, user};
use crate::invitation::{Invitation, MockInvitationStore};
use crate::mail::MockMailer;
use crate::session::MockSessionStore;
use crate::waitlist::MockWaitlistStore;
use allclear_domain::id::InvitationId;

const ADDRESS: &str = "ann@example.com";

struct Ports {
    accounts: MockAccountStore,
    sessions: MockSessionStore,
    invitations: MockInvitationStore,
    waitlist: MockWaitlistStore,
    mailer: MockMailer,
    hashes: usize,
}

impl Ports {
    /// Nothing may be written, and so many passwords are hashed.
    fn hashing(hashes: usize) -> Self {
        Self {
            accounts: MockAccountStore::new(),
            sessions: MockSessionStore::new(),
            invitations: MockInvitationStore::new(),
            waitlist: MockWaitlistStore::new(),
            mailer: MockMailer::new(),
            hashes,
        }
    }

    /// Accounts of the address.
    fn known(mut self, accounts: Vec<Credentials>) -> Self {
        self.accounts.expect_any().return_once(|| Ok(true));
        self.accounts
            .expect_credentials()
            .returning(move |_| Ok(accounts.clone()));
        self
    }

    fn creates(mut self, holds: impl Fn(&NewAccount) -> bool + Send + 'static) -> Self {
        self.accounts
            .expect_create()
            .withf(holds)
            .times(1)
            .returning(|new| Ok(Creation::Made(new.user)));
        self
    }

    fn opens_session_of(mut self, number: u128) -> Self {
        let wanted = user(number, ADDRESS).id;
        self.sessions
            .expect_open()
            .withf(move |id, _| *id == wanted)
            .times(1)
            .returning(|_, _| Ok(()));
        self
    }

    fn service(self, mode: SignUpMode) -> Accounts {
        let ports = AccountPorts {
            accounts: Arc::new(self.accounts),
            sessions: Arc::new(self.sessions),
            invitations: Arc::new(self.invitations),
            waitlist: Arc::new(self.waitlist),
            hasher: Arc::new(hasher(self.hashes)),
            mailer: Arc::new(self.mailer),
            clock: clock(),
        };
        Accounts::new(
            ports,
            mode,
            Background::on(tokio::runtime::Handle::current()),
            links(),
        )
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

fn signed_in(outcome: Result<SignedUp, Error>) -> SignedIn {
    match outcome.unwrap() {
        SignedUp::SignedIn(who) => who,
        SignedUp::Waitlisted => panic!("on the waitlist"),
    }
}

fn invitation() -> Invitation {
    Invitation {
        id: InvitationId(Uuid::from_u128(7)),
        organisation: None,
        email: ADDRESS.into(),
        role: Role::Member,
        created_at: DateTime::default(),
        expires_at: DateTime::default(),
    }
}

#[tokio::test]
async fn a_fresh_address_gets_an_account_and_no_mail() {
    let ports = Ports::hashing(1)
        .known(vec![])
        .creates(|new| new.admission == Admission::Open);
    let who = signed_in(
        ports
            .service(SignUpMode::Open)
            .sign_up(sign_up(), None)
            .await,
    );
    assert_eq!(who.expires_at, now() + Sessions::LIFE);
}

#[tokio::test]
async fn a_known_address_gets_a_separate_account_and_hears_of_it() {
    let mut ports = Ports::hashing(1)
        .known(vec![credentials(1, ADDRESS, "another password")])
        .creates(|_| true);
    ports.mailer =
        mailer(|to, content| to == ADDRESS && matches!(content, MailContent::KnownAddress { .. }));
    let service = ports.service(SignUpMode::Open);
    let who = signed_in(service.sign_up(sign_up(), None).await);
    assert_eq!(who.user.name, "Ann");
    service.background.settle().await;
}

#[tokio::test]
async fn signing_up_with_a_known_address_and_its_password_is_signing_in() {
    let ports = Ports::hashing(1)
        .known(vec![credentials(1, ADDRESS, PASSWORD)])
        .opens_session_of(1);
    let who = signed_in(
        ports
            .service(SignUpMode::Open)
            .sign_up(sign_up(), None)
            .await,
    );
    assert_eq!(who.user, user(1, ADDRESS));
}

#[tokio::test]
async fn two_sign_ups_at_once_make_one_account() {
    let mut ports = Ports::hashing(1).opens_session_of(1);
    let mut answers = vec![vec![credentials(1, ADDRESS, PASSWORD)], vec![]];
    ports
        .accounts
        .expect_credentials()
        .times(2)
        .returning(move |_| Ok(answers.pop().unwrap()));
    ports
        .accounts
        .expect_create()
        .return_once(|_| Ok(Creation::Twin));
    assert_eq!(
        signed_in(
            ports
                .service(SignUpMode::Open)
                .sign_up(sign_up(), None)
                .await
        )
        .user,
        user(1, ADDRESS)
    );
}

#[tokio::test]
async fn the_first_account_is_let_in_whatever_the_mode() {
    for mode in [SignUpMode::Waitlist, SignUpMode::Closed] {
        let mut ports = Ports::hashing(1).creates(|new| new.admission == Admission::First);
        ports.accounts.expect_any().return_once(|| Ok(false));
        ports
            .accounts
            .expect_credentials()
            .returning(|_| Ok(vec![]));
        signed_in(ports.service(mode).sign_up(sign_up(), None).await);
    }
}

#[tokio::test]
async fn a_closed_installation_refuses_known_and_unknown_alike_without_a_look() {
    let refused = Ports::hashing(0)
        .known(vec![])
        .service(SignUpMode::Closed)
        .sign_up(sign_up(), None)
        .await;
    assert!(matches!(
        refused,
        Err(Error::Forbidden("Sign-up is closed"))
    ));
}

#[tokio::test]
async fn who_signs_up_without_an_invitation_waits() {
    let mut ports = Ports::hashing(0).known(vec![]);
    ports
        .waitlist
        .expect_add()
        .withf(|waiting| waiting.email == ADDRESS)
        .times(1)
        .returning(|_| Ok(()));
    let outcome = ports
        .service(SignUpMode::Waitlist)
        .sign_up(sign_up(), None)
        .await;
    assert_eq!(outcome.unwrap(), SignedUp::Waitlisted);
}

#[tokio::test]
async fn an_invitation_lets_in_and_is_used_up_with_the_account() {
    let token = SecretToken::generate();
    let wanted = Admission::Invitation(token.digest());
    let mut ports = Ports::hashing(1)
        .known(vec![])
        .creates(move |new| new.admission == wanted);
    ports
        .invitations
        .expect_find()
        .return_once(|_, _| Ok(Some(invitation())));
    signed_in(
        ports
            .service(SignUpMode::Closed)
            .sign_up(sign_up(), Some(token))
            .await,
    );
}

#[tokio::test]
async fn a_bad_invitation_lets_nobody_in() {
    let mut ports = Ports::hashing(0);
    ports.invitations.expect_find().return_once(|_, _| Ok(None));
    let refused = ports
        .service(SignUpMode::Open)
        .sign_up(sign_up(), Some(SecretToken::generate()))
        .await;
    assert!(matches!(refused, Err(Error::BadCode(_))));
}

#[tokio::test]
async fn an_invited_person_who_has_an_account_accepts_with_it() {
    let mut ports = Ports::hashing(1)
        .known(vec![credentials(1, ADDRESS, PASSWORD)])
        .opens_session_of(1);
    ports
        .invitations
        .expect_find()
        .return_once(|_, _| Ok(Some(invitation())));
    ports
        .invitations
        .expect_accept()
        .times(1)
        .return_once(|_, _, _| Ok(Some(invitation())));
    signed_in(
        ports
            .service(SignUpMode::Open)
            .sign_up(sign_up(), Some(SecretToken::generate()))
            .await,
    );
}

#[tokio::test]
async fn sign_in_finds_the_account_of_the_address_whose_password_it_is() {
    let known = vec![
        credentials(1, ADDRESS, "another password"),
        credentials(2, ADDRESS, PASSWORD),
    ];
    let ports = Ports::hashing(1).known(known).opens_session_of(2);
    assert_eq!(
        ports
            .service(SignUpMode::Open)
            .sign_in(sign_in())
            .await
            .unwrap()
            .user,
        user(2, ADDRESS)
    );
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_address_cost_one_hash_and_say_the_same() {
    for known in [vec![credentials(1, ADDRESS, "another password")], vec![]] {
        let refused = Ports::hashing(1)
            .known(known)
            .service(SignUpMode::Open)
            .sign_in(sign_in())
            .await;
        assert!(matches!(
            refused,
            Err(Error::Unauthenticated("Wrong email or password"))
        ));
    }
}

#[tokio::test]
async fn a_malformed_sign_up_touches_nothing() {
    let draft = SignUpDraft {
        email: "ann".into(),
        ..sign_up()
    };
    let refused = Ports::hashing(0)
        .service(SignUpMode::Open)
        .sign_up(draft, None)
        .await;
    assert!(matches!(refused, Err(Error::Invalid(_))));
}
