//! What happened, named as the public hears of it.

use crate::id::{ComponentId, IncidentId, IncidentUpdateId, MaintenanceId, MaintenanceUpdateId};

/// A change that viewers and operators are told of. It names the thing; its public form is read in the transaction
/// that stores the event, so both always agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A component was created.
    NewComponent(ComponentId),
    /// A component's name, description or status changed.
    ComponentUpdate(ComponentId),
    /// A component was deleted.
    ComponentDeleted(ComponentId),
    /// An incident was created.
    NewIncident(IncidentId),
    /// An incident, its timeline or its components changed.
    IncidentUpdated(IncidentId),
    /// An incident was deleted.
    IncidentDeleted(IncidentId),
    /// An update of an incident was recorded or edited.
    TimelineUpdated(IncidentId, IncidentUpdateId),
    /// An update of an incident was deleted.
    IncidentTimelineDeleted(IncidentId, IncidentUpdateId),
    /// A maintenance was created.
    NewMaintenance(MaintenanceId),
    /// A maintenance or its timeline changed, or the clock gave it another status.
    MaintenanceUpdated(MaintenanceId),
    /// A maintenance was deleted.
    MaintenanceDeleted(MaintenanceId),
    /// An update of a maintenance was recorded or edited.
    MaintenanceTimelineUpdated(MaintenanceId, MaintenanceUpdateId),
    /// An update of a maintenance was deleted.
    MaintenanceTimelineDeleted(MaintenanceId, MaintenanceUpdateId),
}

/// What a rule answers: the new state and the events it causes. Without events nothing changed, and nothing is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed<T> {
    /// The state after the change.
    pub state: T,
    /// What happened, in order.
    pub events: Vec<Event>,
}
