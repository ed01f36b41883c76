//! How the databases find the periods of the last days among many.

use allclear_domain::id::OrganisationId;
use chrono::DateTime;

use super::spans_since;
use crate::query_plan::{plan, postgresql, sqlite};

/// 20,000 old periods of one component, and one that lasts.
const OLD_PERIODS: [&str; 4] = [
    "INSERT INTO organisations (id, code, name, revision, created_at) VALUES ('acme', 'c', 'Acme', 0, now())",
    "INSERT INTO components (id, organisation_id, code, name, description, status, status_source, created_at, updated_at, version) \
     VALUES (lpad('c', 32, '0')::uuid, 'acme', 'c', 'API', '', 'OPERATIONAL', 'OPERATOR', now(), now(), 0)",
    "INSERT INTO component_periods (id, organisation_id, component_id, status, start_at, end_at, cause_type, version) \
     SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', lpad('c', 32, '0')::uuid, 'DEGRADED', TIMESTAMPTZ '2020-01-01', \
     CASE WHEN n = 20000 THEN NULL ELSE TIMESTAMPTZ '2020-01-02' END, 'OPERATOR', 0 FROM generate_series(1, 20000) n",
    "ANALYZE",
];

fn query() -> sea_orm::sea_query::SelectStatement {
    let acme = OrganisationId::parse("acme").unwrap();
    spans_since(&acme, DateTime::from_timestamp(1_700_000_000, 0).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_the_periods_of_an_organisation() {
    let (database, _folder) = sqlite().await;
    let plan = plan(database.read(), &query()).await;
    assert!(!plan.contains("SCAN"), "{plan}");
    assert_eq!(plan.matches("periods_of_organisation").count(), 2, "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_the_periods_of_an_organisation() {
    let Some(database) = postgresql(&OLD_PERIODS).await else {
        return;
    };
    let plan = plan(database.read(), &query()).await;
    assert!(!plan.contains("Seq Scan on component_periods"), "{plan}");
    assert_eq!(plan.matches("periods_of_organisation").count(), 2, "{plan}");
}
