//! Columns for counting usage limits, and a row that shows whether the database is writable.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, integer, uuid_null};

use crate::table::index;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        // The creators of existing organisations are unknown: these organisations count for
        // no account.
        let founder = Table::alter()
            .table("organisations")
            .add_column(uuid_null("founder_id"))
            .to_owned();
        manager.alter_table(founder).await?;
        manager
            .create_index(index(
                "organisations_of_founder",
                "organisations",
                &["founder_id"],
            ))
            .await?;
        let count = Table::alter()
            .table("organisations")
            .add_column(big_integer("subscriber_count").default(0))
            .to_owned();
        manager.alter_table(count).await?;
        let present = Query::select()
            .expr(Expr::col(Asterisk).count())
            .from("subscribers")
            .and_where(
                Expr::col(("subscribers", "organisation_id")).equals(("organisations", "id")),
            )
            .to_owned();
        let fill = Query::update()
            .table("organisations")
            .value(
                "subscriber_count",
                Expr::SubQuery(None, Box::new(present.into())),
            )
            .to_owned();
        manager.execute(fill).await?;

        manager.create_table(readiness_probe()).await?;
        let row = Query::insert()
            .into_table("readiness_probe")
            .columns(["id", "counter"])
            .values_panic([1.into(), 0.into()])
            .to_owned();
        manager.execute(row).await
    }
}

/// One row, which the readiness probe changes.
fn readiness_probe() -> TableCreateStatement {
    Table::create()
        .table("readiness_probe")
        .col(integer("id").primary_key())
        .col(big_integer("counter"))
        .to_owned()
}
