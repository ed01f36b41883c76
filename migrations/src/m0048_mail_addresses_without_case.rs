//! Compares the mail addresses of subscribers without case. Of several subscribers whose addresses
//! differ in case only, one is found by the address from now on, and the others keep the spelling
//! as their key. No subscriber is deleted.

use sea_orm_migration::prelude::*;
use sea_orm_migration::sea_orm::DbBackend;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for statement in statements(manager.get_database_backend()) {
            let connection = manager.get_connection();
            connection.execute_unprepared(&statement).await?;
        }
        Ok(())
    }
}

/// The first subscriber of an address gets the address in lower case for its key: a confirmed one
/// before others, then the one that has this key already, then the oldest. Identifiers are ordered
/// by time. The domain of a key is in lower case.
///
/// If another subscriber has this key, it is not confirmed, and the first statement makes its key
/// one that no address has: addresses have no space at the end. Its links do not work any more.
fn statements(backend: DbBackend) -> [String; 2] {
    let key = match backend {
        // A locale may have other lower-case letters, such as that of Turkish.
        DbBackend::Postgres => r#"lower(target_key COLLATE "C")"#,
        _ => "lower(target_key)",
    };
    let ranked = format!(
        "WITH ranked AS (SELECT id, row_number() OVER (PARTITION BY organisation_id, incident_id, {key} \
         ORDER BY CASE WHEN status = 'SUBSCRIBED' THEN 0 ELSE 1 END, CASE WHEN target_key = {key} THEN 0 ELSE 1 END, id) \
         AS place FROM subscribers WHERE channel = 'email')"
    );
    [
        format!(
            "{ranked} UPDATE subscribers SET target_key = target_key || ' ' \
             WHERE target_key = {key} AND id IN (SELECT id FROM ranked WHERE place > 1)"
        ),
        format!(
            "{ranked} UPDATE subscribers SET target_key = {key} \
             WHERE target_key <> {key} AND id IN (SELECT id FROM ranked WHERE place = 1)"
        ),
    ]
}
