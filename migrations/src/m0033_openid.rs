//! Sign-in by OpenID Connect: the people of providers and their accounts, the origin of sessions,
//! and the states that were used.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{string, text, timestamp_with_time_zone, uuid};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(accounts()).await?;
        let of_user = index("openid_accounts_of_user", "openid_accounts", &["user_id"]);
        manager.create_index(of_user).await?;
        manager.create_table(sessions()).await?;
        manager.create_table(states()).await?;
        let by_expiry = index("openid_states_by_expiry", "openid_states", &["expires_at"]);
        manager.create_index(by_expiry).await
    }
}

fn accounts() -> TableCreateStatement {
    Table::create()
        .table("openid_accounts")
        .col(text("issuer"))
        .col(text("subject"))
        .col(uuid("user_id"))
        .col(timestamp_with_time_zone("created_at"))
        .primary_key(Index::create().col("issuer").col("subject"))
        .foreign_key(&mut owned_by(
            "openid_account_user",
            "openid_accounts",
            "user_id",
            "users",
        ))
        .to_owned()
}

fn sessions() -> TableCreateStatement {
    Table::create()
        .table("openid_sessions")
        .col(uuid("session_id").primary_key())
        .col(string("provider"))
        .col(text("id_token"))
        .foreign_key(&mut owned_by(
            "openid_session_session",
            "openid_sessions",
            "session_id",
            "sessions",
        ))
        .to_owned()
}

fn states() -> TableCreateStatement {
    Table::create()
        .table("openid_states")
        .col(string("digest").primary_key())
        .col(timestamp_with_time_zone("expires_at"))
        .to_owned()
}
