//! One account per address, the address proven by a link: sign-ups and addresses that wait for
//! their link, password hashes with a salt of their own, and who made an invitation.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit, Mac};
use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    boolean, string, string_null, timestamp_with_time_zone, uuid, uuid_null,
};
use sea_orm_migration::sea_orm::prelude::Uuid;
use sha2::Sha256;

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let former = Index::drop()
            .name("users_of_address")
            .table("users")
            .to_owned();
        manager.drop_index(former).await?;
        let needs_address = Table::alter()
            .table("users")
            .add_column(boolean("needs_address").default(false))
            .to_owned();
        manager.alter_table(needs_address).await?;
        users(manager).await?;
        keys_of_invitations(manager).await?;
        keys_of_waitlist(manager).await?;
        end_sessions(manager).await?;
        indexes(manager).await?;

        let inviter = Table::alter()
            .table("invitations")
            .add_column(uuid_null("inviter_id"))
            .to_owned();
        manager.alter_table(inviter).await?;
        manager
            .create_index(index(
                "invitations_of_inviter",
                "invitations",
                &["inviter_id"],
            ))
            .await?;

        manager.create_table(pending_sign_ups()).await?;
        let of_address = index(
            "pending_sign_ups_of_address",
            "pending_sign_ups",
            &["email_key", "created_at"],
        );
        manager.create_index(of_address).await?;
        let by_age = index(
            "pending_sign_ups_by_age",
            "pending_sign_ups",
            &["created_at"],
        );
        manager.create_index(by_age).await?;
        manager.create_table(pending_addresses()).await
    }
}

/// An address belongs to one account; further accounts, from the time when several could share it,
/// need another one.
async fn indexes(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let owner = index("user_of_address", "users", &["email_key"])
        .unique()
        .cond_where(Expr::cust("NOT needs_address"))
        .to_owned();
    manager.create_index(owner).await?;
    let others = index("users_without_address", "users", &["email_key"])
        .cond_where(Expr::cust("needs_address"))
        .to_owned();
    manager.create_index(others).await
}

/// The form in which addresses are compared: lower case, the domain in ASCII.
fn key(address: &str) -> String {
    let address = address.trim();
    let Some((local, domain)) = address.rsplit_once('@') else {
        return address.to_lowercase();
    };
    let domain = idna::domain_to_ascii(domain).unwrap_or_else(|_| domain.to_lowercase());
    format!("{local}@{domain}").to_lowercase()
}

/// The oldest account of an address keeps it. Every hash gets the salt it was computed with. Until
/// now the salt was derived from the address; now it is stored, so the address can change.
async fn users(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    let secret = Query::select()
        .column("salt")
        .from("installation")
        .to_owned();
    let secret: Option<String> = match connection.query_one(&secret).await? {
        Some(row) => row.try_get("", "salt")?,
        None => None,
    };
    // Identifiers are ordered by time.
    let oldest_first = Query::select()
        .columns(["id", "email", "email_key", "password"])
        .from("users")
        .order_by("id", Order::Asc)
        .to_owned();
    let mut owned = HashSet::new();
    for row in connection.query_all(&oldest_first).await? {
        let id: Uuid = row.try_get("", "id")?;
        let email: String = row.try_get("", "email")?;
        let former_key: String = row.try_get("", "email_key")?;
        let former_hash: String = row.try_get("", "password")?;
        let key = key(&email);
        let hash = secret
            .as_deref()
            .and_then(|secret| salted(secret, &former_key, &former_hash))
            .unwrap_or(former_hash);
        let needs_address = !owned.insert(key.clone());
        let change = Query::update()
            .table("users")
            .values([
                ("email_key", key.into()),
                ("password", hash.into()),
                ("needs_address", needs_address.into()),
            ])
            .and_where(Expr::col("id").eq(id))
            .to_owned();
        connection.execute(&change).await?;
    }
    Ok(())
}

/// A stored hash in the PHC string format with its salt; `None` if it is not in the former format.
fn salted(secret: &str, key: &str, hash: &str) -> Option<String> {
    const PARAMETERS: &str = "$argon2id$v=19$m=19456,t=2,p=1$";
    let hash = URL_SAFE_NO_PAD
        .decode(hash.strip_prefix(PARAMETERS)?)
        .ok()?;
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).ok()?;
    mac.update(b"password salt\0");
    mac.update(key.as_bytes());
    let salt = mac.finalize().into_bytes();
    Some(format!(
        "{PARAMETERS}{}${}",
        STANDARD_NO_PAD.encode(salt),
        STANDARD_NO_PAD.encode(hash)
    ))
}

async fn keys_of_invitations(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    for (former, key) in changed_keys(manager, "invitations").await? {
        let change = Query::update()
            .table("invitations")
            .value("email_key", key)
            .and_where(Expr::col("email_key").eq(former))
            .to_owned();
        connection.execute(&change).await?;
    }
    Ok(())
}

/// An address is on the waitlist once: of two spellings the one equal to the key stays.
async fn keys_of_waitlist(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let connection = manager.get_connection();
    for (former, key) in changed_keys(manager, "waitlist").await? {
        let known = Query::select()
            .column("email_key")
            .from("waitlist")
            .and_where(Expr::col("email_key").eq(key.as_str()))
            .to_owned();
        if connection.query_one(&known).await?.is_some() {
            let gone = Query::delete()
                .from_table("waitlist")
                .and_where(Expr::col("email_key").eq(former))
                .to_owned();
            connection.execute(&gone).await?;
        } else {
            let change = Query::update()
                .table("waitlist")
                .value("email_key", key)
                .and_where(Expr::col("email_key").eq(former))
                .to_owned();
            connection.execute(&change).await?;
        }
    }
    Ok(())
}

/// Returns the changed keys of a table, with their new values.
async fn changed_keys(
    manager: &SchemaManager<'_>,
    table: &'static str,
) -> Result<Vec<(String, String)>, DbErr> {
    let all = Query::select()
        .columns(["email", "email_key"])
        .from(table)
        .to_owned();
    let mut changed = Vec::new();
    for row in manager.get_connection().query_all(&all).await? {
        let (email, former): (String, String) =
            (row.try_get("", "email")?, row.try_get("", "email_key")?);
        let key = key(&email);
        if key != former {
            changed.push((former, key));
        }
    }
    Ok(changed)
}

/// An account without an address is asked for one at its next sign-in.
async fn end_sessions(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let without = Query::select()
        .column("id")
        .from("users")
        .and_where(Expr::cust("needs_address"))
        .to_owned();
    for table in ["sessions", "password_resets"] {
        let ended = Query::delete()
            .from_table(table)
            .and_where(Expr::col("user_id").in_subquery(without.clone()))
            .to_owned();
        manager.execute(ended).await?;
    }
    Ok(())
}

/// Accounts to be created by the link of a mail. `password` is a hash.
fn pending_sign_ups() -> TableCreateStatement {
    Table::create()
        .table("pending_sign_ups")
        .col(string("digest").primary_key())
        .col(string("name"))
        .col(string("email"))
        .col(string("email_key"))
        .col(string("password"))
        .col(string_null("invitation_digest"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("expires_at"))
        .to_owned()
}

/// New addresses of accounts that need one, one per account.
fn pending_addresses() -> TableCreateStatement {
    Table::create()
        .table("pending_addresses")
        .col(uuid("user_id").primary_key())
        .col(string("digest").unique_key())
        .col(string("email"))
        .col(timestamp_with_time_zone("expires_at"))
        .foreign_key(&mut owned_by(
            "pending_address_user",
            "pending_addresses",
            "user_id",
            "users",
        ))
        .to_owned()
}
