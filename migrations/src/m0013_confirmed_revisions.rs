//! The revision at which a subscriber was confirmed, which decides which notices it receives.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::big_integer;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Unexpanded notices go to the same subscribers as before: those that changed last before
/// the notice.
const KEEP: &str = "UPDATE subscribers SET confirmed_revision = COALESCE((SELECT MAX(revision) FROM notices \
     WHERE notices.organisation_id = subscribers.organisation_id AND notices.expanded_at IS NULL \
     AND notices.created_at < subscribers.updated_at), 0)";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let added = Table::alter()
            .table("subscribers")
            .add_column(big_integer("confirmed_revision").default(0))
            .to_owned();
        manager.alter_table(added).await?;
        manager.get_connection().execute_unprepared(KEEP).await?;
        Ok(())
    }
}
