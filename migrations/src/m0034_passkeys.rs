//! Passkeys of accounts.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, string, string_uniq, text, timestamp_with_time_zone,
    timestamp_with_time_zone_null, uuid,
};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(passkeys()).await?;
        manager
            .create_index(index("passkeys_of_user", "passkeys", &["user_id"]))
            .await?;
        manager.create_table(challenges()).await
    }
}

/// The passkeys. `credential` is the public key with its flags as JSON; `sign_count` repeats its
/// signature counter, so that a use can be stored on condition.
fn passkeys() -> TableCreateStatement {
    Table::create()
        .table("passkeys")
        .col(uuid("id").primary_key())
        .col(uuid("user_id"))
        .col(string("name"))
        .col(string_uniq("credential_id"))
        .col(text("credential"))
        .col(big_integer("sign_count"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("last_used_at"))
        .foreign_key(&mut owned_by(
            "passkey_user",
            "passkeys",
            "user_id",
            "users",
        ))
        .to_owned()
}

/// Digests of challenges that were used, until they expire.
fn challenges() -> TableCreateStatement {
    Table::create()
        .table("passkey_challenges")
        .col(string("digest").primary_key())
        .col(timestamp_with_time_zone("expires_at"))
        .to_owned()
}
