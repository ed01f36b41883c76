//! How the databases find the incidents of a range among many old ones.

use allclear_domain::id::OrganisationId;
use allclear_domain::metrics::MetricsDays;
use allclear_domain::time_zone::TimeZone;
use allclear_domain::uptime::UptimeWindow;
use chrono::DateTime;
use sea_orm::sea_query::SelectStatement;
use uuid::Uuid;

use super::{incident_counts, page};
use crate::fixture::{postgresql, sqlite};
use crate::query_plan::plan;

/// 20,000 old incidents of one component, each with two updates.
const OLD_INCIDENTS: [&str; 6] = [
    "INSERT INTO organisations (id, name, revision, created_at, code) VALUES ('acme', 'Acme', 0, now(), 'acme')",
    "INSERT INTO components VALUES (lpad('c', 32, '0')::uuid, 'acme', 'API', '', 'OPERATIONAL', 'OPERATOR', now(), now(), 0, 'c')",
    "INSERT INTO incidents SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', 't', 'd', 'RESOLVED', \
     TIMESTAMPTZ '2020-01-01' + n * interval '1 minute', TIMESTAMPTZ '2021-01-01', now(), now(), 0, n::text \
     FROM generate_series(1, 20000) n",
    "INSERT INTO incident_updates SELECT id, gen_random_uuid(), 'RESOLVED', 'm', 'u', 'U', now(), 0, now() \
     FROM incidents, generate_series(1, 2)",
    "INSERT INTO incident_components SELECT id, lpad('c', 32, '0')::uuid, 'DEGRADED' FROM incidents",
    "ANALYZE",
];

fn queries() -> [(&'static str, SelectStatement); 3] {
    let acme = OrganisationId::parse("acme").unwrap();
    let zone = TimeZone::default();
    let now = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let range = MetricsDays::default().range(zone.date_of(now));
    let window = UptimeWindow::new(range, zone, now);
    let after = Some((window.start_at(), Uuid::from_u128(7)));
    [
        ("the first page", page(&acme, &window, None)),
        ("the next page", page(&acme, &window, after)),
        ("incidents by component", incident_counts(&acme, &window)),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_and_never_scans() {
    let (database, _folder) = sqlite().await;
    for (name, query) in queries() {
        let plan = plan(database.read(), &query).await;
        assert!(!plan.contains("SCAN"), "{name}:\n{plan}");
        assert!(plan.contains("incidents_by_occurrence"), "{name}:\n{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_and_never_scans() {
    let Some(database) = postgresql(&OLD_INCIDENTS).await else {
        return;
    };
    for (name, query) in queries() {
        let plan = plan(database.read(), &query).await;
        for table in ["incidents", "incident_updates", "incident_components"] {
            let scan = format!("Seq Scan on {table}");
            assert!(!plan.contains(&scan), "{name}:\n{plan}");
        }
    }
}
