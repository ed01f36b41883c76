//! Challenges of passkeys and states of OpenID Connect that were used, in one table.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{string, timestamp_with_time_zone};

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let used = Table::create()
            .table("used_challenges")
            .col(string("digest").primary_key())
            .col(timestamp_with_time_zone("expires_at"))
            .to_owned();
        manager.create_table(used).await?;
        let name = "used_challenges_by_expiry";
        let by_expiry = index(name, "used_challenges", &["expires_at"]);
        manager.create_index(by_expiry).await?;
        for table in ["openid_states", "passkey_challenges"] {
            let copied = format!(
                "INSERT INTO used_challenges (digest, expires_at) SELECT digest, expires_at FROM {table}"
            );
            let connection = manager.get_connection();
            connection.execute_unprepared(&copied).await?;
            let dropped = Table::drop().table(table).to_owned();
            manager.drop_table(dropped).await?;
        }
        Ok(())
    }
}
