//! The public page of an organisation.

mod history;
mod past_title;

use allclear_application::component::ComponentReport;
use allclear_application::component_group::ComponentGroupReport;
use allclear_application::error::Error;
use allclear_application::status_page::component_group::PublicComponentGroup;
use allclear_application::status_page::size::{Budget, PAGE_BYTES};
use allclear_application::status_page::{
    PublicComponent, PublicOrganisation, Snapshot, SnapshotStore,
};
use allclear_domain::component::Component;
use allclear_domain::id::OrganisationId;
use allclear_domain::page_order::Positions;
use allclear_domain::uptime::{DateRange, UptimeWindow};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use sea_orm::QueryOrder;

use crate::component;
use crate::component::history::spans::{SpansByComponent, spans_by_component};
use crate::component_group;
use crate::database::Database;
use crate::entity;
use crate::incident;
use crate::maintenance;
use crate::maintenance::component::UnderMaintenance;
use crate::organisation;
use crate::page_order;
use crate::statement::Fetch;
use crate::transaction::Transaction;

#[async_trait]
impl SnapshotStore for Database {
    async fn snapshot(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<Snapshot>, Error> {
        let id = organisation.clone();
        let links = self.links.clone();
        self.read_consistently(move |transaction| {
            Box::pin(async move {
                let Some(organisation) = organisation::find(transaction, &id).await? else {
                    return Ok(None);
                };
                let revision = organisation.revision;
                let url = links.page(&id, organisation.verified_domain());
                let maintained = UnderMaintenance::read(transaction, &id, now).await?;
                let (groups, components) = in_page_order(transaction, &id, &maintained).await?;
                let time_zone = organisation.time_zone;
                let range = DateRange::of_bars(time_zone.date_of(now));
                let window = UptimeWindow::new(range, time_zone, now);
                let spans = spans_by_component(transaction, &id, window.start_at()).await?;
                let incidents = incident::public::list_for_page(transaction, &id, now).await?;
                let maintenances =
                    maintenance::public::list_for_page(transaction, &id, now).await?;
                let (zone, since) = (time_zone, window.start_at());
                let mut past_titles =
                    past_title::of_incidents(transaction, &id, zone, since, &incidents).await?;
                let range = (since, now);
                past_titles.extend(
                    past_title::of_maintenances(transaction, &id, zone, range, &maintenances)
                        .await?,
                );
                Ok(Some(Snapshot {
                    organisation: PublicOrganisation::new(organisation, url),
                    groups: shown_groups(&groups)?,
                    banner: Snapshot::banner(&components),
                    components: components_for_page(&components, &window, spans)?,
                    incidents,
                    maintenances,
                    past_titles,
                    revision,
                    generated_at: now,
                }))
            })
        })
        .await
    }
}

/// The groups and the components of an organisation, in the order of its page.
pub(crate) async fn in_page_order(
    transaction: &Transaction,
    organisation: &OrganisationId,
    maintained: &UnderMaintenance,
) -> Result<(Vec<ComponentGroupReport>, Vec<ComponentReport>), Error> {
    let groups = component_group::of(organisation)
        .order_by_asc(entity::component_group::Column::Position)
        .order_by_desc(entity::component_group::Column::Id)
        .fetch_all(transaction)
        .await?;
    let groups = component_group::reports(transaction, organisation, groups, maintained).await?;
    let rows = component::of(organisation).fetch_all(transaction).await?;
    let mut components = rows
        .into_iter()
        .map(|row| Ok(maintained.report(Component::try_from(row)?)))
        .collect::<Result<Vec<_>, Error>>()?;
    let ranks = page_order::ranks(&Positions {
        groups: groups
            .iter()
            .map(|report| (report.group.id, report.position))
            .collect(),
        components: components
            .iter()
            .map(|report| (report.component.id, report.component.place))
            .collect(),
    });
    components.sort_by_cached_key(|report| ranks.get(&report.component.id).copied());
    Ok((groups, components))
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
fn components_for_page(
    components: &[ComponentReport],
    window: &UptimeWindow,
    mut spans: SpansByComponent,
) -> Result<Vec<PublicComponent>, Error> {
    let mut budget = Budget::new(PAGE_BYTES);
    components
        .iter()
        .map(|report| {
            let spans = spans.take(report.component.id.0);
            budget.show_component(PublicComponent::new(report, window, &spans))
        })
        .collect()
}
