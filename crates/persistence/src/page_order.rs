//! The order of the page, stored as the positions of groups and components.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_domain::id::{ComponentGroupId, ComponentId, OrganisationId};
use allclear_domain::page_order::{ComponentPlace, PageOrder, Positions};
use sea_orm::sea_query::{Expr, ExprTrait, IntoIden, IntoValueTuple, Query, TableRef};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
};
use uuid::Uuid;

use crate::commit::Scope;
use crate::entity::{component, component_group, organisation};
use crate::statement::{Fetch, Run, RunStatement};

/// Maximum number of rows that one statement changes: databases limit its variables.
const ROWS_AT_ONCE: usize = 1_000;

/// The order of an organisation's page.
pub(crate) async fn load(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
) -> Result<PageOrder, Error> {
    Ok(PageOrder::of(&positions(connection, organisation).await?))
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
    store_positions(scope, Entity, (Column::Id, Column::Position), &moved).await
}

async fn store_components(
    scope: Scope<'_>,
    before: &Positions,
    after: &Positions,
) -> Result<(), Error> {
    use component::{Column, Entity};

    let mut moved = Vec::new();
    let mut regrouped: HashMap<_, Vec<Uuid>> = HashMap::new();
    for (id, place) in &after.components {
        let known = before.components.get(id);
        if known.is_some_and(|known| known.group != place.group) {
            regrouped.entry(place.group).or_default().push(id.0);
        }
        if known.map(|known| known.position) != Some(place.position) {
            moved.push((id.0, place.position));
        }
    }
    let columns = (Column::Id, Column::Position);
    store_positions(scope, Entity, columns, &moved).await?;
    for (group, ids) in regrouped {
        for ids in ids.chunks(ROWS_AT_ONCE) {
            Entity::update_many()
                .col_expr(Column::GroupId, Expr::val(group.map(|group| group.0)))
                // Without a new version, a conditional edit of the old state would move the component back.
                .col_expr(Column::Version, Expr::val(scope.stamp.revision.0))
                .filter(Column::Id.is_in(ids.iter().copied()))
                .run(scope.transaction)
                .await?;
        }
    }
    Ok(())
}

/// Stores positions of rows by their identifiers.
async fn store_positions<E: EntityTrait>(
    scope: Scope<'_>,
    table: E,
    (id, position): (E::Column, E::Column),
    moved: &[(Uuid, i32)],
) -> Result<(), Error> {
    const MOVED: &str = "moved";
    for rows in moved.chunks(ROWS_AT_ONCE) {
        let rows = rows.iter().map(|row| row.into_value_tuple()).collect();
        // Both databases name these columns `column1` and `column2`.
        let update = Query::update()
            .table(table)
            .value(position, Expr::col((MOVED, "column2")))
            .from(TableRef::ValuesList(rows, MOVED.into_iden()))
            .and_where(Expr::col((table, id)).equals((MOVED, "column1")))
            .take();
        scope.transaction.run_statement(&update).await?;
    }
    Ok(())
}

/// Replaces the order of the page.
pub(crate) async fn replace(scope: Scope<'_>, order: &PageOrder) -> Result<(), Error> {
    let before = positions(scope.transaction, scope.organisation).await?;
    store(scope, &before, &order.positions()).await
}

#[cfg(test)]
mod tests;
