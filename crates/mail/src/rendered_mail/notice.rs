//! What subscribers read of incidents and maintenances: one shape for both.

use allclear_application::mail::notice::{
    IncidentChange, IncidentNotice, MaintenanceChange, MaintenanceNotice, NoticeLinks,
};
use askama::Template;
use chrono::{DateTime, Utc};

use super::status::Shown;
use super::{one_line, organisation_name};

#[derive(Template)]
#[template(path = "notice.txt", escape = "none")]
pub(super) struct NoticeText<'a> {
    pub(super) notice: &'a Notice<'a>,
}

#[derive(Template)]
#[template(path = "notice.html")]
pub(super) struct NoticeHtml<'a> {
    pub(super) notice: &'a Notice<'a>,
}

/// A notice in words.
pub(super) struct Notice<'a> {
    organisation: String,
    /// Who tells of what, in a sentence.
    lead: String,
    title: &'a str,
    status: Shown,
    message: Option<&'a str>,
    description: &'a str,
    /// The heading above the description where it is not the news.
    about: &'static str,
    components: Vec<Component<'a>>,
    times: Vec<(&'static str, String)>,
    links: &'a NoticeLinks,
}

struct Component<'a> {
    name: &'a str,
    status: Shown,
}

impl<'a> Notice<'a> {
    pub(super) fn of_incident(notice: &'a IncidentNotice) -> Self {
        let organisation = organisation_name(&notice.organisation);
        let (lead, posted) = match notice.change {
            IncidentChange::Created => (format!("{organisation} reports an incident"), "Reported"),
            IncidentChange::Updated => (
                format!("{organisation} has an update on an incident"),
                "Updated",
            ),
            IncidentChange::Resolved => (
                format!("{organisation} has resolved an incident"),
                "Resolved",
            ),
        };
        let shown = notice.components.iter();
        Self {
            organisation,
            lead,
            title: &notice.title,
            status: notice.status.into(),
            message: notice.message.as_deref(),
            description: &notice.description,
            about: "About this incident",
            components: shown
                .map(|one| Component {
                    name: &one.name,
                    status: one.status.into(),
                })
                .collect(),
            times: vec![
                ("Began", time(notice.occurred_at)),
                (posted, time(notice.at)),
            ],
            links: &notice.links,
        }
    }

    pub(super) fn of_maintenance(notice: &'a MaintenanceNotice) -> Self {
        let organisation = organisation_name(&notice.organisation);
        let lead = match notice.change {
            MaintenanceChange::Scheduled => format!("{organisation} has scheduled a maintenance"),
            MaintenanceChange::Updated => format!("{organisation} has an update on a maintenance"),
            MaintenanceChange::Began => format!("{organisation} has begun a maintenance"),
            MaintenanceChange::Ended => format!("{organisation} has completed a maintenance"),
            MaintenanceChange::Cancelled => format!("{organisation} has cancelled a maintenance"),
        };
        let end = notice.end_at.map_or_else(|| "---".to_owned(), time);
        Self {
            organisation,
            lead,
            title: &notice.title,
            status: notice.status.into(),
            message: notice.message.as_deref(),
            description: &notice.description,
            about: "About this maintenance",
            components: Vec::new(),
            times: vec![
                ("Starts", time(notice.start_at)),
                ("Ends", end),
                ("Posted", time(notice.at)),
            ],
            links: &notice.links,
        }
    }

    /// The same for everything about one incident: Gmail shows as one thread only what has one subject. What is new
    /// stands in the first line, which programs show beside it.
    pub(super) fn subject(&self) -> String {
        one_line(&format!("[{}] {}", self.organisation, self.title))
    }

    /// Every link in it, but the one to leave, which is the reader's own.
    pub(super) fn links(&self) -> Vec<String> {
        vec![self.links.page.clone()]
    }

    /// What is new: the update or, without one, what it is about.
    fn news(&self) -> &'a str {
        self.message.unwrap_or(self.description)
    }

    /// What it is about, where that is not the news.
    fn background(&self) -> Option<&'a str> {
        self.message.map(|_| self.description)
    }
}

/// As the product shows times, with the zone named: a mail does not know its reader's.
fn time(time: DateTime<Utc>) -> String {
    time.format("%b %d, %Y %I:%M:%S %p UTC").to_string()
}
