//! How the databases find what is shown and what is due among many old maintenances.

use allclear_domain::id::OrganisationId;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::SelectStatement;
use sea_orm::{DbBackend, QueryOrder, QuerySelect, QueryTrait};
use uuid::Uuid;

use super::public::{newest_over, not_over};
use super::schedule::{changing, due, next};
use super::{Column, component, of, timeline};
use crate::fixture::{postgresql, sqlite};
use crate::query_plan::plan;
use crate::timeline::MAX_TIMELINES_PER_READ;
use crate::timeline::tests::scans;

/// Rows as PostgreSQL needs them to plan as it would for a large organisation: 20,000
/// maintenances with two updates each, all over but one, 1,000 components of which all affect
/// one, and 500 other organisations.
const OLD_MAINTENANCES: [&str; 7] = [
    "INSERT INTO organisations (id, name, revision, created_at, code) SELECT 'other' || n, 'Other', 0, now(), n::text \
     FROM generate_series(1, 500) n",
    "INSERT INTO organisations (id, name, revision, created_at, code) VALUES ('acme', 'Acme', 0, now(), 'acme')",
    "INSERT INTO maintenances SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', 't', 'd', now(), NULL, NULL, now(), now(), 0, \
     'COMPLETED', CASE WHEN n = 20000 THEN TIMESTAMPTZ '2023-01-01' END, \
     CASE WHEN n = 20000 THEN TIMESTAMPTZ '9999-12-31' ELSE TIMESTAMPTZ '2020-01-01' END, n::text FROM generate_series(1, 20000) n",
    "INSERT INTO maintenance_updates SELECT id, gen_random_uuid(), 'RESOLVED', 'm', 'u', 'U', now(), 0, now() \
     FROM maintenances, generate_series(1, 2)",
    "INSERT INTO components (id, organisation_id, code, name, description, status, status_source, created_at, updated_at, version) \
     SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', n::text, 'API', '', 'OPERATIONAL', 'OPERATOR', now(), now(), 0 \
     FROM generate_series(1, 1000) n",
    "INSERT INTO maintenance_components SELECT maintenances.id, components.id FROM maintenances, components \
     WHERE components.code = '1'",
    "ANALYZE",
];

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

/// Every query whose cost must not grow with old maintenances, with the index it has to use.
fn queries(backend: DbBackend) -> Vec<(&'static str, SelectStatement)> {
    let acme = OrganisationId::parse("acme").unwrap();
    let starts = not_over(&acme, now())
        .select_only()
        .columns([Column::StartAt, Column::Id]);
    let page = of(&acme).order_by_desc(Column::Id).limit(500);
    let listed: Vec<_> = (1..=MAX_TIMELINES_PER_READ as u128)
        .map(Uuid::from_u128)
        .collect();
    vec![
        (
            "maintenances_by_showing",
            not_over(&acme, now()).into_query(),
        ),
        ("maintenances_by_showing", starts.into_query()),
        (
            "maintenances_by_showing",
            newest_over(&acme, now()).into_query(),
        ),
        ("maintenances_by_change", next().into_query()),
        ("change", changing(now()).into_query()),
        ("change", due(&acme, now()).into_query()),
        ("", page.into_query()),
        (
            "maintenance_updates",
            timeline::UPDATES.newest(
                backend,
                listed.iter().copied(),
                &timeline::UPDATES.entry_columns(),
            ),
        ),
        (
            "maintenances_by_showing",
            component::in_progress(&acme, now(), None)
                .distinct()
                .into_query(),
        ),
        ("maintenance_components", component::links(&listed)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_and_never_scans() {
    let (database, _folder) = sqlite().await;
    for (index, query) in queries(DbBackend::Sqlite) {
        let plan = plan(database.read(), &query).await;
        assert!(!scans(&plan) && plan.contains(index), "{index}:\n{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_and_never_scans() {
    let Some(database) = postgresql(&OLD_MAINTENANCES).await else {
        return;
    };
    for (index, query) in queries(DbBackend::Postgres) {
        let plan = plan(database.read(), &query).await;
        assert!(
            !plan.contains("Seq Scan") && plan.contains(index),
            "{index}:\n{plan}"
        );
    }
}
