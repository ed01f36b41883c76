//! Removal of any number of rows in several transactions. One transaction would keep all other
//! writers of SQLite waiting for minutes, and exceed PostgreSQL's timeout.

use allclear_application::error::Error;
use allclear_domain::id::OrganisationId;
use sea_orm::sea_query::{DeleteStatement, Expr, ExprTrait, Query};
use sea_orm::{
    EntityTrait, Iterable, PrimaryKeyToColumn, QueryFilter, QuerySelect, QueryTrait,
    StatementBuilder,
};

use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::organisation::lock::lock;
use crate::statement::{RunStatement, exists};

/// Maximum number of rows of a table that one transaction removes or changes: other writers wait
/// meanwhile.
pub(crate) const MAX_ROWS: u64 = 2_000;

impl Database {
    /// Removes rows of an organisation in several transactions, if they are more than one may
    /// remove.
    pub(crate) async fn remove_if_many<E: EntityTrait>(
        &self,
        organisation: &OrganisationId,
        rows: &Expr,
    ) -> Result<(), Error> {
        if self.are_many::<E>(rows).await? {
            while self
                .run_locked(organisation, some::<E>(rows.clone()))
                .await?
                >= MAX_ROWS
            {}
        }
        Ok(())
    }

    /// Whether there are more rows than one transaction may remove.
    pub(crate) async fn are_many<E: EntityTrait>(&self, rows: &Expr) -> Result<bool, Error> {
        let beyond = E::find().filter(rows.clone()).offset(MAX_ROWS);
        exists(beyond, self.read()).await
    }

    /// Runs a statement in a transaction of its own, under the organisation's lock as every write
    /// to the organisation, so that the two cannot deadlock. Returns the number of rows.
    pub(crate) async fn run_locked(
        &self,
        organisation: &OrganisationId,
        statement: impl StatementBuilder + Send + 'static,
    ) -> Result<u64, Error> {
        let organisation = organisation.clone();
        self.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            Box::pin(async move {
                lock(transaction, &organisation).await?;
                transaction.run_statement(&statement).await
            })
        })
        .await
    }
}

/// Removes at most [`MAX_ROWS`] of the rows that a condition selects.
pub(crate) fn some<E: EntityTrait>(condition: Expr) -> DeleteStatement {
    let key = || E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column);
    let rows = E::find()
        .select_only()
        .columns(key())
        .filter(condition)
        .limit(MAX_ROWS)
        .into_query();
    Query::delete()
        .from_table(E::default())
        .and_where(Expr::tuple(key().map(Expr::col)).in_subquery(rows))
        .take()
}
