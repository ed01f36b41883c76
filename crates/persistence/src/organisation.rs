//! Organisations.

use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::organisation::OrganisationStore;
use allclear_application::stamp::Stamp;
use allclear_application::transition::Committed;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::{Organisation, Revision};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, OnConflict, Query};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, DatabaseTransaction, EntityTrait,
    FromQueryResult, QueryFilter, QuerySelect, QueryTrait,
};

use crate::database::Database;
use crate::entity::organisation::{ActiveModel, Column, Entity, Model};
use crate::entity::subscriber;
use crate::error::broken;
use crate::notice::subscribed;
use crate::outbox;

#[async_trait]
impl OrganisationStore for Database {
    async fn find(&self, id: &OrganisationId) -> Result<Option<Organisation>, Error> {
        let found = Entity::find_by_id(id.as_str())
            .one(self.read())
            .await
            .map_err(broken)?;
        found.map(organisation).transpose()
    }

    async fn ensure(
        &self,
        id: &OrganisationId,
        name: Option<String>,
    ) -> Result<Committed<()>, Error> {
        let unchanged = Committed {
            state: (),
            commit: None,
        };
        if OrganisationStore::find(self, id)
            .await?
            .is_some_and(|known| name.as_ref().is_none_or(|name| *name == known.name))
        {
            return Ok(unchanged);
        }
        let (id, clock) = (id.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move { insert_or_rename(transaction, &id, name, &*clock).await })
        })
        .await
    }

    async fn delete(&self, id: &OrganisationId) -> Result<bool, Error> {
        let id = id.clone();
        self.write(|transaction| {
            Box::pin(async move {
                let gone = Entity::delete_by_id(id.as_str())
                    .exec(transaction)
                    .await
                    .map_err(broken)?;
                Ok(gone.rows_affected > 0)
            })
        })
        .await
    }
}

/// Ensures that the organisation exists and has the name, if one is given.
pub(crate) async fn insert_or_rename(
    transaction: &DatabaseTransaction,
    id: &OrganisationId,
    name: Option<String>,
    clock: &dyn Clock,
) -> Result<Committed<()>, Error> {
    let unchanged = Committed {
        state: (),
        commit: None,
    };
    let fresh = ActiveModel {
        id: Set(id.as_str().to_owned()),
        code: Set(id.code().to_string()),
        name: Set(name.clone().unwrap_or_else(|| id.as_str().to_owned())),
        revision: Set(0),
        created_at: Set(clock.now()),
        committed_at: Set(DateTime::UNIX_EPOCH),
        ..Default::default()
    };
    let insert =
        Entity::insert(fresh).on_conflict(OnConflict::column(Column::Id).do_nothing().to_owned());
    insert
        .exec_without_returning(transaction)
        .await
        .map_err(broken)?;
    let (Some(known), Some(name)) = (lock_for_commit(transaction, id, clock).await?, name) else {
        return Ok(unchanged);
    };
    if known.name == name {
        return Ok(unchanged);
    }
    let renamed = ActiveModel {
        id: Set(known.id.clone()),
        name: Set(name),
        ..Default::default()
    };
    Entity::update(renamed)
        .exec(transaction)
        .await
        .map_err(broken)?;
    let commit = outbox::append(transaction, known, &[], None).await?;
    Ok(Committed {
        state: (),
        commit: Some(commit),
    })
}

/// An organisation whose write lock a transaction holds.
#[derive(Debug)]
pub(crate) struct Locked {
    pub(crate) id: String,
    pub(crate) name: String,
    /// Whether there are subscribers that receive notices.
    pub(crate) has_subscribers: bool,
    /// Whether the revision of the stamp is stored already.
    pub(crate) revision_stored: bool,
    /// Of the commit this transaction makes.
    pub(crate) stamp: Stamp,
}

/// An organisation's row, as locked.
#[derive(FromQueryResult)]
pub(crate) struct LockedRow {
    id: String,
    pub(crate) name: String,
    /// The newest revision.
    pub(crate) revision: i64,
    committed_at: DateTime<Utc>,
    has_subscribers: bool,
}

/// Takes the organisation's write lock until the transaction ends. Other writes to the organisation wait, so its revisions are
/// totally ordered. SQLite has one writer at a time anyway.
pub(crate) async fn lock(
    transaction: &DatabaseTransaction,
    id: &OrganisationId,
) -> Result<Option<LockedRow>, Error> {
    let locked = Entity::find()
        .select_only()
        .columns([
            Column::Id,
            Column::Name,
            Column::Revision,
            Column::CommittedAt,
        ])
        .expr_as(has_subscribers(id), "has_subscribers")
        .filter(Column::Id.eq(id.as_str()))
        .lock_exclusive();
    locked.into_model().one(transaction).await.map_err(broken)
}

/// [`lock`] for a write that may make a revision.
pub(crate) async fn lock_for_commit(
    transaction: &DatabaseTransaction,
    id: &OrganisationId,
    clock: &dyn Clock,
) -> Result<Option<Locked>, Error> {
    let row = lock(transaction, id).await?;
    // The clock is read after the wait for the lock.
    Ok(row.map(|row| Locked {
        stamp: Stamp::next(clock, row.committed_at, Revision(row.revision).next()),
        id: row.id,
        name: row.name,
        has_subscribers: row.has_subscribers,
        revision_stored: false,
    }))
}

/// [`lock_for_commit`] by storing the next revision, which saves a statement.
pub(crate) async fn lock_and_bump_revision(
    transaction: &DatabaseTransaction,
    id: &OrganisationId,
    clock: &dyn Clock,
) -> Result<Option<Locked>, Error> {
    let [own_id, name, revision, committed_at] = [
        Column::Id,
        Column::Name,
        Column::Revision,
        Column::CommittedAt,
    ]
    .map(Expr::col);
    let now = clock.now();
    let update = Query::update()
        .table(Entity)
        .value(Column::Revision, revision.clone().add(1))
        .value(Column::CommittedAt, not_before_the_last(now))
        .and_where(Column::Id.eq(id.as_str()))
        .returning(Query::returning().exprs([
            own_id,
            name,
            revision,
            has_subscribers(id),
            committed_at,
        ]))
        .take();
    let Some(row) = transaction.query_one(&update).await.map_err(broken)? else {
        return Ok(None);
    };
    let (id, name, revision, has_subscribers, committed_at) =
        row.try_get_many_by_index().map_err(broken)?;
    Ok(Some(Locked {
        id,
        name,
        has_subscribers,
        revision_stored: true,
        stamp: Stamp::at(now, committed_at, Revision(revision), clock.id()),
    }))
}

/// `now`, or the time of the organisation's last commit if that is later. PostgreSQL computes it on the row as it is after the
/// wait for the lock.
fn not_before_the_last(now: DateTime<Utc>) -> Expr {
    let last = Expr::col(Column::CommittedAt);
    CaseStatement::new()
        .case(last.clone().gt(now), last)
        .finally(now)
        .into()
}

fn has_subscribers(id: &OrganisationId) -> Expr {
    Expr::exists(
        subscribed(id)
            .select_only()
            .column(subscriber::Column::Id)
            .into_query(),
    )
}

fn organisation(row: Model) -> Result<Organisation, Error> {
    let id = OrganisationId::parse(&row.id).map_err(Error::internal)?;
    Ok(Organisation {
        id,
        name: row.name,
        revision: Revision(row.revision),
    })
}
