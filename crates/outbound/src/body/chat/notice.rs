//! Messages about a change of an incident or a maintenance.

use std::borrow::Cow;

use allclear_application::notice::Notice;
use allclear_application::statuspage::PublicState;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{IncidentId, MaintenanceId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::notice::{IncidentChange, NoticeChange};

use super::status::Colour;
use super::{Chat, Link, time};

impl<'a> Chat<'a> {
    /// This message with what a notice says.
    pub(super) fn with_notice(self, state: &'a PublicState, notice: &'a Notice) -> Self {
        let content = &notice.content;
        let base = Self {
            title: Cow::Borrowed(&content.title),
            text: Cow::Borrowed(content.message.as_deref().unwrap_or(&content.description)),
            ..self
        };
        let time = |at| time(state.organisation.time_zone, at);
        match &content.change {
            NoticeChange::Incident {
                change,
                status,
                update_status,
                shown_at,
                occurred_at,
                components,
            } => {
                let is_over = *status == IncidentStatus::Resolved;
                let status = &update_status.unwrap_or(*status);
                let worst = components.iter().map(|component| component.status);
                let (status_label, time_label) = match change {
                    IncidentChange::Created => (status.label(), "Reported"),
                    IncidentChange::Updated => (status.label(), "Updated"),
                    IncidentChange::Resolved => (status.label(), "Resolved"),
                    IncidentChange::Reviewed => ("Review published", "Reviewed"),
                };
                let code = IncidentId(notice.subject).code();
                Self {
                    status: status_label,
                    colour: Colour::of_incident(*status, ComponentStatus::worst(worst)),
                    affected: components
                        .iter()
                        .map(|component| {
                            let impact = component.status.label();
                            (component.name.as_str(), (!is_over).then_some(impact))
                        })
                        .collect(),
                    times: vec![
                        ("Began", time(*occurred_at)),
                        (time_label, time(shown_at.unwrap_or(notice.at))),
                    ],
                    main: Link::new("View incident", format!("{}/incidents/{code}", state.url)),
                    ..base
                }
            }
            NoticeChange::Maintenance {
                status,
                start_at,
                end_at,
                components,
                ..
            } => {
                let is_running = *status == MaintenanceStatus::InProgress;
                let impact = is_running.then_some("Under Maintenance");
                let mut times = vec![("Starts", time(*start_at))];
                times.extend(end_at.map(|end| ("Ends", time(end))));
                times.push(("Posted", time(notice.at)));
                let code = MaintenanceId(notice.subject).code();
                let url = format!("{}/maintenances/{code}", state.url);
                Self {
                    status: status.label(),
                    colour: Colour::of_maintenance(*status),
                    affected: components.iter().map(|name| (&**name, impact)).collect(),
                    times,
                    main: Link::new("View maintenance", url),
                    ..base
                }
            }
            NoticeChange::Component { status, .. } => Self {
                status: status.label(),
                times: vec![("Changed", time(notice.at))],
                ..base
            },
        }
    }
}
