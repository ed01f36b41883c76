//! The public form of events, read in the transaction that stores them.

use std::collections::HashMap;

use allclear_application::error::Error;
use allclear_application::outbox::PublicEvent;
use allclear_application::stamp::Stamp;
use allclear_application::status_page::PublicComponent;
use allclear_application::status_page::component_group::PublicOrder;
use allclear_application::status_page::size::WithTimeline;
use allclear_domain::component::Component;
use allclear_domain::event::{Event, EventKind};
use allclear_domain::id::ComponentId;
use allclear_domain::incident::Incident;
use allclear_domain::uptime::{DateRange, NewestSpans, UptimeWindow};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use uuid::Uuid;

use crate::batch;
use crate::commit::Scope;
use crate::component::history::spans::newest_spans_together;
use crate::component_group;
use crate::entity::component::{Column, Entity, Model};
use crate::incident::public as incident;
use crate::maintenance;
use crate::maintenance::component::UnderMaintenance;
use crate::organisation;
use crate::page_order;
use crate::statement::Fetch;

/// Returns the public form of events as of their stamp. `written` is an incident that this
/// transaction has just written.
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
    let components = ShownComponents::read(scope, rest).await?;
    for event in rest {
        public.push(one(scope, *event, &components).await?);
    }
    Ok(public)
}

/// What the public forms of events say of components. An incident may change hundreds, so they are
/// read together.
#[derive(Default)]
struct ShownComponents {
    maintained: UnderMaintenance,
    rows: HashMap<Uuid, Model>,
    spans: HashMap<Uuid, NewestSpans>,
}

impl ShownComponents {
    async fn read(scope: Scope<'_>, events: &[Event]) -> Result<Self, Error> {
        let Scope {
            transaction, stamp, ..
        } = scope;
        if !events.iter().copied().any(shows_components) {
            return Ok(Self::default());
        }
        let maintained =
            UnderMaintenance::read(transaction, scope.organisation, stamp.wall_time).await?;
        let named = events.iter().filter_map(|event| match event {
            Event::NewComponent(id) | Event::ComponentUpdate(id) => Some(id.0),
            _ => None,
        });
        let named: Vec<_> = named.collect();
        let mut rows = Vec::with_capacity(named.len());
        for ids in batch::of_keys(&named) {
            let some = Entity::find().filter(Column::Id.is_in(ids));
            rows.append(&mut some.fetch_all(transaction).await?);
        }
        let with_bars = rows.iter().filter(|row| row.show_uptime);
        let with_bars: Vec<_> = with_bars.map(|row| row.id).collect();
        let shown = (bars(stamp).start_at(), None);
        Ok(Self {
            maintained,
            spans: newest_spans_together(transaction, &with_bars, shown).await?,
            rows: rows.into_iter().map(|row| (row.id, row)).collect(),
        })
    }

    fn public(&self, id: ComponentId, stamp: Stamp) -> Result<PublicComponent, Error> {
        let row = self.rows.get(&id.0).ok_or_else(|| {
            Error::internal(format!(
                "an event names component {id}, which is not stored"
            ))
        })?;
        let report = self.maintained.report(Component::try_from(row.clone())?);
        let none = NewestSpans::default();
        let spans = self.spans.get(&id.0).unwrap_or(&none);
        Ok(PublicComponent::new(&report, &bars(stamp), spans))
    }
}

/// The days that the bars of a page show as of a stamp.
fn bars(stamp: Stamp) -> UptimeWindow {
    let (now, zone) = (stamp.committed_at, stamp.zone);
    UptimeWindow::new(DateRange::of_bars(zone.date_of(now)), zone, now)
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
    components: &ShownComponents,
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
            let group = component_group::public(scope, id, &components.maintained).await?;
            PublicEvent::new(kind, &[group])
        }
        Event::ComponentGroupDeleted(id) => PublicEvent::new(kind, &[id.to_string()]),
        Event::ComponentOrderUpdated => {
            let order = page_order::load(transaction, scope.organisation).await?;
            PublicEvent::new(kind, &[PublicOrder::from(&order)])
        }
        Event::NewComponent(id) | Event::ComponentUpdate(id) => {
            PublicEvent::new(kind, &[components.public(id, stamp)?])
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
            let entry =
                maintenance::public::find_public_entry(transaction, maintenance, id).await?;
            PublicEvent::new(kind, &[entry])
        }
        Event::MaintenanceTimelineDeleted(maintenance, id) => {
            PublicEvent::new(kind, &[maintenance.to_string(), id.to_string()])
        }
    }
}
