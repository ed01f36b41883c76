//! Large events are compressed: `packed` holds them instead of `events`, which is empty then. Rows
//! without `packed` stay as they are.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::binary_null;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = Table::alter()
            .table("outbox")
            .add_column(binary_null("packed"))
            .to_owned();
        manager.alter_table(table).await
    }
}
