//! What the Statuspage API shows of the past: the first status of an incident, when it was
//! monitored first, the affected components as they were, when an update was edited, and how often
//! a maintenance was rescheduled.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::{integer, string, text_null, timestamp_with_time_zone_null};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// The first status of incidents with updates. It was not stored before; all incidents begin so if
/// the operator does not say.
const USUAL: &str = "INVESTIGATING";

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        for (table, columns) in columns() {
            for mut column in columns {
                let add = Table::alter()
                    .table(table)
                    .add_column(&mut column)
                    .to_owned();
                manager.alter_table(add).await?;
            }
        }
        let first = "UPDATE incidents SET first_status = status WHERE NOT EXISTS \
             (SELECT 1 FROM incident_updates WHERE incident_updates.incident_id = incidents.id)";
        manager.get_connection().execute_unprepared(first).await?;
        Ok(())
    }
}

/// `affected_…` hold JSON lists of components; null if there were none, and in older rows.
/// `affected_after` is null if the change moved no status.
fn columns() -> [(&'static str, Vec<ColumnDef>); 4] {
    let first = string("first_status").default(USUAL).to_owned();
    let reschedules = integer("reschedules").default(0).to_owned();
    [
        (
            "incidents",
            vec![
                first,
                timestamp_with_time_zone_null("monitoring_at"),
                text_null("affected_before"),
                text_null("affected_after"),
            ],
        ),
        (
            "incident_updates",
            vec![
                timestamp_with_time_zone_null("edited_at"),
                text_null("affected_before"),
                text_null("affected_after"),
            ],
        ),
        (
            "maintenances",
            vec![
                reschedules,
                text_null("affected_at_creation"),
                text_null("affected_at_start"),
                text_null("affected_at_end"),
            ],
        ),
        (
            "maintenance_updates",
            vec![
                timestamp_with_time_zone_null("edited_at"),
                text_null("affected_before"),
            ],
        ),
    ]
}
