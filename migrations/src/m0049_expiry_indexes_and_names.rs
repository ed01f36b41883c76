//! Indexes for the removal of expired sessions and invitations, and the names that the program has
//! for columns and a table.

use sea_orm_migration::prelude::*;

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Tables, and columns of them with their former and new names.
const COLUMNS: [(&str, &str, &str); 4] = [
    ("notices", "news", "content"),
    ("maintenances", "announced_status", "published_status"),
    ("directory_messages", "heard_at", "handled_at"),
    ("verification_mails", "email_key", "target_key"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, from, to) in COLUMNS {
            let renamed = Table::alter()
                .table(table)
                .rename_column(from, to)
                .to_owned();
            manager.alter_table(renamed).await?;
        }
        let revocations = Table::rename()
            .table("directory_endings", "directory_revocations")
            .to_owned();
        manager.rename_table(revocations).await?;
        for (name, table) in [
            ("sessions_by_expiry", "sessions"),
            ("invitations_by_expiry", "invitations"),
        ] {
            let by_expiry = index(name, table, &["expires_at"]);
            manager.create_index(by_expiry).await?;
        }
        Ok(())
    }
}
