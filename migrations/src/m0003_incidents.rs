//! Incidents, their updates and the components they affect; and the incident that changed a
//! component's status.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, string, text, timestamp_with_time_zone, timestamp_with_time_zone_null, uuid,
    uuid_null,
};

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(incidents()).await?;
        manager
            .create_index(index(
                "incidents_of_organisation",
                "incidents",
                &["organisation_id", "id"],
            ))
            .await?;
        // Finds unresolved and recently resolved incidents among any number of old ones.
        let recent = index(
            "incidents_by_resolution",
            "incidents",
            &["organisation_id", "resolved_at"],
        );
        manager.create_index(recent).await?;
        manager.create_table(incident_updates()).await?;
        manager.create_table(incident_components()).await?;
        manager
            .create_index(index(
                "incidents_of_component",
                "incident_components",
                &["component_id"],
            ))
            .await?;
        // No foreign key: the history outlives its incident.
        let cause = Table::alter()
            .table("component_status_changes")
            .add_column(uuid_null("incident_id"))
            .to_owned();
        manager.alter_table(cause).await
    }
}

fn incidents() -> TableCreateStatement {
    Table::create()
        .table("incidents")
        .col(uuid("id").primary_key())
        .col(string("organisation_id"))
        .col(string("title"))
        .col(text("description"))
        .col(string("status"))
        .col(timestamp_with_time_zone("occured_at"))
        .col(timestamp_with_time_zone_null("resolved_at"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .col(big_integer("version"))
        .foreign_key(&mut owned_by(
            "incident_organisation",
            "incidents",
            "organisation_id",
            "organisations",
        ))
        .to_owned()
}

/// The key orders an incident's updates by age, so the newest are found without reading the others.
fn incident_updates() -> TableCreateStatement {
    Table::create()
        .table("incident_updates")
        .col(uuid("incident_id"))
        .col(uuid("id"))
        .col(string("status"))
        .col(text("message"))
        .col(string("user_id"))
        .col(string("user_name"))
        .col(timestamp_with_time_zone("created_at"))
        .col(big_integer("version"))
        .primary_key(Index::create().col("incident_id").col("id"))
        .foreign_key(&mut owned_by(
            "update_incident",
            "incident_updates",
            "incident_id",
            "incidents",
        ))
        .to_owned()
}

fn incident_components() -> TableCreateStatement {
    Table::create()
        .table("incident_components")
        .col(uuid("incident_id"))
        .col(uuid("component_id"))
        .col(string("status"))
        .primary_key(Index::create().col("incident_id").col("component_id"))
        .foreign_key(&mut owned_by(
            "link_incident",
            "incident_components",
            "incident_id",
            "incidents",
        ))
        .foreign_key(&mut owned_by(
            "link_component",
            "incident_components",
            "component_id",
            "components",
        ))
        .to_owned()
}
