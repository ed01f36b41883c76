//! The components attached to an incident.

use std::collections::{BTreeMap, HashMap};

use allclear_application::error::Error;
use allclear_application::incident::component::IncidentComponent;
use allclear_application::page::{Listed, Page};
use allclear_domain::component::{Component, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId, OrganisationId};
use allclear_domain::impact::{Attachment, IncidentAndAttached};
use allclear_domain::validation::check_known;
use sea_orm::sea_query::{Expr, Query, SelectStatement};
use sea_orm::{ColumnTrait, EntityTrait, IntoActiveModel, QueryFilter, Select};

use super::find;
use crate::batch;
use crate::commit::Scope;
use crate::component;
use crate::entity::component::{Column as ComponentColumn, Entity as ComponentEntity};
use crate::entity::incident_component::{Column, Entity, Model};
use crate::error::parse_stored;
use crate::page;
use crate::statement::{Fetch, Run};
use crate::transaction::Transaction;

pub(super) async fn list_attached(
    transaction: &Transaction,
    organisation: OrganisationId,
    incident: IncidentId,
    page: Page,
) -> Result<Listed<IncidentComponent>, Error> {
    let statuses: HashMap<_, _> = attachments(transaction, incident)
        .await?
        .into_iter()
        .map(|row| (row.component_id, row.status))
        .collect();
    let these = component::of(&organisation)
        .filter(ComponentColumn::Id.in_subquery(attached_ids(incident)));
    let Listed { items, next } = list(transaction, these, page).await?;
    let attached = items.into_iter().filter_map(|component| {
        let status = parse_stored(statuses.get(&component.id.0)?);
        Some(status.map(|status| IncidentComponent { component, status }))
    });
    Ok(Listed {
        items: attached.collect::<Result<_, Error>>()?,
        next,
    })
}

pub(super) async fn list_unattached(
    transaction: &Transaction,
    organisation: OrganisationId,
    incident: IncidentId,
    page: Page,
) -> Result<Listed<Component>, Error> {
    let others = ComponentColumn::Id.not_in_subquery(attached_ids(incident));
    let others = component::of(&organisation).filter(others);
    list(transaction, others, page).await
}

/// An incident of the organisation with the components attached to it.
pub(super) async fn find_attached(
    scope: Scope<'_>,
    id: IncidentId,
) -> Result<Option<IncidentAndAttached>, Error> {
    let Some(incident) = find(scope.transaction, scope.organisation, id).await? else {
        return Ok(None);
    };
    let attached = attached(scope.transaction, id).await?;
    Ok(Some(IncidentAndAttached { incident, attached }))
}

/// Attaches components to an incident. [`Error::Invalid`] if one of them is not the organisation's.
pub(super) async fn insert(
    scope: Scope<'_>,
    incident: IncidentId,
    components: &[Attachment],
) -> Result<(), Error> {
    if components.is_empty() {
        return Ok(());
    }
    let ids: Vec<_> = components
        .iter()
        .map(|attachment| attachment.component_id)
        .collect();
    let (transaction, organisation) = (scope.transaction, scope.organisation);
    let known = component::existing(transaction, organisation, ids.iter().copied()).await?;
    let field = |index| format!("components[{index}].componentId");
    check_known(&ids, &known, field, "This component does not exist")?;
    for attachments in batch::of_rows(components) {
        let rows = attachments.iter().map(|attachment| {
            let row = Model {
                incident_id: incident.0,
                component_id: attachment.component_id.0,
                status: attachment.status.to_string(),
            };
            row.into_active_model()
        });
        Entity::insert_many(rows).run(scope.transaction).await?;
    }
    Ok(())
}

/// Stores the impacts on components that are attached to an incident.
pub(super) async fn update(
    scope: Scope<'_>,
    incident: IncidentId,
    components: &[Attachment],
) -> Result<(), Error> {
    let mut by_status: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for attachment in components {
        let components = by_status.entry(attachment.status).or_default();
        components.push(attachment.component_id.0);
    }
    for (status, components) in by_status {
        for ids in batch::of_keys(&components) {
            Entity::update_many()
                .col_expr(Column::Status, Expr::value(status.to_string()))
                .filter(Column::IncidentId.eq(incident.0))
                .filter(Column::ComponentId.is_in(ids))
                .run(scope.transaction)
                .await?;
        }
    }
    Ok(())
}

/// Detaches components from an incident.
pub(super) async fn delete(
    scope: Scope<'_>,
    incident: IncidentId,
    components: &[ComponentId],
) -> Result<(), Error> {
    for ids in batch::of_keys(components) {
        Entity::delete_many()
            .filter(Column::IncidentId.eq(incident.0))
            .filter(Column::ComponentId.is_in(ids.into_iter().map(|id| id.0)))
            .run(scope.transaction)
            .await?;
    }
    Ok(())
}

/// The components attached to an incident.
pub(crate) async fn attached(
    transaction: &Transaction,
    incident: IncidentId,
) -> Result<Vec<ComponentId>, Error> {
    let rows = attachments(transaction, incident).await?;
    Ok(rows
        .into_iter()
        .map(|row| ComponentId(row.component_id))
        .collect())
}

/// The components attached to an incident, with the impact on each.
pub(crate) async fn impacts(
    transaction: &Transaction,
    incident: IncidentId,
) -> Result<Vec<(ComponentId, ComponentStatus)>, Error> {
    let rows = attachments(transaction, incident).await?;
    rows.into_iter()
        .map(|row| Ok((ComponentId(row.component_id), parse_stored(&row.status)?)))
        .collect()
}

async fn attachments(transaction: &Transaction, incident: IncidentId) -> Result<Vec<Model>, Error> {
    Entity::find()
        .filter(Column::IncidentId.eq(incident.0))
        .fetch_all(transaction)
        .await
}

fn attached_ids(incident: IncidentId) -> SelectStatement {
    Query::select()
        .column(Column::ComponentId)
        .from(Entity)
        .and_where(Column::IncidentId.eq(incident.0))
        .take()
}

async fn list(
    transaction: &Transaction,
    components: Select<ComponentEntity>,
    page: Page,
) -> Result<Listed<Component>, Error> {
    page::read(transaction, components, page, ComponentColumn::Id, |row| {
        row.id
    })
    .await?
    .try_map(Component::try_from)
}
