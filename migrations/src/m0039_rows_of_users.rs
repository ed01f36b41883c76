//! Indexes that find the rows that name a user among those of all organisations, for the deletion
//! of an account.

use sea_orm_migration::prelude::*;

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, table) in [
            ("incident_updates_of_user", "incident_updates"),
            ("maintenance_updates_of_user", "maintenance_updates"),
        ] {
            manager
                .create_index(index(name, table, &["user_id"]))
                .await?;
        }
        // Most periods are those of incidents, without a user.
        let periods = index("periods_of_user", "component_periods", &["user_id"])
            .cond_where(Expr::col("user_id").is_not_null())
            .to_owned();
        manager.create_index(periods).await?;
        // The filters of the audit log compare both columns, so they need no order of the two.
        for (name, column) in [
            ("audit_items_by_actor", "actor_id"),
            ("audit_items_by_target", "target_id"),
        ] {
            manager
                .drop_index(Index::drop().name(name).to_owned())
                .await?;
            let columns = [column, "organisation_id", "id"];
            manager
                .create_index(index(name, "audit_items", &columns))
                .await?;
        }
        Ok(())
    }
}
