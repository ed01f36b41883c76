//! How the databases find the account with an address among many.

use allclear_domain::email::EmailKey;
use sea_orm::QueryTrait;

use super::owner_or_another;
use crate::fixture::{postgresql, sqlite};
use crate::query_plan::plan;

const MANY: [&str; 2] = [
    "INSERT INTO users (id, name, email, email_key, password, administrator, created_at) \
     SELECT lpad(to_hex(n), 32, '0')::uuid, 'Ann', n::text, n::text, 'h', FALSE, now() FROM generate_series(1, 20000) n",
    "ANALYZE",
];

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_searches_the_account_with_an_address() {
    let (database, _folder) = sqlite().await;
    let query = owner_or_another(&EmailKey::of("7")).into_query();
    let plan = plan(database.read(), &query).await;
    assert!(plan.contains("INDEX user_of_address"), "{plan}");
    // The subquery ends at its first row.
    assert_eq!(plan.matches("SCAN").count(), 1, "{plan}");
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_searches_the_account_with_an_address() {
    let Some(database) = postgresql(&MANY).await else {
        return;
    };
    let query = owner_or_another(&EmailKey::of("7")).into_query();
    let plan = plan(database.read(), &query).await;
    assert!(plan.contains("on user_of_address"), "{plan}");
    // The subquery ends at its first row.
    assert_eq!(plan.matches("Seq Scan").count(), 1, "{plan}");
}
