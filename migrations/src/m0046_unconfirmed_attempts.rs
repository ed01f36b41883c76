//! How often the mail server received a mail without confirming it. Earlier such attempts are not
//! counted.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::integer;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for table in ["deliveries", "operator_mails"] {
            let mails = Table::alter()
                .table(table)
                .add_column(integer("unconfirmed").default(0))
                .to_owned();
            manager.alter_table(mails).await?;
        }
        Ok(())
    }
}
