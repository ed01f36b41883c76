//! The style of each status: label, colour and icon. Colour is never the only sign.

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

/// The style of a component's status.
pub(super) fn component(status: &str) -> StatusStyle {
    match status {
        "DEGRADED" => style("Degraded Performance", "degraded", Icon::TRIANGLE_ALERT),
        "PARTIAL_OUTAGE" => style("Partial Outage", "partial", Icon::CIRCLE_ALERT),
        "MAJOR_OUTAGE" => style("Major Outage", "major", Icon::OCTAGON_X),
        _ => style("Operational", "operational", Icon::CIRCLE_CHECK),
    }
}

/// The style of an incident's or an update's status.
pub(super) fn incident(status: &str) -> StatusStyle {
    match status {
        "IDENTIFIED" => style("Identified", "partial", Icon::CROSSHAIR),
        "MONITORING" => style("Monitoring", "degraded", Icon::ACTIVITY),
        "RESOLVED" => style("Resolved", "operational", Icon::CIRCLE_CHECK),
        _ => style("Investigating", "major", Icon::SEARCH),
    }
}

/// The style of a maintenance's status.
pub(super) fn maintenance(status: &str) -> StatusStyle {
    match status {
        "IN_PROGRESS" => style("In Progress", "maintenance", Icon::WRENCH),
        "COMPLETED" => style("Completed", "operational", Icon::CIRCLE_CHECK),
        "CANCELLED" => style("Cancelled", "neutral", Icon::CIRCLE_SLASH),
        _ => style("Scheduled", "maintenance", Icon::CALENDAR_CLOCK),
    }
}

impl StatusStyle {
    /// The status in its colour, for items that need attention.
    pub(super) fn badge(self, class: &str) -> Markup {
        let tone = self.tone;
        html! {
            span data-tone=(tone) class={
                "inline-flex h-6 w-fit items-center gap-1.5 rounded-full border px-2 text-xs font-medium whitespace-nowrap "
                "border-" (tone) "-line bg-" (tone) "-soft text-" (tone) (class)
            } {
                (self.icon.svg("size-3.5 shrink-0")) (self.label)
            }
        }
    }

    /// The status as high as a badge but without its background, for items that need no attention.
    pub(super) fn quiet(self) -> Markup {
        html! {
            span class="inline-flex h-6 items-center gap-1.5 text-xs whitespace-nowrap text-muted" {
                (self.icon.svg(&format!("size-3.5 shrink-0 text-{}", self.tone))) (self.label)
            }
        }
    }
}
