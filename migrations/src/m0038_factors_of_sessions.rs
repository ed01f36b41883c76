//! Whether the person of a provider's session has used a second factor, and where.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::boolean;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // SQLite adds one column at a time.
        for name in ["provider_factor", "own_factor"] {
            let column = boolean(name).default(false).take();
            let sessions = Table::alter()
                .table("openid_sessions")
                .add_column(column)
                .take();
            manager.alter_table(sessions).await?;
        }
        Ok(())
    }
}
