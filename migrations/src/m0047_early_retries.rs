//! When a later notice brings the retry of a delivery forward, and the number of attempts before
//! the schedule of retries began again.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{integer, timestamp_with_time_zone_null};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let columns = [
            integer("earlier_attempts").default(0).to_owned(),
            timestamp_with_time_zone_null("early_at"),
        ];
        for column in columns {
            let deliveries = Table::alter()
                .table("deliveries")
                .add_column(column)
                .to_owned();
            manager.alter_table(deliveries).await?;
        }
        Ok(())
    }
}
