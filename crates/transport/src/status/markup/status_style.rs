//! How each status looks: its word, its colour and its icon. Colour never speaks alone.

use maud::{Markup, html};

use super::icon::Icon;

/// A status as people see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StatusStyle {
    pub(super) label: &'static str,
    /// The name of the colour, as the style sheet has it.
    pub(super) tone: &'static str,
    pub(super) icon: Icon,
}

const fn look(label: &'static str, tone: &'static str, icon: Icon) -> StatusStyle {
    StatusStyle { label, tone, icon }
}

/// The look of a component's status.
pub(super) fn component(status: &str) -> StatusStyle {
    match status {
        "DEGRADED" => look("Degraded Performance", "degraded", Icon::TRIANGLE_ALERT),
        "PARTIAL_OUTAGE" => look("Partial Outage", "partial", Icon::CIRCLE_ALERT),
        "MAJOR_OUTAGE" => look("Major Outage", "major", Icon::OCTAGON_X),
        _ => look("Operational", "operational", Icon::CIRCLE_CHECK),
    }
}

/// The look of the status of an incident or of an update.
pub(super) fn incident(status: &str) -> StatusStyle {
    match status {
        "IDENTIFIED" => look("Identified", "partial", Icon::CROSSHAIR),
        "MONITORING" => look("Monitoring", "degraded", Icon::ACTIVITY),
        "RESOLVED" => look("Resolved", "operational", Icon::CIRCLE_CHECK),
        _ => look("Investigating", "major", Icon::SEARCH),
    }
}

/// The look of a maintenance's status.
pub(super) fn maintenance(status: &str) -> StatusStyle {
    match status {
        "IN_PROGRESS" => look("In Progress", "maintenance", Icon::WRENCH),
        "COMPLETED" => look("Completed", "operational", Icon::CIRCLE_CHECK),
        "CANCELLED" => look("Cancelled", "neutral", Icon::CIRCLE_SLASH),
        _ => look("Scheduled", "maintenance", Icon::CALENDAR_CLOCK),
    }
}

impl StatusStyle {
    /// In its colour, for what needs attention.
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

    /// As high as a badge, without its ground, for what needs nobody's attention.
    pub(super) fn quiet(self) -> Markup {
        html! {
            span class="inline-flex h-6 items-center gap-1.5 text-xs whitespace-nowrap text-muted" {
                (self.icon.svg(&format!("size-3.5 shrink-0 text-{}", self.tone))) (self.label)
            }
        }
    }
}
