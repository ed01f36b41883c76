//! Responses to requests with an `Idempotency-Key`.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, binary, string, timestamp_with_time_zone};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let table = "idempotent_responses";
        let responses = Table::create()
            .table(table)
            .col(string("organisation_id"))
            .col(string("name"))
            .col(string("request"))
            .col(binary("sealed"))
            // The organisation's responses are numbered, and each row has the bytes of all up
            // to it. So the oldest and the newest row show how many there are and how many
            // bytes they have.
            .col(big_integer("number"))
            .col(big_integer("total_bytes"))
            .col(timestamp_with_time_zone("created_at"))
            .primary_key(Index::create().col("organisation_id").col("name"))
            .foreign_key(&mut owned_by(
                "idempotent_response_organisation",
                table,
                "organisation_id",
                "organisations",
            ))
            .to_owned();
        manager.create_table(responses).await?;
        let columns = ["organisation_id", "number"];
        manager
            .create_index(index("idempotent_responses_by_number", table, &columns))
            .await?;
        manager
            .create_index(index("idempotent_responses_by_age", table, &["created_at"]))
            .await
    }
}
