//! What a commit changes, and its states before and after.

use allclear_application::audit::state;
use allclear_application::error::Error;
use allclear_domain::event::Event;
use allclear_domain::id::{
    ComponentGroupId, ComponentId, IncidentId, IncidentUpdateId, MaintenanceId, MaintenanceUpdateId,
};
use serde_json::Value;

use crate::commit::Scope;
use crate::maintenance::component::UnderMaintenance;
use crate::{component, component_group, incident, maintenance, organisation, page_order, review};

/// The thing whose states before and after a commit the audit log shows. The commit reads both, so
/// no change can leave them out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Subject {
    /// What the commit creates. Its first event names it.
    New,
    /// The work returns the states: see
    /// [`StoredChange::states`](crate::commit::StoredChange::states).
    Known,
    Organisation,
    Component(ComponentId),
    ComponentGroup(ComponentGroupId),
    ComponentOrder,
    Incident(IncidentId),
    IncidentUpdates(IncidentId, Vec<IncidentUpdateId>),
    IncidentReview(IncidentId),
    Maintenance(MaintenanceId),
    MaintenanceUpdates(MaintenanceId, Vec<MaintenanceUpdateId>),
}

impl Subject {
    /// The subject of a commit with these events: this subject, or the new thing that the first
    /// event names.
    pub(crate) fn named_by(self, events: &[Event]) -> Self {
        if self != Self::New {
            return self;
        }
        match events.first() {
            Some(Event::NewComponent(id)) => Self::Component(*id),
            Some(Event::NewComponentGroup(id)) => Self::ComponentGroup(*id),
            Some(Event::NewIncident(id)) => Self::Incident(*id),
            Some(Event::TimelineUpdated(id, update)) => Self::IncidentUpdates(*id, vec![*update]),
            Some(Event::NewMaintenance(id)) => Self::Maintenance(*id),
            Some(Event::MaintenanceTimelineUpdated(id, update)) => {
                Self::MaintenanceUpdates(*id, vec![*update])
            }
            _ => Self::New,
        }
    }

    /// The present state; `None` if it does not exist. A list for several updates.
    pub(crate) async fn read(&self, scope: Scope<'_>) -> Result<Option<Value>, Error> {
        match self {
            Self::New | Self::Known => Ok(None),
            // Boxed, because it is larger than the rest of a commit.
            _ => Box::pin(self.load(scope)).await,
        }
    }

    async fn load(&self, scope: Scope<'_>) -> Result<Option<Value>, Error> {
        let Scope {
            transaction,
            organisation,
            stamp,
            ..
        } = scope;
        let now = stamp.wall_time;
        Ok(match self {
            Self::New | Self::Known => None,
            Self::Organisation => {
                let found = organisation::find(transaction, organisation).await?;
                found.as_ref().map(state::organisation)
            }
            Self::Component(id) => {
                let Some(found) = component::find(transaction, organisation, *id).await? else {
                    return Ok(None);
                };
                let maintained = UnderMaintenance::read(transaction, organisation, now).await?;
                Some(state::component(&maintained.report(found)))
            }
            Self::ComponentGroup(id) => {
                let maintained = UnderMaintenance::read(transaction, organisation, now).await?;
                let found =
                    component_group::find_report(transaction, organisation, *id, &maintained);
                found.await?.as_ref().map(state::component_group)
            }
            Self::ComponentOrder => {
                let order = page_order::load(transaction, organisation).await?;
                Some(state::component_order(&order))
            }
            Self::Incident(id) => {
                let Some(found) = incident::find(transaction, organisation, *id).await? else {
                    return Ok(None);
                };
                let components = incident::component::impacts(transaction, *id).await?;
                Some(state::incident(&found, &components))
            }
            Self::IncidentUpdates(id, updates) => {
                let found = incident::update::by_ids(transaction, *id, updates).await?;
                one_or_list(found.iter().map(state::incident_update).collect())
            }
            Self::IncidentReview(id) => {
                let found = review::find(transaction, organisation, *id).await?;
                found
                    .and_then(|found| found.review)
                    .as_ref()
                    .map(state::review)
            }
            Self::Maintenance(id) => {
                let found = maintenance::find(transaction, organisation, *id).await?;
                found.map(|found| state::maintenance(&found, found.status(now)))
            }
            Self::MaintenanceUpdates(id, updates) => {
                let found = maintenance::update::by_ids(transaction, *id, updates).await?;
                one_or_list(found.iter().map(state::maintenance_update).collect())
            }
        })
    }
}

fn one_or_list(mut states: Vec<Value>) -> Option<Value> {
    match states.len() {
        0 | 1 => states.pop(),
        _ => Some(Value::Array(states)),
    }
}
