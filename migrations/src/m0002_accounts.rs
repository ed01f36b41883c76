//! The built-in identity provider: the installation's secrets, accounts, sessions, memberships,
//! invitations and the waiting list.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    boolean, integer, string, string_null, string_uniq, timestamp_with_time_zone, uuid,
};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(installation()).await?;
        // It has one row from the start, which serves as a lock.
        let row = Query::insert()
            .into_table("installation")
            .columns(["id"])
            .values_panic([1.into()])
            .to_owned();
        manager.execute(row).await?;
        manager.create_table(signing_keys()).await?;
        manager.create_table(users()).await?;
        // The password's salt depends on the address alone, so equal passwords of one address have
        // equal hashes: no two accounts of an address have the same password, and sign-in is never
        // in doubt.
        manager
            .create_index(
                index("users_of_address", "users", &["email_key", "password"])
                    .unique()
                    .to_owned(),
            )
            .await?;
        manager.create_table(sessions()).await?;
        manager
            .create_index(index("sessions_of_user", "sessions", &["user_id"]))
            .await?;
        manager.create_table(password_resets()).await?;
        manager
            .create_index(index(
                "password_resets_of_user",
                "password_resets",
                &["user_id"],
            ))
            .await?;
        manager.create_table(memberships()).await?;
        manager
            .create_index(index("memberships_of_user", "memberships", &["user_id"]))
            .await?;
        manager.create_table(invitations()).await?;
        let place = index(
            "invitations_of_address",
            "invitations",
            &["organisation_id", "email_key"],
        );
        manager.create_index(place).await?;
        manager.create_table(waitlist()).await
    }
}

fn installation() -> TableCreateStatement {
    Table::create()
        .table("installation")
        .col(integer("id").primary_key())
        .col(string_null("salt"))
        .to_owned()
}

fn signing_keys() -> TableCreateStatement {
    Table::create()
        .table("signing_keys")
        .col(string("id").primary_key())
        .col(string("private_key"))
        .col(timestamp_with_time_zone("created_at"))
        .to_owned()
}

fn users() -> TableCreateStatement {
    Table::create()
        .table("users")
        .col(uuid("id").primary_key())
        .col(string("name"))
        .col(string("email"))
        .col(string("email_key"))
        .col(string("password"))
        .col(boolean("administrator"))
        .col(timestamp_with_time_zone("created_at"))
        .to_owned()
}

fn sessions() -> TableCreateStatement {
    Table::create()
        .table("sessions")
        .col(uuid("id").primary_key())
        .col(string_uniq("digest"))
        .col(uuid("user_id"))
        .col(string_null("active_organisation_id"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("expires_at"))
        .foreign_key(&mut owned_by(
            "session_user",
            "sessions",
            "user_id",
            "users",
        ))
        .foreign_key(
            ForeignKey::create()
                .name("session_active_organisation")
                .from("sessions", "active_organisation_id")
                .to("organisations", "id")
                .on_delete(ForeignKeyAction::SetNull),
        )
        .to_owned()
}

fn password_resets() -> TableCreateStatement {
    Table::create()
        .table("password_resets")
        .col(string("digest").primary_key())
        .col(uuid("user_id"))
        .col(timestamp_with_time_zone("expires_at"))
        .foreign_key(&mut owned_by(
            "password_reset_user",
            "password_resets",
            "user_id",
            "users",
        ))
        .to_owned()
}

fn memberships() -> TableCreateStatement {
    Table::create()
        .table("memberships")
        .col(string("organisation_id"))
        .col(uuid("user_id"))
        .col(string("role"))
        .col(timestamp_with_time_zone("created_at"))
        .primary_key(Index::create().col("organisation_id").col("user_id"))
        .foreign_key(&mut owned_by(
            "membership_organisation",
            "memberships",
            "organisation_id",
            "organisations",
        ))
        .foreign_key(&mut owned_by(
            "membership_user",
            "memberships",
            "user_id",
            "users",
        ))
        .to_owned()
}

fn invitations() -> TableCreateStatement {
    Table::create()
        .table("invitations")
        .col(uuid("id").primary_key())
        .col(string_uniq("digest"))
        .col(string_null("organisation_id"))
        .col(string("email"))
        .col(string("email_key"))
        .col(string("role"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("expires_at"))
        .foreign_key(&mut owned_by(
            "invitation_organisation",
            "invitations",
            "organisation_id",
            "organisations",
        ))
        .to_owned()
}

fn waitlist() -> TableCreateStatement {
    Table::create()
        .table("waitlist")
        .col(uuid("id").primary_key())
        .col(string("name"))
        .col(string("email"))
        .col(string_uniq("email_key"))
        .col(timestamp_with_time_zone("created_at"))
        .to_owned()
}
