//! Notices, and the deliveries of them to subscribers.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, integer, string, text, text_null, timestamp_with_time_zone,
    timestamp_with_time_zone_null, uuid, uuid_null,
};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // Finds the subscribers that receive notices among any number of others.
        let mailed = index(
            "subscribers_by_status",
            "subscribers",
            &["organisation_id", "status", "id"],
        );
        manager.create_index(mailed).await?;

        manager.create_table(notices()).await?;
        let open = Expr::col("expanded_at").is_null();
        let next = index(
            "notices_to_expand",
            "notices",
            &["organisation_id", "revision", "part"],
        )
        .cond_where(open)
        .to_owned();
        manager.create_index(next).await?;
        manager
            .create_index(index("notices_by_expansion", "notices", &["expanded_at"]))
            .await?;

        manager.create_table(deliveries()).await?;
        let once = index(
            "deliveries_of_notice",
            "deliveries",
            &["notice_id", "subscriber_id"],
        )
        .unique()
        .to_owned();
        manager.create_index(once).await?;
        manager
            .create_index(index(
                "deliveries_of_subscriber",
                "deliveries",
                &["subscriber_id", "id"],
            ))
            .await?;
        manager
            .create_index(index("deliveries_by_due", "deliveries", &["due_at", "id"]))
            .await?;
        let counted = index(
            "deliveries_of_organisation",
            "deliveries",
            &["organisation_id", "due_at"],
        );
        manager.create_index(counted).await?;
        let claimed = Expr::col("claimed_until").is_not_null();
        let claims = index("deliveries_by_claim", "deliveries", &["claimed_until"])
            .cond_where(claimed)
            .to_owned();
        manager.create_index(claims).await?;
        let given_up = Expr::col("given_up_at").is_not_null();
        let old = index("deliveries_by_end", "deliveries", &["given_up_at"])
            .cond_where(given_up)
            .to_owned();
        manager.create_index(old).await?;

        manager.create_table(delivery_counts()).await
    }
}

/// A notice: the content of a change. `revision` and `part` order an organisation's notices;
/// `reached` is the last subscriber with a delivery, `expanded_at` the time when every subscriber
/// had one.
fn notices() -> TableCreateStatement {
    Table::create()
        .table("notices")
        .col(uuid("id").primary_key())
        .col(string("organisation_id"))
        .col(big_integer("revision"))
        .col(integer("part"))
        .col(uuid("subject_id"))
        .col(text("news"))
        .col(timestamp_with_time_zone("created_at"))
        .col(uuid_null("reached"))
        .col(timestamp_with_time_zone_null("expanded_at"))
        .foreign_key(&mut owned_by(
            "notice_organisation",
            "notices",
            "organisation_id",
            "organisations",
        ))
        .to_owned()
}

/// A mail to a subscriber: of a notice or, without one, with the link that verifies the address. A
/// sent mail is deleted. The key orders a subscriber's deliveries. `due_at` is null after the mail
/// was given up at `given_up_at` for `reason`; `claimed_until` is the expiry of a node's claim.
fn deliveries() -> TableCreateStatement {
    Table::create()
        .table("deliveries")
        .col(big_integer("id").primary_key().auto_increment())
        .col(string("organisation_id"))
        .col(uuid("subscriber_id"))
        .col(uuid_null("notice_id"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone_null("due_at"))
        .col(timestamp_with_time_zone_null("claimed_until"))
        .col(integer("attempts"))
        .col(timestamp_with_time_zone_null("given_up_at"))
        .col(text_null("reason"))
        .foreign_key(&mut owned_by(
            "delivery_subscriber",
            "deliveries",
            "subscriber_id",
            "subscribers",
        ))
        .foreign_key(&mut owned_by(
            "delivery_notice",
            "deliveries",
            "notice_id",
            "notices",
        ))
        .to_owned()
}

/// Number of an organisation's sent mails per UTC day.
fn delivery_counts() -> TableCreateStatement {
    Table::create()
        .table("delivery_counts")
        .col(string("organisation_id"))
        .col(string("day"))
        .col(big_integer("sent"))
        .primary_key(Index::create().col("organisation_id").col("day"))
        .foreign_key(&mut owned_by(
            "count_organisation",
            "delivery_counts",
            "organisation_id",
            "organisations",
        ))
        .to_owned()
}
