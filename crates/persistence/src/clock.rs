//! The clock that all nodes of a database share.

use allclear_application::clock::SharedClock;
use allclear_application::error::Error;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::database::Database;
use crate::error::broken;

#[async_trait]
impl SharedClock for Database {
    async fn shared_time(&self) -> Result<DateTime<Utc>, Error> {
        match self.read().backend() {
            // SQLite has one node.
            DbBackend::Sqlite => Ok(self.clock.now()),
            _ => database_time(self.read()).await,
        }
    }
}

/// The current time of the database's clock, in milliseconds.
pub(crate) async fn database_time(
    connection: &impl ConnectionTrait,
) -> Result<DateTime<Utc>, Error> {
    // As text, which has the same form in both databases.
    let backend = connection.get_database_backend();
    let sql = match backend {
        DbBackend::Sqlite => "SELECT strftime('%Y-%m-%dT%H:%M:%fZ', 'now') AS moment",
        _ => {
            r#"SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS moment"#
        }
    };
    let row = connection
        .query_one_raw(Statement::from_string(backend, sql))
        .await
        .map_err(broken)?
        .ok_or_else(|| Error::internal("the database does not return the time"))?;
    let moment: String = row.try_get("", "moment").map_err(broken)?;
    DateTime::parse_from_rfc3339(&moment)
        .map(|moment| moment.to_utc())
        .map_err(Error::internal)
}
