//! The style of each status: label, colour and icon. Colour is never the only sign.

use allclear_domain::component::ComponentStatus;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
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

const fn style(label: &'static str, tone: &'static str, icon: Icon) -> StatusStyle {
    StatusStyle { label, tone, icon }
}

impl From<ComponentStatus> for StatusStyle {
    fn from(status: ComponentStatus) -> Self {
        let (tone, icon) = match status {
            ComponentStatus::Operational => ("operational", Icon::CIRCLE_CHECK),
            ComponentStatus::Degraded => ("degraded", Icon::TRIANGLE_ALERT),
            ComponentStatus::PartialOutage => ("partial", Icon::CIRCLE_ALERT),
            ComponentStatus::MajorOutage => ("major", Icon::OCTAGON_X),
        };
        style(status.label(), tone, icon)
    }
}

impl From<IncidentStatus> for StatusStyle {
    fn from(status: IncidentStatus) -> Self {
        let (tone, icon) = match status {
            IncidentStatus::Investigating => ("major", Icon::SEARCH),
            IncidentStatus::Identified => ("partial", Icon::CROSSHAIR),
            IncidentStatus::Monitoring => ("degraded", Icon::ACTIVITY),
            IncidentStatus::Resolved => ("operational", Icon::CIRCLE_CHECK),
        };
        style(status.label(), tone, icon)
    }
}

impl From<MaintenanceStatus> for StatusStyle {
    fn from(status: MaintenanceStatus) -> Self {
        let (tone, icon) = match status {
            MaintenanceStatus::Scheduled => ("maintenance", Icon::CALENDAR_CLOCK),
            MaintenanceStatus::InProgress => ("maintenance", Icon::WRENCH),
            MaintenanceStatus::Completed => ("operational", Icon::CIRCLE_CHECK),
            MaintenanceStatus::Cancelled => ("neutral", Icon::CIRCLE_SLASH),
        };
        style(status.label(), tone, icon)
    }
}

impl StatusStyle {
    /// A component during a maintenance.
    pub(super) const UNDER_MAINTENANCE: Self =
        style("Under Maintenance", "maintenance", Icon::WRENCH);

    /// The style of a component's status, before that of its maintenance. OPERATIONAL is not shown
    /// during a maintenance.
    pub(super) fn of_component(status: ComponentStatus, under_maintenance: bool) -> Vec<Self> {
        match (under_maintenance, status) {
            (false, status) => vec![status.into()],
            (true, ComponentStatus::Operational) => vec![Self::UNDER_MAINTENANCE],
            (true, status) => vec![status.into(), Self::UNDER_MAINTENANCE],
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
