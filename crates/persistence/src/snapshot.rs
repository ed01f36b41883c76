//! The public page of an organisation.

use std::collections::HashMap;

use allclear_application::component_group::ComponentGroupReport;
use allclear_application::error::Error;
use allclear_application::public::component_group::PublicComponentGroup;
use allclear_application::public::size::{Budget, PAGE_BYTES};
use allclear_application::public::{PublicComponent, PublicOrganisation, Snapshot, SnapshotStore};
use allclear_domain::component::Component;
use allclear_domain::id::OrganisationId;
use allclear_domain::status_period::StatusSpan;
use allclear_domain::uptime::{DateRange, UptimeWindow};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::{EntityTrait, QueryOrder};
use uuid::Uuid;

use crate::component::{self, history};
use crate::component_group;
use crate::database::Database;
use crate::entity;
use crate::error::broken;
use crate::incident;
use crate::maintenance;
use crate::organisation;

#[async_trait]
impl SnapshotStore for Database {
    async fn snapshot(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<Snapshot>, Error> {
        let id = organisation.clone();
        let url = self.links.status_page(organisation);
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let organisation = entity::organisation::Entity::find_by_id(id.as_str());
                let Some(organisation) = organisation.one(transaction).await.map_err(broken)?
                else {
                    return Ok(None);
                };
                let (revision, organisation) = (
                    organisation.revision,
                    organisation::organisation(organisation)?,
                );
                let groups = component_group::of(&id)
                    .order_by_asc(entity::component_group::Column::Position)
                    .all(transaction)
                    .await
                    .map_err(broken)?;
                let groups = component_group::reports(transaction, &id, groups).await?;
                let rows = component::of(&id).all(transaction).await.map_err(broken)?;
                let mut components = rows
                    .into_iter()
                    .map(component::component)
                    .collect::<Result<Vec<_>, _>>()?;
                sort_in_page_order(&mut components, &groups);
                let time_zone = organisation.time_zone;
                let range = DateRange::of_bars(time_zone.date_of(now));
                let window = UptimeWindow::new(range, time_zone, now);
                let spans =
                    history::spans_by_component(transaction, &id, window.start_at()).await?;
                Ok(Some(Snapshot {
                    organisation: PublicOrganisation::new(organisation, url),
                    groups: shown_groups(&groups)?,
                    banner: Snapshot::banner(&components),
                    components: shown(&components, &window, &spans)?,
                    incidents: incident::public::shown(transaction, &id, now).await?,
                    maintenances: maintenance::public::shown(transaction, &id, now).await?,
                    revision,
                    generated_at: now,
                }))
            })
        })
        .await
    }
}

fn sort_in_page_order(components: &mut [Component], groups: &[ComponentGroupReport]) {
    let positions: HashMap<_, _> = groups
        .iter()
        .map(|report| (report.group.id, report.position))
        .collect();
    components.sort_by_key(|component| {
        let place = component.place;
        match place.group.and_then(|group| positions.get(&group)) {
            Some(group) => (*group, place.position),
            None => (place.position, 0),
        }
    });
}

/// The groups, with their descriptions within the page's size limit.
fn shown_groups(groups: &[ComponentGroupReport]) -> Result<Vec<PublicComponentGroup>, Error> {
    let mut budget = Budget::new(PAGE_BYTES);
    groups
        .iter()
        .map(|group| budget.show_group(PublicComponentGroup::from(group)))
        .collect()
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
