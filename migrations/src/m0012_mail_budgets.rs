//! Daily counts of mails, by mailbox, account, organisation and installation.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, date, string};

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let counts = Table::create()
            .table("mail_counts")
            .col(string("scope"))
            .col(string("key"))
            .col(date("day"))
            .col(big_integer("count"))
            .primary_key(Index::create().col("scope").col("key").col("day"))
            .to_owned();
        manager.create_table(counts).await?;
        manager
            .create_index(index("mail_counts_by_day", "mail_counts", &["day"]))
            .await
    }
}
