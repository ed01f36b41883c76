//! An index that finds the outbox's oldest commits, to prune them.

use sea_orm_migration::prelude::*;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_index(
                Index::create()
                    .name("outbox_by_age")
                    .table("outbox")
                    .col("created_at")
                    .to_owned(),
            )
            .await
    }
}
