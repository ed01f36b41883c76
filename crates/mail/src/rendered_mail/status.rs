//! Labels and colours of statuses, as on the status page.

use allclear_domain::notice::NoticeStatus;
use allclear_domain::rollup::PublicStatus;
use allclear_domain::tone::Tone;

/// Label and colour of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StatusStyle {
    pub(super) label: &'static str,
    pub(super) colour: &'static str,
}

/// Colour of a tone. It has enough contrast under white text (WCAG 2.2, 1.4.3).
const fn colour(tone: Tone) -> &'static str {
    match tone {
        Tone::Operational => "#1d6f42",
        Tone::Maintenance => "#1d5fa8",
        Tone::Degraded => "#8a5a00",
        Tone::Partial => "#b54708",
        Tone::Major => "#b42318",
        Tone::Neutral => "#5b6470",
    }
}

impl From<PublicStatus> for StatusStyle {
    fn from(status: PublicStatus) -> Self {
        Self {
            label: status.label(),
            colour: colour(status.into()),
        }
    }
}

impl From<NoticeStatus> for StatusStyle {
    fn from(status: NoticeStatus) -> Self {
        Self {
            label: status.label(),
            colour: colour(status.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use allclear_domain::incident::IncidentStatus;
    use allclear_domain::maintenance::MaintenanceStatus;

    #[test]
    fn monitoring_is_yellow_and_a_maintenance_in_progress_blue() {
        let monitoring = StatusStyle::from(NoticeStatus::Incident(IncidentStatus::Monitoring));
        let degraded = StatusStyle::from(PublicStatus::Degraded);
        assert_eq!(monitoring.colour, degraded.colour);
        let in_progress = NoticeStatus::Maintenance(MaintenanceStatus::InProgress);
        let under_maintenance = StatusStyle::from(PublicStatus::UnderMaintenance);
        assert_eq!(
            StatusStyle::from(in_progress).colour,
            under_maintenance.colour
        );
    }
}
