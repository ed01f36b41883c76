//! Changes of status that the clock makes. The node that locks the organisation first
//! publishes them.

use std::collections::BTreeSet;

use allclear_application::audit::state;
use allclear_application::error::Error;
use allclear_domain::event::Changed;
use allclear_domain::id::OrganisationId;
use allclear_domain::maintenance::{Maintenance, MaintenanceStatus};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect, Select,
};

use super::{component, maintenance_from, of};
use crate::affected::{self, AttachedTo};
use crate::audit::States;
use crate::commit::{Scope, StoredChange};
use crate::entity::maintenance::{ActiveModel, Column, Entity};
use crate::error::parse_stored;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

/// How many changes of an organisation one transaction publishes.
const BATCH: u64 = 100;

pub(super) async fn organisations_due(
    connection: &impl ConnectionTrait,
    now: DateTime<Utc>,
) -> Result<Vec<OrganisationId>, Error> {
    let found: Vec<String> = changing(now).into_tuple().fetch_all(connection).await?;
    // Not by DISTINCT: for it, SQLite would scan the organisations instead of the index of
    // due changes.
    let distinct: BTreeSet<_> = found.into_iter().collect();
    distinct.iter().map(|id| parse_stored(id)).collect()
}

/// Stores the published statuses of the organisation's due changes, and returns the changes as one.
pub(super) async fn publish_due(
    scope: Scope<'_>,
    now: DateTime<Utc>,
) -> Result<Option<StoredChange<()>>, Error> {
    let due = due(scope.organisation, now);
    let mut all = Changed::without_events(());
    let mut states: Vec<States> = Vec::new();
    let due = due.fetch_all(scope.transaction).await?;
    let ids: Vec<_> = due.iter().map(|row| row.id).collect();
    let mut affected = component::of_each(scope.transaction, &ids).await?;
    for row in due {
        let components = affected.remove(&row.id).unwrap_or_default();
        let before = maintenance_from(row, components)?;
        let status_before = before.published_status;
        let shown_before = state::maintenance(&before, status_before);
        let published = before.publish_due(now);
        let shown_after = state::maintenance(&published.state, published.state.published_status);
        states.extend(published.audited.iter().map(|_| {
            let (before, after) = (shown_before.clone(), shown_after.clone());
            (Some(before), Some(after))
        }));
        store_published_status(scope.transaction, &published.state, now).await?;
        store_affected(scope, status_before, &published.state).await?;
        all.events.extend(published.events);
        all.notices.extend(published.notices);
        all.audited.extend(published.audited);
        all.maintained.extend(published.maintained);
    }
    Ok(Some(StoredChange::from(all).with_states(states)))
}

/// Stores the status that is published with this transaction.
pub(super) async fn store_published_status(
    transaction: &Transaction,
    state: &Maintenance,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let row = ActiveModel {
        id: Set(state.id.0),
        published_status: Set(state.published_status.to_string()),
        next_change_at: Set(state.next_change(now)),
        ..Default::default()
    };
    Entity::update(row).run(transaction).await?;
    Ok(())
}

/// Stores the components of a maintenance that began or ended since the status `before`
/// was published.
pub(super) async fn store_affected(
    scope: Scope<'_>,
    before: MaintenanceStatus,
    after: &Maintenance,
) -> Result<(), Error> {
    use MaintenanceStatus::{Completed, InProgress, Scheduled};
    let columns: &[_] = match (before, after.published_status) {
        (Scheduled, InProgress) => &["affected_at_start"],
        (Scheduled, Completed) => &["affected_at_start", "affected_at_end"],
        (InProgress, Completed) => &["affected_at_end"],
        _ => return Ok(()),
    };
    if after.components.is_empty() {
        return Ok(());
    }
    let row = Expr::col("id").eq(after.id.0);
    let attached_to = AttachedTo::Maintenance(after.id);
    affected::store(scope, attached_to, "maintenances", columns, row).await
}

/// The earliest change.
pub(super) fn next() -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::NextChangeAt)
        .filter(Column::NextChangeAt.is_not_null())
        .order_by_asc(Column::NextChangeAt)
        .limit(1)
}

/// The organisations with due changes, each as often as it has one.
pub(super) fn changing(now: DateTime<Utc>) -> Select<Entity> {
    Entity::find()
        .select_only()
        .column(Column::OrganisationId)
        .filter(Column::NextChangeAt.lte(now))
}

/// An organisation's due changes, the oldest first.
pub(super) fn due(organisation: &OrganisationId, now: DateTime<Utc>) -> Select<Entity> {
    of(organisation)
        .filter(Column::NextChangeAt.lte(now))
        .order_by_asc(Column::NextChangeAt)
        .limit(BATCH)
}
