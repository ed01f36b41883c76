//! Messages about a change of an incident, a maintenance or a component.

use std::borrow::Cow;

use allclear_application::notice::Notice;
use allclear_application::statuspage_api::StatuspageState;
use allclear_domain::component::ComponentStatus;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::notice::{IncidentChange, MaintenanceChange, NoticeChange};
use allclear_domain::rollup::PublicStatus;
use allclear_domain::tone::Tone;

use super::{Chat, Link, time};

impl<'a> Chat<'a> {
    /// This message with what a notice says.
    pub(super) fn with_notice(self, state: &'a StatuspageState, notice: &'a Notice) -> Self {
        let (content, change) = (&notice.content, &notice.content.change);
        let shown = |at| time(state.organisation.time_zone, at);
        let affected = change.affected().into_iter();
        let times = change.times(notice.at).into_iter();
        Self {
            title: Cow::Borrowed(&content.title),
            text: content.plain_text(),
            status: status_label(change),
            tone: tone(change),
            affected: affected
                .map(|(name, state)| (name, state.map(PublicStatus::label)))
                .collect(),
            unnamed: content.unnamed_components,
            times: times
                .map(|(label, at)| (label, at.map_or_else(|| "---".to_owned(), shown)))
                .collect(),
            main: permalink(state, notice).unwrap_or(self.main),
            ..self
        }
    }
}

/// The status in words. A chat shows it alone, so it says what is new if the status does not.
fn status_label(change: &NoticeChange) -> &'static str {
    match change {
        NoticeChange::Incident {
            change: IncidentChange::Reviewed,
            ..
        } => "Review published",
        NoticeChange::Incident {
            change: IncidentChange::Reopened,
            ..
        } => "Reopened",
        NoticeChange::Maintenance {
            change: MaintenanceChange::Rescheduled,
            ..
        } => "Times changed",
        other => other.shown_status().label(),
    }
}

/// Tone of a change: of an open incident, that of its worst impact; otherwise, that of the status.
fn tone(change: &NoticeChange) -> Tone {
    let worst = match change {
        NoticeChange::Incident {
            status, components, ..
        } if *status != IncidentStatus::Resolved => {
            ComponentStatus::worst(components.iter().map(|component| component.status))
        }
        _ => None,
    };
    match worst {
        None | Some(ComponentStatus::Operational) => change.shown_status().into(),
        Some(worst) => worst.into(),
    }
}

/// The page about the incident or the maintenance; `None` for a component.
fn permalink(state: &StatuspageState, notice: &Notice) -> Option<Link<'static>> {
    let label = match notice.content.change {
        NoticeChange::Incident { .. } => "View incident",
        NoticeChange::Maintenance { .. } => "View maintenance",
        NoticeChange::Component { .. } => return None,
    };
    Some(Link::new(label, state.url.clone() + &notice.path()?))
}
