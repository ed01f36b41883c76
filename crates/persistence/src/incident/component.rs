//! The components an incident affects.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use allclear_application::error::Error;
use allclear_application::incident::component::{IncidentComponent, IncidentComponentStore};
use allclear_application::page::{Listed, Page};
use allclear_application::transition::Written;
use allclear_domain::component::Component;
use allclear_domain::event::Event;
use allclear_domain::id::{ComponentId, IncidentId, OrganisationId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::Incident;
use allclear_domain::validation::{FieldError, Invalid};
use async_trait::async_trait;
use sea_orm::sea_query::Query;
use sea_orm::{
    ColumnTrait, DatabaseTransaction, EntityTrait, IntoActiveModel, QueryFilter, QueryOrder,
    QuerySelect, Select,
};
use uuid::Uuid;

use super::find;
use crate::component;
use crate::database::Database;
use crate::entity::component::{Column as ComponentColumn, Entity as ComponentEntity};
use crate::entity::incident_component::{Column, Entity, Model};
use crate::error::broken;
use crate::impact::settle;
use crate::organisation::lock_for_commit;
use crate::outbox;

#[async_trait]
impl IncidentComponentStore for Database {
    async fn attached(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<IncidentComponent>>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                if find(transaction, &organisation, incident).await?.is_none() {
                    return Ok(None);
                }
                let statuses: HashMap<_, _> = links(transaction, incident)
                    .await?
                    .into_iter()
                    .map(|link| (link.component_id, link.status))
                    .collect();
                let these = component::of(&organisation)
                    .filter(ComponentColumn::Id.in_subquery(linked_ids(incident)));
                let Listed { items, next } = part(transaction, these, page).await?;
                let attached = items.into_iter().filter_map(|component| {
                    let status = statuses
                        .get(&component.id.0)?
                        .parse()
                        .map_err(Error::internal);
                    Some(status.map(|status| IncidentComponent { component, status }))
                });
                Ok(Some(Listed {
                    items: attached.collect::<Result<_, Error>>()?,
                    next,
                }))
            })
        })
        .await
    }

    async fn unattached(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<Component>>, Error> {
        let organisation = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                if find(transaction, &organisation, incident).await?.is_none() {
                    return Ok(None);
                }
                let others = ComponentColumn::Id.not_in_subquery(linked_ids(incident));
                part(
                    transaction,
                    component::of(&organisation).filter(others),
                    page,
                )
                .await
                .map(Some)
            })
        })
        .await
    }

    async fn attach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<Attachment>,
    ) -> Result<Option<Written<()>>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(locked) = lock_for_commit(transaction, &organisation, &*clock).await?
                else {
                    return Ok(None);
                };
                let Some(incident) = find(transaction, &organisation, incident).await? else {
                    return Ok(None);
                };
                let known = linked(transaction, incident.id).await?;
                if components
                    .iter()
                    .any(|attachment| known.contains(&attachment.component_id.0))
                {
                    return Err(Error::Conflict(
                        "A component is attached to this incident already".to_owned(),
                    ));
                }
                link(transaction, &organisation, &incident, &components).await?;
                let mut events = vec![Event::IncidentUpdated(incident.id)];
                if incident.holds() {
                    let ids: Vec<_> = components
                        .iter()
                        .map(|attachment| attachment.component_id.0)
                        .collect();
                    let (revision, now) = (locked.next_revision(), locked.stamp.now);
                    events.extend(
                        settle(transaction, &organisation, &ids, incident.id, revision, now)
                            .await?,
                    );
                }
                let commit = outbox::append(transaction, locked, &events).await?;
                Ok(Some(Written {
                    state: (),
                    commit: Some(commit),
                }))
            })
        })
        .await
    }

    async fn detach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<ComponentId>,
    ) -> Result<Option<Written<()>>, Error> {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let Some(locked) = lock_for_commit(transaction, &organisation, &*clock).await?
                else {
                    return Ok(None);
                };
                let Some(incident) = find(transaction, &organisation, incident).await? else {
                    return Ok(None);
                };
                let known = linked(transaction, incident.id).await?;
                let ids: Vec<_> = components.iter().map(|component| component.0).collect();
                all_known(
                    &ids,
                    &known,
                    |index| format!("componentIds[{index}]"),
                    "This component is not attached",
                )?;
                let gone = Entity::delete_many()
                    .filter(Column::IncidentId.eq(incident.id.0))
                    .filter(Column::ComponentId.is_in(ids.iter().copied()));
                gone.exec(transaction).await.map_err(broken)?;
                let mut events = vec![Event::IncidentUpdated(incident.id)];
                if incident.holds() {
                    let (revision, now) = (locked.next_revision(), locked.stamp.now);
                    events.extend(
                        settle(transaction, &organisation, &ids, incident.id, revision, now)
                            .await?,
                    );
                }
                let commit = outbox::append(transaction, locked, &events).await?;
                Ok(Some(Written {
                    state: (),
                    commit: Some(commit),
                }))
            })
        })
        .await
    }
}

/// Links components of the organisation to an incident. [`Error::Invalid`] where one is not the organisation's.
pub(super) async fn link(
    transaction: &DatabaseTransaction,
    organisation: &OrganisationId,
    incident: &Incident,
    components: &[Attachment],
) -> Result<(), Error> {
    if components.is_empty() {
        return Ok(());
    }
    let ids: Vec<_> = components
        .iter()
        .map(|attachment| attachment.component_id.0)
        .collect();
    let known: Vec<Uuid> = component::of(organisation)
        .select_only()
        .column(ComponentColumn::Id)
        .filter(ComponentColumn::Id.is_in(ids.iter().copied()))
        .into_tuple()
        .all(transaction)
        .await
        .map_err(broken)?;
    let field = |index| format!("components[{index}].componentId");
    all_known(&ids, &known, field, "This component does not exist")?;
    let links = components.iter().map(|attachment| {
        let status = attachment.status.as_str().to_owned();
        Model {
            incident_id: incident.id.0,
            component_id: attachment.component_id.0,
            status,
        }
        .into_active_model()
    });
    Entity::insert_many(links)
        .exec_without_returning(transaction)
        .await
        .map_err(broken)?;
    Ok(())
}

/// The components attached to an incident.
pub(super) async fn linked(
    transaction: &DatabaseTransaction,
    incident: IncidentId,
) -> Result<Vec<Uuid>, Error> {
    Ok(links(transaction, incident)
        .await?
        .into_iter()
        .map(|link| link.component_id)
        .collect())
}

/// Refuses identifiers that are not among the known ones, each under its field.
pub(super) fn all_known(
    ids: &[Uuid],
    known: &[Uuid],
    field: impl Fn(usize) -> String,
    message: &str,
) -> Result<(), Error> {
    let known: HashSet<_> = known.iter().collect();
    let mut invalid = Invalid::default();
    for (index, _) in ids.iter().enumerate().filter(|(_, id)| !known.contains(id)) {
        invalid.add(FieldError {
            field: field(index),
            message: message.to_owned(),
        });
    }
    Ok(invalid.into_result()?)
}

async fn links(
    transaction: &DatabaseTransaction,
    incident: IncidentId,
) -> Result<Vec<Model>, Error> {
    Entity::find()
        .filter(Column::IncidentId.eq(incident.0))
        .all(transaction)
        .await
        .map_err(broken)
}

fn linked_ids(incident: IncidentId) -> sea_orm::sea_query::SelectStatement {
    Query::select()
        .column(Column::ComponentId)
        .from(Entity)
        .and_where(Column::IncidentId.eq(incident.0))
        .take()
}

async fn part(
    transaction: &DatabaseTransaction,
    mut components: Select<ComponentEntity>,
    page: Page,
) -> Result<Listed<Component>, Error> {
    if let Some(before) = page.before {
        components = components.filter(ComponentColumn::Id.lt(before));
    }
    let rows = components
        .order_by_desc(ComponentColumn::Id)
        .limit(page.limit.map(|limit| limit + 1));
    let rows = rows.all(transaction).await.map_err(broken)?;
    let components = rows
        .into_iter()
        .map(component::component)
        .collect::<Result<Vec<_>, _>>()?;
    Ok(Listed::cut(components, page, |component| component.id.0))
}
