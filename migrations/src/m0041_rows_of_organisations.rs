//! Indexes that find the rows that refer to an organisation, for its deletion.

use sea_orm_migration::prelude::*;

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let notices = index(
            "notices_of_organisation",
            "notices",
            &["organisation_id", "id"],
        );
        manager.create_index(notices).await?;
        let column = "active_organisation_id";
        let sessions = index("sessions_of_organisation", "sessions", &[column])
            .cond_where(Expr::col(column).is_not_null())
            .to_owned();
        manager.create_index(sessions).await
    }
}
