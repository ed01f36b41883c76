//! How the databases find what programs read among many old incidents and maintenances.

use allclear_domain::id::OrganisationId;
use chrono::{DateTime, Utc};
use sea_orm::QueryTrait;
use sea_orm::sea_query::SelectStatement;

use super::{incident, maintenance};
use crate::fixture::{postgresql, sqlite};
use crate::query_plan::plan;

/// 20,000 resolved incidents, and 20,000 maintenances that are over, of which 20 were cancelled.
const OLD_ENTRIES: [&str; 4] = [
    "INSERT INTO organisations (id, name, revision, created_at, code) VALUES ('acme', 'Acme', 0, now(), 'acme')",
    "INSERT INTO incidents (id, organisation_id, code, title, description, status, occured_at, resolved_at, created_at, updated_at, \
     version) SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', n::text, 't', 'd', 'RESOLVED', now(), \
     TIMESTAMPTZ '2020-01-01' + n * interval '1 minute', now(), now(), 0 FROM generate_series(1, 20000) n",
    "INSERT INTO maintenances (id, organisation_id, code, title, description, start_at, cancelled_at, created_at, updated_at, version, \
     published_status, shown_until) SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', n::text, 't', 'd', now(), \
     CASE WHEN n % 1000 = 0 THEN now() END, now(), now(), 0, 'COMPLETED', TIMESTAMPTZ '2020-01-01' + n * interval '1 minute' \
     FROM generate_series(1, 20000) n",
    "ANALYZE",
];

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

/// The selections of what is listed, with the index that each has to use.
fn queries() -> [(&'static str, SelectStatement); 6] {
    let acme = OrganisationId::parse("acme").unwrap();
    [
        (
            "incidents_of_organisation",
            incident::newest(&acme).into_query(),
        ),
        (
            "incidents_by_resolution",
            incident::resolved_last(&acme).into_query(),
        ),
        (
            "maintenances_of_organisation",
            maintenance::newest(&acme).into_query(),
        ),
        (
            "cancelled_maintenances",
            maintenance::newest_cancelled(&acme).into_query(),
        ),
        (
            "maintenances_by_showing",
            maintenance::ahead(&acme, now()).into_query(),
        ),
        (
            "maintenances_by_showing",
            maintenance::ended_last(&acme, now()).into_query(),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_reads_each_list_in_the_order_of_its_index() {
    let (database, _folder) = sqlite().await;
    for (index, query) in queries() {
        let plan = plan(database.read(), &query).await;
        assert!(
            !plan.contains("SCAN") && !plan.contains("TEMP B-TREE") && plan.contains(index),
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
        assert!(!plan.contains("Seq Scan"), "{index}:\n{plan}");
        let is_cancelled = index == "cancelled_maintenances";
        assert!(!is_cancelled || plan.contains(index), "{index}:\n{plan}");
    }
}
