//! Labels and colours of statuses, as on the status page.

use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::rollup::PublicStatus;

/// Label and colour of a status. The colour has enough contrast under white text (WCAG 2.2, 1.4.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StatusStyle {
    pub(super) label: &'static str,
    pub(super) colour: &'static str,
}

const GREEN: &str = "#1d6f42";
const YELLOW: &str = "#8a5a00";
const ORANGE: &str = "#b54708";
const RED: &str = "#b42318";
const BLUE: &str = "#1d5fa8";
const GREY: &str = "#5b6470";

impl From<PublicStatus> for StatusStyle {
    fn from(status: PublicStatus) -> Self {
        let colour = match status {
            PublicStatus::Operational => GREEN,
            PublicStatus::UnderMaintenance => BLUE,
            PublicStatus::Degraded => YELLOW,
            PublicStatus::PartialOutage => ORANGE,
            PublicStatus::MajorOutage => RED,
        };
        Self {
            label: status.label(),
            colour,
        }
    }
}

impl From<IncidentStatus> for StatusStyle {
    fn from(status: IncidentStatus) -> Self {
        let colour = match status {
            IncidentStatus::Investigating => RED,
            IncidentStatus::Identified => ORANGE,
            IncidentStatus::Monitoring => BLUE,
            IncidentStatus::Resolved => GREEN,
        };
        Self {
            label: status.label(),
            colour,
        }
    }
}

impl From<MaintenanceStatus> for StatusStyle {
    fn from(status: MaintenanceStatus) -> Self {
        let colour = match status {
            MaintenanceStatus::Scheduled => BLUE,
            MaintenanceStatus::InProgress => YELLOW,
            MaintenanceStatus::Completed => GREEN,
            MaintenanceStatus::Cancelled => GREY,
        };
        Self {
            label: status.label(),
            colour,
        }
    }
}
