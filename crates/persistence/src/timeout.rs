//! Timeout of all database work; afterwards the database counts as unavailable.

use std::time::Duration;

use allclear_application::error::Error;
use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult,
    Statement,
};
use tokio::time::timeout;

/// The timeout: longer than PostgreSQL's own statement timeout, so that its error comes first, and
/// shorter than a proxy's.
const TIMEOUT: Duration = Duration::from_secs(12);

/// Ends work that takes too long. Its connection is not used again before the statement has ended.
pub(crate) async fn in_time<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(TIMEOUT, work)
        .await
        .unwrap_or_else(|elapsed| Err(Error::Unavailable(Box::new(elapsed))))
}

/// A connection whose statements have a timeout.
#[derive(Clone)]
pub(crate) struct TimeoutConnection(pub(crate) DatabaseConnection);

impl TimeoutConnection {
    pub(crate) fn backend(&self) -> DbBackend {
        self.0.get_database_backend()
    }
}

async fn within_limit<T>(query: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
    timeout(TIMEOUT, query)
        .await
        .unwrap_or(Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)))
}

#[async_trait::async_trait]
impl ConnectionTrait for TimeoutConnection {
    fn get_database_backend(&self) -> DbBackend {
        self.backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        within_limit(self.0.execute_raw(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        within_limit(self.0.execute_unprepared(sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        within_limit(self.0.query_one_raw(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        within_limit(self.0.query_all_raw(statement)).await
    }
}
