//! Component groups and the order of the page, components of maintenances, periods of a component's
//! status instead of single changes, display times of updates, and reviews of incidents.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{
    big_integer, boolean, date_null, integer, string, string_len, string_null, text,
    timestamp_with_time_zone, timestamp_with_time_zone_null, uuid, uuid_null,
};
use sea_orm_migration::sea_orm::DbBackend;

use crate::table::{index, owned_by};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// The default of a time that every row gets in the same step.
const NEVER: &str = "1970-01-01T00:00:00+00:00";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.create_table(component_groups()).await?;
        let listed = index(
            "groups_of_organisation",
            "component_groups",
            &["organisation_id", "id"],
        );
        manager.create_index(listed).await?;
        add(
            manager,
            "organisations",
            big_integer("order_version").default(0),
        )
        .await?;
        components(manager).await?;
        manager.create_table(maintenance_components()).await?;
        let of_component = index(
            "maintenances_of_component",
            "maintenance_components",
            &["component_id"],
        );
        manager.create_index(of_component).await?;
        add(manager, "maintenances", boolean("notify").default(true)).await?;
        periods(manager).await?;
        for (table, owner) in [
            ("incident_updates", "incident_id"),
            ("maintenance_updates", "maintenance_id"),
        ] {
            display_times(manager, table, owner).await?;
        }
        manager.create_table(incident_reviews()).await
    }
}

async fn add(
    manager: &SchemaManager<'_>,
    table: &'static str,
    column: &mut ColumnDef,
) -> Result<(), DbErr> {
    let add = Table::alter().table(table).add_column(column).to_owned();
    manager.alter_table(add).await
}

/// `position` is the place among the page's entries, from 1.
fn component_groups() -> TableCreateStatement {
    Table::create()
        .table("component_groups")
        .col(uuid("id").primary_key())
        .col(string("organisation_id"))
        .col(string_len("code", 12).unique_key())
        .col(string("name"))
        .col(text("description"))
        .col(integer("position"))
        .col(string("display"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .col(big_integer("version"))
        .foreign_key(&mut owned_by(
            "group_organisation",
            "component_groups",
            "organisation_id",
            "organisations",
        ))
        .to_owned()
}

/// `position` is the place within the group, or among the page's entries; `deleted_at` is set for a
/// deleted component that incidents or maintenances still name.
async fn components(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    add(manager, "components", &mut uuid_null("group_id")).await?;
    add(manager, "components", integer("position").default(1)).await?;
    add(manager, "components", boolean("show_uptime").default(true)).await?;
    add(manager, "components", &mut date_null("start_date")).await?;
    add(
        manager,
        "components",
        boolean("only_show_when_affected").default(false),
    )
    .await?;
    add(
        manager,
        "components",
        big_integer("history_version").default(0),
    )
    .await?;
    add(
        manager,
        "components",
        &mut timestamp_with_time_zone_null("deleted_at"),
    )
    .await?;
    let connection = manager.get_connection();
    let created_on = match manager.get_database_backend() {
        DbBackend::Postgres => "(created_at AT TIME ZONE 'UTC')::date",
        _ => "substr(created_at, 1, 10)",
    };
    connection
        .execute_unprepared(&format!("UPDATE components SET start_date = {created_on}"))
        .await?;
    connection
        .execute_unprepared(
            "UPDATE components SET position = placed.position FROM (SELECT id, row_number() OVER \
             (PARTITION BY organisation_id ORDER BY id DESC) AS position FROM components) placed \
             WHERE placed.id = components.id",
        )
        .await?;
    Ok(())
}

fn maintenance_components() -> TableCreateStatement {
    Table::create()
        .table("maintenance_components")
        .col(uuid("maintenance_id"))
        .col(uuid("component_id"))
        .primary_key(Index::create().col("maintenance_id").col("component_id"))
        .foreign_key(&mut owned_by(
            "link_maintenance",
            "maintenance_components",
            "maintenance_id",
            "maintenances",
        ))
        .foreign_key(&mut owned_by(
            "link_maintained_component",
            "maintenance_components",
            "component_id",
            "components",
        ))
        .to_owned()
}

async fn periods(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    manager.create_table(component_periods()).await?;
    manager
        .get_connection()
        .execute_unprepared(&periods_of_changes(manager.get_database_backend()))
        .await?;
    for (name, columns) in [
        ("periods_of_component", ["component_id", "start_at"]),
        ("periods_of_organisation", ["organisation_id", "end_at"]),
    ] {
        manager
            .create_index(index(name, "component_periods", &columns))
            .await?;
    }
    let changes = Table::drop().table("component_status_changes").to_owned();
    manager.drop_table(changes).await
}

/// Times at which a component was not operational; `end_at` is null while a period lasts. The
/// incident of a cause may be gone.
fn component_periods() -> TableCreateStatement {
    Table::create()
        .table("component_periods")
        .col(uuid("id").primary_key())
        .col(string("organisation_id"))
        .col(uuid("component_id"))
        .col(string("status"))
        .col(timestamp_with_time_zone("start_at"))
        .col(timestamp_with_time_zone_null("end_at"))
        .col(string("cause_type"))
        .col(uuid_null("incident_id"))
        .col(string_null("user_id"))
        .col(string_null("user_name"))
        .col(big_integer("version"))
        .foreign_key(&mut owned_by(
            "period_component",
            "component_periods",
            "component_id",
            "components",
        ))
        .to_owned()
}

/// Each change to another status than OPERATIONAL lasts until the component's next change.
fn periods_of_changes(backend: DbBackend) -> String {
    let id = match backend {
        DbBackend::Postgres => "gen_random_uuid()",
        // A UUID of version 4 (RFC 9562, section 5.4).
        _ => {
            "unhex(hex(randomblob(6)) || '4' || substr(hex(randomblob(2)), 2) \
             || substr('89AB', abs(random() % 4) + 1, 1) || substr(hex(randomblob(2)), 2) || hex(randomblob(6)))"
        }
    };
    format!(
        "INSERT INTO component_periods (id, organisation_id, component_id, status, start_at, end_at, \
         cause_type, incident_id, version) \
         SELECT {id}, components.organisation_id, changes.component_id, changes.status, changes.created_at, \
         changes.next_at, CASE WHEN changes.incident_id IS NULL THEN 'OPERATOR' ELSE 'INCIDENT' END, \
         changes.incident_id, changes.revision \
         FROM (SELECT component_id, revision, status, incident_id, created_at, lead(created_at) OVER \
         (PARTITION BY component_id ORDER BY revision) AS next_at FROM component_status_changes) changes \
         INNER JOIN components ON components.id = changes.component_id \
         WHERE changes.status <> 'OPERATIONAL' AND (changes.next_at IS NULL OR changes.next_at > changes.created_at)"
    )
}

async fn display_times(
    manager: &SchemaManager<'_>,
    table: &'static str,
    owner: &'static str,
) -> Result<(), DbErr> {
    add(
        manager,
        table,
        timestamp_with_time_zone("display_at").default(NEVER),
    )
    .await?;
    manager
        .get_connection()
        .execute_unprepared(&format!("UPDATE {table} SET display_at = created_at"))
        .await?;
    let name: &'static str = if table == "incident_updates" {
        "incident_updates_by_display"
    } else {
        "maintenance_updates_by_display"
    };
    manager
        .create_index(index(name, table, &[owner, "display_at", "id"]))
        .await
}

/// `published_at` is null for a draft.
fn incident_reviews() -> TableCreateStatement {
    Table::create()
        .table("incident_reviews")
        .col(uuid("incident_id").primary_key())
        .col(text("body"))
        .col(timestamp_with_time_zone_null("published_at"))
        .col(timestamp_with_time_zone("created_at"))
        .col(timestamp_with_time_zone("updated_at"))
        .col(big_integer("version"))
        .foreign_key(&mut owned_by(
            "review_incident",
            "incident_reviews",
            "incident_id",
            "incidents",
        ))
        .to_owned()
}
