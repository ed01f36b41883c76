use super::*;

use allclear_domain::id::IncidentId;
use allclear_domain::subscriber::Scope;
use parking_lot::Mutex;
use uuid::Uuid;

use crate::delivery::MockDeliverySender;
use crate::fixture::{
    clock, hmac_key, mail_budget, no_mail_left, now, organisation, unlimited_mail,
};
use crate::mail::{MailContent, MailPreview, MockMailer};
use crate::mail_budget::{MailBudgetLimits, MailScope, MockMailCountStore};
use crate::message::MockMessenger;
use crate::organisation::MockOrganisationStore;
use crate::statuspage_api::{MockStatuspageStateStore, StatuspageState};
use crate::subscriber::import::Imported;

const ADDRESS: &str = "ann@example.com";

fn draft(email: &str) -> SubscriberDraft {
    SubscriberDraft::of_everything(Target::parse(Channel::Email, email).unwrap())
}

pub(super) fn pending() -> Subscriber {
    Subscriber::create(SubscriberId(Uuid::from_u128(1)), draft(ADDRESS), now())
}

pub(super) fn subscribed() -> Subscriber {
    pending()
        .verify(now() + Subscriber::VERIFICATION_LIFETIME, now())
        .unwrap()
}

/// A store with at most one subscriber, which must be saved once with its verification. It passes
/// the result of the rule to `stored`.
fn store(
    known: Option<Subscriber>,
    stored: impl Fn(&Result<Subscriber, Error>) + Send + Sync + 'static,
) -> MockSubscriberStore {
    let mut store = MockSubscriberStore::new();
    let found = known.clone();
    store.expect_find().returning(move |_, _| Ok(found.clone()));
    store.expect_check_scope().returning(|_, _| Ok(()));
    store.expect_check_subscriber_limit().returning(|_| Ok(()));
    store
        .expect_save_and_queue_verification()
        .times(1)
        .returning(move |_, _, rule| {
            let outcome = rule(known.clone());
            stored(&outcome);
            outcome
        });
    store
}

/// A store of this subscriber, for which no verification is queued.
pub(super) fn store_of(known: Subscriber) -> MockSubscriberStore {
    let mut store = unchecked(known);
    store.expect_check_scope().returning(|_, _| Ok(()));
    store
}

/// A store of this subscriber whose scope is not checked.
fn unchecked(known: Subscriber) -> MockSubscriberStore {
    let mut store = MockSubscriberStore::new();
    let found = known.clone();
    store
        .expect_find()
        .returning(move |_, _| Ok(Some(found.clone())));
    store.expect_save().returning(move |_, _, rule| {
        Ok(SubscriberChange {
            before: Some(known.clone()),
            after: rule(Some(known.clone()))?,
        })
    });
    store
}

pub(super) fn service(store: MockSubscriberStore) -> Subscribers {
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
        mailer: Arc::new(MockMailer::new()),
        sender: Arc::new(MockDeliverySender::new()),
        wake_signal: Arc::default(),
    };
    Subscribers::new(ports, hmac_key())
}

#[tokio::test]
async fn every_subscriber_is_stored_alike() {
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
async fn target_of_a_visitor_is_checked_and_stored_as_one() {
    for by_visitor in [true, false] {
        let store = store(None, move |stored| {
            let target = &stored.as_ref().unwrap().target;
            assert_eq!(target.is_by_visitor(), by_visitor);
        });
        let mut messenger = MockMessenger::new();
        messenger
            .expect_check()
            .withf(move |target: &Target| target.is_by_visitor() == by_visitor)
            .times(1)
            .returning(|_| Ok(()));
        let mut service = service(store);
        service.ports.messenger = Arc::new(messenger);
        let target = Target::parse(Channel::Webhook, "https://hooks.example.com/ann").unwrap();
        let draft = SubscriberDraft::of_everything(target);
        if by_visitor {
            service.subscribe(&organisation(), draft).await.unwrap();
        } else {
            let added = service.add(&organisation(), "bob", draft).await;
            added.unwrap();
        }
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

#[tokio::test]
async fn visitor_is_refused_without_a_look_at_the_target_if_the_organisation_has_no_mail_left() {
    let mut store = MockSubscriberStore::new();
    store.expect_check_scope().returning(|_, _| Ok(()));
    store.expect_check_subscriber_limit().returning(|_| Ok(()));
    let mut counts = MockMailCountStore::new();
    counts
        .expect_counted()
        .returning(|count, _| Ok(count.limit));
    let limits = MailBudgetLimits {
        mailbox: Some(10),
        organisation: Some(10),
        ..MailBudgetLimits::default()
    };
    let mut service = service(store);
    service.ports.mail_budget = mail_budget(counts, limits);
    let refused = service.subscribe(&organisation(), draft(ADDRESS)).await;
    let Err(Error::MailLimitReached { scope, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(scope, MailScope::Organisation);
}

#[tokio::test]
async fn subscriber_beyond_the_limit_takes_no_mail_from_the_budget() {
    let mut store = MockSubscriberStore::new();
    store.expect_find().returning(|_, _| Ok(None));
    store.expect_check_scope().returning(|_, _| Ok(()));
    store
        .expect_check_subscriber_limit()
        .returning(|_| Err(Error::Conflict("Too many subscribers".to_owned())));
    let limits = MailBudgetLimits {
        account: Some(10),
        ..MailBudgetLimits::default()
    };
    let mut service = service(store);
    // A count that the test does not expect would fail it.
    service.ports.mail_budget = mail_budget(MockMailCountStore::new(), limits);
    let refused = service.add(&organisation(), "bob", draft(ADDRESS)).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

#[test]
fn links_count_as_those_of_one_subscriber_in_any_spelling_of_the_address() {
    let key = |address| SubscriberKey::of_link(address).without_spelling();
    assert_eq!(key("Ann@example.com"), SubscriberKey::of_email(ADDRESS));
    assert_ne!(key("bob@example.com"), SubscriberKey::of_email(ADDRESS));
    let id = SubscriberKey::Id(pending().id);
    assert_eq!(id.clone().without_spelling(), id);
}

#[tokio::test]
async fn operator_who_adds_a_known_target_is_told_its_state() {
    for (known, state) in [
        (subscribed(), "is a subscriber already"),
        (
            pending(),
            "is a subscriber already, and has not confirmed yet",
        ),
        (subscribed().unsubscribe(now()), "has unsubscribed"),
    ] {
        let service = service(store_of(known));
        let refused = service.add(&organisation(), "bob", draft(ADDRESS)).await;
        assert_eq!(
            refused.unwrap_err().to_string(),
            format!("This address {state}")
        );
    }
}

#[tokio::test]
async fn mail_is_previewed_as_a_notice_with_links_to_the_pages_of_a_subscriber() {
    for url in [
        "https://status.example.com".to_owned(),
        format!("https://status.example.com/status/{}", organisation()),
    ] {
        let (page_url, mut states) = (url.clone(), MockStatuspageStateStore::new());
        states.expect_statuspage_state().returning(move |id, now| {
            Ok(Some(StatuspageState {
                organisation: Organisation::new(id.clone(), "Acme".into()),
                url: url.clone(),
                updated_at: now,
                groups: Vec::new(),
                components: Vec::new(),
                incidents: Vec::new(),
                maintenances: Vec::new(),
                read_at: now,
            }))
        });
        let mut mailer = MockMailer::new();
        mailer
            .expect_preview()
            .withf(move |content: &MailContent| match content {
                MailContent::Notice {
                    page,
                    manage,
                    unsubscribe,
                    ..
                } => {
                    *page == page_url
                        && manage == "https://status.example.com/subscription"
                        && unsubscribe == "https://status.example.com/unsubscribe"
                }
                _ => false,
            })
            .returning(|_| Ok(MailPreview::default()));
        let mut service = service(MockSubscriberStore::new());
        service.ports.states = Arc::new(states);
        service.ports.mailer = Arc::new(mailer);
        let preview = service.preview_mail(&organisation()).await.unwrap();
        assert_eq!(preview, MailPreview::default());
    }
}

#[tokio::test]
async fn edit_that_keeps_the_scope_does_not_check_it() {
    let follower = Subscriber {
        scope: Scope::Incident(IncidentId(Uuid::from_u128(9))),
        ..subscribed()
    };
    let patch = SubscriberPatch {
        mute_maintenances: Some(true),
        ..SubscriberPatch::default()
    };
    // A check that the test does not expect would fail it.
    let service = service(unchecked(follower.clone()));
    let (acme, id) = (organisation(), follower.id);
    let edited = service.edit(&acme, id, patch.clone()).await.unwrap();
    assert!(edited.mute_maintenances);
    let code = service.codes.manage_code(&follower);
    let managed = service.manage(&acme, id, &code, patch).await.unwrap();
    assert!(managed.mute_maintenances);
}

/// Imports 20 new addresses with these counters of mails.
async fn import(
    mode: ImportMode,
    counts: MockMailCountStore,
    limits: MailBudgetLimits,
) -> ImportReport {
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
    let mut service = service(store);
    service.ports.mail_budget = mail_budget(counts, limits);
    let rows = (1..=20).map(|line| ImportRow {
        line,
        content: Ok((format!("ann+{line}@example.com"), String::new())),
    });
    service
        .import(&organisation(), "bob", mode, rows)
        .await
        .unwrap()
}

/// Likewise, while the mail budget refuses all but the last one by a limit of this scope. Returns
/// the report and how often the budget was asked.
async fn import_beyond(scope: MailScope) -> (ImportReport, u64) {
    let asked = Arc::new(Mutex::new(0));
    let (counter, mut counts) = (Arc::clone(&asked), MockMailCountStore::new());
    counts.expect_take().returning(move |_, _, now| {
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
    let report = import(ImportMode::Pending, counts, limits).await;
    let asked = *asked.lock();
    (report, asked)
}

#[tokio::test]
async fn dry_run_says_how_many_links_can_be_mailed() {
    let of_account = MailBudgetLimits {
        account: Some(10),
        ..MailBudgetLimits::default()
    };
    let mails_left = async |confirmed: bool, limits: MailBudgetLimits, times: usize| {
        let mut counts = MockMailCountStore::new();
        let counted = counts.expect_counted().times(times);
        counted.returning(|_, _| Ok(3));
        let report = import(ImportMode::DryRun { confirmed }, counts, limits).await;
        assert_eq!((report.added, report.failed), (20, 0));
        report.mails_left
    };
    assert_eq!(mails_left(false, of_account, 1).await, Some(7));
    assert_eq!(mails_left(true, of_account, 0).await, None);
    assert_eq!(
        mails_left(false, MailBudgetLimits::default(), 0).await,
        None
    );
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
