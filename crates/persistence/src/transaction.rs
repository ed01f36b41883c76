//! A transaction that can send several statements at once.
//!
//! A statement to SQLite is a round trip to the thread of its connection, and waking that thread
//! costs more than most statements. So a statement whose result is not needed can be deferred: it
//! is sent with the next one.

use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use parking_lot::Mutex;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, DbBackend, DbErr, ExecResult, QueryResult, Statement,
    StatementBuilder, Values,
};

/// Maximum number of statements that wait. The driver keeps the prepared statements of each text
/// that it has executed.
const MAX_DEFERRED: usize = 8;

const SET_SAVEPOINT: &str = "SAVEPOINT write";
const MOVE_SAVEPOINT: &str = "RELEASE write; SAVEPOINT write";
const ROLL_BACK: &str = "ROLLBACK TO write";

/// A transaction of a connection.
#[derive(Debug)]
pub(crate) struct Transaction {
    inner: DatabaseTransaction,
    deferred: Mutex<Deferred>,
    /// Whether a statement has changed rows.
    has_changed: AtomicBool,
}

/// What is sent before the next statement.
#[derive(Debug, Default)]
struct Deferred {
    /// Whether the transaction has a savepoint.
    has_savepoint: bool,
    /// Whether the savepoint is to be set or moved.
    savepoint_waits: bool,
    statements: Vec<Statement>,
}

impl Deferred {
    /// Takes everything that waits.
    fn take(&mut self, backend: DbBackend) -> Vec<Statement> {
        let mut taken = Vec::new();
        if std::mem::take(&mut self.savepoint_waits) {
            let savepoint = if self.has_savepoint {
                MOVE_SAVEPOINT
            } else {
                SET_SAVEPOINT
            };
            self.has_savepoint = true;
            taken.push(Statement::from_string(backend, savepoint));
        }
        taken.append(&mut self.statements);
        taken
    }
}

impl Transaction {
    pub(crate) fn new(inner: DatabaseTransaction) -> Self {
        Self {
            inner,
            deferred: Mutex::default(),
            has_changed: AtomicBool::default(),
        }
    }

    /// Whether an executed statement has changed rows; statements that return rows do not count.
    pub(crate) fn has_changed(&self) -> bool {
        self.has_changed.load(Ordering::Relaxed)
    }

    /// Remembers whether a statement has changed rows.
    fn observe(&self, result: &ExecResult) {
        if result.rows_affected() > 0 {
            self.has_changed.store(true, Ordering::Relaxed);
        }
    }

    /// Executes a statement whose result is not needed. SQLite gets it with a later statement,
    /// which returns its error.
    pub(crate) async fn defer(&self, statement: &impl StatementBuilder) -> Result<(), DbErr> {
        let statement = self.get_database_backend().build(statement);
        if self.get_database_backend() != DbBackend::Sqlite {
            let result = self.inner.execute_raw(statement).await?;
            self.observe(&result);
            return Ok(());
        }
        if self.deferred.lock().statements.len() == MAX_DEFERRED {
            self.execute_deferred().await?;
        }
        self.deferred.lock().statements.push(statement);
        Ok(())
    }

    /// Executes the deferred statements.
    pub(crate) async fn execute_deferred(&self) -> Result<(), DbErr> {
        let has_statements = !self.deferred.lock().statements.is_empty();
        if let Some(deferred) = self.take_deferred().into_iter().reduce(joined) {
            let result = self.inner.execute_raw(deferred).await?;
            // A savepoint changes no rows, whatever the driver counts.
            if has_statements {
                self.observe(&result);
            }
        }
        Ok(())
    }

    /// Sets the one savepoint of the transaction, or moves it to here. Only for SQLite.
    pub(crate) fn set_savepoint(&self) {
        self.deferred.lock().savepoint_waits = true;
    }

    /// Rolls back everything since [`Self::set_savepoint`].
    pub(crate) async fn roll_back_to_savepoint(&self) -> Result<(), DbErr> {
        let has_begun = {
            let mut deferred = self.deferred.lock();
            deferred.statements.clear();
            !std::mem::take(&mut deferred.savepoint_waits)
        };
        if has_begun {
            self.inner.execute_unprepared(ROLL_BACK).await?;
        }
        Ok(())
    }

    pub(crate) async fn commit(self) -> Result<(), DbErr> {
        self.execute_deferred().await?;
        self.inner.commit().await
    }

    pub(crate) async fn rollback(self) -> Result<(), DbErr> {
        self.inner.rollback().await
    }

    fn take_deferred(&self) -> Vec<Statement> {
        self.deferred.lock().take(self.get_database_backend())
    }

    /// A query after the deferred statements, which return no rows.
    fn after_deferred(&self, query: Statement) -> Statement {
        if !self.deferred.lock().statements.is_empty() {
            self.has_changed.store(true, Ordering::Relaxed);
        }
        let deferred = self.take_deferred().into_iter();
        deferred.rfold(query, |query, before| joined(before, query))
    }
}

/// A statement that executes both, with the values of the first before those of the second.
fn joined(first: Statement, second: Statement) -> Statement {
    let values = [first.values, second.values].into_iter().flatten();
    let values: Vec<_> = values.flat_map(|Values(values)| values).collect();
    Statement {
        sql: format!("{}; {}", first.sql, second.sql),
        values: Some(Values(values)),
        db_backend: second.db_backend,
    }
}

#[async_trait]
impl ConnectionTrait for Transaction {
    fn get_database_backend(&self) -> DbBackend {
        self.inner.get_database_backend()
    }

    async fn execute_raw(&self, statement: Statement) -> Result<ExecResult, DbErr> {
        // Sent together, the rows of the deferred statements would count as affected.
        self.execute_deferred().await?;
        let result = self.inner.execute_raw(statement).await?;
        self.observe(&result);
        Ok(result)
    }

    async fn execute_unprepared(&self, sql: &str) -> Result<ExecResult, DbErr> {
        self.execute_deferred().await?;
        self.inner.execute_unprepared(sql).await
    }

    async fn query_one_raw(&self, query: Statement) -> Result<Option<QueryResult>, DbErr> {
        self.inner.query_one_raw(self.after_deferred(query)).await
    }

    async fn query_all_raw(&self, query: Statement) -> Result<Vec<QueryResult>, DbErr> {
        self.inner.query_all_raw(self.after_deferred(query)).await
    }
}
