//! An index of subscribers that were never confirmed, for their removal.

use sea_orm_migration::prelude::*;

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let unconfirmed = index("unconfirmed_subscribers", "subscribers", &["updated_at"])
            .cond_where(Expr::cust("status = 'PENDING' AND round = 0"))
            .to_owned();
        manager.create_index(unconfirmed).await
    }
}
