//! Nobody waits for the database for ever: what is not answered in time counts as away.

use std::time::Duration;

use allclear_application::error::Error;
use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult,
    Statement,
};
use tokio::time::timeout;

/// How long anything may take: longer than PostgreSQL itself works on a statement, so that its refusal comes first, and
/// shorter than a person or a proxy waits.
const LIMIT: Duration = Duration::from_secs(12);

/// Ends work that takes too long. The connection that did it is not used again before it answers.
pub(crate) async fn in_time<T>(work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    timeout(LIMIT, work)
        .await
        .unwrap_or_else(|elapsed| Err(Error::Unavailable(Box::new(elapsed))))
}

/// A connection for statements that are answered in time or not at all.
#[derive(Clone)]
pub(crate) struct TimeoutConnection(pub(crate) DatabaseConnection);

impl TimeoutConnection {
    pub(crate) fn backend(&self) -> DbBackend {
        self.0.get_database_backend()
    }
}

async fn within_limit<T>(query: impl Future<Output = Result<T, DbErr>>) -> Result<T, DbErr> {
    timeout(LIMIT, query)
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
