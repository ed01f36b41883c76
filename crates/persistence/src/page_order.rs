//! The order of the page, stored as the positions of groups and components.

use allclear_application::error::Error;
use allclear_domain::id::{ComponentGroupId, ComponentId, OrganisationId};
use allclear_domain::page_order::{ComponentPlace, PageOrder, Positions};
use sea_orm::sea_query::{CaseStatement, Expr, IntoColumnRef};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QuerySelect,
};
use uuid::Uuid;

use crate::commit::Scope;
use crate::entity::{component, component_group, organisation};
use crate::run::{Fetch, Run};

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

    let moved = after
        .groups
        .iter()
        .filter(|(id, position)| before.groups.get(id) != Some(position));
    let (mut ids, mut position) = (Vec::new(), CaseStatement::new());
    for (id, new) in moved {
        ids.push(id.0);
        position = position.case(Column::Id.eq(id.0), *new);
    }
    if ids.is_empty() {
        return Ok(());
    }
    Entity::update_many()
        .col_expr(Column::Position, or_unchanged(position, Column::Position))
        .filter(Column::Id.is_in(ids))
        .run(scope.transaction)
        .await?;
    Ok(())
}

async fn store_components(
    scope: Scope<'_>,
    before: &Positions,
    after: &Positions,
) -> Result<(), Error> {
    use component::{Column, Entity};

    let moved = after
        .components
        .iter()
        .filter(|(id, place)| before.components.get(id) != Some(place));
    let (mut ids, mut position) = (Vec::new(), CaseStatement::new());
    let (mut group, mut version) = (CaseStatement::new(), CaseStatement::new());
    for (id, place) in moved {
        ids.push(id.0);
        let known = before.components.get(id);
        let is_regrouped = known.is_some_and(|known| known.group != place.group);
        // Without a new version, a conditional edit of the old state would move the component back.
        let next: Expr = if is_regrouped {
            Expr::val(scope.stamp.revision.0)
        } else {
            Expr::col(Column::Version)
        };
        let is_this = Column::Id.eq(id.0);
        version = version.case(is_this.clone(), next);
        position = position.case(is_this.clone(), place.position);
        group = group.case(is_this, place.group.map(|group| group.0));
    }
    if ids.is_empty() {
        return Ok(());
    }
    Entity::update_many()
        .col_expr(Column::Position, or_unchanged(position, Column::Position))
        .col_expr(Column::GroupId, or_unchanged(group, Column::GroupId))
        .col_expr(Column::Version, or_unchanged(version, Column::Version))
        .filter(Column::Id.is_in(ids))
        .run(scope.transaction)
        .await?;
    Ok(())
}

/// The value of the case that holds, or else the column's.
fn or_unchanged(cases: CaseStatement, column: impl IntoColumnRef) -> Expr {
    cases.finally(Expr::col(column)).into()
}

/// Replaces the order of the page.
pub(crate) async fn replace(scope: Scope<'_>, order: &PageOrder) -> Result<(), Error> {
    let before = positions(scope.transaction, scope.organisation).await?;
    store(scope, &before, &order.positions()).await
}
