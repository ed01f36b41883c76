//! The tone of a status: the colour in which every page, badge, mail and message shows it.

use strum::VariantArray;

use crate::component::ComponentStatus;
use crate::incident::IncidentStatus;
use crate::maintenance::MaintenanceStatus;
use crate::notice::NoticeStatus;
use crate::rollup::{Indicator, PublicStatus};

/// Tone of a status. Each medium has a colour of its own for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, VariantArray)]
pub enum Tone {
    /// Works, or is over: green.
    Operational,
    /// Planned work: blue.
    Maintenance,
    /// Works with faults, or is nearly over: yellow.
    Degraded,
    /// Works in part: orange.
    Partial,
    /// Does not work: red.
    Major,
    /// Neither good nor bad: grey.
    Neutral,
}

impl From<ComponentStatus> for Tone {
    fn from(status: ComponentStatus) -> Self {
        PublicStatus::from(status).into()
    }
}

impl From<PublicStatus> for Tone {
    fn from(status: PublicStatus) -> Self {
        match status {
            PublicStatus::Operational => Self::Operational,
            PublicStatus::UnderMaintenance => Self::Maintenance,
            PublicStatus::Degraded => Self::Degraded,
            PublicStatus::PartialOutage => Self::Partial,
            PublicStatus::MajorOutage => Self::Major,
        }
    }
}

impl From<IncidentStatus> for Tone {
    fn from(status: IncidentStatus) -> Self {
        match status {
            IncidentStatus::Investigating => Self::Major,
            IncidentStatus::Identified => Self::Partial,
            IncidentStatus::Monitoring => Self::Degraded,
            IncidentStatus::Resolved => Self::Operational,
        }
    }
}

impl From<MaintenanceStatus> for Tone {
    fn from(status: MaintenanceStatus) -> Self {
        match status {
            MaintenanceStatus::Scheduled | MaintenanceStatus::InProgress => Self::Maintenance,
            MaintenanceStatus::Completed => Self::Operational,
            MaintenanceStatus::Cancelled => Self::Neutral,
        }
    }
}

impl From<NoticeStatus> for Tone {
    fn from(status: NoticeStatus) -> Self {
        match status {
            NoticeStatus::Incident(status) => status.into(),
            NoticeStatus::Maintenance(status) => status.into(),
            NoticeStatus::Component(status) => status.into(),
        }
    }
}

impl From<Indicator> for Tone {
    fn from(indicator: Indicator) -> Self {
        match indicator {
            Indicator::None => Self::Operational,
            Indicator::Maintenance => Self::Maintenance,
            Indicator::Minor => Self::Degraded,
            Indicator::Major => Self::Partial,
            Indicator::Critical => Self::Major,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_status_has_the_tone_of_the_status_page() {
        let incident = IncidentStatus::VARIANTS.iter().copied().map(Tone::from);
        assert_eq!(
            incident.collect::<Vec<_>>(),
            [
                Tone::Major,
                Tone::Partial,
                Tone::Degraded,
                Tone::Operational
            ]
        );
        let maintenance = MaintenanceStatus::VARIANTS.iter().copied().map(Tone::from);
        assert_eq!(
            maintenance.collect::<Vec<_>>(),
            [
                Tone::Maintenance,
                Tone::Maintenance,
                Tone::Operational,
                Tone::Neutral
            ]
        );
    }

    #[test]
    fn worse_components_and_pages_have_other_tones() {
        let from_best_to_worst = [
            Tone::Operational,
            Tone::Maintenance,
            Tone::Degraded,
            Tone::Partial,
            Tone::Major,
        ];
        let public = PublicStatus::VARIANTS.iter().copied().map(Tone::from);
        assert_eq!(public.collect::<Vec<_>>(), from_best_to_worst);
        let indicators = [
            Indicator::None,
            Indicator::Maintenance,
            Indicator::Minor,
            Indicator::Major,
            Indicator::Critical,
        ];
        assert_eq!(indicators.map(Tone::from), from_best_to_worst);
        let component = NoticeStatus::Component(ComponentStatus::PartialOutage);
        assert_eq!(Tone::from(component), Tone::Partial);
    }
}
