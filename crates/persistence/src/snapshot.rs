//! The public page of an organisation.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::public::size::{Budget, PAGE_BYTES};
use allclear_application::public::{PublicComponent, PublicOrganisation, Snapshot, SnapshotStore};
use allclear_domain::component::Component;
use allclear_domain::id::OrganisationId;
use allclear_domain::status_period::StatusSpan;
use allclear_domain::time_zone::TimeZone;
use allclear_domain::uptime::{DateRange, UptimeWindow};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{EntityTrait, QueryOrder};
use uuid::Uuid;

use crate::component::{self, history};
use crate::database::Database;
use crate::entity;
use crate::error::{broken, parse_stored};
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
                let time_zone: TimeZone = parse_stored(&organisation.time_zone)?;
                let range = DateRange::of_bars(time_zone.date_of(now));
                let window = UptimeWindow::new(range, time_zone, now);
                let spans =
                    history::spans_by_component(transaction, &id, window.start_at()).await?;
                Ok(Some(Snapshot {
                    organisation: PublicOrganisation {
                        id: organisation.id,
                        code: organisation.code,
                        name: organisation.name,
                        time_zone,
                    },
                    banner: Snapshot::banner(&components),
                    components: shown(&components, &window, &spans)?,
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
fn shown(
    components: &[Component],
    window: &UptimeWindow,
    spans: &HashMap<Uuid, Vec<StatusSpan>>,
) -> Result<Vec<PublicComponent>, Error> {
    let mut budget = Budget::new(PAGE_BYTES);
    components
        .iter()
        .map(|component| {
            let spans = spans.get(&component.id.0).map_or(&[][..], Vec::as_slice);
            budget.show_component(PublicComponent::new(component, window, spans))
        })
        .collect()
}
