use super::*;

use parking_lot::Mutex;
use uuid::Uuid;

use crate::delivery::MockDeliverySender;
use crate::fixture::{clock, mail_budget, no_mail_left, now, organisation, unlimited_mail};
use crate::mail_budget::{MailBudgetLimits, MailScope, MockMailCountStore};
use crate::message::MockMessenger;
use crate::organisation::MockOrganisationStore;
use crate::statuspage_api::MockStatuspageStateStore;
use crate::subscriber::import::Imported;

const ADDRESS: &str = "ann@example.com";

fn hmac_key() -> HmacKey {
    HmacKey::new("the installation's secret").unwrap()
}

fn draft(email: &str) -> SubscriberDraft {
    SubscriberDraft::of_everything(Target::parse(Channel::Email, email).unwrap())
}

fn pending() -> Subscriber {
    Subscriber::create(SubscriberId(Uuid::from_u128(1)), draft(ADDRESS), now())
}

fn subscribed() -> Subscriber {
    pending()
        .verify(now() + Subscriber::VERIFICATION_LIFETIME, now())
        .unwrap()
}

/// A store with at most one subscriber. It passes the result of a rule to `stored`.
fn store(
    known: Option<Subscriber>,
    stored: impl Fn(&Result<Subscriber, Error>) + Send + Sync + 'static,
) -> MockSubscriberStore {
    let mut store = MockSubscriberStore::new();
    let found = known.clone();
    store.expect_find().returning(move |_, _| Ok(found.clone()));
    store.expect_check_scope().returning(|_, _| Ok(()));
    let stored = Arc::new(stored);
    let (rule_of, seen) = (known.clone(), Arc::clone(&stored));
    store.expect_check_subscriber_limit().returning(|_| Ok(()));
    store
        .expect_save_and_queue_verification()
        .returning(move |_, _, rule| {
            let outcome = rule(rule_of.clone());
            seen(&outcome);
            outcome
        });
    store.expect_save().returning(move |_, _, rule| {
        let outcome = rule(known.clone());
        stored(&outcome);
        Ok(SubscriberChange {
            before: known.clone(),
            after: outcome?,
        })
    });
    store
}

fn service(store: MockSubscriberStore) -> Subscribers {
    let mut organisations = MockOrganisationStore::new();
    let acme = Organisation::new(organisation(), "Acme".into());
    organisations
        .expect_find()
        .returning(move |id| Ok((*id == acme.id).then(|| acme.clone())));
    let ports = SubscriberPorts {
        subscribers: Arc::new(store),
        organisations: Arc::new(organisations),
        mail_budget: unlimited_mail(),
        clock: clock(),
        states: Arc::new(MockStatuspageStateStore::new()),
        messenger: Arc::new(MockMessenger::new()),
        tester: Arc::new(MockDeliverySender::new()),
        wake_signal: Arc::default(),
    };
    Subscribers::new(ports, hmac_key())
}

#[tokio::test]
async fn every_subscriber_is_stored_alike_and_mailed_later() {
    for known in [None, Some(pending()), Some(subscribed())] {
        let status = known
            .as_ref()
            .map_or(SubscriberStatus::Pending, |known| known.status);
        let store = store(known, move |stored| {
            assert_eq!(stored.as_ref().unwrap().status, status);
        });
        service(store)
            .subscribe(&organisation(), draft(ADDRESS))
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn one_of_two_simultaneous_verifications_reveals_the_secret() {
    let target = Target::parse(Channel::Webhook, "https://hooks.example.com/ann").unwrap();
    let draft = SubscriberDraft::of_everything(target);
    let pending = Subscriber::create(SubscriberId(Uuid::from_u128(1)), draft, now());
    let stored = Arc::new(Mutex::new(pending.clone()));
    let mut store = MockSubscriberStore::new();
    let read_before = pending.clone();
    store
        .expect_find()
        .returning(move |_, _| Ok(Some(read_before.clone())));
    store.expect_save().returning(move |_, _, rule| {
        let mut stored = stored.lock();
        let before = stored.clone();
        *stored = rule(Some(before.clone()))?;
        Ok(SubscriberChange {
            before: Some(before),
            after: stored.clone(),
        })
    });
    let service = service(store);
    let code = service
        .codes
        .verification_code(&pending, now() + Subscriber::VERIFICATION_LIFETIME);
    let key = SubscriberKey::of(&pending);
    let mut revealed = Vec::new();
    for _ in 0..2 {
        let verified = service.verify(&organisation(), key.clone(), &code).await;
        revealed.push(verified.unwrap().secret.is_some());
    }
    assert_eq!(revealed, [true, false]);
}

#[tokio::test]
async fn beyond_the_mail_budget_nothing_is_stored_and_only_an_operator_gets_an_error() {
    let nothing_entered = || {
        let mut store = MockSubscriberStore::new();
        store.expect_find().returning(|_, _| Ok(None));
        store.expect_check_scope().returning(|_, _| Ok(()));
        store.expect_check_subscriber_limit().returning(|_| Ok(()));
        let mut service = service(store);
        service.ports.mail_budget = no_mail_left();
        service
    };
    nothing_entered()
        .subscribe(&organisation(), draft(ADDRESS))
        .await
        .unwrap();
    let refused = nothing_entered()
        .add(&organisation(), "bob", draft(ADDRESS))
        .await;
    assert!(
        matches!(refused, Err(Error::MailLimitReached { .. })),
        "{refused:?}"
    );
}

/// Imports 20 addresses, of which the mail budget refuses all but the last one by a limit of this
/// scope. Returns the report and how often the budget was asked.
async fn import_beyond(scope: MailScope) -> (ImportReport, u64) {
    let mut store = MockSubscriberStore::new();
    store
        .expect_named_components()
        .returning(|_| Ok(Vec::new()));
    store
        .expect_preview_import()
        .returning(|_, keys, _| Ok(vec![Imported::Added; keys.len()]));
    store
        .expect_import()
        .returning(|_, batch| Ok(vec![Imported::Added; batch.subscribers.len()]));
    let asked = Arc::new(Mutex::new(0));
    let (counter, mut counts) = (Arc::clone(&asked), MockMailCountStore::new());
    counts.expect_take().returning(move |_, now| {
        let mut asked = counter.lock();
        *asked += 1;
        if *asked == 20 {
            return Ok(());
        }
        Err(scope.refusal(now))
    });
    let limits = MailBudgetLimits {
        mailbox: Some(10),
        ..MailBudgetLimits::default()
    };
    let mut service = service(store);
    service.ports.mail_budget = mail_budget(counts, limits);
    let rows = (1..=20).map(|line| ImportRow {
        line,
        content: Ok((format!("ann+{line}@example.com"), String::new())),
    });
    let report = service
        .import(&organisation(), "bob", ImportMode::Pending, rows)
        .await
        .unwrap();
    let asked = *asked.lock();
    (report, asked)
}

#[tokio::test]
async fn refusals_for_one_mailbox_do_not_end_an_import() {
    let (report, asked) = import_beyond(MailScope::Mailbox).await;
    assert_eq!((report.added, report.failed, asked), (1, 19, 20));
    let setting = "ALLCLEAR_LIMIT_MAIL_MAILBOX";
    assert!(
        report
            .errors
            .iter()
            .all(|(_, reason)| reason.contains(setting))
    );
}

#[tokio::test]
async fn limit_that_all_rows_share_is_asked_once_and_named_for_each_row() {
    for (scope, setting) in [
        (MailScope::Account, "ALLCLEAR_LIMIT_MAIL_ACCOUNT"),
        (MailScope::Organisation, "ALLCLEAR_LIMIT_MAIL_ORGANISATION"),
        (MailScope::Installation, "ALLCLEAR_LIMIT_MAIL_INSTALLATION"),
    ] {
        let (report, asked) = import_beyond(scope).await;
        assert_eq!((report.added, report.failed, asked), (0, 20, 1));
        assert!(
            report
                .errors
                .iter()
                .all(|(_, reason)| reason.contains(setting))
        );
    }
}
