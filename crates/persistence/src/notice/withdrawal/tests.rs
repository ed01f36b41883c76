use allclear_domain::incident::IncidentStatus;
use allclear_domain::notice::{IncidentChange, NoticeChange};
use sea_orm::{IntoActiveModel, PaginatorTrait};

use super::*;
use crate::entity::subscriber;
use crate::fixture::{add_organisation, insert, on_each_database, sqlite};
use crate::query_plan::plan;

/// More than one transaction removes.
const MANY: u128 = MAX_ROWS as u128 + 100;
const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;
/// Revision of a notice.
const REVISION: i64 = 7;

/// An organisation with a notice about a subject, which is being expanded for so many subscribers.
/// Returns the organisation and the subject.
async fn queued(
    database: &Database,
    name: &str,
    begin: u128,
    subscribers: u128,
) -> (OrganisationId, Uuid) {
    let organisation = add_organisation(database, name).await;
    let uuid = move |number: u128| Uuid::from_u128(begin + number);
    let subscriber = |number| -> subscriber::ActiveModel {
        let state = subscriber::Model {
            id: uuid(number),
            organisation_id: name.to_owned(),
            target: format!("{number}@example.com"),
            target_key: format!("{number}@example.com"),
            status: "SUBSCRIBED".into(),
            is_verified: true,
            round: 0,
            confirmed_revision: 0,
            created_at: AT,
            updated_at: AT,
            channel: "email".into(),
            scope: "ALL".into(),
            incident_id: None,
            mute_maintenances: false,
            secret_number: 0,
            secret_rotated_at: None,
            failing_reason: None,
            failing_since: None,
            earlier_secrets: None,
            by_visitor: false,
        };
        state.into_active_model()
    };
    insert(database, (0..subscribers).map(subscriber).collect()).await;
    insert(
        database,
        vec![notice(uuid(0), name, uuid(0), (REVISION, 0))],
    )
    .await;
    let waiting = |number| delivery::ActiveModel {
        organisation_id: Set(name.to_owned()),
        subscriber_id: Set(uuid(number)),
        notice_id: Set(Some(uuid(0))),
        created_at: Set(AT),
        due_at: Set(Some(AT)),
        attempts: Set(0),
        by_mail: Set(true),
        ..Default::default()
    };
    insert(database, (0..subscribers).map(waiting).collect()).await;
    (organisation, uuid(0))
}

/// A notice of an update, at its place among those of a subject.
fn notice(
    id: Uuid,
    organisation: &str,
    subject: Uuid,
    (revision, part): (i64, i32),
) -> ActiveModel {
    let content = NoticeContent {
        title: "Down".into(),
        description: String::new(),
        message: Some("A cable".into()),
        unnamed_components: 0,
        change: NoticeChange::Incident {
            change: IncidentChange::Updated,
            status: IncidentStatus::Identified,
            update_status: None,
            shown_at: None,
            occurred_at: AT,
            resolved_at: None,
            components: Vec::new(),
        },
    };
    ActiveModel {
        id: Set(id),
        organisation_id: Set(organisation.to_owned()),
        revision: Set(revision),
        part: Set(part),
        subject_id: Set(subject),
        content: Set(json(&content).unwrap()),
        created_at: Set(AT),
        reached: Set(None),
        expanded_at: Set(None),
        batches: Set(1),
    }
}

/// Number of deliveries of an organisation.
async fn deliveries(database: &Database, organisation: &OrganisationId) -> u128 {
    let of_it = delivery::Column::OrganisationId.eq(organisation.as_str());
    let deliveries = delivery::Entity::find().filter(of_it);
    deliveries.count(database.read()).await.unwrap().into()
}

/// Whether the expansion of the notice about a subject has ended.
async fn is_expanded(database: &Database, subject: Uuid) -> bool {
    let notice = of_subject(subject).fetch_one(database.read());
    notice.await.unwrap().unwrap().expanded_at.is_some()
}

async fn many_messages_are_removed_and_few_are_left(database: &Database) {
    let (acme, subject) = queued(database, "acme", 1, MANY).await;
    let (few, subject_of_few) = queued(database, "few", 1 << 64, 10).await;
    assert!(database.withdraw_many(&acme, subject).await.unwrap());
    assert_eq!(deliveries(database, &acme).await, 0);
    assert!(is_expanded(database, subject).await);
    assert!(!database.withdraw_many(&few, subject_of_few).await.unwrap());
    assert_eq!(deliveries(database, &few).await, 10);
    assert!(!is_expanded(database, subject_of_few).await);
}

async fn many_messages_about_an_update_are_removed_if_its_notice_is_withdrawn(database: &Database) {
    let (acme, subject) = queued(database, "acme", 1, MANY).await;
    let (other, _) = queued(database, "other", 1 << 64, MANY).await;
    let withdraw =
        |version| database.withdraw_many_of_updates(&acme, subject, vec![version], false);
    withdraw(REVISION + 1).await.unwrap();
    database
        .withdraw_many_of_review(&acme, subject, AT)
        .await
        .unwrap();
    assert_eq!(deliveries(database, &acme).await, MANY);
    withdraw(REVISION).await.unwrap();
    assert_eq!(deliveries(database, &acme).await, 0);
    assert!(is_expanded(database, subject).await);
    assert_eq!(deliveries(database, &other).await, MANY);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_messages_of_the_last_of_many_notices_are_removed() {
    let (database, _folder) = sqlite().await;
    let (acme, subject) = queued(&database, "acme", 1, MANY).await;
    // More than are in memory at the same time.
    let before = (1_u128..).zip(0_i32..).take(READ_AT_ONCE + 5);
    let before = before.map(|(number, part)| {
        let id = Uuid::from_u128(1 + MANY + number);
        notice(id, "acme", subject, (REVISION - 1, part))
    });
    insert(&database, before.collect()).await;
    let versions = vec![REVISION - 1, REVISION];
    database
        .withdraw_many_of_updates(&acme, subject, versions, false)
        .await
        .unwrap();
    assert_eq!(deliveries(&database, &acme).await, 0);
    let waiting = of_subject(subject).filter(Column::ExpandedAt.is_null());
    assert_eq!(waiting.count(database.read()).await.unwrap(), 0);
}

on_each_database!(
    many_messages_are_removed_and_few_are_left,
    many_messages_about_an_update_are_removed_if_its_notice_is_withdrawn
);

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_and_never_scans() {
    let (database, _folder) = sqlite().await;
    let notices = of_subject(Uuid::nil()).select_only().column(Column::Id);
    let queued = delivery::Column::NoticeId.in_subquery(notices.into_query());
    let queued = delivery::Entity::find().filter(queued).into_query();
    let plan = plan(database.read(), &queued).await;
    assert!(
        !plan.contains("SCAN") && plan.contains("deliveries_of_notice"),
        "{plan}"
    );
}
