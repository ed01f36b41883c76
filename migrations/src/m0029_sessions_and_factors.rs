//! Lifetimes and clients of sessions, and second factors of accounts.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, string, string_len_null, timestamp_with_time_zone, timestamp_with_time_zone_null,
    uuid,
};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // A value is needed for the existing rows, which get theirs below.
        let start = "1970-01-01 00:00:00+00:00";
        for mut column in [
            timestamp_with_time_zone("authenticated_at")
                .default(start)
                .to_owned(),
            timestamp_with_time_zone("used_at")
                .default(start)
                .to_owned(),
            string_len_null("device", 200),
            string_len_null("address", 64),
        ] {
            let added = Table::alter()
                .table("sessions")
                .add_column(&mut column)
                .to_owned();
            manager.alter_table(added).await?;
        }
        note_uses(manager).await?;
        manager.create_table(totp_factors()).await?;
        manager.create_table(recovery_codes()).await?;
        manager
            .create_index(index(
                "recovery_codes_of_user",
                "recovery_codes",
                &["user_id"],
            ))
            .await
    }
}

/// The first use of a session after the migration gives it its new expiry.
async fn note_uses(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let noted = Query::update()
        .table("sessions")
        .value("authenticated_at", Expr::col("created_at"))
        .value("used_at", Expr::col("created_at"))
        .to_owned();
    manager.execute(noted).await
}

/// The authenticator apps, one per account. `nonce` is the part of the secret that is stored;
/// `confirmed_at` is null until the app has shown its first code.
fn totp_factors() -> TableCreateStatement {
    Table::create()
        .table("totp_factors")
        .col(uuid("user_id").primary_key())
        .col(string("nonce"))
        .col(big_integer("last_step"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("confirmed_at"))
        .foreign_key(&mut owned_by(
            "totp_factor_user",
            "totp_factors",
            "user_id",
            "users",
        ))
        .to_owned()
}

/// Digests of the recovery codes that were not used yet.
fn recovery_codes() -> TableCreateStatement {
    Table::create()
        .table("recovery_codes")
        .col(string("digest").primary_key())
        .col(uuid("user_id"))
        .foreign_key(&mut owned_by(
            "recovery_code_user",
            "recovery_codes",
            "user_id",
            "users",
        ))
        .to_owned()
}
