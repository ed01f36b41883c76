use super::*;

use allclear_domain::membership::Role;
use chrono::TimeDelta;
use parking_lot::Mutex;
use serde_json::json;

use crate::account::MockAccountStore;
use crate::background::Background;
use crate::clock::TestClock;
use crate::fixture::{
    credentials, hmac_key, kept_log, log_lines, mailer, memberships, now, organisation,
    security_mails, session, user,
};
use crate::mail::{MailContent, MockMailer};
use crate::session::{AdminSession, MockSessionStore, SignInProof};

const ADDRESS: &str = "ann@example.com";
const NONCE: &str = "nonce";

fn totp_factor(confirmed: bool) -> TotpFactor {
    TotpFactor {
        nonce: NONCE.into(),
        last_step: 0,
        created_at: now(),
        confirmed_at: confirmed.then(now),
    }
}

fn factors(confirmed: bool) -> Factors {
    Factors {
        totp: Some(totp_factor(confirmed)),
        passkeys: Vec::new(),
        recovery_codes: 0,
    }
}

/// The code that Ann's app shows now.
fn code() -> String {
    Totp::new(&hmac_key(), user(1, ADDRESS).id, NONCE).code_at(now())
}

/// A code of Ann's app was entered.
fn used_app() -> UsedCode {
    UsedCode::Totp {
        nonce: NONCE.into(),
    }
}

fn step() -> i64 {
    now().timestamp() / 30
}

fn draft(code: &str) -> CodeDraft {
    CodeDraft { code: code.into() }
}

struct Ports {
    accounts: MockAccountStore,
    factors: MockFactorStore,
    sessions: MockSessionStore,
    mailer: MockMailer,
}

impl Ports {
    /// Ports that accept neither writes nor mails.
    fn with(found: Factors) -> Self {
        let mut ports = Self {
            accounts: MockAccountStore::new(),
            factors: MockFactorStore::new(),
            sessions: MockSessionStore::new(),
            mailer: MockMailer::new(),
        };
        ports
            .factors
            .expect_factors()
            .returning(move |_| Ok(found.clone()));
        ports
            .accounts
            .expect_find()
            .returning(|_| Ok(Some(credentials(1, ADDRESS, "hash"))));
        ports
    }

    /// Sets whether the organisation requires a second factor.
    fn requiring(mut self, required: bool) -> Self {
        self.factors
            .expect_is_factor_required()
            .returning(move |_| Ok(required));
        self
    }

    /// Sets where the second factor of the session was checked.
    fn proven(mut self, proof: SessionProof) -> Self {
        self.factors
            .expect_session_proof()
            .returning(move |_| Ok(proof));
        self
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

    fn service(self) -> (SecondFactors, Background) {
        let clock = TestClock::stopped();
        let (mails, background) = security_mails(Arc::new(self.mailer));
        let sessions = Arc::new(self.sessions);
        let service = SecondFactors::new(FactorPorts {
            accounts: Arc::new(self.accounts),
            organisations: Arc::new(memberships(Some(Role::Admin))),
            factors: Arc::new(self.factors),
            opener: SessionOpener::new(
                sessions,
                Arc::clone(&clock) as _,
                hmac_key(),
                mails.clone(),
            ),
            mails,
            app_clock: Arc::clone(&clock) as _,
            clock,
            hmac_key: hmac_key(),
            signer: Arc::new(hmac_key()),
        });
        (service, background)
    }
}

#[tokio::test]
async fn an_enrolment_shows_the_secret_of_the_stored_nonce() {
    let mut ports = Ports::with(Factors::default());
    let stored = Arc::new(Mutex::new(String::new()));
    let store = Arc::clone(&stored);
    ports
        .factors
        .expect_begin_totp()
        .returning(move |_, nonce, _, _| {
            *store.lock() = nonce;
            Ok(true)
        });
    let ann = session(user(1, ADDRESS));
    let enrolment = ports.service().0.begin_totp(&ann).await.unwrap();
    let nonce = stored.lock().clone();
    let totp = Totp::new(&hmac_key(), ann.user.id, &nonce);
    assert_eq!(enrolment.secret, totp.reveal());
    assert!(enrolment.uri.contains(&enrolment.secret));
    assert!(!nonce.contains(&enrolment.secret));
}

#[tokio::test]
async fn a_confirmed_app_is_not_replaced() {
    let mut ports = Ports::with(factors(true));
    ports
        .factors
        .expect_begin_totp()
        .returning(|_, _, _, _| Ok(false));
    let ann = session(user(1, ADDRESS));
    let (service, _) = ports.service();
    let refused = service.begin_totp(&ann).await;
    assert!(matches!(refused, Err(Error::Conflict(_))));
    let client = Client::default();
    let refused = service.confirm_totp(&ann, draft(&code()), &client).await;
    assert!(matches!(refused, Err(Error::NotFound(_))));
}

#[tokio::test]
async fn the_first_code_confirms_the_app_and_gives_the_recovery_codes() {
    let ann = session(user(1, ADDRESS));
    let current_session = ann.id;
    let mut ports = Ports::with(factors(false)).mailing(SecurityChange::AuthenticatorAdded);
    ports
        .factors
        .expect_confirm_totp()
        .withf(move |confirmation| {
            confirmation.step == step()
                && confirmation.current_session == current_session
                && confirmation.recovery_codes.len() == RecoveryCode::COUNT
        })
        .times(1)
        .returning(|_| Ok(true));
    let (service, background) = ports.service();
    let client = Client::default();
    for wrong in ["000000", "12"] {
        let refused = service.confirm_totp(&ann, draft(wrong), &client).await;
        assert!(matches!(refused, Ok(Err(WrongCode))), "{wrong}");
    }
    let codes = service.confirm_totp(&ann, draft(&code()), &client).await;
    assert_eq!(codes.unwrap().unwrap().len(), RecoveryCode::COUNT);
    background.wait_idle().await;
}

#[tokio::test]
async fn a_code_opens_the_session_of_the_pending_sign_in_once() {
    let mut ports = Ports::with(factors(true)).mailing(SecurityChange::SignedIn);
    let mut used = false;
    ports
        .factors
        .expect_use_step()
        .withf(|_, at| *at == step())
        .times(2)
        .returning(move |_, _| Ok(!std::mem::replace(&mut used, true)));
    ports
        .sessions
        .expect_open()
        .withf(|_, proof, _| {
            let SignInProof::Password { code, .. } = proof else {
                return false;
            };
            *code == Some(used_app())
        })
        .times(1)
        .returning(|_, _, _| Ok(()));
    let (service, background) = ports.service();
    let token = service.await_code(&credentials(1, ADDRESS, "hash"));
    let client = Client::default();
    let sign_in = || service.sign_in(&token, draft(&code()), &client);
    let signed_in = sign_in().await.unwrap().unwrap();
    assert_eq!(signed_in.user, user(1, ADDRESS));
    let replayed = sign_in().await;
    assert!(matches!(replayed, Ok(Err(WrongCode))));
    background.wait_idle().await;
}

#[tokio::test]
async fn neither_a_wrong_code_nor_an_ended_sign_in_opens_a_session() {
    let (service, _) = Ports::with(factors(true)).service();
    let client = Client::default();
    let token = service.await_code(&credentials(1, ADDRESS, "hash"));
    for wrong in ["000000", "not a code", "12345"] {
        let refused = service.sign_in(&token, draft(wrong), &client).await;
        assert!(matches!(refused, Ok(Err(WrongCode))));
    }
    let earlier = now() - PendingSignIns::LIFETIME - TimeDelta::seconds(1);
    let pending = PendingSignIns::new(Arc::new(hmac_key()));
    for token in [
        pending.issue(&credentials(1, ADDRESS, "hash"), earlier),
        pending.issue(&credentials(1, ADDRESS, "former hash"), now()),
        SecretToken::generate(),
    ] {
        let refused = service.sign_in(&token, draft(&code()), &client).await;
        let Err(Error::Unauthenticated(message)) = refused else {
            panic!("{refused:?}")
        };
        assert!(message.contains("too long"), "{message}");
    }
}

#[tokio::test]
async fn a_recovery_code_is_used_up_recorded_and_mailed() {
    let change = SecurityChange::RecoveryCodeUsed { left: 9 };
    let mut ports = Ports::with(factors(true)).mailing(change);
    let code = RecoveryCode::generate().remove(0);
    let digest = code.digest();
    ports
        .factors
        .expect_use_recovery_code()
        .withf(move |_, used| *used == digest)
        .times(1)
        .returning(|_, _| Ok(Some(9)));
    let (service, background) = ports.service();
    let entered = code.reveal().to_uppercase();
    let ann = user(1, ADDRESS);
    let (_guard, log) = kept_log();
    let used = service.check(&ann, &entered, &Client::default()).await;
    assert_eq!(used.unwrap(), Ok(UsedCode::RecoveryCode { left: 9 }));
    background.wait_idle().await;
    let lines = log_lines(&log);
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(line["fields"]["event"], "recovery-code-used");
    assert_eq!(line["fields"]["subject"], ann.id.to_string());
}

#[tokio::test]
async fn an_app_that_is_not_confirmed_is_no_factor() {
    assert!(!factors(false).is_needed());
    let (service, _) = Ports::with(factors(false)).service();
    let ann = user(1, ADDRESS);
    let refused = service.check(&ann, &code(), &Client::default()).await;
    assert_eq!(refused.unwrap(), Err(WrongCode));
    let ann = session(ann);
    let client = Client::default();
    let refused = service.replace_recovery_codes(&ann, &client).await;
    assert!(matches!(refused, Err(Error::Conflict(_))));
}

#[tokio::test]
async fn an_operator_resets_the_factors_of_an_address_and_its_owner_is_mailed() {
    let mut accounts = MockAccountStore::new();
    accounts.expect_owner().returning(|address| {
        let ann = (*address == EmailKey::of(ADDRESS)).then(|| credentials(1, ADDRESS, "hash"));
        Ok(ann)
    });
    let mut factors = MockFactorStore::new();
    factors
        .expect_reset_factors()
        .withf(|id| *id == user(1, ADDRESS).id)
        .times(1)
        .returning(|_| Ok(()));
    let mailer = mailer(|to, content| {
        let MailContent::SecurityNotice(notice) = content else {
            return false;
        };
        to == ADDRESS && notice.change == SecurityChange::FactorsReset
    });
    let (mails, background) = security_mails(Arc::new(mailer));
    let (_guard, log) = kept_log();
    let reset = reset_factors(&accounts, &factors, &mails, "ANN@example.com").await;
    assert_eq!(reset.unwrap(), user(1, ADDRESS));
    let unknown = reset_factors(&accounts, &factors, &mails, "bob@example.com").await;
    assert!(matches!(unknown, Err(Error::NotFound(_))));
    background.wait_idle().await;
    let lines = log_lines(&log);
    let [line] = &lines[..] else {
        panic!("{lines:?}")
    };
    let fields = &line["fields"];
    assert_eq!(fields["event"], "factors-reset");
    assert_eq!(fields["object"], user(1, ADDRESS).id.to_string());
    assert_eq!(fields.get("subject"), None);
}

#[tokio::test]
async fn only_an_admin_who_used_a_factor_requires_one() {
    let ann = session(user(1, ADDRESS));
    for (found, proof) in [
        (Factors::default(), SessionProof::Account),
        (Factors::default(), SessionProof::Missing),
        (factors(true), SessionProof::Missing),
    ] {
        for (required, wanted) in [(false, true), (true, false), (true, true)] {
            let ports = Ports::with(found.clone()).proven(proof);
            let (service, _) = ports.requiring(required).service();
            let refused = service.require(&ann, &organisation(), wanted).await;
            let is_refused = match refused {
                Err(Error::Conflict(_)) => !required,
                Err(Error::SecondFactorRequired) => required,
                _ => false,
            };
            assert!(is_refused, "{proof:?} {required}: {refused:?}");
        }
    }
    for (found, proof, before, required) in [
        (factors(true), SessionProof::Account, false, true),
        (factors(true), SessionProof::Account, true, false),
        (Factors::default(), SessionProof::Provider, false, true),
        (Factors::default(), SessionProof::Missing, false, false),
    ] {
        let mut ports = Ports::with(found).proven(proof).requiring(before);
        ports
            .factors
            .expect_require_factor()
            .withf(move |id, stored, admin| {
                let ann = AdminSession::from(&session(user(1, ADDRESS)));
                (id, *stored, *admin) == (&organisation(), required, ann)
            })
            .times(1)
            .returning(move |_, stored, _| Ok(stored != before));
        let (service, _) = ports.service();
        let (_guard, log) = kept_log();
        let stored = service.require(&ann, &organisation(), required).await;
        stored.unwrap();
        let records: Vec<_> = log_lines(&log)
            .iter()
            .map(|line| {
                let fields = &line["fields"];
                (fields["event"].clone(), fields["detail"].clone())
            })
            .collect();
        let event = "factor-requirement-changed";
        let expected = match (before, required) {
            (false, true) => vec![(json!(event), json!("required"))],
            (true, false) => vec![(json!(event), json!("not required"))],
            _ => Vec::new(),
        };
        assert_eq!(records, expected);
    }
}

#[tokio::test]
async fn a_requirement_refuses_sessions_in_which_no_factor_was_used() {
    use SessionProof::{Account, Missing, Provider};
    let ann = session(user(1, ADDRESS));
    for (required, found, proof, refused) in [
        (false, Factors::default(), Missing, false),
        (true, factors(true), Account, false),
        (true, factors(false), Account, true),
        (true, Factors::default(), Account, true),
        (true, factors(true), Missing, true),
        (true, Factors::default(), Missing, true),
        (true, Factors::default(), Provider, false),
    ] {
        let ports = Ports::with(found).proven(proof).requiring(required);
        let (service, _) = ports.service();
        let checked = service.check_requirement(&ann, &organisation()).await;
        let is_refusal = matches!(checked, Err(Error::SecondFactorRequired));
        assert_eq!(is_refusal, refused, "{required} {proof:?}");
        assert_eq!(checked.is_err(), refused);
    }
}

#[tokio::test]
async fn factors_are_changed_only_in_a_session_in_which_one_was_used() {
    use SessionProof::{Account, Missing, Provider};
    let ann = session(user(1, ADDRESS));
    for (found, proof, refused) in [
        (factors(true), Missing, true),
        (factors(true), Account, false),
        (factors(true), Provider, false),
        (factors(false), Missing, false),
        (Factors::default(), Missing, false),
    ] {
        let (service, _) = Ports::with(found).proven(proof).service();
        let checked = service.check_proof(&ann).await;
        let is_refusal = matches!(checked, Err(Error::SecondFactorRequired));
        assert_eq!(is_refusal, refused, "{proof:?}");
        assert_eq!(checked.is_err(), refused);
    }
}

#[tokio::test]
async fn a_right_code_proves_the_factor_in_a_session_and_changes_its_token() {
    let ann = session(user(1, ADDRESS));
    let mut ports = Ports::with(factors(true));
    ports
        .factors
        .expect_use_step()
        .times(1)
        .returning(|_, _| Ok(true));
    let stored = Arc::new(Mutex::new(None));
    let sink = Arc::clone(&stored);
    let id = ann.id;
    ports
        .factors
        .expect_prove_factor()
        .withf(move |session, _| *session == id)
        .times(1)
        .returning(move |_, digest| {
            *sink.lock() = Some(digest);
            Ok(())
        });
    let (service, _) = ports.service();
    let client = Client::default();
    let refused = service.prove(&ann, draft("000000"), &client).await;
    assert!(matches!(refused, Ok(Err(WrongCode))));
    let proven = service.prove(&ann, draft(&code()), &client).await;
    let token = proven.unwrap().unwrap();
    assert_eq!(*stored.lock(), Some(token.digest()));
}
