//! How the databases find what a write and the status page need among many old incidents.

use allclear_domain::id::{IncidentId, OrganisationId};
use allclear_domain::impact::{ImpactInterval, ImpactMove};
use chrono::DateTime;
use sea_orm::sea_query::SelectStatement;
use sea_orm::{
    ColumnTrait, Condition, DbBackend, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait,
};
use uuid::Uuid;

use super::{public, timeline, update};
use crate::entity::incident;
use crate::fixture::{postgresql, sqlite};
use crate::impact::moved::overlapping;
use crate::impact::unresolved_impacts;
use crate::query_plan::plan;
use crate::timeline::MAX_TIMELINES_PER_READ;
use crate::timeline::tests::scans;

/// Rows as PostgreSQL needs them to plan as it would for a large organisation: 20,000 resolved
/// incidents with two updates each that all affected one component, and one that is open.
const OLD_INCIDENTS: [&str; 6] = [
    "INSERT INTO organisations (id, name, revision, created_at, code) VALUES ('acme', 'Acme', 0, now(), 'acme')",
    "INSERT INTO components VALUES (lpad('c', 32, '0')::uuid, 'acme', 'API', '', 'OPERATIONAL', 'OPERATOR', now(), now(), 0, 'c')",
    "INSERT INTO incidents SELECT lpad(to_hex(n), 32, '0')::uuid, 'acme', 't', 'd', 'RESOLVED', now(), \
     CASE WHEN n = 20000 THEN NULL ELSE TIMESTAMPTZ '2020-01-01' END, now(), now(), 0, n::text FROM generate_series(1, 20000) n",
    "INSERT INTO incident_updates SELECT id, gen_random_uuid(), 'RESOLVED', 'm', 'u', 'U', now(), 0, now() \
     FROM incidents, generate_series(1, 2)",
    "INSERT INTO incident_components SELECT id, lpad('c', 32, '0')::uuid, 'DEGRADED' FROM incidents",
    "ANALYZE",
];

/// Every query whose cost must not grow with old incidents, by name.
fn queries(backend: DbBackend) -> Vec<(&'static str, SelectStatement)> {
    let acme = OrganisationId::parse("acme").unwrap();
    let of_late = DateTime::from_timestamp(1_700_000_000, 0).unwrap();
    let one = || Condition::all().add(incident::Column::Id.eq(Uuid::from_u128(20_000)));
    let unresolved = || public::unresolved(&acme);
    let ids = || (1..=MAX_TIMELINES_PER_READ as u128).map(|number| Uuid::from_u128(number * 700));
    let some = || super::by_ids(ids());
    let incidents = |these: Condition| incident::Entity::find().filter(these).into_query();
    let id = IncidentId(Uuid::from_u128(20_000));
    let newest = update::with_newest(&acme, id).into_query();
    let listed = update::of(id).limit(500).into_query();
    let next = update::after(id, Uuid::from_u128(7))
        .limit(500)
        .into_query();
    let interval = ImpactInterval {
        from: of_late,
        to: Some(of_late),
    };
    let moved = ImpactMove {
        incident: id,
        created_at: of_late,
        before: interval,
        after: interval,
    };
    let [open, ended] = overlapping(&acme, moved).map(QueryTrait::into_query);
    let page = super::of(&acme)
        .order_by_desc(incident::Column::Id)
        .limit(500);
    vec![
        ("the unresolved incidents", incidents(unresolved())),
        (
            "those resolved of late",
            public::newest_resolved(&acme, of_late).into_query(),
        ),
        ("some of them", incidents(some())),
        (
            "timelines of some",
            timeline::UPDATES.newest(backend, ids(), &timeline::UPDATES.entry_columns()),
        ),
        ("links of some", public::links(some())),
        (
            "the timeline of one",
            timeline::UPDATES.newest(backend, [id.0], &timeline::UPDATES.entry_columns()),
        ),
        ("the links of one", public::links(one())),
        ("the newest update of one", newest),
        ("the updates of one", listed),
        ("more updates of one", next),
        (
            "impacts on one",
            unresolved_impacts(&acme, Some(&[Uuid::from_u128(12)])),
        ),
        ("impacts on all", unresolved_impacts(&acme, None)),
        ("those open while one was moved", open),
        ("those resolved after one began", ended),
        ("a page of a list", page.into_query()),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_and_never_scans() {
    let (database, _folder) = sqlite().await;
    for (name, query) in queries(database.read().backend()) {
        let plan = plan(database.read(), &query).await;
        assert!(!scans(&plan), "{name}:\n{plan}");
        // By component alone, a search would go through every incident that ever affected it.
        assert!(!plan.contains("incidents_of_component"), "{name}:\n{plan}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_and_never_scans() {
    let Some(database) = postgresql(&OLD_INCIDENTS).await else {
        return;
    };
    for (name, query) in queries(database.read().backend()) {
        let plan = plan(database.read(), &query).await;
        for table in ["incident_updates", "incident_components"] {
            assert!(
                !plan.contains(&format!("Seq Scan on {table}")),
                "{name}:\n{plan}"
            );
        }
        assert!(!plan.contains("incidents_of_component"), "{name}:\n{plan}");
    }
}
