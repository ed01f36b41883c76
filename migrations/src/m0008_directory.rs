//! Data from a hosted identity provider: names, revocations and handled messages.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{string, timestamp_with_time_zone};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(names()).await?;
        manager.create_table(endings()).await?;
        manager.create_table(messages()).await
    }
}

/// Names of users and organisations, by their identifiers at the provider, which are distinct.
fn names() -> TableCreateStatement {
    Table::create()
        .table("directory_names")
        .col(string("id").primary_key())
        .col(string("name"))
        .col(timestamp_with_time_zone("as_of"))
        .to_owned()
}

/// `kind` is the revoked object: `session`, `user`, `membership` or `organisation`.
fn endings() -> TableCreateStatement {
    Table::create()
        .table("directory_endings")
        .col(string("kind"))
        .col(string("id"))
        .col(timestamp_with_time_zone("ended_at"))
        .primary_key(Index::create().col("kind").col("id"))
        .to_owned()
}

fn messages() -> TableCreateStatement {
    Table::create()
        .table("directory_messages")
        .col(string("id").primary_key())
        .col(timestamp_with_time_zone("heard_at"))
        .to_owned()
}
