//! The write lock of an organisation, which orders its commits.

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::stamp::{Stamp, StampSettings};
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, LockType, Query};
use sea_orm::{
    ColumnTrait, ConnectionTrait, DbBackend, EntityTrait, FromQueryResult, QueryFilter,
    QuerySelect, QueryTrait,
};

use crate::clock::database_time;
use crate::entity::organisation::{Column, Entity};
use crate::entity::subscriber;
use crate::error::{broken, parse_stored};
use crate::notice::subscribed;
use crate::statement::{Fetch, RunStatement};
use crate::transaction::Transaction;

/// Maximum age of the time of a commit when the lock is obtained. A later time costs a statement.
const MAX_CLOCK_AGE: TimeDelta = TimeDelta::milliseconds(100);

/// How a commit locks its organisation.
#[derive(Clone, Copy)]
pub(crate) enum Lock {
    /// By reading it.
    Read,
    /// By storing the next revision, which saves a statement. For work that causes an event or
    /// returns an error.
    BumpRevision,
    /// By reading it; what depends on the clock is as of this time.
    ReadAsOf(DateTime<Utc>),
    /// By reading it; what depends on the clock is as of the time that all nodes share. On
    /// PostgreSQL it costs a statement.
    ReadAsOfSharedTime,
}

/// An organisation whose write lock a transaction holds.
#[derive(Debug)]
pub(crate) struct Locked {
    /// Whether there were subscribers that receive notices when the statement began that took
    /// the lock.
    pub(crate) has_subscribers: bool,
    /// Whether the revision of the stamp is stored already.
    pub(crate) revision_stored: bool,
    /// Whether the time of the stamp is stored already.
    pub(crate) time_stored: bool,
    /// Of the commit this transaction makes.
    pub(crate) stamp: Stamp,
}

/// An organisation's row, as locked.
#[derive(FromQueryResult)]
pub(crate) struct LockedRow {
    pub(crate) name: String,
    /// The newest revision.
    pub(crate) revision: i64,
    committed_at: DateTime<Utc>,
    time_zone: String,
    notify_by_default: bool,
    has_subscribers: bool,
}

/// Takes the organisation's write lock until the transaction ends. Other writes to the organisation
/// wait, so its revisions are totally ordered. SQLite has one writer at a time anyway.
pub(crate) async fn lock(
    transaction: &Transaction,
    id: &OrganisationId,
) -> Result<Option<LockedRow>, Error> {
    let locked = Entity::find()
        .select_only()
        .columns([
            Column::Name,
            Column::Revision,
            Column::CommittedAt,
            Column::TimeZone,
            Column::NotifyByDefault,
        ])
        .expr_as(has_subscribers(id), "has_subscribers")
        .filter(Column::Id.eq(id.as_str()))
        // Not FOR UPDATE: adding a row that refers to the organisation takes FOR KEY SHARE, which
        // need not wait for it.
        .lock(LockType::NoKeyUpdate);
    locked.into_model().fetch_one(transaction).await
}

/// [`lock`] for a write that may make a revision.
pub(crate) async fn lock_for_commit(
    transaction: &Transaction,
    id: &OrganisationId,
    lock: Lock,
    clock: &dyn Clock,
) -> Result<Option<Locked>, Error> {
    match lock {
        Lock::Read => lock_by_reading(transaction, id, clock).await,
        Lock::BumpRevision => lock_and_bump_revision(transaction, id, clock).await,
        Lock::ReadAsOf(now) => {
            let mut locked = lock_by_reading(transaction, id, clock).await?;
            if let Some(locked) = &mut locked {
                locked.stamp.wall_time = now;
            }
            Ok(locked)
        }
        Lock::ReadAsOfSharedTime => {
            let mut locked = lock_by_reading(transaction, id, clock).await?;
            if let Some(locked) = &mut locked
                && transaction.get_database_backend() != DbBackend::Sqlite
            {
                locked.stamp.wall_time = database_time(transaction).await?;
            }
            Ok(locked)
        }
    }
}

async fn lock_by_reading(
    transaction: &Transaction,
    id: &OrganisationId,
    clock: &dyn Clock,
) -> Result<Option<Locked>, Error> {
    let row = lock(transaction, id).await?;
    let Some(row) = row else {
        return Ok(None);
    };
    let revision = Revision(row.revision).next();
    let settings = StampSettings {
        zone: parse_stored(&row.time_zone)?,
        notify_by_default: row.notify_by_default,
    };
    Ok(Some(Locked {
        // The clock is read after the wait for the lock.
        stamp: Stamp::next(clock, row.committed_at, revision, settings),
        has_subscribers: row.has_subscribers,
        revision_stored: false,
        time_stored: false,
    }))
}

/// The statement also stores the time at which it was sent. If it waits for the lock for longer
/// than [`MAX_CLOCK_AGE`], the stamp has a later time, which is stored with the events.
async fn lock_and_bump_revision(
    transaction: &Transaction,
    id: &OrganisationId,
    clock: &dyn Clock,
) -> Result<Option<Locked>, Error> {
    let [revision, committed_at, time_zone, notify] = [
        Column::Revision,
        Column::CommittedAt,
        Column::TimeZone,
        Column::NotifyByDefault,
    ]
    .map(Expr::col);
    let sent_at = clock.now();
    let update = Query::update()
        .table(Entity)
        .value(Column::Revision, revision.clone().add(1))
        .value(Column::CommittedAt, not_before_the_last(sent_at))
        .and_where(Column::Id.eq(id.as_str()))
        .returning(Query::returning().exprs([
            revision,
            has_subscribers(id),
            committed_at,
            time_zone,
            notify,
        ]))
        .take();
    let Some(row) = transaction.fetch_row(&update).await? else {
        return Ok(None);
    };
    let (revision, has_subscribers, committed_at, time_zone, notify): (_, _, _, String, bool) =
        row.try_get_many_by_index().map_err(broken)?;
    let settings = StampSettings {
        zone: parse_stored(&time_zone)?,
        notify_by_default: notify,
    };
    // After the wait for the lock.
    let locked_at = clock.now();
    let time_stored = locked_at - sent_at <= MAX_CLOCK_AGE;
    let (wall_time, committed_at) = if time_stored {
        (sent_at, committed_at)
    } else {
        (locked_at, std::cmp::max(locked_at, committed_at))
    };
    let (revision, random) = (Revision(revision), clock.id());
    Ok(Some(Locked {
        has_subscribers,
        revision_stored: true,
        time_stored,
        stamp: Stamp::at(wall_time, committed_at, revision, random, settings),
    }))
}

/// `now`, or the time of the organisation's last commit if that is later. PostgreSQL computes it on
/// the row as it is after the wait for the lock.
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
