//! What the tests of services share.

use std::sync::Arc;

use allclear_domain::account::{Password, User};
use allclear_domain::author::Author;
use allclear_domain::event::EventKind;
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use allclear_domain::membership::{Membership, Role};
use allclear_domain::organisation::Revision;
use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use uuid::Uuid;

use crate::account::Credentials;
use crate::background::Background;
use crate::broadcast::MockBroadcast;
use crate::clock::{Clock, TestClock};
use crate::link::Links;
use crate::mail::{Mail, MailContent, Mailer, MockMailer};
use crate::mail_budget::{MailBudget, MailBudgetLimits, MailScope, MockMailCountStore};
use crate::organisation::MockOrganisationStore;
use crate::outbox::{Commit, MockOutbox};
use crate::password::{MockPasswordHasher, PasswordHash};
use crate::relay::Relay;
use crate::second_factor::{Factors, MockFactorStore, SessionProof};
use crate::secret::HmacKey;
use crate::security_mail::SecurityMails;
use crate::session::Session;
use crate::stamp::Stamp;
use crate::transition::Committed;

pub(crate) const PASSWORD: &str = "correct horse battery";

pub(crate) fn now() -> DateTime<Utc> {
    TestClock::START
}

pub(crate) fn clock() -> Arc<dyn Clock> {
    TestClock::stopped()
}

pub(crate) fn stamp() -> Stamp {
    Stamp {
        committed_at: now(),
        wall_time: now(),
        revision: Revision(5),
        id: Uuid::from_u128(9),
        zone: TimeZone::default(),
        notify_by_default: true,
    }
}

/// What storage returns for a change of [`organisation`].
pub(crate) fn committed<T>(state: T) -> Committed<T> {
    let commit = Commit::example("org_1", 5, &[EventKind::NewIncident]);
    Committed {
        state,
        commit: Some(commit),
    }
}

/// A relay that must broadcast exactly this many commits.
pub(crate) fn relay(broadcasts: usize) -> Arc<Relay> {
    let mut broadcast = MockBroadcast::new();
    broadcast
        .expect_publish()
        .times(broadcasts)
        .return_const(());
    Arc::new(Relay::new(Arc::new(MockOutbox::new()), Arc::new(broadcast)))
}

pub(crate) fn author() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ann".into(),
    }
}

pub(crate) fn links() -> Links {
    Links::new("https://status.example.com/")
}

pub(crate) fn user(number: u128, email: &str) -> User {
    let (id, name) = (UserId(Uuid::from_u128(number)), format!("User {number}"));
    User {
        id,
        name,
        email: email.into(),
        administrator: false,
        needs_address: false,
        created_at: now(),
    }
}

pub(crate) fn session(user: User) -> Session {
    Session {
        id: SessionId(Uuid::from_u128(50)),
        user,
        active_organisation: None,
        created_at: now(),
        authenticated_at: now(),
        used_at: now(),
        expires_at: now() + TimeDelta::days(7),
    }
}

pub(crate) fn organisation() -> OrganisationId {
    OrganisationId::parse("org_1").unwrap()
}

/// A store in which every account has this role in [`organisation`]; `None` if it is not a member.
pub(crate) fn memberships(role: Option<Role>) -> MockOrganisationStore {
    let mut store = MockOrganisationStore::new();
    let membership = role.map(|role| Membership {
        organisation: organisation(),
        name: "Acme".into(),
        role,
    });
    store
        .expect_find_membership()
        .returning(move |_, _| Ok(membership.clone()));
    store
}

/// A store in which [`organisation`] requires a second factor or not, and no account has one.
pub(crate) fn requirement(required: bool) -> MockFactorStore {
    let mut store = MockFactorStore::new();
    store
        .expect_is_factor_required()
        .returning(move |_| Ok(required));
    store
        .expect_session_proof()
        .returning(|_| Ok(SessionProof::Account));
    store.expect_factors().returning(|_| Ok(Factors::default()));
    store
}

pub(crate) fn mail_budget(counts: MockMailCountStore, limits: MailBudgetLimits) -> Arc<MailBudget> {
    Arc::new(MailBudget::new(
        Arc::new(counts),
        clock(),
        hmac_key(),
        limits,
    ))
}

/// No limit to mails.
pub(crate) fn unlimited_mail() -> Arc<MailBudget> {
    mail_budget(MockMailCountStore::new(), MailBudgetLimits::default())
}

/// A budget of mailboxes that is used up, and is asked exactly once.
pub(crate) fn no_mail_left() -> Arc<MailBudget> {
    let mut counts = MockMailCountStore::new();
    counts
        .expect_take()
        .times(1)
        .returning(|_, _, now| Err(MailScope::Mailbox.refusal(now)));
    let limits = MailBudgetLimits {
        mailbox: Some(10),
        ..MailBudgetLimits::default()
    };
    mail_budget(counts, limits)
}

pub(crate) fn password(text: &str) -> Password {
    Password::new(text.into())
}

/// What [`hasher`] makes of a password.
pub(crate) fn hash_of(text: &str) -> PasswordHash {
    PasswordHash::new(text.to_owned())
}

/// Beginning of a password's hash that [`hasher`] reports as outdated.
pub(crate) const OUTDATED: &str = "outdated";

/// A hasher that must hash and verify exactly this many times.
pub(crate) fn hasher(hashed: usize, verified: usize) -> MockPasswordHasher {
    let entered = |password: &Password| {
        let text = std::str::from_utf8(password.as_bytes()).unwrap();
        hash_of(text)
    };
    let mut mock = MockPasswordHasher::new();
    mock.expect_hash()
        .times(hashed)
        .returning(move |password, _| Ok(entered(password)));
    mock.expect_verify()
        .times(verified)
        .returning(move |password, stored, _| {
            let hash = entered(password);
            Ok(stored.iter().position(|stored| *stored == hash))
        });
    mock.expect_is_outdated()
        .returning(|stored| stored.as_str().starts_with(OUTDATED));
    mock
}

/// An account with this password.
pub(crate) fn credentials(number: u128, email: &str, text: &str) -> Credentials {
    Credentials {
        user: user(number, email),
        password: hash_of(text),
    }
}

/// Sends notices about security with this mailer, on the present runtime.
pub(crate) fn security_mails(mailer: Arc<dyn Mailer>) -> (SecurityMails, Background) {
    let background = Background::on(tokio::runtime::Handle::current());
    let mails = SecurityMails::new(
        mailer,
        unlimited_mail(),
        clock(),
        background.clone(),
        links(),
    );
    (mails, background)
}

/// Key of the installation.
pub(crate) fn hmac_key() -> HmacKey {
    HmacKey::new("the installation's secret").unwrap()
}

/// A mailer that sends every mail.
pub(crate) fn any_mail() -> MockMailer {
    let mut mailer = MockMailer::new();
    mailer.expect_send().returning(|_| Ok(()));
    mailer
}

/// A mailer that must send exactly one mail, which must match.
pub(crate) fn mailer(matching: impl Fn(&str, &MailContent) -> bool + Send + 'static) -> MockMailer {
    let mut mailer = MockMailer::new();
    let matching = move |mail: &Mail| matching(&mail.to, &mail.content);
    mailer
        .expect_send()
        .withf(matching)
        .times(1)
        .returning(|_| Ok(()));
    mailer
}

/// A subscriber that keeps what is logged, as JSON lines.
pub(crate) fn kept_log() -> (tracing::subscriber::DefaultGuard, Arc<Mutex<Vec<u8>>>) {
    #[derive(Clone)]
    struct Sink(Arc<Mutex<Vec<u8>>>);
    impl std::io::Write for Sink {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let kept = Arc::default();
    let sink = Sink(Arc::clone(&kept));
    let subscriber = tracing_subscriber::fmt()
        .json()
        .with_writer(move || sink.clone())
        .finish();
    (tracing::subscriber::set_default(subscriber), kept)
}

/// The lines that [`kept_log`] has kept.
pub(crate) fn log_lines(log: &Mutex<Vec<u8>>) -> Vec<serde_json::Value> {
    let log = String::from_utf8(log.lock().clone()).unwrap();
    log.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}
