//! The components attached to an incident or a maintenance as they are when an entry of it is
//! recorded. They are stored as JSON with the entry, because components are renamed, moved and
//! deleted later.
//!
//! The databases make the JSON in the statement that stores the entry. A read of its own would cost
//! a round trip in the most frequent write of an outage.

use allclear_application::error::Error;
use allclear_domain::code::Code;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{IncidentId, IncidentUpdateId, MaintenanceId};
use allclear_domain::incident::{Incident, IncidentStatus};
use allclear_domain::rollup::PublicStatus;
use allclear_domain::statuspage_entry::StatuspageAffectedComponent;
use sea_orm::sea_query::{
    BinOper, CaseStatement, Expr, ExprTrait, Func, Query, SelectStatement, WindowStatement,
};
use sea_orm::{
    ConnectionTrait, DbBackend, EntityTrait, Iterable, JoinType, ModelTrait, Order, QueryTrait,
};
use serde::Deserialize;

use crate::commit::Scope;
use crate::entity::component::{Column, Entity};
use crate::entity::{component_group, incident_component, maintenance_component};
use crate::error::{broken, parse_stored};
use crate::maintenance::component::in_progress;
use crate::statement::RunStatement;

/// Maximum number of components of an entry.
pub(crate) const MAX_SHOWN: u16 = 500;
/// Size limit of the list of an entry, in bytes. It has room for [`MAX_SHOWN`] components whose
/// names have 136 bytes.
pub(crate) const LIST_BYTES: u32 = 100_000;
/// Size of a component in a list without its name, in bytes.
pub(crate) const COMPONENT_BYTES: u16 = 64;

/// Column of an entry: the components before its change.
pub(crate) const BEFORE: &str = "affected_before";
/// Column of an entry: the components after its change, if the change set a status.
pub(crate) const AFTER: &str = "affected_after";

/// The kind of thing that components are attached to.
#[derive(Debug, Clone, Copy)]
pub(crate) enum AttachedTo {
    Incident(IncidentId),
    /// The statuses are those that the incident set, because its components have had others since.
    PastIncident(IncidentId),
    /// The statuses are those without this maintenance.
    Maintenance(MaintenanceId),
}

/// A component in a stored list.
#[derive(Deserialize)]
struct StoredComponent {
    code: String,
    name: String,
    status: String,
}

/// The components that are attached now, as JSON.
pub(crate) fn attached(scope: Scope<'_>, attached_to: AttachedTo) -> Expr {
    let components = components(scope, attached_to);
    let object = |name| {
        ["code", "name", "status"]
            .into_iter()
            .fold(Func::cust(name), |object, key| {
                object.arg(key).arg(Expr::col(("attached", key)))
            })
    };
    let json = if scope.transaction.get_database_backend() == DbBackend::Sqlite {
        Expr::from(Func::cust("json_group_array").arg(object("json_object")))
    } else {
        let array = Func::cust("json_agg").arg(object("json_build_object"));
        Expr::from(array).cast_as("text")
    };
    let list = Query::select()
        .expr(json)
        .from_subquery(components, "attached")
        .and_where(Expr::col(("attached", "bytes")).lte(i64::from(LIST_BYTES)))
        .take();
    Expr::SubQuery(None, Box::new(list.into()))
}

/// The components by age, each with the size of the list up to it.
fn components(scope: Scope<'_>, attached_to: AttachedTo) -> SelectStatement {
    use component_group::{Column as GroupColumn, Entity as GroupEntity};
    let (links, component, parent, id, without) = match attached_to {
        AttachedTo::Incident(id) | AttachedTo::PastIncident(id) => {
            use incident_component::{Column as Link, Entity as Links};
            let parent = Expr::col((Links, Link::IncidentId));
            let component = Expr::col((Links, Link::ComponentId));
            ("incident_components", component, parent, id.0, None)
        }
        AttachedTo::Maintenance(id) => {
            use maintenance_component::{Column as Link, Entity as Links};
            let parent = Expr::col((Links, Link::MaintenanceId));
            let component = Expr::col((Links, Link::ComponentId));
            ("maintenance_components", component, parent, id.0, Some(id))
        }
    };
    let group = Expr::col((GroupEntity, GroupColumn::Name)).binary(BinOper::Custom("||"), " - ");
    let name = Expr::from(Func::coalesce([group, Expr::val("")]))
        .binary(BinOper::Custom("||"), Expr::col((Entity, Column::Name)));
    let status_now = Expr::col((Entity, Column::Status));
    let maintained = in_progress(scope.organisation, scope.stamp.wall_time, without);
    let maintained = maintained.into_query();
    let maintained = status_now
        .clone()
        .eq(ComponentStatus::Operational.to_string())
        .and(Expr::col((Entity, Column::Id)).in_subquery(maintained));
    let status = if let AttachedTo::PastIncident(_) = attached_to {
        Expr::col((
            incident_component::Entity,
            incident_component::Column::Status,
        ))
    } else {
        let under_maintenance: &str = PublicStatus::UnderMaintenance.into();
        let status = CaseStatement::new().case(maintained, under_maintenance);
        status.finally(status_now).into()
    };
    let bytes =
        Expr::from(Func::cust("octet_length").arg(name.clone())).add(i32::from(COMPONENT_BYTES));
    let by_age = WindowStatement::new()
        .order_by((Entity, Column::Id), Order::Asc)
        .take();
    Query::select()
        .column((Entity, Column::Code))
        .expr_as(name, "name")
        .expr_as(status, "status")
        .expr_window_as(Func::sum(bytes), by_age, "bytes")
        .from(links)
        .inner_join(Entity, Expr::col((Entity, Column::Id)).eq(component))
        .join(
            JoinType::LeftJoin,
            GroupEntity,
            Expr::col((GroupEntity, GroupColumn::Id)).equals((Entity, Column::GroupId)),
        )
        .and_where(parent.eq(id))
        .and_where(Expr::col((Entity, Column::DeletedAt)).is_null())
        .order_by((Entity, Column::Id), Order::Asc)
        .limit(u64::from(MAX_SHOWN))
        .take()
}

/// Inserts an update together with the components that are attached now.
pub(crate) async fn insert_update<E>(
    scope: Scope<'_>,
    row: &E::Model,
    attached_to: AttachedTo,
) -> Result<(), Error>
where
    E: EntityTrait,
    E::Model: ModelTrait<Entity = E>,
{
    let values = E::Column::iter().map(|column| Expr::val(row.get(column)));
    let mut insert = Query::insert().into_table(E::default()).take();
    insert.columns(
        E::Column::iter()
            .map(|column| sea_orm::IdenStatic::as_str(&column))
            .chain([BEFORE]),
    );
    insert.values_panic(values.chain([attached(scope, attached_to)]));
    scope.transaction.defer(&insert).await.map_err(broken)
}

/// Stores the components that are attached now in columns of a row.
pub(crate) async fn store(
    scope: Scope<'_>,
    attached_to: AttachedTo,
    table: &'static str,
    columns: &[&'static str],
    row: Expr,
) -> Result<(), Error> {
    let mut update = Query::update().table(table).and_where(row).take();
    for column in columns {
        update.value(*column, attached(scope, attached_to));
    }
    scope.transaction.run_statement(&update).await.map(drop)
}

/// Stores the components of a new incident.
pub(crate) async fn store_for_new_incident(
    scope: Scope<'_>,
    incident: &Incident,
) -> Result<(), Error> {
    let id = incident.id;
    let row = Expr::col("id").eq(id.0);
    store(
        scope,
        AttachedTo::Incident(id),
        "incidents",
        &[BEFORE],
        row.clone(),
    )
    .await?;
    if incident.status == IncidentStatus::Resolved {
        store(
            scope,
            AttachedTo::PastIncident(id),
            "incidents",
            &[AFTER],
            row,
        )
        .await?;
    }
    Ok(())
}

/// An entry of an incident whose change set statuses.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ChangingEntry {
    Description(IncidentId),
    Update(IncidentId, IncidentUpdateId),
}

/// Stores the components of an entry as they are after its change.
pub(crate) async fn store_after(scope: Scope<'_>, entry: ChangingEntry) -> Result<(), Error> {
    let (incident, table, row) = match entry {
        ChangingEntry::Description(incident) => {
            (incident, "incidents", Expr::col("id").eq(incident.0))
        }
        ChangingEntry::Update(incident, update) => {
            let row = Expr::col("incident_id").eq(incident.0);
            let row = row.and(Expr::col("id").eq(update.0));
            (incident, "incident_updates", row)
        }
    };
    store(scope, AttachedTo::Incident(incident), table, &[AFTER], row).await
}

/// Reads a stored list; `None` if there is none or if it is empty.
pub(crate) fn read(
    stored: Option<&str>,
) -> Result<Option<Vec<StatuspageAffectedComponent>>, Error> {
    read_change(stored, None)
}

/// Reads the stored lists of before and after a change; `None` if there are none or if they
/// are empty.
pub(crate) fn read_change(
    before: Option<&str>,
    after: Option<&str>,
) -> Result<Option<Vec<StatuspageAffectedComponent>>, Error> {
    let Some(before) = before else {
        return Ok(None);
    };
    let after = after.map(list).transpose()?.unwrap_or_default();
    let components = list(before)?
        .into_iter()
        .map(|component| {
            let old_status: PublicStatus = parse_stored(&component.status)?;
            let moved = after.iter().find(|moved| moved.code == component.code);
            let code: Code = parse_stored(&component.code)?;
            Ok(StatuspageAffectedComponent {
                code,
                name: component.name,
                old_status,
                new_status: moved.map_or(Ok(old_status), |moved| parse_stored(&moved.status))?,
            })
        })
        .collect::<Result<Vec<_>, Error>>()?;
    Ok(Some(components).filter(|components| !components.is_empty()))
}

fn list(stored: &str) -> Result<Vec<StoredComponent>, Error> {
    serde_json::from_str(stored).map_err(Error::internal)
}
