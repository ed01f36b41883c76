//! Mails to operators that the clock causes: reminders of open incidents, and digests of
//! failing subscriptions.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{integer, string, text, timestamp_with_time_zone, uuid, uuid_null};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(operator_mails()).await?;
        for (name, column) in [
            ("operator_mails_by_due", "due_at"),
            ("operator_mails_of_organisation", "organisation_id"),
            ("operator_mails_of_user", "user_id"),
            ("operator_mails_of_incident", "incident_id"),
        ] {
            manager
                .create_index(index(name, "operator_mails", &[column]))
                .await?;
        }
        // Few organisations want reminders, and by default none does.
        let reminded = index("organisations_with_reminders", "organisations", &["id"])
            .cond_where(Expr::col("reminder_hours").is_not_null())
            .to_owned();
        manager.create_index(reminded).await
    }
}

/// One row for each recipient. `incident_id` is that of a reminder.
fn operator_mails() -> TableCreateStatement {
    let owner = |name: &'static str, column: &'static str, owner: &'static str| {
        owned_by(name, "operator_mails", column, owner)
    };
    Table::create()
        .table("operator_mails")
        .col(uuid("id").primary_key())
        .col(string("organisation_id"))
        .col(uuid("user_id"))
        .col(uuid_null("incident_id"))
        .col(text("content"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("due_at"))
        .col(integer("attempts"))
        .foreign_key(&mut owner(
            "operator_mail_organisation",
            "organisation_id",
            "organisations",
        ))
        .foreign_key(&mut owner("operator_mail_user", "user_id", "users"))
        .foreign_key(&mut owner(
            "operator_mail_incident",
            "incident_id",
            "incidents",
        ))
        .to_owned()
}
