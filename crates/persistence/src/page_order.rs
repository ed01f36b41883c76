//! The order of the page, stored as the positions of groups and components.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_domain::id::{ComponentGroupId, ComponentId, OrganisationId};
use allclear_domain::page_order::{ComponentPlace, PageOrder, Positions};
use sea_orm::sea_query::{
    Expr, ExprTrait, IntoIden, IntoValueTuple, Query, TableRef, UpdateStatement,
};
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait, QuerySelect};
use uuid::Uuid;

use crate::batch;
use crate::commit::Scope;
use crate::entity::{component, component_group, organisation};
use crate::statement::{Fetch, Run, RunStatement};

/// Alias of the new values of rows that have moved.
const MOVED: &str = "moved";

/// The order of an organisation's page.
pub(crate) async fn load(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
) -> Result<PageOrder, Error> {
    Ok(PageOrder::of(&positions(connection, organisation).await?))
}

/// The place of each component among all of a page.
pub(crate) fn ranks(positions: &Positions) -> HashMap<ComponentId, usize> {
    let entries = PageOrder::of(positions).entries.into_iter();
    entries
        .flat_map(|entry| entry.components)
        .zip(0..)
        .collect()
}

async fn positions(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
) -> Result<Positions, Error> {
    let groups: Vec<(Uuid, i32)> = crate::component_group::of(organisation)
        .select_only()
        .columns([
            component_group::Column::Id,
            component_group::Column::Position,
        ])
        .into_tuple()
        .fetch_all(connection)
        .await?;
    let components: Vec<(Uuid, Option<Uuid>, i32)> = crate::component::of(organisation)
        .select_only()
        .columns([
            component::Column::Id,
            component::Column::GroupId,
            component::Column::Position,
        ])
        .into_tuple()
        .fetch_all(connection)
        .await?;
    let place = |(id, group, position): (Uuid, Option<Uuid>, i32)| {
        let group = group.map(ComponentGroupId);
        (ComponentId(id), ComponentPlace { group, position })
    };
    Ok(Positions {
        groups: groups
            .into_iter()
            .map(|(id, position)| (ComponentGroupId(id), position))
            .collect(),
        components: components.into_iter().map(place).collect(),
    })
}

/// Changes the order of the page. Returns the positions of everything.
pub(crate) async fn change(
    scope: Scope<'_>,
    change: impl FnOnce(&mut PageOrder),
) -> Result<Positions, Error> {
    let before = positions(scope.transaction, scope.organisation).await?;
    let mut order = PageOrder::of(&before);
    change(&mut order);
    let after = order.positions();
    store(scope, &before, &after).await?;
    Ok(after)
}

/// Stores the positions that differ, and the version of the order.
async fn store(scope: Scope<'_>, before: &Positions, after: &Positions) -> Result<(), Error> {
    store_groups(scope, before, after).await?;
    store_components(scope, before, after).await?;
    let versioned = organisation::ActiveModel {
        id: Set(scope.organisation.as_str().to_owned()),
        order_version: Set(scope.stamp.revision.0),
        ..Default::default()
    };
    organisation::Entity::update(versioned)
        .run(scope.transaction)
        .await?;
    Ok(())
}

async fn store_groups(
    scope: Scope<'_>,
    before: &Positions,
    after: &Positions,
) -> Result<(), Error> {
    use component_group::{Column, Entity};

    let moved: Vec<_> = after
        .groups
        .iter()
        .filter(|(id, position)| before.groups.get(id) != Some(position))
        .map(|(id, position)| (id.0, *position))
        .collect();
    for rows in batch::of_keys(&moved) {
        let mut update = update_moved(rows, Entity, Column::Id);
        update.value(Column::Position, moved_value("column2"));
        scope.transaction.run_statement(&update).await?;
    }
    Ok(())
}

async fn store_components(
    scope: Scope<'_>,
    before: &Positions,
    after: &Positions,
) -> Result<(), Error> {
    use component::{Column, Entity};

    let mut moved = Vec::new();
    let mut regrouped = Vec::new();
    for (id, place) in &after.components {
        let known = before.components.get(id);
        if known.is_some_and(|known| known.group != place.group) {
            let group = place.group.map(|group| group.0);
            regrouped.push((id.0, place.position, group));
        } else if known.map(|known| known.position) != Some(place.position) {
            moved.push((id.0, place.position));
        }
    }
    for rows in batch::of_keys(&moved) {
        let mut update = update_moved(rows, Entity, Column::Id);
        update.value(Column::Position, moved_value("column2"));
        scope.transaction.run_statement(&update).await?;
    }
    for rows in batch::of_keys(&regrouped) {
        let mut update = update_moved(rows, Entity, Column::Id);
        update
            .value(Column::Position, moved_value("column2"))
            .value(Column::GroupId, moved_value("column3"))
            // Without a new version, a conditional edit of the old state would move the
            // component back.
            .value(Column::Version, scope.stamp.revision.0);
        scope.transaction.run_statement(&update).await?;
    }
    Ok(())
}

/// A new value of a row. Both databases name these columns `column1`, `column2` and so on.
fn moved_value(column: &'static str) -> Expr {
    Expr::col((MOVED, column))
}

/// An update of rows by new values, whose first column has the identifiers of the rows.
fn update_moved<E: EntityTrait>(
    rows: Vec<impl IntoValueTuple>,
    table: E,
    id: E::Column,
) -> UpdateStatement {
    let rows = rows.into_iter().map(IntoValueTuple::into_value_tuple);
    Query::update()
        .table(table)
        .from(TableRef::ValuesList(rows.collect(), MOVED.into_iden()))
        .and_where(Expr::col((table, id)).equals((MOVED, "column1")))
        .take()
}

/// Replaces the order of the page.
pub(crate) async fn replace(scope: Scope<'_>, order: &PageOrder) -> Result<(), Error> {
    let before = positions(scope.transaction, scope.organisation).await?;
    store(scope, &before, &order.positions()).await
}

#[cfg(test)]
mod tests;
