//! How the databases find expired rows among those of all accounts.

use chrono::{DateTime, Utc};
use sea_orm::ColumnTrait;
use sea_orm::sea_query::DeleteStatement;

use crate::entity::{invitation, session};
use crate::fixture::{postgresql, sqlite};
use crate::query_plan::plan;
use crate::removal::delete_rechecked;

/// Rows as PostgreSQL needs them to plan as it would for a large installation.
const MANY: [&str; 4] = [
    "INSERT INTO users (id, name, email, email_key, password, administrator, created_at) \
     VALUES (lpad('1', 32, '0')::uuid, 'Ann', 'ann@example.com', 'ann@example.com', 'hash', FALSE, now())",
    "INSERT INTO sessions (id, digest, user_id, created_at, expires_at) \
     SELECT gen_random_uuid(), n::text, lpad('1', 32, '0')::uuid, now(), now() FROM generate_series(1, 20000) n",
    "INSERT INTO invitations (id, digest, email, email_key, role, created_at, expires_at) \
     SELECT gen_random_uuid(), n::text, n::text, n::text, 'editor', now(), now() FROM generate_series(1, 20000) n",
    "ANALYZE",
];

/// Each removal with the index that it needs.
fn removals() -> [(&'static str, DeleteStatement); 2] {
    let now = DateTime::<Utc>::UNIX_EPOCH;
    let sessions = session::Column::ExpiresAt.lte(now);
    let invitations = invitation::Column::ExpiresAt.lte(now);
    [
        (
            "sessions_by_expiry",
            delete_rechecked::<session::Entity>(&sessions),
        ),
        (
            "invitations_by_expiry",
            delete_rechecked::<invitation::Entity>(&invitations),
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_and_never_scans() {
    let (database, _folder) = sqlite().await;
    for (index, removal) in removals() {
        let plan = plan(database.read(), &removal).await;
        assert!(
            !plan.contains("SCAN") && plan.contains(index),
            "{index}:\n{plan}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_and_never_scans() {
    let Some(database) = postgresql(&MANY).await else {
        return;
    };
    for (index, removal) in removals() {
        let plan = plan(database.read(), &removal).await;
        assert!(
            !plan.contains("Seq Scan") && plan.contains(index),
            "{index}:\n{plan}"
        );
    }
}
