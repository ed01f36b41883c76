//! What subscribers want updates about.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_domain::id::{ComponentGroupId, ComponentId, IncidentId, OrganisationId};
use allclear_domain::subscriber::{Choice, Scope, ScopeKind, Subscriber};
use allclear_domain::validation::{Invalid, check_known};
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{Alias, Expr, ExprTrait, Func, Query, SelectStatement};
use sea_orm::{
    ActiveValue::Set, ColumnTrait, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter,
    QueryOrder, QuerySelect,
};
use uuid::Uuid;

use crate::audit::NoAuditItem;
use crate::component::existing;
use crate::database::Database;
use crate::entity::subscriber::Model;
use crate::entity::{component, component_group, incident, subscriber_component, subscriber_group};
use crate::error::broken;
use crate::organisation::lock::lock;
use crate::removal::MAX_ROWS;
use crate::statement::{Fetch, Run, RunStatement};
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
    let known = existing(connection, organisation, chosen.iter().copied()).await?;
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
    let known: Vec<Uuid> = crate::component_group::of(organisation)
        .select_only()
        .column(component_group::Column::Id)
        .filter(component_group::Column::Id.is_in(chosen.iter().map(|id| id.0)))
        .into_tuple()
        .fetch_all(connection)
        .await?;
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
        .fetch_one(connection)
        .await?;
    let message = match found {
        None => "Unknown incident",
        Some(resolved_at) if Subscriber::is_followed(resolved_at, now) => return Ok(()),
        Some(_) => "This incident is over",
    };
    Err(Invalid::field("incidentId", message).into())
}

/// Stores the choice of a subscriber, in place of an earlier one.
pub(super) async fn store(transaction: &Transaction, state: &Subscriber) -> Result<(), Error> {
    subscriber_component::Entity::delete_many()
        .filter(subscriber_component::Column::SubscriberId.eq(state.id.0))
        .run(transaction)
        .await?;
    subscriber_group::Entity::delete_many()
        .filter(subscriber_group::Column::SubscriberId.eq(state.id.0))
        .run(transaction)
        .await?;
    insert(transaction, &[state]).await
}

/// Stores the choices of subscribers that have none yet.
pub(super) async fn insert(
    transaction: &Transaction,
    subscribers: &[&Subscriber],
) -> Result<(), Error> {
    use subscriber_component::{ActiveModel as Component, Entity as Components};
    use subscriber_group::{ActiveModel as Group, Entity as Groups};

    let (mut components, mut groups) = (Vec::new(), Vec::new());
    for state in subscribers {
        let Some(choice) = state.scope.choice() else {
            continue;
        };
        components.extend((0..).zip(&choice.components).map(|(place, id)| Component {
            subscriber_id: Set(state.id.0),
            component_id: Set(id.0),
            place: Set(place),
        }));
        groups.extend((0..).zip(&choice.groups).map(|(place, id)| Group {
            subscriber_id: Set(state.id.0),
            group_id: Set(id.0),
            place: Set(place),
        }));
    }
    Components::insert_many(components).run(transaction).await?;
    Groups::insert_many(groups).run(transaction).await?;
    Ok(())
}

/// Maximum number of choices that the deletion of a group adds.
const MAX_ADDED: u64 = 200_000;

impl Database {
    /// Adds the components of a group to the choice of each subscriber of the group, after the
    /// components chosen already. The group is about to be deleted, and a subscriber of this group
    /// alone would receive nothing any more. If it has many subscribers, these components replace
    /// the group. What changes meanwhile is left to the transaction that deletes the group.
    ///
    /// # Errors
    /// [`Error::Conflict`] if there are too many.
    pub(crate) async fn choose_components_of(
        &self,
        organisation: &OrganisationId,
        group: ComponentGroupId,
    ) -> Result<(), Error> {
        use subscriber_group::{Column, Entity};

        let components =
            crate::component::of(organisation).filter(component::Column::GroupId.eq(group.0));
        let components = components.count(self.read()).await.map_err(broken)?;
        let subscribers = Entity::find().filter(Column::GroupId.eq(group.0));
        let number = subscribers
            .clone()
            .count(self.read())
            .await
            .map_err(broken)?;
        if components.saturating_mul(number) > MAX_ADDED {
            let message = "Too many subscribers have chosen this group of many components";
            return Err(Error::Conflict(message.into()));
        }
        let is_replaced = number > MAX_ROWS;
        if components == 0 && !is_replaced {
            return Ok(());
        }
        let mut last = Uuid::nil();
        loop {
            let batch: Vec<Uuid> = subscribers
                .clone()
                .select_only()
                .column(Column::SubscriberId)
                .filter(Column::SubscriberId.gt(last))
                .order_by_asc(Column::SubscriberId)
                .limit(Ord::max(MAX_ROWS / (components + 1), 1))
                .into_tuple()
                .fetch_all(self.read())
                .await?;
            let Some(&end) = batch.last() else {
                return Ok(());
            };
            last = end;
            let (owner, upkeep) = (organisation.clone(), NoAuditItem::Upkeep);
            self.write_unaudited_of(Some(organisation), upkeep, move |transaction| {
                Box::pin(async move {
                    lock(transaction, &owner).await?;
                    add_components_of(transaction, group, Some(batch.clone())).await?;
                    if is_replaced {
                        let replaced = Entity::delete_many()
                            .filter(Column::GroupId.eq(group.0))
                            .filter(Column::SubscriberId.is_in(batch));
                        replaced.run(transaction).await?;
                    }
                    Ok(())
                })
            })
            .await?;
        }
    }
}

/// Adds the components of a group to the choices of those subscribers of the group, or of all of
/// them for `None`. The caller holds the organisation's lock.
pub(crate) async fn add_components_of(
    transaction: &Transaction,
    group: ComponentGroupId,
    subscribers: Option<Vec<Uuid>>,
) -> Result<(), Error> {
    use subscriber_component::{Column, Entity};

    let mut insert = Query::insert()
        .into_table(Entity)
        .columns([Column::SubscriberId, Column::ComponentId, Column::Place])
        .take();
    insert
        .select_from(components_for_subscribers_of(group, subscribers))
        .map_err(Error::internal)?;
    transaction.run_statement(&insert).await?;
    Ok(())
}

/// Subscribers of a group with each component of the group that they have not chosen, and its place
/// in their choice.
fn components_for_subscribers_of(
    group: ComponentGroupId,
    subscribers: Option<Vec<Uuid>>,
) -> SelectStatement {
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
    let chosen = Query::select()
        .expr(Expr::val(1))
        .from(ChosenComponents)
        .and_where(
            Expr::col((ChosenComponents, Chosen::SubscriberId))
                .equals((ChosenGroups, ByGroup::SubscriberId)),
        )
        .and_where(Expr::col((ChosenComponents, Chosen::ComponentId)).equals((Components, Of::Id)))
        .take();
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
        .and_where_option(
            subscribers.map(|these| Expr::col((ChosenGroups, ByGroup::SubscriberId)).is_in(these)),
        )
        .and_where(Expr::exists(chosen).not())
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
        .fetch_all(connection)
        .await?;
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
        .fetch_all(connection)
        .await?;
    for (subscriber, group) in groups {
        let choice = choices.entry(subscriber).or_default();
        choice.groups.push(ComponentGroupId(group));
    }
    Ok(choices)
}
