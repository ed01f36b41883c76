//! Maintenances and their updates.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, string, text, timestamp_with_time_zone, timestamp_with_time_zone_null, uuid,
};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(maintenances()).await?;
        let listed = index(
            "maintenances_of_organisation",
            "maintenances",
            &["organisation_id", "id"],
        );
        manager.create_index(listed).await?;
        // Finds the maintenances on the status page among any number of old ones.
        let shown = index(
            "maintenances_by_showing",
            "maintenances",
            &["organisation_id", "shown_until"],
        );
        manager.create_index(shown).await?;
        // Find the next change by the clock, of all organisations and of one. Past maintenances are
        // not in these indexes.
        let change = || Expr::col("next_change_at").is_not_null();
        let next = index(
            "maintenances_by_change",
            "maintenances",
            &["next_change_at"],
        )
        .cond_where(change())
        .to_owned();
        manager.create_index(next).await?;
        let due = index(
            "changes_of_organisation",
            "maintenances",
            &["organisation_id", "next_change_at"],
        )
        .cond_where(change())
        .to_owned();
        manager.create_index(due).await?;
        manager.create_table(maintenance_updates()).await
    }
}

/// `announced_status` is the last published status. `next_change_at` is when the clock changes it,
/// null if never. `shown_until` is when the maintenance leaves the status page.
fn maintenances() -> TableCreateStatement {
    Table::create()
        .table("maintenances")
        .col(uuid("id").primary_key())
        .col(string("organisation_id"))
        .col(string("title"))
        .col(text("description"))
        .col(timestamp_with_time_zone("start_at"))
        .col(timestamp_with_time_zone_null("end_at"))
        .col(timestamp_with_time_zone_null("cancelled_at"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .col(big_integer("version"))
        .col(string("announced_status"))
        .col(timestamp_with_time_zone_null("next_change_at"))
        .col(timestamp_with_time_zone("shown_until"))
        .foreign_key(&mut owned_by(
            "maintenance_organisation",
            "maintenances",
            "organisation_id",
            "organisations",
        ))
        .to_owned()
}

/// The key orders a maintenance's updates by age.
fn maintenance_updates() -> TableCreateStatement {
    Table::create()
        .table("maintenance_updates")
        .col(uuid("maintenance_id"))
        .col(uuid("id"))
        .col(string("status"))
        .col(text("message"))
        .col(string("user_id"))
        .col(string("user_name"))
        .col(timestamp_with_time_zone("created_at"))
        .col(big_integer("version"))
        .primary_key(Index::create().col("maintenance_id").col("id"))
        .foreign_key(&mut owned_by(
            "update_maintenance",
            "maintenance_updates",
            "maintenance_id",
            "maintenances",
        ))
        .to_owned()
}
