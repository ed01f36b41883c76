//! Channels and scopes of subscribers, the components that a notice concerns, and the order in
//! which organisations' deliveries are sent.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    boolean, integer, integer_null, string, text, text_null, timestamp_with_time_zone_null, uuid,
    uuid_null,
};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// What visitors could subscribe by before: mail. An admin switches the other channels on or off
/// from now on.
const ALL_CHANNELS: &str =
    r#"{"email":true,"webhook":true,"slack":true,"teams":true,"discord":true}"#;

/// Subscribers of which a mail was given up count as failing, as before.
const FAILING: &str = "UPDATE subscribers SET \
     failing_since = (SELECT MIN(given_up_at) FROM deliveries WHERE deliveries.subscriber_id = subscribers.id), \
     failing_reason = (SELECT MAX(reason) FROM deliveries WHERE deliveries.subscriber_id = subscribers.id \
         AND deliveries.given_up_at IS NOT NULL) \
     WHERE EXISTS (SELECT 1 FROM deliveries WHERE deliveries.subscriber_id = subscribers.id \
         AND deliveries.given_up_at IS NOT NULL)";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (from, to) in [("email", "target"), ("mailbox", "target_key")] {
            let renamed = Table::alter()
                .table("subscribers")
                .rename_column(from, to)
                .to_owned();
            manager.alter_table(renamed).await?;
        }
        for (table, columns) in columns() {
            for mut column in columns {
                let add = Table::alter()
                    .table(table)
                    .add_column(&mut column)
                    .to_owned();
                manager.alter_table(add).await?;
            }
        }
        manager.get_connection().execute_unprepared(FAILING).await?;
        manager.create_table(subscriber_components()).await?;
        manager.create_table(subscriber_groups()).await?;
        manager.create_table(notice_components()).await?;
        for gone in ["subscribers_of_mailbox", "deliveries_of_organisation"] {
            manager
                .drop_index(Index::drop().name(gone).to_owned())
                .await?;
        }
        for index in indexes() {
            manager.create_index(index).await?;
        }
        Ok(())
    }
}

/// `scope` is `ALL`, `COMPONENTS` or `INCIDENT`; `incident_id` belongs to the last. `by_mail` says
/// which of a node's workers sends a delivery; `batches` counts the batches of deliveries made of a
/// notice. `digest_at` is when the admins were last mailed about failures.
fn columns() -> [(&'static str, Vec<ColumnDef>); 5] {
    let by_default = |mut column: ColumnDef, value: Expr| column.default(value).to_owned();
    [
        (
            "subscribers",
            vec![
                by_default(string("channel"), "email".into()),
                by_default(string("scope"), "ALL".into()),
                uuid_null("incident_id"),
                by_default(boolean("mute_maintenances"), false.into()),
                by_default(integer("secret_number"), 0.into()),
                timestamp_with_time_zone_null("secret_rotated_at"),
                text_null("failing_reason"),
                timestamp_with_time_zone_null("failing_since"),
            ],
        ),
        ("notices", vec![by_default(integer("batches"), 0.into())]),
        (
            "deliveries",
            vec![by_default(boolean("by_mail"), true.into())],
        ),
        (
            "organisations",
            vec![
                by_default(text("public_channels"), ALL_CHANNELS.into()),
                integer_null("reminder_hours"),
                timestamp_with_time_zone_null("digest_at"),
            ],
        ),
        (
            "incidents",
            vec![timestamp_with_time_zone_null("reminded_at")],
        ),
    ]
}

fn subscriber_components() -> TableCreateStatement {
    Table::create()
        .table("subscriber_components")
        .col(uuid("subscriber_id"))
        .col(uuid("component_id"))
        .col(integer("place"))
        .primary_key(Index::create().col("subscriber_id").col("component_id"))
        .foreign_key(&mut owned_by(
            "chosen_component_subscriber",
            "subscriber_components",
            "subscriber_id",
            "subscribers",
        ))
        .foreign_key(&mut owned_by(
            "chosen_component",
            "subscriber_components",
            "component_id",
            "components",
        ))
        .to_owned()
}

fn subscriber_groups() -> TableCreateStatement {
    Table::create()
        .table("subscriber_groups")
        .col(uuid("subscriber_id"))
        .col(uuid("group_id"))
        .col(integer("place"))
        .primary_key(Index::create().col("subscriber_id").col("group_id"))
        .foreign_key(&mut owned_by(
            "chosen_group_subscriber",
            "subscriber_groups",
            "subscriber_id",
            "subscribers",
        ))
        .foreign_key(&mut owned_by(
            "chosen_group",
            "subscriber_groups",
            "group_id",
            "component_groups",
        ))
        .to_owned()
}

/// The components that a notice concerns, each with its group at that time. `is_attached` is false
/// for a component that left the incident or the maintenance since the notice before.
fn notice_components() -> TableCreateStatement {
    Table::create()
        .table("notice_components")
        .col(uuid("notice_id"))
        .col(uuid("component_id"))
        .col(uuid_null("group_id"))
        .col(boolean("is_attached"))
        .primary_key(Index::create().col("notice_id").col("component_id"))
        .foreign_key(&mut owned_by(
            "concerned_component_notice",
            "notice_components",
            "notice_id",
            "notices",
        ))
        .to_owned()
}

fn indexes() -> Vec<IndexCreateStatement> {
    let where_some = |mut index: IndexCreateStatement, column: &'static str| {
        index.cond_where(Expr::col(column).is_not_null()).to_owned()
    };
    let once = index(
        "subscribers_of_target",
        "subscribers",
        &["organisation_id", "target_key"],
    )
    .unique()
    .cond_where(Expr::col("incident_id").is_null())
    .to_owned();
    let once_an_incident = index(
        "followers_of_target",
        "subscribers",
        &["organisation_id", "target_key", "incident_id"],
    )
    .unique()
    .to_owned();
    vec![
        once,
        where_some(once_an_incident, "incident_id"),
        where_some(
            index("followers_of_incident", "subscribers", &["incident_id"]),
            "incident_id",
        ),
        where_some(
            index(
                "failing_subscribers",
                "subscribers",
                &["organisation_id", "failing_since"],
            ),
            "failing_since",
        ),
        index(
            "subscribers_of_component",
            "subscriber_components",
            &["component_id"],
        ),
        index("subscribers_of_group", "subscriber_groups", &["group_id"]),
        index(
            "notices_of_subject",
            "notices",
            &["subject_id", "revision", "part"],
        ),
        where_some(
            index(
                "deliveries_to_send",
                "deliveries",
                &["by_mail", "organisation_id", "due_at", "id"],
            ),
            "due_at",
        ),
        where_some(
            index(
                "deliveries_given_up",
                "deliveries",
                &["organisation_id", "given_up_at"],
            ),
            "given_up_at",
        ),
    ]
}
