//! Which targets of subscribers visitors entered. Those stored before count as entered by
//! operators: 0.1 has mail only.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::boolean;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let subscribers = Table::alter()
            .table("subscribers")
            .add_column(boolean("by_visitor").default(false))
            .to_owned();
        manager.alter_table(subscribers).await
    }
}
