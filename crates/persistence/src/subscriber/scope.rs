//! What subscribers want updates about.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_domain::id::{ComponentGroupId, ComponentId, IncidentId, OrganisationId};
use allclear_domain::subscriber::{Choice, Scope, ScopeKind, Subscriber};
use allclear_domain::validation::{Invalid, check_known};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Func, OnConflict, Query, SelectStatement};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryOrder,
    QuerySelect,
};
use uuid::Uuid;

use crate::entity::subscriber::Model;
use crate::entity::{component, component_group, incident, subscriber_component, subscriber_group};
use crate::error::broken;
use crate::transaction::Transaction;

/// Fails if a scope names something that the organisation does not have.
pub(super) async fn check(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    scope: &Scope,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    match scope {
        Scope::All => Ok(()),
        Scope::Components(choice) => {
            check_components(connection, organisation, &choice.components).await?;
            check_groups(connection, organisation, &choice.groups).await
        }
        Scope::Incident(incident) => check_incident(connection, organisation, *incident, now).await,
    }
}

async fn check_components(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    chosen: &[ComponentId],
) -> Result<(), Error> {
    if chosen.is_empty() {
        return Ok(());
    }
    let known: Vec<Uuid> = component::Entity::find()
        .select_only()
        .column(component::Column::Id)
        .filter(component::Column::OrganisationId.eq(organisation.as_str()))
        .filter(component::Column::DeletedAt.is_null())
        .filter(component::Column::Id.is_in(chosen.iter().map(|id| id.0)))
        .into_tuple()
        .all(connection)
        .await
        .map_err(broken)?;
    let known: Vec<_> = known.into_iter().map(ComponentId).collect();
    let field = |place| format!("components[{place}]");
    Ok(check_known(chosen, &known, field, "Unknown component")?)
}

async fn check_groups(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    chosen: &[ComponentGroupId],
) -> Result<(), Error> {
    if chosen.is_empty() {
        return Ok(());
    }
    let known: Vec<Uuid> = component_group::Entity::find()
        .select_only()
        .column(component_group::Column::Id)
        .filter(component_group::Column::OrganisationId.eq(organisation.as_str()))
        .filter(component_group::Column::Id.is_in(chosen.iter().map(|id| id.0)))
        .into_tuple()
        .all(connection)
        .await
        .map_err(broken)?;
    let known: Vec<_> = known.into_iter().map(ComponentGroupId).collect();
    let field = |place| format!("groups[{place}]");
    Ok(check_known(chosen, &known, field, "Unknown group")?)
}

async fn check_incident(
    connection: &impl ConnectionTrait,
    organisation: &OrganisationId,
    followed: IncidentId,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let found: Option<Option<DateTime<Utc>>> = incident::Entity::find_by_id(followed.0)
        .select_only()
        .column(incident::Column::ResolvedAt)
        .filter(incident::Column::OrganisationId.eq(organisation.as_str()))
        .into_tuple()
        .one(connection)
        .await
        .map_err(broken)?;
    let message = match found {
        None => "Unknown incident",
        Some(Some(resolved_at)) if now >= resolved_at + Subscriber::FOLLOWED_FOR => {
            "This incident is over"
        }
        Some(_) => return Ok(()),
    };
    Err(Invalid::field("incidentId", message).into())
}

/// Stores the choice of a subscriber, in place of an earlier one.
pub(super) async fn store(transaction: &Transaction, state: &Subscriber) -> Result<(), Error> {
    use subscriber_component::{ActiveModel as Component, Entity as Components};
    use subscriber_group::{ActiveModel as Group, Entity as Groups};

    Components::delete_many()
        .filter(subscriber_component::Column::SubscriberId.eq(state.id.0))
        .exec(transaction)
        .await
        .map_err(broken)?;
    Groups::delete_many()
        .filter(subscriber_group::Column::SubscriberId.eq(state.id.0))
        .exec(transaction)
        .await
        .map_err(broken)?;
    let Some(Choice { components, groups }) = state.scope.choice() else {
        return Ok(());
    };
    let components = (0..).zip(components).map(|(place, component)| Component {
        subscriber_id: Set(state.id.0),
        component_id: Set(component.0),
        place: Set(place),
    });
    Components::insert_many(components)
        .exec_without_returning(transaction)
        .await
        .map_err(broken)?;
    let groups = (0..).zip(groups).map(|(place, group)| Group {
        subscriber_id: Set(state.id.0),
        group_id: Set(group.0),
        place: Set(place),
    });
    Groups::insert_many(groups)
        .exec_without_returning(transaction)
        .await
        .map_err(broken)?;
    Ok(())
}

/// Adds the components of a group to the choice of each subscriber of the group, after the components chosen already. The group
/// is about to be deleted, and a subscriber of this group alone would receive nothing any more.
pub(crate) async fn choose_components_of(
    transaction: &Transaction,
    group: ComponentGroupId,
) -> Result<(), Error> {
    use subscriber_component::{Column, Entity};

    let known = OnConflict::columns([Column::SubscriberId, Column::ComponentId])
        .do_nothing()
        .to_owned();
    let mut insert = Query::insert()
        .into_table(Entity)
        .columns([Column::SubscriberId, Column::ComponentId, Column::Place])
        .on_conflict(known)
        .take();
    insert
        .select_from(components_for_subscribers_of(group))
        .map_err(Error::internal)?;
    transaction.execute(&insert).await.map_err(broken)?;
    Ok(())
}

/// Each subscriber of a group with each component of the group, and the component's place in the subscriber's choice.
fn components_for_subscribers_of(group: ComponentGroupId) -> SelectStatement {
    use component::{Column as Of, Entity as Components};
    use subscriber_component::{Column as Chosen, Entity as ChosenComponents};
    use subscriber_group::{Column as ByGroup, Entity as ChosenGroups};

    let present = Alias::new("present");
    let last_place = Query::select()
        .expr(Func::max(Expr::col((present.clone(), Chosen::Place))))
        .from_as(ChosenComponents, present.clone())
        .and_where(
            Expr::col((present, Chosen::SubscriberId))
                .equals((ChosenGroups, ByGroup::SubscriberId)),
        )
        .take();
    // Places begin at 0, positions at 1.
    let last_place = Func::coalesce([Expr::from(last_place), Expr::val(-1)]);
    Query::select()
        .column((ChosenGroups, ByGroup::SubscriberId))
        .column((Components, Of::Id))
        .expr(Expr::from(last_place).add(Expr::col((Components, Of::Position))))
        .from(ChosenGroups)
        .inner_join(
            Components,
            Expr::col((Components, Of::GroupId)).equals((ChosenGroups, ByGroup::GroupId)),
        )
        .and_where(Expr::col((ChosenGroups, ByGroup::GroupId)).eq(group.0))
        .and_where(Expr::col((Components, Of::DeletedAt)).is_null())
        .take()
}

/// The choices of subscribers, without deleted components.
pub(super) async fn choices(
    connection: &impl ConnectionTrait,
    rows: &[Model],
) -> Result<HashMap<Uuid, Choice>, Error> {
    let chose = ScopeKind::Components.to_string();
    let ids: Vec<Uuid> = rows
        .iter()
        .filter(|row| row.scope == chose)
        .map(|row| row.id)
        .collect();
    let mut choices: HashMap<Uuid, Choice> = HashMap::new();
    if ids.is_empty() {
        return Ok(choices);
    }
    let present = Query::select()
        .expr(Expr::val(1))
        .from(component::Entity)
        .and_where(
            Expr::col((component::Entity, component::Column::Id)).equals((
                subscriber_component::Entity,
                subscriber_component::Column::ComponentId,
            )),
        )
        .and_where(component::Column::DeletedAt.is_null())
        .take();
    let components: Vec<(Uuid, Uuid)> = subscriber_component::Entity::find()
        .select_only()
        .columns([
            subscriber_component::Column::SubscriberId,
            subscriber_component::Column::ComponentId,
        ])
        .filter(Expr::exists(present))
        .filter(subscriber_component::Column::SubscriberId.is_in(ids.clone()))
        .order_by_asc(subscriber_component::Column::Place)
        .into_tuple()
        .all(connection)
        .await
        .map_err(broken)?;
    for (subscriber, component) in components {
        let choice = choices.entry(subscriber).or_default();
        choice.components.push(ComponentId(component));
    }
    let groups: Vec<(Uuid, Uuid)> = subscriber_group::Entity::find()
        .select_only()
        .columns([
            subscriber_group::Column::SubscriberId,
            subscriber_group::Column::GroupId,
        ])
        .filter(subscriber_group::Column::SubscriberId.is_in(ids))
        .order_by_asc(subscriber_group::Column::Place)
        .into_tuple()
        .all(connection)
        .await
        .map_err(broken)?;
    for (subscriber, group) in groups {
        let choice = choices.entry(subscriber).or_default();
        choice.groups.push(ComponentGroupId(group));
    }
    Ok(choices)
}
