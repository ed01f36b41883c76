use super::*;

use allclear_domain::account::User;
use chrono::TimeDelta;
use parking_lot::Mutex;
use serde_json::json;
use uuid::Uuid;

use crate::account::MockAccountStore;
use crate::background::Background;
use crate::clock::TestClock;
use crate::fixture::{credentials, hmac_key, mailer, now, security_mails, session, user};
use crate::mail::{MailContent, MockMailer};
use crate::session::{MockSessionStore, SignInProof};

const ADDRESS: &str = "ann@example.com";

fn ann() -> User {
    user(1, ADDRESS)
}

fn passkey() -> Passkey {
    Passkey {
        id: PasskeyId(Uuid::from_u128(9)),
        name: "Phone".into(),
        created_at: now(),
        last_used_at: None,
    }
}

fn draft(name: &str) -> PasskeyDraft {
    PasskeyDraft { name: name.into() }
}

fn response() -> Value {
    json!({"id": "credential"})
}

fn id() -> CredentialId {
    CredentialId("credential".into())
}

fn verified() -> VerifiedCredential {
    VerifiedCredential {
        credential: "after".into(),
        sign_count: 5,
    }
}

struct Ports {
    clock: Arc<TestClock>,
    accounts: MockAccountStore,
    passkeys: MockPasskeyStore,
    sessions: MockSessionStore,
    verifier: MockPasskeyVerifier,
    mailer: MockMailer,
}

impl Ports {
    /// Ports that accept neither writes nor mails. Challenges have the state `state`.
    fn new() -> Self {
        let mut verifier = MockPasskeyVerifier::new();
        verifier.expect_begin_authentication().returning(|allowed| {
            let ids: Vec<_> = allowed.iter().map(|id| id.0.as_str()).collect();
            Ok(Challenge {
                options: json!({"allowed": ids}),
                state: "state".into(),
            })
        });
        verifier.expect_begin_registration().returning(|user, _| {
            Ok(Challenge {
                options: json!({"user": user.email}),
                state: "state".into(),
            })
        });
        let mut accounts = MockAccountStore::new();
        accounts.expect_find().returning(|id| {
            let ann = credentials(1, ADDRESS, "hash");
            let bob = credentials(2, "bob@example.com", "hash");
            Ok([ann, bob].into_iter().find(|known| known.user.id == id))
        });
        Self {
            clock: TestClock::stopped(),
            accounts,
            passkeys: MockPasskeyStore::new(),
            sessions: MockSessionStore::new(),
            verifier,
            mailer: MockMailer::new(),
        }
    }

    fn mailing(mut self, change: SecurityChange) -> Self {
        self.mailer = mailer(move |to, content| {
            let MailContent::SecurityNotice(notice) = content else {
                return false;
            };
            to == ADDRESS && notice.change == change
        });
        self
    }

    /// The response claims to come from Ann's passkey, which is stored, or from an unknown one.
    fn claiming(mut self, user: Option<UserId>, stored: bool) -> Self {
        self.verifier
            .expect_claimed()
            .returning(move |_| Some(ClaimedCredential { id: id(), user }));
        self.passkeys.expect_find_passkey().returning(move |_| {
            Ok(stored.then(|| StoredPasskey {
                passkey: passkey(),
                account: credentials(1, ADDRESS, "hash"),
                credential: "stored".into(),
            }))
        });
        self
    }

    /// The verification of the stored credential has this outcome; without a credential it must
    /// be refused.
    fn verifying(
        mut self,
        has_credential: bool,
        outcome: Result<VerifiedCredential, VerificationError>,
    ) -> Self {
        self.verifier
            .expect_authenticate()
            .withf(move |state, _, credential| {
                state == "state" && credential.as_deref() == has_credential.then_some("stored")
            })
            .times(1)
            .returning(move |_, _, _| outcome.clone());
        self
    }

    fn service(self) -> (Passkeys, Background) {
        let (mails, background) = security_mails(Arc::new(self.mailer));
        let clock: Arc<dyn Clock> = self.clock;
        let sessions = Arc::new(self.sessions);
        let service = Passkeys::new(PasskeyPorts {
            accounts: Arc::new(self.accounts),
            passkeys: Arc::new(self.passkeys),
            sessions: Arc::clone(&sessions) as _,
            verifier: Some(Arc::new(self.verifier)),
            opener: SessionOpener::new(sessions, Arc::clone(&clock), hmac_key(), mails.clone()),
            mails,
            clock,
            hmac_key: hmac_key(),
            signer: Arc::new(hmac_key()),
        });
        (service, background)
    }
}

fn invalid() -> VerificationError {
    VerificationError::Invalid("wrong signature".into())
}

async fn sign_in(service: &Passkeys) -> Result<crate::account::SignedIn, PasskeyFailure> {
    let begun = service.begin_sign_in().unwrap();
    let client = Client::default();
    service.sign_in(&begun.cookie, &response(), &client).await
}

#[tokio::test]
async fn the_first_passkey_gives_recovery_codes_and_is_mailed() {
    for (stored, codes) in [
        (PasskeyAdditionOutcome::First, Some(RecoveryCode::COUNT)),
        (PasskeyAdditionOutcome::Further, None),
    ] {
        let mut ports = Ports::new().mailing(SecurityChange::PasskeyAdded);
        ports
            .passkeys
            .expect_credentials_of()
            .returning(|_| Ok(vec![]));
        ports
            .verifier
            .expect_register()
            .withf(|state, given| state == "state" && *given == response())
            .returning(|_, _| {
                Ok(NewCredential {
                    id: id(),
                    credential: "new".into(),
                    sign_count: 0,
                })
            });
        let ann = session(ann());
        let current_session = ann.id;
        ports
            .passkeys
            .expect_add_passkey()
            .withf(move |new| {
                new.passkey.name == "Phone"
                    && new.current_session == current_session
                    && new.recovery_codes.len() == RecoveryCode::COUNT
            })
            .times(1)
            .returning(move |_| Ok(stored));
        let (service, background) = ports.service();
        let begun = service.begin_registration(&ann).await.unwrap();
        assert_eq!(begun.options, json!({"user": ADDRESS}));
        let client = Client::default();
        let added = service
            .register(&ann, &begun.cookie, draft("Phone"), &response(), &client)
            .await
            .unwrap();
        assert_eq!(added.recovery_codes.map(|codes| codes.len()), codes);
        background.wait_idle().await;
    }
}

#[tokio::test]
async fn a_passkey_is_added_by_the_account_that_asked_for_it() {
    let mut ports = Ports::new();
    ports
        .passkeys
        .expect_credentials_of()
        .returning(|_| Ok(vec![]));
    let (service, _) = ports.service();
    let begun = service.begin_registration(&session(ann())).await.unwrap();
    let bob = session(user(2, "bob@example.com"));
    let client = Client::default();
    let sign_in = service.begin_sign_in().unwrap();
    let given = response();
    for cookie in [&begun.cookie, &sign_in.cookie, &SecretToken::generate()] {
        let refused = service.register(&bob, cookie, draft("Phone"), &given, &client);
        assert!(matches!(refused.await, Err(Error::Unauthenticated(_))));
    }
}

#[tokio::test]
async fn an_account_has_at_most_twenty_passkeys() {
    let mut ports = Ports::new();
    ports
        .passkeys
        .expect_credentials_of()
        .returning(|_| Ok(vec![id(); 20]));
    let (service, _) = ports.service();
    let refused = service.begin_registration(&session(ann())).await;
    assert!(matches!(refused, Err(Error::Conflict(_))));
}

#[tokio::test]
async fn a_passkey_signs_in_its_owner() {
    let mut ports = Ports::new()
        .claiming(Some(ann().id), true)
        .verifying(true, Ok(verified()))
        .mailing(SecurityChange::SignedIn);
    ports
        .passkeys
        .expect_use_passkey()
        .withf(|used| used.id == passkey().id && used.credential == verified())
        .times(1)
        .returning(|_| Ok(PasskeyUseOutcome::Accepted));
    ports
        .sessions
        .expect_open()
        .withf(|_, proof, _| matches!(proof, SignInProof::Passkey(_)))
        .times(1)
        .returning(|_, _, _| Ok(()));
    let (service, background) = ports.service();
    assert_eq!(sign_in(&service).await.unwrap().user, ann());
    background.wait_idle().await;
}

#[tokio::test]
async fn a_credential_that_is_unknown_or_not_the_claimed_accounts_costs_a_verification_and_is_refused()
 {
    let bob = user(2, "bob@example.com").id;
    for (claimed, stored) in [(Some(ann().id), false), (Some(bob), true), (None, true)] {
        // The result of the verification without a credential does not matter.
        let (service, _) = Ports::new()
            .claiming(claimed, stored)
            .verifying(false, Ok(verified()))
            .service();
        let refused = sign_in(&service).await;
        assert!(matches!(refused, Err(PasskeyFailure::Refused(_))));
    }
}

#[tokio::test]
async fn a_wrong_signature_and_a_used_challenge_open_no_session() {
    let ports = Ports::new()
        .claiming(Some(ann().id), true)
        .verifying(true, Err(invalid()));
    let refused = sign_in(&ports.service().0).await;
    assert!(matches!(refused, Err(PasskeyFailure::Refused(_))));
    let mut ports = Ports::new()
        .claiming(Some(ann().id), true)
        .verifying(true, Ok(verified()));
    ports
        .passkeys
        .expect_use_passkey()
        .returning(|_| Ok(PasskeyUseOutcome::Refused));
    let refused = sign_in(&ports.service().0).await;
    assert!(matches!(refused, Err(PasskeyFailure::Refused(_))));
}

#[tokio::test]
async fn a_counter_that_went_back_is_noted_and_mailed_once_for_each_challenge() {
    for found_by_storage in [false, true] {
        for is_first in [true, false] {
            let outcome = if found_by_storage {
                Ok(verified())
            } else {
                Err(VerificationError::CounterWentBack)
            };
            let mut ports = Ports::new()
                .claiming(Some(ann().id), true)
                .verifying(true, outcome);
            if is_first {
                let name = "Phone".to_owned();
                ports = ports.mailing(SecurityChange::PasskeyCopied { name });
            }
            ports
                .passkeys
                .expect_use_passkey()
                .returning(|_| Ok(PasskeyUseOutcome::CounterWentBack));
            ports
                .passkeys
                .expect_record_copied()
                .withf(|found, owner, _| *found == passkey() && *owner == ann().id)
                .times(1)
                .returning(move |_, _, _| Ok(is_first));
            let (service, background) = ports.service();
            let refused = sign_in(&service).await.unwrap_err();
            let is_copy = matches!(refused, PasskeyFailure::Copied(owner) if owner == ann().id);
            assert_eq!(is_copy, is_first);
            let Error::Unauthenticated(message) = Error::from(refused) else {
                panic!("another response than for an unknown passkey")
            };
            assert_eq!(message, "This passkey was not accepted");
            background.wait_idle().await;
        }
    }
}

#[tokio::test]
async fn a_challenge_expires_after_five_minutes() {
    let clock = TestClock::stopped();
    let mut ports = Ports::new();
    ports.clock = Arc::clone(&clock);
    let (service, _) = ports.service();
    let begun = service.begin_sign_in().unwrap();
    clock.advance(TimeDelta::minutes(5));
    let client = Client::default();
    let refused = service.sign_in(&begun.cookie, &response(), &client).await;
    let Err(PasskeyFailure::Failed(Error::Unauthenticated(message))) = refused else {
        panic!("{refused:?}")
    };
    assert!(message.contains("too long"), "{message}");
}

#[tokio::test]
async fn the_second_step_takes_only_a_passkey_of_the_account_whose_password_was_right() {
    let pending = PendingSignIns::new(Arc::new(hmac_key()));
    let mut ports = Ports::new()
        .claiming(None, true)
        .verifying(false, Err(invalid()));
    ports
        .passkeys
        .expect_credentials_of()
        .returning(|_| Ok(vec![id()]));
    let (service, _) = ports.service();
    let bob = credentials(2, "bob@example.com", "hash");
    let token = pending.issue(&bob, now());
    let begun = service.begin_second_step(&token).await.unwrap();
    assert_eq!(begun.options, json!({"allowed": ["credential"]}));
    let client = Client::default();
    let refused = service.sign_in(&begun.cookie, &response(), &client).await;
    assert!(matches!(refused, Err(PasskeyFailure::Refused(_))));
    let former = credentials(2, "bob@example.com", "former hash");
    for ended in [pending.issue(&former, now()), SecretToken::generate()] {
        let refused = service.begin_second_step(&ended).await;
        assert!(matches!(refused, Err(Error::Unauthenticated(_))));
    }
}

#[tokio::test]
async fn a_session_is_authenticated_by_a_passkey_of_its_account_and_gets_another_token() {
    let ann = session(ann());
    let current_session = ann.id;
    let mut ports = Ports::new()
        .claiming(None, true)
        .verifying(true, Ok(verified()));
    ports
        .passkeys
        .expect_credentials_of()
        .returning(|_| Ok(vec![id()]));
    ports
        .passkeys
        .expect_use_passkey()
        .times(1)
        .returning(|_| Ok(PasskeyUseOutcome::Accepted));
    let stored = Arc::new(Mutex::new(None));
    let store = Arc::clone(&stored);
    ports
        .sessions
        .expect_authenticate()
        .withf(move |session, _, factor, at| *session == current_session && *factor && *at == now())
        .times(1)
        .returning(move |_, digest, _, _| {
            *store.lock() = Some(digest);
            Ok(())
        });
    let (service, _) = ports.service();
    let (client, given) = (Client::default(), response());
    let begun = service.begin_reauthentication(&ann).await.unwrap();
    let confirmed = service.reauthenticate(&ann, &begun.cookie, &given, &client);
    let token = confirmed.await.unwrap();
    assert_eq!(*stored.lock(), Some(token.digest()));
    let bob = session(user(2, "bob@example.com"));
    let refused = service.reauthenticate(&bob, &begun.cookie, &given, &client);
    assert!(matches!(refused.await, Err(PasskeyFailure::Failed(_))));
    let other = service.begin_sign_in().unwrap();
    let refused = service.reauthenticate(&ann, &other.cookie, &given, &client);
    assert!(matches!(refused.await, Err(PasskeyFailure::Failed(_))));
}

#[tokio::test]
async fn an_account_without_a_passkey_cannot_begin() {
    let mut ports = Ports::new();
    ports
        .passkeys
        .expect_credentials_of()
        .returning(|_| Ok(vec![]));
    let (service, _) = ports.service();
    let refused = service.begin_reauthentication(&session(ann())).await;
    assert!(matches!(refused, Err(Error::Conflict(_))));
}

#[tokio::test]
async fn a_removed_passkey_is_mailed_and_an_unknown_one_is_not_found() {
    let mut ports = Ports::new().mailing(SecurityChange::PasskeyRemoved);
    ports
        .passkeys
        .expect_remove_passkey()
        .returning(|_, id, _| Ok(id == passkey().id));
    ports
        .passkeys
        .expect_rename_passkey()
        .returning(|_, id, _, _| Ok((id == passkey().id).then(passkey)));
    let (service, background) = ports.service();
    let (ann, client) = (session(ann()), Client::default());
    let unknown = PasskeyId(Uuid::from_u128(10));
    let removed = service.remove(&ann, passkey().id, &client).await;
    assert!(removed.is_ok());
    let missing = service.remove(&ann, unknown, &client).await;
    assert!(matches!(missing, Err(Error::NotFound(_))));
    let missing = service.rename(&ann, unknown, draft("Key")).await;
    assert!(matches!(missing, Err(Error::NotFound(_))));
    let nameless = service.rename(&ann, passkey().id, draft("")).await;
    assert!(matches!(nameless, Err(Error::Invalid(_))));
    background.wait_idle().await;
}

#[tokio::test]
async fn without_a_verifier_nothing_begins() {
    let (service, _) = Ports::new().service();
    let service = Passkeys::new(PasskeyPorts {
        verifier: None,
        ..service.ports
    });
    assert!(!service.are_offered());
    let refused = service.begin_sign_in();
    assert!(matches!(refused, Err(Error::Forbidden(_))));
    let refused = service.begin_registration(&session(ann())).await;
    assert!(matches!(refused, Err(Error::Forbidden(_))));
}
