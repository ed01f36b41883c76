//! The public form of events, read in the transaction that stores them.

use allclear_application::error::Error;
use allclear_application::outbox::PublicEvent;
use allclear_application::status_page::PublicComponent;
use allclear_application::status_page::component_group::PublicOrder;
use allclear_application::status_page::size::WithTimeline;
use allclear_domain::event::{Event, EventKind};
use allclear_domain::id::ComponentId;
use allclear_domain::incident::Incident;
use allclear_domain::uptime::{DateRange, UptimeWindow};
use sea_orm::EntityTrait;

use crate::commit::Scope;
use crate::component::{component, history};
use crate::component_group;
use crate::entity;
use crate::incident::public as incident;
use crate::maintenance;
use crate::maintenance::component::UnderMaintenance;
use crate::organisation;
use crate::page_order;
use crate::run::Fetch;

/// Returns the public form of events as of their stamp. `written` is an incident that this transaction has just written.
pub(crate) async fn public(
    scope: Scope<'_>,
    events: &[Event],
    written: Option<&Incident>,
) -> Result<Vec<PublicEvent>, Error> {
    let transaction = scope.transaction;
    let mut public = Vec::with_capacity(events.len());
    // An update, the most frequent write of an outage, has two events with the same incident.
    if let [
        Event::TimelineUpdated(id, entry),
        Event::IncidentUpdated(same),
        ..,
    ] = events
        && id == same
    {
        let incident = match written.filter(|written| written.id == *id) {
            Some(written) => incident::public_form_of_stored(transaction, written).await?,
            None => incident::find_public(transaction, *id).await?,
        };
        let entry = incident
            .timeline
            .iter()
            .find(|shown| shown.id == entry.to_string())
            .cloned();
        if let Some(entry) = entry {
            public.push(PublicEvent::new(EventKind::TimelineUpdated, &[entry])?);
            public.push(PublicEvent::new(
                EventKind::IncidentUpdated,
                &[incident.for_event()?],
            )?);
        }
    }
    let rest = &events[public.len()..];
    let maintained = if rest.iter().copied().any(shows_components) {
        UnderMaintenance::read(transaction, scope.organisation, scope.stamp.wall_time).await?
    } else {
        UnderMaintenance::default()
    };
    for event in rest {
        public.push(one(scope, *event, &maintained).await?);
    }
    Ok(public)
}

/// Whether the public form of an event says which components are under maintenance.
const fn shows_components(event: Event) -> bool {
    matches!(
        event,
        Event::NewComponent(_)
            | Event::ComponentUpdate(_)
            | Event::NewComponentGroup(_)
            | Event::ComponentGroupUpdate(_)
    )
}

async fn one(
    scope: Scope<'_>,
    event: Event,
    maintained: &UnderMaintenance,
) -> Result<PublicEvent, Error> {
    let Scope {
        transaction, stamp, ..
    } = scope;
    let kind = event.kind();
    match event {
        Event::OrganisationUpdated => {
            let organisation = organisation::public(scope).await?;
            PublicEvent::new(kind, &[organisation])
        }
        Event::NewComponentGroup(id) | Event::ComponentGroupUpdate(id) => {
            let group = component_group::public(scope, id, maintained).await?;
            PublicEvent::new(kind, &[group])
        }
        Event::ComponentGroupDeleted(id) => PublicEvent::new(kind, &[id.to_string()]),
        Event::ComponentOrderUpdated => {
            let order = page_order::load(transaction, scope.organisation).await?;
            PublicEvent::new(kind, &[PublicOrder::from(&order)])
        }
        Event::NewComponent(id) | Event::ComponentUpdate(id) => {
            let component = public_component(scope, id, maintained).await?;
            PublicEvent::new(kind, &[component])
        }
        Event::ComponentDeleted(id) => PublicEvent::new(kind, &[id.to_string()]),
        Event::NewIncident(id) | Event::IncidentUpdated(id) => {
            let incident = incident::find_public(transaction, id).await?;
            PublicEvent::new(kind, &[incident.for_event()?])
        }
        Event::IncidentDeleted(id) => PublicEvent::new(kind, &[id.to_string()]),
        Event::TimelineUpdated(incident, id) => {
            let entry = incident::find_public_entry(transaction, incident, id).await?;
            PublicEvent::new(kind, &[entry])
        }
        Event::IncidentTimelineDeleted(incident, id) => {
            PublicEvent::new(kind, &[incident.to_string(), id.to_string()])
        }
        Event::NewMaintenance(id) | Event::MaintenanceUpdated(id) => {
            let maintenance =
                maintenance::public::find_public(transaction, id, stamp.wall_time).await?;
            PublicEvent::new(kind, &[maintenance.for_event()?])
        }
        Event::MaintenanceDeleted(id) => PublicEvent::new(kind, &[id.to_string()]),
        Event::MaintenanceTimelineUpdated(maintenance, id) => {
            let entry = maintenance::update::public(transaction, maintenance, id).await?;
            PublicEvent::new(kind, &[entry])
        }
        Event::MaintenanceTimelineDeleted(maintenance, id) => {
            PublicEvent::new(kind, &[maintenance.to_string(), id.to_string()])
        }
    }
}

async fn public_component(
    scope: Scope<'_>,
    id: ComponentId,
    maintained: &UnderMaintenance,
) -> Result<PublicComponent, Error> {
    let Scope {
        transaction, stamp, ..
    } = scope;
    let row = entity::component::Entity::find_by_id(id.0)
        .fetch_one(transaction)
        .await?;
    let row = row.ok_or_else(|| {
        Error::internal(format!(
            "an event names component {id}, which is not stored"
        ))
    })?;
    let (now, zone) = (stamp.committed_at, stamp.zone);
    let window = UptimeWindow::new(DateRange::of_bars(zone.date_of(now)), zone, now);
    let spans = if row.show_uptime {
        history::spans::spans_of(transaction, id, window.start_at()).await?
    } else {
        Vec::new()
    };
    let report = maintained.report(component(row)?);
    Ok(PublicComponent::new(&report, &window, &spans))
}
