mod order;
mod person;

use std::net::Ipv4Addr;

use allclear_application::account::{AccountStore, ResetOutcome};
use allclear_application::audit::{AuditFilter, AuditItem, AuditStore};
use allclear_application::dashboard::{DashboardStore, ShownChanges};
use allclear_application::error::Error;
use allclear_application::maintenance::MaintenanceStore;
use allclear_application::origin::Origin;
use allclear_application::page::Page;
use allclear_application::password::PasswordHash;
use allclear_application::second_factor::FactorStore;
use allclear_application::secret::SecretToken;
use allclear_application::subscriber::{SubscriberKey, SubscriberStore, SubscriberTransition};
use allclear_domain::audit::{Action, Actor, ActorType, TargetType};
use allclear_domain::channel::{Channel, Target};
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::SubscriberId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::subscriber::{Subscriber, SubscriberDraft};
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::account::{account, new_session, pending_reset};
use crate::backend::clock;
use crate::contract;
use crate::maintenance;
use crate::membership::found;
use crate::organisation_fixture::{OrganisationFixture, ann};
use crate::session::{open_session, opened};

contract!(
    change_is_audited_with_its_originator_and_the_name_of_its_target,
    change_by_the_clock_is_the_schedulers,
    refused_or_empty_change_is_not_audited,
    subscriber_is_audited_without_address_and_only_if_an_operator_changes_it,
    item_has_the_states_before_and_after,
    item_of_a_change_by_the_clock_has_both_statuses,
    filters_select_items_of_one_organisation,
    old_items_are_deleted,
    an_account_fills_no_log_with_its_own_changes,
    changes_that_take_access_away_are_never_refused,
);

const CLIENT: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 7);

impl OrganisationFixture {
    pub(crate) async fn changes(&self) -> Vec<AuditItem> {
        let now = clock().now();
        let found = self
            .database
            .dashboard(&self.id, ShownChanges::OfContent, now, now)
            .await;
        found.unwrap().unwrap().changes
    }

    async fn audited(&self, filter: AuditFilter, page: Page) -> Vec<AuditItem> {
        let found = AuditStore::list(&self.database, &self.id, &filter, page);
        found.await.unwrap().items
    }

    async fn actions(&self) -> Vec<Action> {
        let changes = self.changes().await;
        changes.into_iter().map(|item| item.action).collect()
    }
}

/// Runs `work` as a request of Ann.
async fn by_ann<T>(work: impl Future<Output = T>) -> T {
    Origin::of_request(Some("r1".into()), Some(CLIENT.into()), async {
        Origin::identify(Actor::User(ann()));
        work.await
    })
    .await
}

async fn change_is_audited_with_its_originator_and_the_name_of_its_target(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let other = OrganisationFixture::new(database, "other").await;
    by_ann(async {
        let api = fixture.component("API ☃").await;
        let incident = fixture.open("Down", &[]).await.id;
        fixture
            .record(incident, IncidentStatus::Identified, "A cable")
            .await;
        fixture.delete_component(api).await;
        fixture.delete(incident).await;
    })
    .await;
    let changes = fixture.changes().await;
    let seen: Vec<_> = changes
        .iter()
        .map(|item| (item.action, item.target_name.as_deref()))
        .collect();
    assert_eq!(
        seen,
        [
            (Action::IncidentDeleted, Some("Down")),
            (Action::ComponentDeleted, Some("API ☃")),
            (Action::IncidentUpdateCreated, Some("Down")),
            (Action::IncidentCreated, Some("Down")),
            (Action::ComponentCreated, Some("API ☃")),
        ]
    );
    let item = &changes[1];
    assert_eq!(
        (item.actor_type, item.actor_name.as_str()),
        (ActorType::User, "Ann")
    );
    assert_eq!(item.actor_id.as_deref(), Some("user_ann"));
    assert_eq!(item.request_id.as_deref(), Some("r1"));
    assert_eq!(item.address.as_deref(), Some("192.0.2.7"));
    assert_eq!(item.target_type, TargetType::Component);
    assert_eq!(item.target_id, changes[4].target_id);
    assert_eq!(other.changes().await, []);
}

async fn change_by_the_clock_is_the_schedulers(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let start = clock().now() + TimeDelta::hours(1);
    let end = start + TimeDelta::hours(1);
    by_ann(async {
        maintenance::create(database, &fixture.id, start, Some(end)).await;
        maintenance::create(database, &fixture.id, start, None).await;
    })
    .await;
    database.publish_due(&fixture.id, start).await.unwrap();
    let over = end + TimeDelta::milliseconds(1);
    database.publish_due(&fixture.id, over).await.unwrap();
    let changes = fixture.changes().await;
    let seen: Vec<_> = changes
        .iter()
        .map(|item| (item.action, item.actor_type))
        .collect();
    assert_eq!(
        seen,
        [
            (Action::MaintenanceCompleted, ActorType::Scheduler),
            (Action::MaintenanceStarted, ActorType::Scheduler),
            (Action::MaintenanceStarted, ActorType::Scheduler),
            (Action::MaintenanceCreated, ActorType::User),
            (Action::MaintenanceCreated, ActorType::User),
        ]
    );
    assert_eq!(changes[0].actor_id, None);
    assert_eq!(changes[0].target_name.as_deref(), Some("Move ☃"));
}

async fn refused_or_empty_change_is_not_audited(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    // The same status again changes nothing.
    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    assert_eq!(
        fixture.actions().await,
        [Action::ComponentUpdated, Action::ComponentCreated]
    );
}

async fn subscriber_is_audited_without_address_and_only_if_an_operator_changes_it(
    database: &Database,
) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let enter = |email: &'static str| {
        let target = Target::parse(Channel::Email, email).unwrap();
        let draft = SubscriberDraft::of_everything(target);
        let rule: SubscriberTransition = Box::new(|_| {
            Ok(Subscriber::create(
                SubscriberId(clock().id()),
                draft,
                clock().now(),
            ))
        });
        database.save_and_queue_verification(&fixture.id, SubscriberKey::of_email(email), rule)
    };
    Origin::of_request(None, None, enter("visitor@example.com"))
        .await
        .unwrap();
    let subscriber = by_ann(enter("added@example.com")).await.unwrap();
    by_ann(SubscriberStore::delete(
        database,
        &fixture.id,
        subscriber.id,
    ))
    .await
    .unwrap();
    assert_eq!(
        fixture.actions().await,
        [Action::SubscriberDeleted, Action::SubscriberCreated]
    );
    let changes = fixture.changes().await;
    assert!(changes.iter().all(|item| item.target_name.is_none()));
}

fn json(state: Option<&String>) -> Value {
    state.map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
}

/// The states of the newest item.
async fn newest_states(fixture: &OrganisationFixture) -> (Value, Value) {
    let newest = fixture.changes().await.remove(0);
    (json(newest.before.as_ref()), json(newest.after.as_ref()))
}

async fn item_has_the_states_before_and_after(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let (before, after) = newest_states(&fixture).await;
    assert_eq!((before, &after["name"]), (Value::Null, &json!("API")));

    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    let (before, after) = newest_states(&fixture).await;
    assert_eq!(before["status"], "OPERATIONAL");
    assert_eq!(after["status"], "DEGRADED");

    let incident = fixture.open("Down", &[]).await.id;
    let (before, after) = newest_states(&fixture).await;
    assert_eq!((before, &after["title"]), (Value::Null, &json!("Down")));

    let update = fixture
        .record(incident, IncidentStatus::Identified, "A cable")
        .await;
    let (before, after) = newest_states(&fixture).await;
    assert_eq!(before, Value::Null);
    assert_eq!(after["id"], update.id.to_string());
    assert_eq!(after["message"], "A cable");
    assert_eq!(after["user"], json!({"id": "user_ann"}));

    fixture.delete(incident).await;
    let (before, after) = newest_states(&fixture).await;
    assert_eq!(
        (&before["status"], after),
        (&json!("IDENTIFIED"), Value::Null)
    );

    fixture.delete_component(api).await;
    let (before, after) = newest_states(&fixture).await;
    assert_eq!(
        (&before["id"], after),
        (&json!(api.to_string()), Value::Null)
    );
}

async fn item_of_a_change_by_the_clock_has_both_statuses(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let start = clock().now() + TimeDelta::hours(1);
    maintenance::create(database, &fixture.id, start, None).await;
    let (before, after) = newest_states(&fixture).await;
    assert_eq!(
        (before, &after["status"]),
        (Value::Null, &json!("SCHEDULED"))
    );
    database.publish_due(&fixture.id, start).await.unwrap();
    let (before, after) = newest_states(&fixture).await;
    assert_eq!(before["status"], "SCHEDULED");
    assert_eq!(after["status"], "IN_PROGRESS");
}

async fn filters_select_items_of_one_organisation(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let other = OrganisationFixture::new(database, "other").await;
    let api = fixture.component("API").await;
    other.component("Other").await;
    by_ann(fixture.component("Web")).await;
    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    let all = fixture
        .audited(AuditFilter::default(), Page::default())
        .await;
    let newest = all[0].clone();
    assert_eq!(all.len(), 3);
    let select = |filter| fixture.audited(filter, Page::default());

    let by_ann = select(AuditFilter {
        actor_id: Some("user_ann".into()),
        ..AuditFilter::default()
    });
    let names: Vec<_> = by_ann
        .await
        .into_iter()
        .map(|item| item.target_name)
        .collect();
    assert_eq!(names, [Some("Web".to_owned())]);

    let created = select(AuditFilter {
        action: Some(Action::ComponentCreated),
        ..AuditFilter::default()
    });
    assert_eq!(created.await, all[1..]);

    let of_api = select(AuditFilter {
        target_id: Some(api.to_string()),
        ..AuditFilter::default()
    });
    assert_eq!(of_api.await, [all[0].clone(), all[2].clone()]);

    let at = newest.created_at;
    let until = |to| AuditFilter {
        to: Some(to),
        ..AuditFilter::default()
    };
    assert_eq!(select(until(at)).await.first(), Some(&newest));
    let earlier = at - TimeDelta::milliseconds(1);
    let before = select(until(earlier)).await;
    assert!(before.iter().all(|item| item.created_at <= earlier));
    let later = select(AuditFilter {
        from: Some(at + TimeDelta::milliseconds(1)),
        ..AuditFilter::default()
    });
    assert_eq!(later.await, []);

    let page = Page {
        limit: Some(1),
        before: Some(newest.id),
    };
    let second = fixture.audited(AuditFilter::default(), page).await;
    assert_eq!(second, all[1..2]);
}

async fn old_items_are_deleted(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    for name in ["API", "Website"] {
        fixture.component(name).await;
    }
    let changes = fixture.changes().await;
    let oldest = async || AuditStore::oldest(database).await.unwrap();
    assert_eq!(changes.len(), 2);
    assert_eq!(oldest().await, Some(changes[1].created_at));
    let now = clock().now();
    let earlier = now - TimeDelta::minutes(1);
    assert_eq!(AuditStore::prune(database, earlier, 10).await.unwrap(), 0);
    assert_eq!(fixture.changes().await.len(), 2);
    let later = now + TimeDelta::minutes(1);
    assert_eq!(AuditStore::prune(database, later, 1).await.unwrap(), 1);
    assert_eq!(fixture.changes().await, changes[..1]);
    assert_eq!(oldest().await, Some(changes[0].created_at));
    assert_eq!(AuditStore::prune(database, later, 10).await.unwrap(), 1);
    assert_eq!(fixture.changes().await, []);
    assert_eq!(oldest().await, None);
}

async fn an_account_fills_no_log_with_its_own_changes(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let count = async |action| {
        let filter = AuditFilter {
            action: Some(action),
            ..AuditFilter::default()
        };
        let page = Page::default();
        let found = AuditStore::list(database, &acme, &filter, page).await;
        found.unwrap().items.len()
    };
    let session = opened(database, ann.id).await;
    for number in 0..200 {
        let name = format!("Ann {number}");
        let renamed = AccountStore::rename(database, ann.id, name, session).await;
        renamed.unwrap();
    }
    let refused = AccountStore::rename(database, ann.id, "Ann".into(), session).await;
    assert!(matches!(refused, Err(Error::TooMany { .. })), "{refused:?}");
    assert_eq!(count(Action::AccountUpdated).await, 200);
    for _ in 0..201 {
        let session = new_session(&SecretToken::generate());
        open_session(database, ann.id, session).await;
    }
    assert_eq!(count(Action::SessionCreated).await, 200);
}

async fn changes_that_take_access_away_are_never_refused(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    for number in 0..=200 {
        let hash = PasswordHash::new(format!("hash {number}"));
        let token = pending_reset(database, &ann, TimeDelta::hours(1)).await;
        let digest = token.digest();
        let stored = database.use_reset(&digest, hash, clock().now());
        assert_eq!(stored.await.unwrap(), ResetOutcome::Stored);
        FactorStore::reset_factors(database, ann.id).await.unwrap();
    }
    for action in [Action::PasswordChanged, Action::FactorDeleted] {
        let filter = AuditFilter {
            action: Some(action),
            ..AuditFilter::default()
        };
        let found = AuditStore::list(database, &acme, &filter, Page::default()).await;
        assert_eq!(found.unwrap().items.len(), 200);
    }
}
