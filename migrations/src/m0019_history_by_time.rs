//! Indexes that find the incidents and maintenances of some months.

use sea_orm_migration::prelude::*;

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (name, table, time) in [
            ("incidents_by_occurrence", "incidents", "occured_at"),
            ("maintenances_by_start", "maintenances", "start_at"),
        ] {
            manager
                .create_index(index(name, table, &["organisation_id", time]))
                .await?;
        }
        Ok(())
    }
}
