//! The audit log, and the number of failed mails per day.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, string, string_null, text_null, timestamp_with_time_zone, uuid,
};
use sea_orm_migration::sea_orm::DbBackend;

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(audit_items()).await?;
        manager
            .create_index(index(
                "audit_items_of_organisation",
                "audit_items",
                &["organisation_id", "id"],
            ))
            .await?;
        let failed = Table::alter()
            .table("delivery_counts")
            .add_column(big_integer("failed").default(0))
            .to_owned();
        manager.alter_table(failed).await?;
        manager
            .get_connection()
            .execute_unprepared(&known_failures(manager.get_database_backend()))
            .await?;
        Ok(())
    }
}

/// Identifiers are in the order of time, so the newest and the oldest items are found without
/// another index.
fn audit_items() -> TableCreateStatement {
    Table::create()
        .table("audit_items")
        .col(uuid("id").primary_key())
        .col(string("organisation_id"))
        .col(timestamp_with_time_zone("created_at"))
        .col(string("actor_type"))
        .col(string_null("actor_id"))
        .col(string("actor_name"))
        .col(string("action"))
        .col(string("target_type"))
        .col(string("target_id"))
        .col(text_null("target_name"))
        .col(string_null("request_id"))
        .foreign_key(&mut owned_by(
            "audit_item_organisation",
            "audit_items",
            "organisation_id",
            "organisations",
        ))
        .to_owned()
}

/// Counts the mails that were given up before, as far back as they are kept.
fn known_failures(backend: DbBackend) -> String {
    let day = match backend {
        DbBackend::Postgres => "to_char(given_up_at AT TIME ZONE 'UTC', 'YYYY-MM-DD')",
        _ => "substr(given_up_at, 1, 10)",
    };
    format!(
        "INSERT INTO delivery_counts (organisation_id, day, sent, failed) \
         SELECT organisation_id, {day}, 0, count(*) FROM deliveries WHERE given_up_at IS NOT NULL \
         GROUP BY organisation_id, {day} \
         ON CONFLICT (organisation_id, day) DO UPDATE SET failed = excluded.failed"
    )
}
