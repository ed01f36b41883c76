//! The public page of an organisation.

use allclear_application::error::Error;
use allclear_application::public::size::{Budget, PAGE_BYTES};
use allclear_application::public::{PublicComponent, PublicOrganisation, Snapshot, SnapshotStore};
use allclear_domain::component::Component;
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{EntityTrait, QueryOrder};

use crate::component;
use crate::database::Database;
use crate::entity;
use crate::error::broken;
use crate::incident;
use crate::maintenance;

#[async_trait]
impl SnapshotStore for Database {
    async fn snapshot(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<Snapshot>, Error> {
        let id = organisation.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let organisation = entity::organisation::Entity::find_by_id(id.as_str());
                let Some(organisation) = organisation.one(transaction).await.map_err(broken)?
                else {
                    return Ok(None);
                };
                let rows = component::of(&id)
                    .order_by_desc(entity::component::Column::Id)
                    .all(transaction);
                let rows = rows.await.map_err(broken)?;
                let components = rows
                    .into_iter()
                    .map(component::component)
                    .collect::<Result<Vec<_>, _>>()?;
                Ok(Some(Snapshot {
                    organisation: PublicOrganisation {
                        id: organisation.id,
                        code: organisation.code,
                        name: organisation.name,
                    },
                    banner: Snapshot::banner(&components),
                    components: shown(&components)?,
                    incidents: incident::public::shown(transaction, &id, now).await?,
                    maintenances: maintenance::public::shown(transaction, &id, now).await?,
                    revision: organisation.revision,
                    generated_at: now,
                }))
            })
        })
        .await
    }
}

/// The components, with their descriptions within the page's size limit.
fn shown(components: &[Component]) -> Result<Vec<PublicComponent>, Error> {
    let mut budget = Budget::new(PAGE_BYTES);
    components
        .iter()
        .map(|component| budget.show_component(PublicComponent::from(component)))
        .collect()
}
