//! Runs statements and converts their errors.
//!
//! The futures are boxed here. Otherwise every caller's future holds the statement, and the
//! compiler proves once for each caller that sea-query's types, which are recursive, can be sent to
//! another thread.

use allclear_application::error::Error;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use sea_orm::sea_query::{CommonTableExpression, Expr, SelectStatement};
use sea_orm::{
    ActiveModelTrait, ConnectionTrait, DeleteMany, EntityTrait, Insert, InsertMany, QueryResult,
    QuerySelect, Select, SelectTwo, Selector, SelectorTrait, StatementBuilder, UpdateMany,
    UpdateOne, ValidatedDeleteOne,
};

use crate::error::broken;

type Running<'c, T> = BoxFuture<'c, Result<T, Error>>;

/// A query.
pub(crate) trait Fetch {
    type Item;

    /// Returns all rows.
    fn fetch_all<C: ConnectionTrait>(self, connection: &C) -> Running<'_, Vec<Self::Item>>;

    /// Returns the first row; `None` if there is none.
    fn fetch_one<C: ConnectionTrait>(self, connection: &C) -> Running<'_, Option<Self::Item>>;
}

macro_rules! fetch {
    (<$($parameter:ident: $bound:path),+> $query:ty => $item:ty) => {
        impl<$($parameter: $bound + Send + 'static),+> Fetch for $query {
            type Item = $item;

            fn fetch_all<C: ConnectionTrait>(self, connection: &C) -> Running<'_, Vec<$item>> {
                async move { self.all(connection).await.map_err(broken) }.boxed()
            }

            fn fetch_one<C: ConnectionTrait>(self, connection: &C) -> Running<'_, Option<$item>> {
                async move { self.one(connection).await.map_err(broken) }.boxed()
            }
        }
    };
}

fetch!(<S: SelectorTrait> Selector<S> => S::Item);
fetch!(<E: EntityTrait> Select<E> => E::Model);
fetch!(<E: EntityTrait, F: EntityTrait> SelectTwo<E, F> => (E::Model, Option<F::Model>));

/// Whether a query finds a row.
pub(crate) async fn exists<E: EntityTrait>(
    query: Select<E>,
    connection: &impl ConnectionTrait,
) -> Result<bool, Error> {
    let one = query.select_only().expr(Expr::cust("1")).limit(1);
    let found: Option<i32> = one.into_tuple().fetch_one(connection).await?;
    Ok(found.is_some())
}

/// Names a query that locks rows, for a statement that changes them. PostgreSQL executes it
/// once. It may execute a subquery again for each row of the table, and each execution locks
/// further rows.
pub(crate) fn executed_once(name: &'static str, query: SelectStatement) -> CommonTableExpression {
    CommonTableExpression::new()
        .query(query)
        .table_name(name)
        .materialized(true)
        .to_owned()
}

/// A statement that changes rows.
pub(crate) trait Run {
    /// Runs the statement. Returns the number of rows.
    fn run<C: ConnectionTrait>(self, connection: &C) -> Running<'_, u64>;
}

macro_rules! run {
    (<$parameter:ident: $bound:path> $statement:ty, $result:ident => $rows:expr, $run:ident) => {
        impl<$parameter: $bound + Send + 'static> Run for $statement {
            fn run<C: ConnectionTrait>(self, connection: &C) -> Running<'_, u64> {
                async move {
                    let $result = self.$run(connection).await.map_err(broken)?;
                    Ok($rows)
                }
                .boxed()
            }
        }
    };
}

run!(<A: ActiveModelTrait> Insert<A>, rows => rows, exec_without_returning);
run!(<A: ActiveModelTrait> InsertMany<A>, rows => rows, exec_without_returning);
run!(<A: ActiveModelTrait> UpdateOne<A>, result => result.rows_affected, exec_without_returning);
run!(<E: EntityTrait> UpdateMany<E>, result => result.rows_affected, exec);
run!(<E: EntityTrait> DeleteMany<E>, result => result.rows_affected, exec);
run!(<E: EntityTrait> ValidatedDeleteOne<E>, result => result.rows_affected, exec);

/// Runs statements of sea-query.
pub(crate) trait RunStatement: ConnectionTrait {
    /// Returns all rows of a query.
    fn fetch_rows(&self, query: &impl StatementBuilder) -> Running<'_, Vec<QueryResult>> {
        let query = self.get_database_backend().build(query);
        async move { self.query_all_raw(query).await.map_err(broken) }.boxed()
    }

    /// Returns the first row of a query; `None` if there is none.
    fn fetch_row(&self, query: &impl StatementBuilder) -> Running<'_, Option<QueryResult>> {
        let query = self.get_database_backend().build(query);
        async move { self.query_one_raw(query).await.map_err(broken) }.boxed()
    }

    /// Runs a statement. Returns the number of rows.
    fn run_statement(&self, statement: &impl StatementBuilder) -> Running<'_, u64> {
        let statement = self.get_database_backend().build(statement);
        async move {
            let result = self.execute_raw(statement).await.map_err(broken)?;
            Ok(result.rows_affected())
        }
        .boxed()
    }
}

impl<C: ConnectionTrait> RunStatement for C {}
