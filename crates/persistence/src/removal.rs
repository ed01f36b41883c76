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
    /// remove. Returns whether they are.
    pub(crate) async fn remove_if_many<E: EntityTrait>(
        &self,
        organisation: &OrganisationId,
        rows: &Expr,
    ) -> Result<bool, Error> {
        let are_many = self.are_many::<E>(rows).await?;
        if are_many {
            while self
                .run_locked(organisation, delete_at_most::<E>(rows.clone()))
                .await?
                >= MAX_ROWS
            {}
        }
        Ok(are_many)
    }

    /// Removes all rows that a condition selects, of all organisations or of none, in several
    /// transactions.
    pub(crate) async fn remove_all<E: EntityTrait>(&self, rows: &Expr) -> Result<(), Error> {
        loop {
            let removal = delete_rechecked::<E>(rows);
            let removed = self.write_unaudited(NoAuditItem::Upkeep, move |transaction| {
                transaction.run_statement(&removal)
            });
            if removed.await? < MAX_ROWS {
                return Ok(());
            }
        }
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
        let (owner, upkeep) = (organisation.clone(), NoAuditItem::Upkeep);
        self.write_unaudited_of(Some(organisation), upkeep, move |transaction| {
            Box::pin(async move {
                lock(transaction, &owner).await?;
                transaction.run_statement(&statement).await
            })
        })
        .await
    }
}

/// Removes at most [`MAX_ROWS`] of the rows that a condition selects.
pub(crate) fn delete_at_most<E: EntityTrait>(condition: Expr) -> DeleteStatement {
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

/// [`delete_at_most`] of rows that other transactions may change. PostgreSQL checks only the outer
/// condition again after it has waited for a row.
pub(crate) fn delete_rechecked<E: EntityTrait>(condition: &Expr) -> DeleteStatement {
    delete_at_most::<E>(condition.clone())
        .and_where(condition.clone())
        .take()
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};
    use sea_orm::{ActiveValue::Set, ColumnTrait, PaginatorTrait};

    use super::*;
    use crate::entity::pending_sign_up::{ActiveModel, Column, Entity};
    use crate::fixture::{add_organisation, insert, on_each_database};

    const AT: DateTime<Utc> = DateTime::UNIX_EPOCH;

    async fn all_selected_rows_are_removed_in_parts(database: &Database) {
        let acme = add_organisation(database, "acme").await;
        let expiring = |number: u64, expires_at| ActiveModel {
            digest: Set(number.to_string()),
            name: Set("Ann".into()),
            email: Set("ann@example.com".into()),
            email_key: Set("ann@example.com".into()),
            password: Set("hash".into()),
            invitation_digest: Set(None),
            created_at: Set(AT),
            expires_at: Set(expires_at),
        };
        let late = AT + TimeDelta::seconds(1);
        // After one part, more than another one are left.
        let many = 2 * MAX_ROWS + 1;
        let rows = (0..many).map(|number| expiring(number, AT));
        insert(database, rows.collect()).await;
        insert(database, vec![expiring(many, late)]).await;
        let expired = Column::ExpiresAt.lte(AT);
        let part = delete_at_most::<Entity>(expired.clone());
        let removed = database.run_locked(&acme, part).await.unwrap();
        assert_eq!(removed, MAX_ROWS);
        database.remove_all::<Entity>(&expired).await.unwrap();
        let left = Entity::find().filter(Column::ExpiresAt.eq(late));
        assert_eq!(left.count(database.read()).await.unwrap(), 1);
        assert_eq!(Entity::find().count(database.read()).await.unwrap(), 1);
    }

    on_each_database!(all_selected_rows_are_removed_in_parts);
}
