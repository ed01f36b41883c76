//! An index of webhooks, which receive changes of components.

use sea_orm_migration::prelude::*;

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = ["organisation_id", "status", "id"];
        let webhooks = index("webhook_subscribers", "subscribers", &columns)
            .cond_where(Expr::cust("channel = 'webhook'"))
            .to_owned();
        manager.create_index(webhooks).await
    }
}
