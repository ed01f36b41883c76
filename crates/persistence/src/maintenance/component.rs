//! The components that maintenances affect.

use std::collections::{BTreeSet, HashMap, HashSet};

use allclear_application::component::ComponentReport;
use allclear_application::error::Error;
use allclear_application::status_page::incident::ComponentName;
use allclear_application::status_page::maintenance::MaintenanceComponent;
use allclear_domain::component::Component;
use allclear_domain::event::Event;
use allclear_domain::id::{ComponentId, MaintenanceId, OrganisationId};
use allclear_domain::validation::check_known;
use chrono::{DateTime, Utc};
use sea_orm::sea_query::{CaseStatement, Expr, ExprTrait, Query, SelectStatement};
use sea_orm::{
    ColumnTrait, ConnectionTrait, EntityTrait, FromQueryResult, IntoActiveModel, JoinType, Order,
    QueryFilter, QueryOrder, QuerySelect, Select,
};
use uuid::Uuid;

use super::public::not_over;
use crate::batch;
use crate::commit::Scope;
use crate::component;
use crate::entity::component::{Column as ComponentColumn, Entity as ComponentEntity};
use crate::entity::maintenance;
use crate::entity::maintenance_component::{Column, Entity, Model};
use crate::error::broken;
use crate::statement::{Fetch, Run, RunStatement};
use crate::transaction::Transaction;

/// The components of an organisation that are under maintenance at a time.
#[derive(Default)]
pub(crate) struct UnderMaintenance(HashSet<Uuid>);

impl UnderMaintenance {
    pub(crate) async fn read(
        connection: &impl ConnectionTrait,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Self, Error> {
        let affected = in_progress(organisation, now, None).distinct();
        let affected: Vec<Uuid> = affected.into_tuple().fetch_all(connection).await?;
        Ok(Self(affected.into_iter().collect()))
    }

    pub(crate) fn has(&self, component: Uuid) -> bool {
        self.0.contains(&component)
    }

    pub(crate) fn report(&self, component: Component) -> ComponentReport {
        ComponentReport {
            under_maintenance: self.has(component.id.0),
            component,
        }
    }
}

/// The components of all maintenances in progress, `without` one of them. Many others may be
/// scheduled: their components are not read.
pub(crate) fn in_progress(
    organisation: &OrganisationId,
    now: DateTime<Utc>,
    without: Option<MaintenanceId>,
) -> Select<maintenance::Entity> {
    let link = maintenance::Entity::belongs_to(Entity)
        .from(maintenance::Column::Id)
        .to(Column::MaintenanceId);
    // As a plain condition, databases would search the index of starts and read every past
    // maintenance.
    let has_begun = Expr::col((maintenance::Entity, maintenance::Column::StartAt)).lte(now);
    let has_begun = CaseStatement::new().case(has_begun, 1).finally(0);
    let all = not_over(organisation, now)
        .filter(maintenance::Column::CancelledAt.is_null())
        .filter(Expr::Case(Box::new(has_begun)).eq(1))
        .join(JoinType::InnerJoin, link.into())
        .select_only()
        .column(Column::ComponentId);
    match without {
        Some(id) => all.filter(maintenance::Column::Id.ne(id.0)),
        None => all,
    }
}

/// The components that a maintenance affects, the oldest first, also deleted ones.
pub(super) async fn of(
    transaction: &Transaction,
    maintenance: MaintenanceId,
) -> Result<Vec<ComponentId>, Error> {
    let mut affected = of_each(transaction, &[maintenance.0]).await?;
    Ok(affected.remove(&maintenance.0).unwrap_or_default())
}

/// [`of`] for several maintenances.
pub(super) async fn of_each(
    transaction: &Transaction,
    maintenances: &[Uuid],
) -> Result<HashMap<Uuid, Vec<ComponentId>>, Error> {
    let rows = Entity::find()
        .filter(Column::MaintenanceId.is_in(maintenances.iter().copied()))
        .order_by_asc(Column::ComponentId)
        .fetch_all(transaction)
        .await?;
    let mut affected: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows {
        affected
            .entry(row.maintenance_id)
            .or_default()
            .push(ComponentId(row.component_id));
    }
    Ok(affected)
}

/// Stores which components a maintenance affects, after `before`. [`Error::Invalid`] if one of the
/// others is not the organisation's.
pub(super) async fn replace(
    scope: Scope<'_>,
    id: MaintenanceId,
    before: &[ComponentId],
    after: &[ComponentId],
) -> Result<(), Error> {
    let (was, is): (BTreeSet<_>, BTreeSet<_>) = (before.iter().collect(), after.iter().collect());
    let (added, removed): (Vec<_>, Vec<_>) = (
        is.difference(&was).map(|id| **id).collect(),
        was.difference(&is).map(|id| id.0).collect(),
    );
    if !added.is_empty() {
        let (transaction, organisation) = (scope.transaction, scope.organisation);
        let found = component::existing(transaction, organisation, added.iter().copied()).await?;
        let known = [before, &found].concat();
        let field = |index| format!("components[{index}]");
        check_known(after, &known, field, "This component does not exist")?;
    }
    for components in batch::of_rows(&added) {
        let rows = components.iter().map(|component| {
            let row = Model {
                maintenance_id: id.0,
                component_id: component.0,
            };
            row.into_active_model()
        });
        Entity::insert_many(rows).run(scope.transaction).await?;
    }
    for ids in batch::of_keys(&removed) {
        Entity::delete_many()
            .filter(Column::MaintenanceId.eq(id.0))
            .filter(Column::ComponentId.is_in(ids))
            .run(scope.transaction)
            .await?;
    }
    Ok(())
}

/// The events of components whose maintenances began or ended, the oldest component first. Deleted
/// components have none.
pub(crate) async fn events(
    scope: Scope<'_>,
    components: Vec<ComponentId>,
) -> Result<Vec<Event>, Error> {
    if components.is_empty() {
        return Ok(Vec::new());
    }
    let existing = component::existing(scope.transaction, scope.organisation, components).await?;
    Ok(existing.into_iter().map(Event::ComponentUpdate).collect())
}

#[derive(FromQueryResult)]
struct Link {
    maintenance_id: Uuid,
    component_id: Uuid,
    name: String,
}

/// The components that a maintenance affects, with their names, newest component first.
pub(crate) async fn with_names_of(
    connection: &impl ConnectionTrait,
    maintenance: MaintenanceId,
) -> Result<Vec<MaintenanceComponent>, Error> {
    let mut affected = with_names(connection, &[maintenance.0]).await?;
    Ok(affected.remove(&maintenance.0).unwrap_or_default())
}

/// [`with_names_of`] for several maintenances.
pub(super) async fn with_names(
    connection: &impl ConnectionTrait,
    maintenances: &[Uuid],
) -> Result<HashMap<Uuid, Vec<MaintenanceComponent>>, Error> {
    let rows = connection.fetch_rows(&links(maintenances)).await?;
    let mut affected: HashMap<_, Vec<_>> = HashMap::new();
    for row in rows {
        let link = Link::from_query_result(&row, "").map_err(broken)?;
        let component_id = link.component_id.to_string();
        let component = ComponentName {
            id: component_id.clone(),
            code: ComponentId(link.component_id).code().to_string(),
            name: link.name,
        };
        affected
            .entry(link.maintenance_id)
            .or_default()
            .push(MaintenanceComponent {
                component_id,
                component,
            });
    }
    Ok(affected)
}

pub(super) fn links(maintenances: &[Uuid]) -> SelectStatement {
    Query::select()
        .columns([Column::MaintenanceId, Column::ComponentId].map(|column| (Entity, column)))
        .column((ComponentEntity, ComponentColumn::Name))
        .from(Entity)
        .inner_join(
            ComponentEntity,
            Expr::col((ComponentEntity, ComponentColumn::Id)).equals((Entity, Column::ComponentId)),
        )
        .and_where(Expr::col((Entity, Column::MaintenanceId)).is_in(maintenances.iter().copied()))
        .order_by((Entity, Column::ComponentId), Order::Desc)
        .take()
}
