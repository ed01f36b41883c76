//! How the databases find a page of the audit log among many items.

use allclear_application::audit::AuditFilter;
use allclear_domain::audit::Action;
use allclear_domain::id::OrganisationId;
use chrono::{DateTime, TimeDelta};
use sea_orm::sea_query::SelectStatement;
use sea_orm::{QueryOrder, QuerySelect, QueryTrait};

use super::{Column, selected};
use crate::fixture::{postgresql, sqlite};
use crate::query_plan::plan;

/// An item every ten seconds of a week, each of the next of 200 organisations. Identifiers begin
/// with the time.
const MANY: [&str; 3] = [
    "INSERT INTO organisations (id, code, name, revision, created_at) SELECT n::text, n::text, 'Acme', 0, now() \
     FROM generate_series(1, 200) n",
    "INSERT INTO audit_items (id, organisation_id, created_at, actor_type, actor_id, actor_name, action, target_type, target_id) \
     SELECT rpad(lpad(to_hex(n * 10000), 12, '0'), 32, '0')::uuid, (n % 200 + 1)::text, now(), 'USER', (n % 997)::text, 'Ann', \
     (ARRAY['component.updated', 'component.created', 'component.deleted'])[n % 3 + 1], 'COMPONENT', (n % 991)::text \
     FROM generate_series(1, 60000) n",
    "ANALYZE",
];

/// The first page of each filter, with the index that it needs.
fn queries() -> Vec<(&'static str, SelectStatement)> {
    let organisation = OrganisationId::parse("7").unwrap();
    let none = AuditFilter::default();
    let start = DateTime::UNIX_EPOCH + TimeDelta::days(1);
    let filters = [
        ("audit_items_of_organisation", none.clone()),
        (
            "audit_items_of_organisation",
            AuditFilter {
                from: Some(start),
                to: Some(start + TimeDelta::days(1)),
                ..none.clone()
            },
        ),
        (
            "audit_items_by_actor",
            AuditFilter {
                actor_id: Some("7".into()),
                ..none.clone()
            },
        ),
        (
            "audit_items_by_action",
            AuditFilter {
                action: Some(Action::ComponentDeleted),
                ..none.clone()
            },
        ),
        (
            "audit_items_by_target",
            AuditFilter {
                target_id: Some("7".into()),
                from: Some(start),
                ..none
            },
        ),
    ];
    let page = |filter| {
        let items = selected(&organisation, &filter).order_by_desc(Column::Id);
        items.limit(51).into_query()
    };
    filters.map(|(index, filter)| (index, page(filter))).into()
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_reads_a_page_in_the_order_of_an_index() {
    let (database, _folder) = sqlite().await;
    for (index, query) in queries() {
        let plan = plan(database.read(), &query).await;
        let is_sorted = plan.contains("TEMP B-TREE");
        assert!(
            !plan.contains("SCAN") && !is_sorted && plan.contains(index),
            "{index}: {plan}"
        );
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
