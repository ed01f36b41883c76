//! Subscribers, and the counts of recent verification mails.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{boolean, integer, string, timestamp_with_time_zone, uuid};

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(subscribers()).await?;
        // An organisation has one subscriber for each mailbox.
        let once = index(
            "subscribers_of_mailbox",
            "subscribers",
            &["organisation_id", "mailbox"],
        )
        .unique()
        .to_owned();
        manager.create_index(once).await?;
        manager
            .create_index(index(
                "subscribers_of_organisation",
                "subscribers",
                &["organisation_id", "id"],
            ))
            .await?;
        manager.create_table(verification_mails()).await?;
        manager
            .create_index(index(
                "verification_mails_by_end",
                "verification_mails",
                &["used_until"],
            ))
            .await
    }
}

/// `email` is the address as entered, `mailbox` the form in which addresses are compared.
fn subscribers() -> TableCreateStatement {
    Table::create()
        .table("subscribers")
        .col(uuid("id").primary_key())
        .col(string("organisation_id"))
        .col(string("email"))
        .col(string("mailbox"))
        .col(string("status"))
        .col(boolean("is_verified"))
        .col(integer("round"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .foreign_key(
            ForeignKey::create()
                .name("subscriber_organisation")
                .from("subscribers", "organisation_id")
                .to("organisations", "id")
                .on_delete(ForeignKeyAction::Cascade),
        )
        .to_owned()
}

/// Counts for all organisations. A row whose `used_until` has passed is obsolete.
fn verification_mails() -> TableCreateStatement {
    Table::create()
        .table("verification_mails")
        .col(string("email_key").primary_key())
        .col(timestamp_with_time_zone("used_until"))
        .to_owned()
}
