//! Events, and everything else that a change causes.

use strum::{EnumDiscriminants, EnumString, IntoStaticStr};

use crate::audit::{Action, AuditedChange, ChangeTarget};
use crate::id::{
    ComponentGroupId, ComponentId, IncidentId, IncidentUpdateId, MaintenanceId, MaintenanceUpdateId,
};
use crate::impact::ImpactChange;
use crate::notice::NewNotice;

/// A change that is published to viewers and operators. It holds identifiers only: its public form
/// is read in the transaction that stores the event, so both always agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumDiscriminants)]
#[strum_discriminants(
    name(EventKind),
    doc = "The kind of an event. Its text is the event's public name: `component-update`.",
    derive(EnumString, IntoStaticStr),
    cfg_attr(test, derive(strum::EnumIter)),
    strum(serialize_all = "kebab-case")
)]
pub enum Event {
    /// Something of the organisation changed that its public pages show.
    OrganisationUpdated,
    /// A component was created.
    NewComponent(ComponentId),
    /// A component's fields, group, status or history changed, or a maintenance of it began or
    /// ended.
    ComponentUpdate(ComponentId),
    /// A component was deleted.
    ComponentDeleted(ComponentId),
    /// A group of components was created.
    NewComponentGroup(ComponentGroupId),
    /// A group's name, description or display changed.
    ComponentGroupUpdate(ComponentGroupId),
    /// A group was deleted.
    ComponentGroupDeleted(ComponentGroupId),
    /// Groups or components have another order, or components are in other groups.
    ComponentOrderUpdated,
    /// An incident was created.
    NewIncident(IncidentId),
    /// An incident, its timeline, its components or its published review changed.
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

impl Event {
    /// The kind of this event.
    #[must_use]
    pub fn kind(self) -> EventKind {
        self.into()
    }
}

impl EventKind {
    /// The public name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Whether the event is about a maintenance.
    #[must_use]
    pub const fn is_of_maintenance(self) -> bool {
        matches!(
            self,
            Self::NewMaintenance
                | Self::MaintenanceUpdated
                | Self::MaintenanceDeleted
                | Self::MaintenanceTimelineUpdated
                | Self::MaintenanceTimelineDeleted
        )
    }

    /// Whether the event holds only what its request has sent: a thing that was created, or an
    /// entry of a timeline.
    #[must_use]
    pub const fn repeats_request(self) -> bool {
        match self {
            Self::NewComponent
            | Self::NewComponentGroup
            | Self::NewIncident
            | Self::TimelineUpdated
            | Self::NewMaintenance
            | Self::MaintenanceTimelineUpdated => true,
            Self::OrganisationUpdated
            | Self::ComponentUpdate
            | Self::ComponentDeleted
            | Self::ComponentGroupUpdate
            | Self::ComponentGroupDeleted
            | Self::ComponentOrderUpdated
            | Self::IncidentUpdated
            | Self::IncidentDeleted
            | Self::IncidentTimelineDeleted
            | Self::MaintenanceUpdated
            | Self::MaintenanceDeleted
            | Self::MaintenanceTimelineDeleted => false,
        }
    }

    /// Whether a change with such an event withdraws the notices of what it deletes, for which
    /// later messages may wait.
    #[must_use]
    pub const fn withdraws_notices(self) -> bool {
        match self {
            Self::ComponentDeleted
            | Self::IncidentDeleted
            | Self::IncidentTimelineDeleted
            | Self::MaintenanceDeleted
            | Self::MaintenanceTimelineDeleted => true,
            Self::OrganisationUpdated
            | Self::NewComponent
            | Self::ComponentUpdate
            | Self::NewComponentGroup
            | Self::ComponentGroupUpdate
            | Self::ComponentGroupDeleted
            | Self::ComponentOrderUpdated
            | Self::NewIncident
            | Self::IncidentUpdated
            | Self::TimelineUpdated
            | Self::NewMaintenance
            | Self::MaintenanceUpdated
            | Self::MaintenanceTimelineUpdated => false,
        }
    }
}

/// Everything a change causes. Without events, nothing is published and no revision is made; the
/// audit log and what is not published may change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed<T> {
    /// The state after the change.
    pub state: T,
    /// The events, in order.
    pub events: Vec<Event>,
    /// The notices to subscribers, in order; empty if the change does not concern them.
    pub notices: Vec<NewNotice>,
    /// Whether changed statuses of components, which the impacts cause, make notices; `None` means
    /// the default.
    pub notifies: Option<bool>,
    /// The components whose impacts changed; `None` if there are none.
    pub impacts: Option<ImpactChange>,
    /// What the audit log says; if it is empty, what the first event says.
    pub audited: Vec<AuditedChange>,
    /// The components whose maintenances began or ended. Each that is not deleted gets an event.
    pub maintained: Vec<ComponentId>,
}

impl<T> Changed<T> {
    /// A change that causes these events and nothing else.
    #[must_use]
    pub const fn new(state: T, events: Vec<Event>) -> Self {
        Self {
            state,
            events,
            notices: Vec::new(),
            notifies: None,
            impacts: None,
            audited: Vec::new(),
            maintained: Vec::new(),
        }
    }

    /// A change that the public does not see, or none at all.
    #[must_use]
    pub const fn without_events(state: T) -> Self {
        Self::new(state, Vec::new())
    }

    /// Whether nothing is to be published.
    #[must_use]
    pub const fn has_no_events(&self) -> bool {
        self.events.is_empty()
    }

    /// The same change, without its notices if it does not notify subscribers.
    #[must_use]
    pub fn notify_if(mut self, notify: bool) -> Self {
        if !notify {
            self.notices.clear();
        }
        self.notifies = Some(notify);
        self
    }

    /// The same change under these words of the audit log.
    #[must_use]
    pub fn audited(mut self, action: Action, target: ChangeTarget, name: String) -> Self {
        self.audited = vec![AuditedChange {
            action,
            target,
            name: Some(name),
        }];
        self
    }

    /// The state, and what the change causes.
    pub fn split(self) -> (T, Changed<()>) {
        let effects = Changed {
            state: (),
            events: self.events,
            notices: self.notices,
            notifies: self.notifies,
            impacts: self.impacts,
            audited: self.audited,
            maintained: self.maintained,
        };
        (self.state, effects)
    }

    /// The same change with its state converted.
    pub fn map<U>(self, state: impl FnOnce(T) -> U) -> Changed<U> {
        Changed {
            state: state(self.state),
            events: self.events,
            notices: self.notices,
            notifies: self.notifies,
            impacts: self.impacts,
            audited: self.audited,
            maintained: self.maintained,
        }
    }
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn kind_is_read_from_its_public_name() {
        assert_eq!(EventKind::ComponentUpdate.as_str(), "component-update");
        for kind in EventKind::iter() {
            assert_eq!(kind.as_str().parse(), Ok(kind));
        }
        assert!("an-event-of-a-later-version".parse::<EventKind>().is_err());
    }

    #[test]
    fn events_of_maintenances_are_recognised() {
        for kind in EventKind::iter() {
            let is_named_so = kind.as_str().contains("maintenance");
            assert_eq!(kind.is_of_maintenance(), is_named_so, "{kind:?}");
        }
    }
}
