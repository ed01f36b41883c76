//! Removal of subscribers that receive nothing any more.

use std::collections::BTreeMap;

use allclear_application::error::Error;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait, Query};
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect, Select};
use uuid::Uuid;

use super::{add_to_count, lock_rows};
use crate::audit::NoAuditItem;
use crate::database::Database;
use crate::entity::subscriber::{Column, Entity};
use crate::entity::{delivery, incident, notice};
use crate::error::parse_stored;
use crate::organisation::lock::lock;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

/// Removes subscribers of single incidents that are deleted or were resolved before the given time,
/// unless messages to them wait. Returns their number.
pub(super) async fn followers(
    database: &Database,
    resolved_before: DateTime<Utc>,
    limit: u64,
) -> Result<u64, Error> {
    let found = followers_of_the_past(resolved_before, limit);
    let found: Vec<(Uuid, String)> = found.into_tuple().fetch_all(database.read()).await?;
    if found.is_empty() {
        return Ok(0);
    }
    database
        .write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            // An incident may have been opened again meanwhile.
            Box::pin(remove(
                transaction,
                found,
                follows_the_past(resolved_before),
            ))
        })
        .await
}

/// Removes subscribers that were never confirmed and whose last link was requested before the given
/// time. Returns their number.
pub(super) async fn never_confirmed(
    database: &Database,
    requested_before: DateTime<Utc>,
    limit: u64,
) -> Result<u64, Error> {
    let found = unconfirmed(requested_before, limit);
    let found: Vec<(Uuid, String)> = found.into_tuple().fetch_all(database.read()).await?;
    if found.is_empty() {
        return Ok(0);
    }
    database
        .write_unaudited(NoAuditItem::Upkeep, move |transaction| {
            // One may have been confirmed meanwhile.
            Box::pin(remove(transaction, found, is_unconfirmed(requested_before)))
        })
        .await
}

/// Subscribers of single incidents that are deleted or were resolved before the given time, without
/// those to which messages wait.
fn followers_of_the_past(resolved_before: DateTime<Utc>, limit: u64) -> Select<Entity> {
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::OrganisationId])
        .filter(follows_the_past(resolved_before))
        .limit(limit)
}

/// Whether a subscriber follows a single incident that is deleted or was resolved before the given
/// time, and no message to it waits. A failed message is retried for days, and a notice may be
/// expanded late.
fn follows_the_past(resolved_before: DateTime<Utc>) -> Condition {
    let lasting = Query::select()
        .expr(Expr::val(1))
        .from(incident::Entity)
        .and_where(
            Expr::col((incident::Entity, incident::Column::Id))
                .equals((Entity, Column::IncidentId)),
        )
        .cond_where(
            Condition::any()
                .add(incident::Column::ResolvedAt.is_null())
                .add(incident::Column::ResolvedAt.gte(resolved_before)),
        )
        .take();
    let unsent = Query::select()
        .expr(Expr::val(1))
        .from(delivery::Entity)
        .and_where(
            Expr::col((delivery::Entity, delivery::Column::SubscriberId))
                .equals((Entity, Column::Id)),
        )
        .and_where(delivery::Column::DueAt.is_not_null())
        .take();
    let unexpanded = Query::select()
        .expr(Expr::val(1))
        .from(notice::Entity)
        .and_where(
            Expr::col((notice::Entity, notice::Column::SubjectId))
                .equals((Entity, Column::IncidentId)),
        )
        .and_where(notice::Column::ExpandedAt.is_null())
        .take();
    Condition::all()
        .add(Column::IncidentId.is_not_null())
        .add(Expr::exists(lasting).not())
        .add(Expr::exists(unsent).not())
        .add(Expr::exists(unexpanded).not())
}

/// Subscribers that were never confirmed and whose last link was requested before the given time.
pub(crate) fn unconfirmed(requested_before: DateTime<Utc>, limit: u64) -> Select<Entity> {
    Entity::find()
        .select_only()
        .columns([Column::Id, Column::OrganisationId])
        .filter(is_unconfirmed(requested_before))
        .limit(limit)
}

fn is_unconfirmed(requested_before: DateTime<Utc>) -> Condition {
    Condition::all()
        // The index needs the words in the statement.
        .add(Expr::cust("status = 'PENDING' AND round = 0"))
        .add(Column::UpdatedAt.lt(requested_before))
}

/// Removes those of these subscribers, each with its organisation, that meet a condition. Returns
/// the number of all of them.
async fn remove(
    transaction: &Transaction,
    subscribers: Vec<(Uuid, String)>,
    condition: Condition,
) -> Result<u64, Error> {
    // In the order of organisations, so that concurrent nodes cannot deadlock.
    let mut by_organisation: BTreeMap<String, Vec<Uuid>> = BTreeMap::new();
    let count = subscribers.len() as u64;
    for (id, organisation) in subscribers {
        by_organisation.entry(organisation).or_default().push(id);
    }
    for organisation in by_organisation.keys() {
        lock(transaction, &parse_stored(organisation)?).await?;
    }
    let all = by_organisation.values().flatten().copied();
    let rows = Entity::find().filter(Column::Id.is_in(all));
    lock_rows(transaction, rows).await?;
    for (organisation, ids) in by_organisation {
        let organisation = parse_stored(&organisation)?;
        let deleted = Entity::delete_many()
            .filter(Column::Id.is_in(ids))
            .filter(condition.clone())
            .run(transaction)
            .await?;
        let deleted = i64::try_from(deleted).unwrap_or(0);
        add_to_count(transaction, &organisation, -deleted).await?;
    }
    Ok(count)
}
