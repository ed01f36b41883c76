//! How the databases find the names to remove among the rows of all organisations.

use allclear_domain::id::UserId;
use uuid::Uuid;

use super::{NamedRows, named_rows};
use crate::fixture::{postgresql, sqlite};
use crate::query_plan::plan;

/// Rows of 997 authors in 20 organisations, as PostgreSQL needs them to plan as it would for a
/// large installation.
const MANY: [&str; 9] = [
    "INSERT INTO organisations (id, code, name, revision, created_at) SELECT n::text, n::text, 'Acme', 0, now() \
     FROM generate_series(1, 20) n",
    "INSERT INTO incidents (id, organisation_id, title, description, status, occured_at, created_at, updated_at, version, code, \
     first_status) VALUES (lpad('1', 32, '0')::uuid, '1', 't', 'd', 'RESOLVED', now(), now(), now(), 0, '1', 'RESOLVED')",
    "INSERT INTO maintenances (id, organisation_id, title, description, start_at, created_at, updated_at, version, published_status, \
     shown_until, code) VALUES (lpad('1', 32, '0')::uuid, '1', 't', 'd', now(), now(), now(), 0, 'COMPLETED', now(), '1')",
    "INSERT INTO components (id, organisation_id, code, name, description, status, status_source, created_at, updated_at, version) \
     VALUES (lpad('1', 32, '0')::uuid, '1', '1', 'API', '', 'OPERATIONAL', 'OPERATOR', now(), now(), 0)",
    "INSERT INTO incident_updates (incident_id, id, status, message, user_id, user_name, created_at, version, display_at) \
     SELECT lpad('1', 32, '0')::uuid, gen_random_uuid(), 'RESOLVED', 'm', (n % 997)::text, 'U', now(), 0, now() \
     FROM generate_series(1, 20000) n",
    "INSERT INTO maintenance_updates (maintenance_id, id, status, message, user_id, user_name, created_at, version, display_at) \
     SELECT lpad('1', 32, '0')::uuid, gen_random_uuid(), 'RESOLVED', 'm', (n % 997)::text, 'U', now(), 0, now() \
     FROM generate_series(1, 20000) n",
    "INSERT INTO component_periods (id, organisation_id, component_id, status, start_at, cause_type, user_id, user_name, version) \
     SELECT gen_random_uuid(), '1', lpad('1', 32, '0')::uuid, 'DEGRADED', now(), 'OPERATOR', (n % 997)::text, 'U', 0 \
     FROM generate_series(1, 20000) n",
    "INSERT INTO audit_items (id, organisation_id, created_at, actor_type, actor_id, actor_name, action, target_type, target_id) \
     SELECT gen_random_uuid(), (n % 20 + 1)::text, now(), 'USER', (n % 997)::text, 'Ann', 'account.updated', 'USER', \
     (n % 991)::text FROM generate_series(1, 20000) n",
    "ANALYZE",
];

/// Rows with the index that finds them.
fn rows() -> Vec<(&'static str, NamedRows)> {
    let indexes = [
        "incident_updates_of_user",
        "maintenance_updates_of_user",
        "periods_of_user",
        "audit_items_by_actor",
        "audit_items_by_target",
        "audit_items_by_target",
        "audit_items_by_target",
    ];
    let user = UserId(Uuid::from_u128(7));
    indexes.into_iter().zip(named_rows(user)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_and_never_scans() {
    let (database, _folder) = sqlite().await;
    for (index, rows) in rows() {
        let ids = plan(database.read(), &rows.ids_after(Uuid::nil())).await;
        let left = plan(database.read(), &rows.removal_since(Uuid::nil())).await;
        for plan in [ids, left] {
            assert!(
                !plan.contains("SCAN") && plan.contains(index),
                "{index}:\n{plan}"
            );
        }
        let some = [Uuid::from_u128(1), Uuid::from_u128(2)];
        let some = plan(database.read(), &rows.removal_from(&some)).await;
        assert!(!some.contains("SCAN"), "{index}:\n{some}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_and_never_scans() {
    let Some(database) = postgresql(&MANY).await else {
        return;
    };
    for (index, rows) in rows() {
        let ids = plan(database.read(), &rows.ids_after(Uuid::nil())).await;
        let left = plan(database.read(), &rows.removal_since(Uuid::nil())).await;
        for plan in [ids, left] {
            assert!(
                !plan.contains("Seq Scan") && plan.contains(index),
                "{index}:\n{plan}"
            );
        }
    }
}
