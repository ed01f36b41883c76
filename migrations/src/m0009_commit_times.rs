//! The time of each organisation's last commit: the next one is never before it, whatever the
//! clocks say.

use sea_orm_migration::prelude::*;
use sea_orm_migration::schema::timestamp_with_time_zone;

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// An organisation without a commit has this time.
const NEVER: &str = "1970-01-01T00:00:00+00:00";

/// Tables of what an organisation's commits create.
const CREATED: [&str; 3] = ["components", "incidents", "maintenances"];
/// Tables of timelines, with the column of the owner.
const RECORDED: [(&str, &str, &str); 2] = [
    ("incident_updates", "incidents", "incident_id"),
    ("maintenance_updates", "maintenances", "maintenance_id"),
];

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let column = timestamp_with_time_zone("committed_at")
            .default(NEVER)
            .to_owned();
        let table = Table::alter()
            .table("organisations")
            .add_column(column)
            .to_owned();
        manager.alter_table(table).await?;
        let connection = manager.get_connection();
        for newest in CREATED
            .map(created)
            .into_iter()
            .chain(RECORDED.map(recorded))
        {
            let update = format!(
                "UPDATE organisations SET committed_at = newest.moment FROM ({newest}) newest \
                 WHERE newest.organisation_id = organisations.id AND newest.moment > organisations.committed_at"
            );
            connection.execute_unprepared(&update).await?;
        }
        Ok(())
    }
}

fn created(table: &str) -> String {
    format!(
        "SELECT organisation_id, max(created_at) AS moment FROM {table} GROUP BY organisation_id"
    )
}

fn recorded((table, owners, owner): (&str, &str, &str)) -> String {
    format!(
        "SELECT owners.organisation_id, max({table}.created_at) AS moment FROM {table} \
         JOIN {owners} owners ON owners.id = {table}.{owner} GROUP BY owners.organisation_id"
    )
}
