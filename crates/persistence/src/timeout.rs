//! Timeout of all database work; afterwards the database counts as unavailable.

use std::future::poll_fn;
use std::pin::pin;
use std::time::Duration;

use allclear_application::error::Error;
use sea_orm::{
    ConnAcquireErr, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, ExecResult, QueryResult,
    Statement,
};
use tokio::runtime::Handle;
use tokio::time::timeout;

/// The timeout: longer than PostgreSQL's own statement timeout, so that its error comes first, and
/// shorter than a proxy's.
const TIMEOUT: Duration = Duration::from_secs(12);

/// Connections whose work has a timeout.
///
/// A socket belongs to the runtime in which it was opened. Each worker of the HTTP server has a
/// runtime of its own, which ends before the other work of the process. So work on connections to
/// PostgreSQL runs in the context of one runtime, whichever polls it.
#[derive(Clone)]
pub(crate) struct TimeoutConnection {
    pub(crate) inner: DatabaseConnection,
    /// `None` for SQLite, whose connections have threads.
    runtime: Option<Handle>,
}

impl TimeoutConnection {
    /// Connections that belong to the current runtime.
    pub(crate) fn new(inner: DatabaseConnection) -> Self {
        let has_sockets = inner.get_database_backend() == DbBackend::Postgres;
        Self {
            inner,
            runtime: has_sockets.then(Handle::current),
        }
    }

    pub(crate) fn backend(&self) -> DbBackend {
        self.inner.get_database_backend()
    }

    /// Fails if the database does not respond.
    pub(crate) async fn ping(&self) -> Result<(), DbErr> {
        Box::pin(self.within_limit(self.inner.ping())).await
    }

    /// Ends work that takes too long. Its connection is not used again before the statement has
    /// ended.
    pub(crate) async fn in_time<T>(
        &self,
        work: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let in_time = async {
            timeout(TIMEOUT, work)
                .await
                .unwrap_or_else(|elapsed| Err(Error::Unavailable(Box::new(elapsed))))
        };
        self.in_runtime(in_time).await
    }

    async fn within_limit<T>(
        &self,
        query: impl Future<Output = Result<T, DbErr>>,
    ) -> Result<T, DbErr> {
        let within_limit = async {
            timeout(TIMEOUT, query)
                .await
                .unwrap_or(Err(DbErr::ConnectionAcquire(ConnAcquireErr::Timeout)))
        };
        self.in_runtime(within_limit).await
    }

    /// Polls work in the context of the connections' runtime.
    async fn in_runtime<T>(&self, work: impl Future<Output = T>) -> T {
        let Some(runtime) = &self.runtime else {
            return work.await;
        };
        let mut work = pin!(work);
        poll_fn(|context| {
            let _inside = runtime.enter();
            work.as_mut().poll(context)
        })
        .await
    }
}

#[async_trait::async_trait]
impl ConnectionTrait for TimeoutConnection {
    fn get_database_backend(&self) -> DbBackend {
        self.backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        self.within_limit(self.inner.execute_raw(statement)).await
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.within_limit(self.inner.execute_unprepared(sql)).await
    }

    async fn query_one_raw(&self, statement: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.within_limit(self.inner.query_one_raw(statement)).await
    }

    async fn query_all_raw(&self, statement: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.within_limit(self.inner.query_all_raw(statement)).await
    }
}
