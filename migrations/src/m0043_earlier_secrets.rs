//! The secrets of a webhook before the previous one, which sign for a day, too.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::text_null;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let subscribers = Table::alter()
            .table("subscribers")
            .add_column(text_null("earlier_secrets"))
            .to_owned();
        manager.alter_table(subscribers).await
    }
}
