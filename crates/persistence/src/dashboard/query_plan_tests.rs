//! How the databases find what the dashboard shows among many subscribers, deliveries and
//! old changes.

use allclear_application::dashboard::ShownChanges;
use allclear_domain::id::OrganisationId;
use sea_orm::QueryTrait;
use sea_orm::sea_query::SelectStatement;

use super::{failing, subscribers_by_status};
use crate::audit::newest;
use crate::fixture::{postgresql, sqlite};
use crate::query_plan::plan;

const MANY: [&str; 4] = [
    "INSERT INTO organisations (id, code, name, revision, created_at) SELECT n::text, n::text, 'Acme', 0, now() \
     FROM generate_series(1, 20) n",
    "INSERT INTO audit_items (id, organisation_id, created_at, actor_type, actor_name, action, target_type, target_id) \
     SELECT gen_random_uuid(), (n % 20 + 1)::text, now(), 'USER', 'Ann', 'component.updated', 'COMPONENT', 'c' \
     FROM generate_series(1, 20000) n",
    "INSERT INTO subscribers SELECT lpad(to_hex(n), 32, '0')::uuid, (n % 20 + 1)::text, n::text, n::text, 'SUBSCRIBED', TRUE, 0, \
     now(), now(), 0 FROM generate_series(1, 20000) n",
    "VACUUM ANALYZE",
];

/// Each query with the index that it needs.
fn queries() -> [(&'static str, SelectStatement); 4] {
    let acme = OrganisationId::parse("7").unwrap();
    [
        (
            "audit_items_of_organisation",
            newest(&acme, ShownChanges::OfContent, 20).into_query(),
        ),
        (
            "audit_items_of_organisation",
            newest(&acme, ShownChanges::All, 20).into_query(),
        ),
        (
            "subscribers_by_status",
            subscribers_by_status(&acme).into_query(),
        ),
        ("failing_subscribers", failing(&acme).into_query()),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_and_never_scans() {
    let (database, _folder) = sqlite().await;
    for (index, query) in queries() {
        let plan = plan(database.read(), &query).await;
        assert!(!plan.contains("SCAN") && plan.contains(index), "{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_and_never_scans() {
    let Some(database) = postgresql(&MANY).await else {
        return;
    };
    for (index, query) in queries() {
        let plan = plan(database.read(), &query).await;
        assert!(
            !plan.contains("Seq Scan") && plan.contains(index),
            "{index}:\n{plan}"
        );
    }
}
