//! Address, state before and state after of an item of the audit log, and the indexes of
//! its filters.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{string_null, text_null};

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = [
            string_null("address"),
            text_null("state_before"),
            text_null("state_after"),
        ];
        for column in columns {
            let add = Table::alter()
                .table("audit_items")
                .add_column(column)
                .to_owned();
            manager.alter_table(add).await?;
        }
        let indexes = [
            ("audit_items_by_actor", "actor_id"),
            ("audit_items_by_action", "action"),
            ("audit_items_by_target", "target_id"),
        ];
        for (name, column) in indexes {
            let columns = ["organisation_id", column, "id"];
            manager
                .create_index(index(name, "audit_items", &columns))
                .await?;
        }
        Ok(())
    }
}
