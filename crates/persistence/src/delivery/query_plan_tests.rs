//! How the databases find what is to be sent next among many deliveries.

use std::collections::HashMap;

use allclear_application::delivery::{
    AttemptRecord, Claim, ClaimRequest, DeliveryOutcome, DeliveryRoute,
};
use allclear_domain::id::OrganisationId;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::{IntoIden, SelectStatement};
use sea_orm::{ColumnTrait, DbBackend, QueryFilter, QuerySelect, QueryTrait};
use uuid::Uuid;

use super::{
    claim, counts, early, expand, next_due, next_freed, organisation_scan, prune, results,
    waiting_after,
};
use crate::entity::notice::{Column, Model};
use crate::entity::subscriber;
use crate::fixture::{postgresql, sqlite};
use crate::notice::{of_subject, subscribed, webhooks, withdrawal};
use crate::query_plan::plan;
use crate::subscriber::unconfirmed;

/// Rows as PostgreSQL needs them to plan as it would while two updates go out to 20,000 subscribers
/// of many organisations, one of which has more than the others.
const MANY: [&str; 12] = [
    "INSERT INTO organisations (id, name, revision, created_at, code) VALUES ('acme', 'Acme', 0, now(), 'acme')",
    "INSERT INTO organisations (id, name, revision, created_at, code) SELECT n::text, n::text, 0, now(), n::text \
     FROM generate_series(1, 1000) n",
    "INSERT INTO subscribers SELECT lpad(to_hex(n), 32, '0')::uuid, CASE WHEN n % 400 = 0 THEN 'acme' ELSE (n % 1000 + 1)::text END, \
     n::text, n::text, 'SUBSCRIBED', TRUE, 0, now(), now(), 0 FROM generate_series(1, 20000) n",
    "INSERT INTO notices SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', n, 0, gen_random_uuid(), '{}', now(), NULL, \
     CASE WHEN n < 20000 THEN now() END FROM generate_series(1, 20000) n",
    "INSERT INTO deliveries (organisation_id, subscriber_id, notice_id, created_at, due_at, attempts) \
     SELECT subscribers.organisation_id, subscribers.id, notices.id, now(), TIMESTAMPTZ '2023-01-01', 0 FROM subscribers, notices \
     WHERE notices.revision <= 2",
    "UPDATE deliveries SET claimed_until = now() + interval '1 hour' WHERE id <= 16",
    "INSERT INTO components (id, organisation_id, code, name, description, status, status_source, created_at, updated_at, version) \
     SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', n::text, 'API', '', 'OPERATIONAL', 'OPERATOR', now(), now(), 0 \
     FROM generate_series(1, 1000) n",
    "INSERT INTO component_groups (id, organisation_id, code, name, description, position, display, created_at, updated_at, version) \
     SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', n::text, 'Edge', '', n, 'OPEN', now(), now(), 0 \
     FROM generate_series(1, 200) n",
    "INSERT INTO subscriber_components SELECT lpad(to_hex(n), 32, '0')::uuid, lpad(to_hex(n % 1000 + 1), 32, '0')::uuid, 0 \
     FROM generate_series(1, 20000) n",
    "INSERT INTO subscriber_groups SELECT lpad(to_hex(n), 32, '0')::uuid, lpad(to_hex(n % 200 + 1), 32, '0')::uuid, 0 \
     FROM generate_series(1, 20000) n",
    "INSERT INTO notice_components SELECT lpad(to_hex(n), 32, '0')::uuid, lpad(to_hex(n % 1000 + 1), 32, '0')::uuid, \
     lpad(to_hex(n % 200 + 1), 32, '0')::uuid, TRUE FROM generate_series(1, 20000) n",
    "ANALYZE",
];

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

fn request() -> ClaimRequest {
    ClaimRequest {
        results: Vec::new(),
        route: DeliveryRoute::Mail,
        now: now(),
        until: now(),
        limit: 16,
        after: None,
        in_flight: HashMap::new(),
        share: 16,
    }
}

fn notice() -> Model {
    Model {
        id: Uuid::nil(),
        organisation_id: "acme".into(),
        revision: 1,
        part: 0,
        subject_id: Uuid::nil(),
        content: String::new(),
        created_at: now(),
        reached: None,
        expanded_at: None,
        batches: 0,
    }
}

/// The rows of recursive queries that are no table's.
const OF_THE_SCAN: [&str; 2] = ["SCAN waiting", "SCAN CONSTANT ROW"];

/// Every query whose cost must not grow with what is queued, with the index it has to use.
fn queries() -> Vec<(&'static str, SelectStatement)> {
    let acme = OrganisationId::parse("acme").unwrap();
    vec![
        (
            "deliveries_to_send",
            claim::due("acme", DeliveryRoute::Mail, now(), 16),
        ),
        (
            "deliveries_to_send",
            organisation_scan::scan_page(&request(), "", Some("other"), 16),
        ),
        (
            "deliveries_to_send",
            waiting_after("acme", 200_000).into_query(),
        ),
        (
            "deliveries_to_send",
            counts::last_due("acme", true).into_query(),
        ),
        (
            "deliveries_of_subscriber",
            early::retried(vec![Uuid::nil(), Uuid::max()]),
        ),
        ("deliveries_by_due", next_due(now()).into_query()),
        ("deliveries_by_claim", next_freed(now()).into_query()),
        ("notices_to_expand", expand::organisation_after("", &[])),
        (
            "notices_to_expand",
            expand::organisation_after("acme", &["acme".to_owned(), "other".to_owned()]),
        ),
        ("notices_to_expand", expand::next("acme").into_query()),
        (
            "notices_by_expansion",
            prune::spent(now() - TimeDelta::days(30), 200),
        ),
        (
            "notices_of_subject",
            of_subject(Uuid::nil())
                .filter(Column::Revision.is_in([1_i64, 2, 3]))
                .into_query(),
        ),
        ("webhook_subscribers", webhooks(&acme).limit(1).into_query()),
        (
            "subscribers_by_status",
            subscribed(&acme).limit(1).into_query(),
        ),
        (
            "unconfirmed_subscribers",
            unconfirmed(now() - TimeDelta::days(14), 200).into_query(),
        ),
        (
            "subscribers_of_target",
            subscribed(&acme)
                .filter(expand::followers(&notice()))
                .into_query(),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_and_never_scans() {
    let (database, _folder) = sqlite().await;
    for (index, query) in queries() {
        let plan = plan(database.read(), &query).await;
        let mut scans = plan.lines().filter(|line| line.contains("SCAN"));
        let scans = !scans.all(|line| OF_THE_SCAN.contains(&line));
        assert!(!scans && plan.contains(index), "{index}:\n{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_and_never_scans() {
    let Some(database) = postgresql(&MANY).await else {
        return;
    };
    assert_eq!(
        sea_orm::ConnectionTrait::get_database_backend(database.read()),
        DbBackend::Postgres
    );
    for (index, query) in queries() {
        let plan = plan(database.read(), &query).await;
        assert!(
            !plan.contains("Seq Scan") && plan.contains(index),
            "{index}:\n{plan}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn results_search_for_what_they_change() {
    let Some(database) = postgresql(&MANY).await else {
        return;
    };
    let result = |id| AttemptRecord {
        claim: Claim { id, attempt: 1 },
        at: now(),
        outcome: DeliveryOutcome::Ended,
        was_failing: false,
    };
    let query = results::changed(&[result(1), result(2)]).into_query();
    let plan = plan(database.read(), &query).await;
    assert!(
        !plan.contains("Seq Scan") && plan.contains("deliveries_of_subscriber"),
        "{plan}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_to_bring_forward_are_found_by_their_subscribers() {
    let subscribers = || vec![Uuid::nil(), Uuid::max()];
    let statements = [
        ("retries", early::bringing_forward(subscribers(), now())),
        ("later", early::releasing(subscribers(), now())),
    ];
    let (database, _folder) = sqlite().await;
    for (name, statement) in &statements {
        let found = plan(database.read(), statement).await;
        assert!(
            found.contains(&format!("MATERIALIZE {name}"))
                && found.contains("deliveries_of_subscriber"),
            "{found}"
        );
    }
    let Some(database) = postgresql(&MANY).await else {
        return;
    };
    for (name, statement) in &statements {
        let found = plan(database.read(), statement).await;
        assert!(
            found.contains(&format!("CTE {name}")) && !found.contains("Seq Scan"),
            "{found}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn choices_of_a_subscriber_are_compared_with_the_components_of_a_notice() {
    let (database, _folder) = sqlite().await;
    let acme = OrganisationId::parse("acme").unwrap();
    let concerned = expand::concerned(&notice(), &subscriber::Entity.into_iden());
    let query = subscribed(&acme).filter(concerned).into_query();
    let plan = plan(database.read(), &query).await;
    assert!(plan.contains("(notice_id=? AND component_id=?)"), "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn notices_of_a_deleted_subject_are_found_by_the_subject() {
    let (database, _folder) = sqlite().await;
    let plan = plan(database.read(), &withdrawal(Uuid::nil()).into_query()).await;
    assert!(plan.contains("notices_of_subject"), "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn old_daily_counts_are_found_by_their_day() {
    let (database, _folder) = sqlite().await;
    let plan = plan(database.read(), &prune::old_counts(now()).into_query()).await;
    assert!(plan.contains("delivery_counts_by_day"), "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn claim_searches_once_for_what_is_due() {
    let claiming = claim::claiming("acme", &request(), 16);
    let (database, _folder) = sqlite().await;
    let found = plan(database.read(), &claiming).await;
    assert!(
        found.contains("MATERIALIZE unclaimed") && found.contains("deliveries_to_send"),
        "{found}"
    );
    if let Some(database) = postgresql(&MANY).await {
        let found = plan(database.read(), &claiming).await;
        assert!(found.contains("CTE unclaimed"), "{found}");
    }
}
