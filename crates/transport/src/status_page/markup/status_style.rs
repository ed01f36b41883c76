//! The style of each status: label, colour and icon. Colour is never the only sign.

use allclear_domain::component::ComponentStatus;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::rollup::PublicStatus;
use allclear_domain::tone::Tone;
use maud::{Markup, html};

use super::icon::Icon;

/// The style of a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StatusStyle {
    pub(super) label: &'static str,
    /// Name of the colour in the style sheet.
    pub(super) tone: &'static str,
    pub(super) icon: Icon,
}

fn style(label: &'static str, tone: impl Into<Tone>, icon: Icon) -> StatusStyle {
    let tone = tone_name(tone.into());
    StatusStyle { label, tone, icon }
}

/// Name of a tone in the style sheet.
pub(crate) const fn tone_name(tone: Tone) -> &'static str {
    match tone {
        Tone::Operational => "operational",
        Tone::Maintenance => "maintenance",
        Tone::Degraded => "degraded",
        Tone::Partial => "partial",
        Tone::Major => "major",
        Tone::Neutral => "neutral",
    }
}

impl From<ComponentStatus> for StatusStyle {
    fn from(status: ComponentStatus) -> Self {
        let icon = match status {
            ComponentStatus::Operational => Icon::CIRCLE_CHECK,
            ComponentStatus::Degraded => Icon::TRIANGLE_ALERT,
            ComponentStatus::PartialOutage => Icon::CIRCLE_ALERT,
            ComponentStatus::MajorOutage => Icon::OCTAGON_X,
        };
        style(status.label(), status, icon)
    }
}

impl From<IncidentStatus> for StatusStyle {
    fn from(status: IncidentStatus) -> Self {
        let icon = match status {
            IncidentStatus::Investigating => Icon::SEARCH,
            IncidentStatus::Identified => Icon::CROSSHAIR,
            IncidentStatus::Monitoring => Icon::ACTIVITY,
            IncidentStatus::Resolved => Icon::CIRCLE_CHECK,
        };
        style(status.label(), status, icon)
    }
}

impl From<MaintenanceStatus> for StatusStyle {
    fn from(status: MaintenanceStatus) -> Self {
        let icon = match status {
            MaintenanceStatus::Scheduled => Icon::CALENDAR_CLOCK,
            MaintenanceStatus::InProgress => Icon::WRENCH,
            MaintenanceStatus::Completed => Icon::CIRCLE_CHECK,
            MaintenanceStatus::Cancelled => Icon::CIRCLE_SLASH,
        };
        style(status.label(), status, icon)
    }
}

impl StatusStyle {
    /// The style of a component during a maintenance.
    fn under_maintenance() -> Self {
        let status = PublicStatus::UnderMaintenance;
        style(status.label(), status, Icon::WRENCH)
    }

    /// The style of a component's status, before that of its maintenance. OPERATIONAL is not shown
    /// during a maintenance.
    pub(super) fn of_component(status: ComponentStatus, under_maintenance: bool) -> Vec<Self> {
        match (under_maintenance, status) {
            (false, status) => vec![status.into()],
            (true, ComponentStatus::Operational) => vec![Self::under_maintenance()],
            (true, status) => vec![status.into(), Self::under_maintenance()],
        }
    }

    /// The status in its colour, for items that need attention.
    pub(super) fn badge(self) -> Markup {
        self.mark("badge")
    }

    /// The status as high as a badge but without its background, for items that need no attention.
    pub(super) fn quiet(self) -> Markup {
        self.mark("quiet")
    }

    /// The statuses of an item. `marked` if it needs attention.
    pub(super) fn marks(styles: &[Self], marked: bool) -> Markup {
        let class = if marked { "badge" } else { "quiet" };
        html! { @for style in styles { (style.mark(class)) } }
    }

    fn mark(self, class: &str) -> Markup {
        html! { span class=(class) data-tone=(self.tone) { (self.icon.svg()) (self.label) } }
    }
}
