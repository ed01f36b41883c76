use std::sync::atomic::Ordering;

use allclear_domain::channel::{Channel, Target};
use allclear_domain::id::ComponentId;
use allclear_domain::subscriber::{Choice, SubscriberDraft};
use chrono::TimeDelta;
use sea_orm::ActiveValue::Set;
use sea_orm::{ConnectionTrait, FromQueryResult, PaginatorTrait, QueryTrait, Statement};
use tokio::sync::oneshot;

use super::*;
use crate::entity::{component, verification_mail};
use crate::fixture::{add_organisation, insert, postgresql, sqlite};
use crate::query_plan::plan;

const ROWS: [&str; 4] = [
    "INSERT INTO organisations (id, code, name, revision, created_at) VALUES ('acme', 'c', 'Acme', 0, now())",
    "INSERT INTO incidents (id, organisation_id, title, description, status, occured_at, resolved_at, created_at, updated_at, version, \
     code, first_status) VALUES (lpad('1', 32, '0')::uuid, 'acme', 't', 'd', 'RESOLVED', now(), TIMESTAMPTZ '2020-01-01', now(), \
     now(), 0, '1', 'RESOLVED')",
    "INSERT INTO subscribers (id, organisation_id, target, target_key, status, is_verified, round, created_at, updated_at, scope, \
     incident_id) VALUES (lpad('1', 32, '0')::uuid, 'acme', 'a', 'a', 'SUBSCRIBED', TRUE, 0, now(), now(), 'INCIDENT', \
     lpad('1', 32, '0')::uuid)",
    "INSERT INTO verification_mails VALUES ('a', TIMESTAMPTZ '2020-01-01')",
];

/// Runs statements in a transaction that ends when a second one waits for its locks.
async fn hold(database: Database, statements: &'static [&'static str], held: oneshot::Sender<()>) {
    let readers = database.clone();
    database
        .write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            Box::pin(async move {
                for statement in statements {
                    transaction.execute_unprepared(statement).await.unwrap();
                }
                held.send(()).unwrap();
                while !has_waiting(&readers).await {}
                Ok(())
            })
        })
        .await
        .unwrap();
}

async fn has_waiting(database: &Database) -> bool {
    #[derive(FromQueryResult)]
    struct Waiting {
        count: i64,
    }
    let sql = "SELECT count(*) AS count FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let statement = Statement::from_string(database.read().backend(), sql);
    let waiting = Waiting::find_by_statement(statement).one(database.read());
    waiting.await.unwrap().unwrap().count > 0
}

#[tokio::test(flavor = "multi_thread")]
async fn followers_of_an_incident_that_is_opened_again_meanwhile_stay() {
    let Some(database) = postgresql(&ROWS).await else {
        return;
    };
    let (held, is_held) = oneshot::channel();
    let reopening = &[
        "SELECT 1 FROM organisations WHERE id = 'acme' FOR UPDATE",
        "UPDATE incidents SET resolved_at = NULL",
    ];
    let reopened = tokio::spawn(hold(database.clone(), reopening, held));
    is_held.await.unwrap();
    let now = database.clock.now();
    database.prune_followers(now, 10).await.unwrap();
    reopened.await.unwrap();
    assert_eq!(Entity::find().count(database.read()).await.unwrap(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn limit_that_is_used_meanwhile_stays() {
    let Some(database) = postgresql(&ROWS).await else {
        return;
    };
    let (held, is_held) = oneshot::channel();
    let using = &["UPDATE verification_mails SET used_until = TIMESTAMPTZ '9999-01-01'"];
    let used = tokio::spawn(hold(database.clone(), using, held));
    is_held.await.unwrap();
    let now = database.clock.now() + TimeDelta::days(1);
    assert_eq!(
        database.prune_verification_limits(now, 10).await.unwrap(),
        0
    );
    used.await.unwrap();
    let kept = verification_mail::Entity::find().count(database.read());
    assert_eq!(kept.await.unwrap(), 1);
}

/// 20,000 subscribers to the page, and 2,000 to an incident.
const MANY: [&str; 5] = [
    "INSERT INTO organisations (id, code, name, revision, created_at) VALUES ('acme', 'c', 'Acme', 0, now())",
    "INSERT INTO incidents (id, organisation_id, title, description, status, occured_at, created_at, updated_at, version, code) \
     VALUES (lpad('1', 32, '0')::uuid, 'acme', 't', 'd', 'IDENTIFIED', now(), now(), now(), 0, '1')",
    "INSERT INTO subscribers (id, organisation_id, target, target_key, status, is_verified, round, created_at, updated_at) \
     SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', n::text, n::text, 'SUBSCRIBED', TRUE, 0, now(), now() \
     FROM generate_series(1, 20000) n",
    "INSERT INTO subscribers (id, organisation_id, target, target_key, status, is_verified, round, created_at, updated_at, scope, \
     incident_id) SELECT lpad(to_hex(n + 20000), 32, '0')::uuid, 'acme', n::text, n::text, 'SUBSCRIBED', TRUE, 0, now(), now(), \
     'INCIDENT', lpad('1', 32, '0')::uuid FROM generate_series(1, 2000) n",
    "ANALYZE",
];

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_the_subscriptions_of_a_target() {
    let Some(database) = postgresql(&MANY).await else {
        return;
    };
    let acme = OrganisationId::parse("acme").unwrap();
    for key in [
        SubscriberKey::of_email("7"),
        SubscriberKey::of_link("7"),
        SubscriberKey::Id(SubscriberId(Uuid::from_u128(7))),
    ] {
        let query = of_same_target(&acme, &key).into_query();
        let plan = plan(database.read(), &query).await;
        assert!(!plan.contains("Seq Scan"), "{plan}");
        for index in ["subscribers_of_target", "followers_of_target"] {
            assert!(plan.contains(index), "{index}:\n{plan}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_the_incidents_that_a_target_follows() {
    let (database, _folder) = sqlite().await;
    let acme = OrganisationId::parse("acme").unwrap();
    let ann = TargetKey::of_email("ann@example.com");
    let plan = plan(database.read(), &follows(&acme, &ann).into_query()).await;
    assert!(plan.contains("followers_of_target"), "{plan}");
}

/// A new subscriber who chose a component.
fn choosing(component: ComponentId, number: u128) -> Subscriber {
    let target = Target::parse(Channel::Email, &format!("ann{number}@example.com"));
    let choice = Choice {
        components: vec![component],
        groups: Vec::new(),
    };
    let draft = SubscriberDraft {
        target: target.unwrap(),
        scope: Scope::Components(choice),
        mute_maintenances: false,
    };
    let id = SubscriberId(Uuid::from_u128(number));
    Subscriber::create(id, draft, DateTime::UNIX_EPOCH)
}

/// Adds an organisation with one component.
async fn with_component(database: &Database) -> (OrganisationId, ComponentId) {
    let id = add_organisation(database, "acme").await;
    let component = Uuid::from_u128(1);
    let row = component::ActiveModel {
        id: Set(component),
        organisation_id: Set(id.to_string()),
        code: Set("c".into()),
        name: Set("API".into()),
        description: Set(String::new()),
        status: Set("OPERATIONAL".into()),
        status_source: Set("OPERATOR".into()),
        created_at: Set(DateTime::UNIX_EPOCH),
        updated_at: Set(DateTime::UNIX_EPOCH),
        version: Set(0),
        position: Set(1),
        ..Default::default()
    };
    insert(database, vec![row]).await;
    (id, ComponentId(component))
}

#[tokio::test]
async fn import_takes_as_many_statements_for_many_subscribers_as_for_one() {
    let (mut database, _folder) = sqlite().await;
    let (acme, component) = with_component(&database).await;
    let count = database.count_statements();
    let mut taken = Vec::new();
    for numbers in [1..2, 2..3, 3..100] {
        count.store(0, Ordering::Relaxed);
        let subscribers: Vec<_> = numbers.map(|number| choosing(component, number)).collect();
        let batch = ImportBatch {
            subscribers: subscribers.clone(),
            consent: Some("Asked in June".into()),
        };
        let outcomes = database.import(&acme, batch).await.unwrap();
        assert_eq!(outcomes, vec![Imported::Added; subscribers.len()]);
        taken.push(count.load(Ordering::Relaxed));
        for subscriber in subscribers {
            let key = SubscriberKey::Id(subscriber.id);
            let stored = SubscriberStore::find(&database, &acme, &key).await.unwrap();
            assert_eq!(stored.unwrap().scope, subscriber.scope);
        }
    }
    assert_eq!(taken[1], taken[2]);
}
