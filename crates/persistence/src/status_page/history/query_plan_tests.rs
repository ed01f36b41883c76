//! How the databases find the public history among many entries.

use allclear_domain::code::Code;
use allclear_domain::history::HistoryMonths;
use allclear_domain::id::OrganisationId;
use allclear_domain::time_zone::TimeZone;
use chrono::DateTime;
use sea_orm::QueryTrait;
use sea_orm::sea_query::SelectStatement;
use uuid::Uuid;

use super::{incident, maintenance};
use crate::fixture::{postgresql, sqlite};
use crate::query_plan::plan;

/// Rows as PostgreSQL needs them to plan as it would for a large organisation: 20,000 incidents and
/// maintenances over 55 years.
const OLD_ENTRIES: [&str; 11] = [
    "INSERT INTO organisations (id, name, revision, created_at, code) VALUES ('acme', 'Acme', 0, now(), 'acme')",
    "INSERT INTO components (id, organisation_id, name, description, status, status_source, created_at, updated_at, version, code) \
     SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', 'API', '', 'OPERATIONAL', 'OPERATOR', now(), now(), 0, n::text \
     FROM generate_series(1, 1000) n",
    "INSERT INTO incidents (id, organisation_id, title, description, status, occured_at, resolved_at, created_at, updated_at, version, code) \
     SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', 't', 'd', 'RESOLVED', to_timestamp(n * 86400), now(), now(), now(), 0, n::text \
     FROM generate_series(1, 20000) n",
    "INSERT INTO incident_updates (incident_id, id, status, message, user_id, user_name, created_at, version, display_at) \
     SELECT id, gen_random_uuid(), 'RESOLVED', 'm', 'u', 'U', now(), 0, now() FROM incidents, generate_series(1, 2)",
    "INSERT INTO incident_components (incident_id, component_id, status) \
     SELECT id, lpad('c', 32, '0')::uuid, 'DEGRADED' FROM incidents",
    "INSERT INTO component_periods (id, organisation_id, component_id, status, start_at, end_at, cause_type, incident_id, version) \
     SELECT gen_random_uuid(), 'acme', lpad('c', 32, '0')::uuid, 'DEGRADED', occured_at, occured_at, 'INCIDENT', id, 0 FROM incidents",
    "INSERT INTO maintenances (id, organisation_id, title, description, start_at, created_at, updated_at, version, published_status, \
     shown_until, code) SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', 't', 'd', to_timestamp(n * 86400), now(), now(), 0, 'COMPLETED', \
     TIMESTAMPTZ '2020-01-01', n::text FROM generate_series(1, 20000) n",
    "INSERT INTO maintenance_updates (maintenance_id, id, status, message, user_id, user_name, created_at, version, display_at) \
     SELECT id, gen_random_uuid(), 'RESOLVED', 'm', 'u', 'U', now(), 0, now() FROM maintenances, generate_series(1, 2)",
    "INSERT INTO maintenance_components (maintenance_id, component_id) \
     SELECT id, lpad('c', 32, '0')::uuid FROM maintenances",
    "INSERT INTO incident_reviews (incident_id, body, published_at, created_at, updated_at, version) \
     SELECT id, 'b', now(), now(), now(), 0 FROM incidents",
    "ANALYZE",
];

/// Every query whose cost must not grow with old entries, with the index it has to use on SQLite.
fn queries() -> Vec<(&'static str, SelectStatement)> {
    let acme = OrganisationId::parse("acme").unwrap();
    let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let months = HistoryMonths::of_page(1, TimeZone::default(), now).unwrap();
    let code = Code::of(b"7");
    let id = Uuid::from_u128(7);
    let component = Some(Uuid::from_u128(12));
    vec![
        (
            "incidents_by_occurrence",
            incident::of_months(&acme, &months, None),
        ),
        (
            "incidents_by_occurrence",
            incident::of_months(&acme, &months, component),
        ),
        (
            "incidents_by_occurrence",
            incident::before(&acme, months.start_at),
        ),
        (
            "incident_of_code",
            incident::of_code(&acme, code).into_query(),
        ),
        ("incident_updates_by_display", incident::timeline(id)),
        ("incident_components", incident::impacts(id)),
        ("incident_reviews", incident::review(id).into_query()),
        ("periods_of_component", incident::caused(id, now)),
        (
            "maintenances_by_start",
            maintenance::of_months(&acme, &months, None).into_query(),
        ),
        (
            "maintenances_by_start",
            maintenance::of_months(&acme, &months, component).into_query(),
        ),
        (
            "maintenances_by_start",
            maintenance::before(&acme, months.start_at),
        ),
        (
            "maintenance_of_code",
            maintenance::of_code(&acme, code).into_query(),
        ),
        ("maintenance_updates_by_display", maintenance::timeline(id)),
        ("maintenance_components", maintenance::components(id)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_and_never_scans() {
    let (database, _folder) = sqlite().await;
    for (index, query) in queries() {
        let plan = plan(database.read(), &query).await;
        assert!(
            !plan.contains("SCAN") && plan.contains(index),
            "{index}:\n{plan}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_and_never_scans() {
    let Some(database) = postgresql(&OLD_ENTRIES).await else {
        return;
    };
    for (index, query) in queries() {
        let plan = plan(database.read(), &query).await;
        assert!(
            !plan.contains("Seq Scan on incident")
                && !plan.contains("Seq Scan on maintenance")
                && !plan.contains("Seq Scan on component_periods"),
            "{index}:\n{plan}"
        );
    }
}
