//! Statuses in words and colours.

use allclear_domain::component::ComponentStatus;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;

/// Colour of a message. The status is always written beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::body) enum Colour {
    Green,
    Yellow,
    Orange,
    Red,
    Blue,
    Grey,
}

impl Colour {
    /// Colour of an incident: that of its worst impact until it is resolved.
    pub(super) fn of_incident(status: IncidentStatus, worst: Option<ComponentStatus>) -> Self {
        match (status, worst) {
            (IncidentStatus::Resolved, _) => Self::Green,
            (_, Some(ComponentStatus::MajorOutage)) => Self::Red,
            (_, Some(ComponentStatus::PartialOutage)) => Self::Orange,
            (IncidentStatus::Monitoring, None | Some(ComponentStatus::Operational)) => Self::Blue,
            _ => Self::Yellow,
        }
    }

    pub(super) const fn of_maintenance(status: MaintenanceStatus) -> Self {
        match status {
            MaintenanceStatus::Scheduled | MaintenanceStatus::InProgress => Self::Blue,
            MaintenanceStatus::Completed => Self::Green,
            MaintenanceStatus::Cancelled => Self::Grey,
        }
    }
}
