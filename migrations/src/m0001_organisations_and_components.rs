//! Organisations with their revision, the outbox, components and the history of their statuses.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{big_integer, string, text, timestamp_with_time_zone, uuid};

use crate::table::owned_by;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(organisations()).await?;
        manager.create_table(outbox()).await?;
        manager.create_table(components()).await?;
        manager
            .create_index(
                Index::create()
                    .name("components_of_organisation")
                    .table("components")
                    .col("organisation_id")
                    .col("id")
                    .to_owned(),
            )
            .await?;
        manager.create_table(component_status_changes()).await
    }
}

fn organisations() -> TableCreateStatement {
    Table::create()
        .table("organisations")
        .col(string("id").primary_key())
        .col(string("name"))
        .col(big_integer("revision"))
        .col(timestamp_with_time_zone("created_at"))
        .to_owned()
}

fn outbox() -> TableCreateStatement {
    Table::create()
        .table("outbox")
        .col(string("organisation_id"))
        .col(big_integer("revision"))
        .col(text("events"))
        .col(timestamp_with_time_zone("created_at"))
        .primary_key(Index::create().col("organisation_id").col("revision"))
        .foreign_key(&mut owned_by(
            "outbox_organisation",
            "outbox",
            "organisation_id",
            "organisations",
        ))
        .to_owned()
}

fn components() -> TableCreateStatement {
    Table::create()
        .table("components")
        .col(uuid("id").primary_key())
        .col(string("organisation_id"))
        .col(string("name"))
        .col(text("description"))
        .col(string("status"))
        .col(string("status_source"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .col(big_integer("version"))
        .foreign_key(&mut owned_by(
            "component_organisation",
            "components",
            "organisation_id",
            "organisations",
        ))
        .to_owned()
}

fn component_status_changes() -> TableCreateStatement {
    Table::create()
        .table("component_status_changes")
        .col(uuid("component_id"))
        .col(big_integer("revision"))
        .col(string("status"))
        .col(string("status_source"))
        .col(timestamp_with_time_zone("created_at"))
        .primary_key(Index::create().col("component_id").col("revision"))
        .foreign_key(&mut owned_by(
            "status_change_component",
            "component_status_changes",
            "component_id",
            "components",
        ))
        .to_owned()
}
