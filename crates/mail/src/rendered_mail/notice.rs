//! Mail about a change of an incident or a maintenance.

use allclear_application::notice::Notice;
use allclear_domain::notice::{IncidentChange, MaintenanceChange, NoticeChange, NoticeContent};
use allclear_domain::text::shorten;
use allclear_domain::time_zone::TimeZone;
use allclear_domain::{markdown, web_address};
use askama::Template;

use super::status::StatusStyle;
use super::{RenderedMail, one_line, organisation_name, time};

/// Length of the preview of a mail, in characters.
const PREVIEW_LENGTH: usize = 150;

#[derive(Template)]
#[template(path = "notice.txt", escape = "none")]
struct NoticeText<'a> {
    mail: &'a NoticeMail<'a>,
}

#[derive(Template)]
#[template(path = "notice.html")]
struct NoticeHtml<'a> {
    mail: &'a NoticeMail<'a>,
}

/// A notice as both templates show it.
pub(super) struct NoticeMail<'a> {
    organisation: String,
    notice: &'a Notice,
    content: &'a NoticeContent,
    time_zone: TimeZone,
    links: NoticeLinks<'a>,
}

/// The links of a notice.
pub(super) struct NoticeLinks<'a> {
    /// The public status page.
    pub(super) page: &'a str,
    /// The page that changes the subscription.
    pub(super) manage: &'a str,
    /// The page that ends the subscription.
    pub(super) unsubscribe: &'a str,
}

impl<'a> NoticeMail<'a> {
    pub(super) fn new(
        organisation: &str,
        notice: &'a Notice,
        time_zone: TimeZone,
        links: NoticeLinks<'a>,
    ) -> Self {
        Self {
            organisation: organisation_name(organisation),
            notice,
            content: &notice.content,
            time_zone,
            links,
        }
    }

    pub(super) fn render(&self) -> Result<RenderedMail, askama::Error> {
        RenderedMail::render(
            self.subject(),
            &NoticeText { mail: self },
            &NoticeHtml { mail: self },
            vec![self.links.page.to_owned()],
        )
    }

    /// One subject for all mails about an incident: Gmail groups a thread by subject. The first
    /// line of the text, which mail programs show beside the subject, has what is new.
    fn subject(&self) -> String {
        one_line(&format!("[{}] {}", self.organisation, self.content.title))
    }

    /// The text as HTML: a review from Markdown, any other with its addresses as links.
    fn text_html(&self) -> String {
        self.content.review().map_or_else(
            || lines_html(self.content.text()),
            |review| markdown::render_below(2, review),
        )
    }

    /// Beginning of the text, which mail programs show beside the subject. They show less of it.
    fn preview(&self) -> String {
        let mut preview = format!("{}: {}", self.status().label, self.content.plain_text());
        shorten(&mut preview, PREVIEW_LENGTH - 1);
        preview
    }

    /// The organisation and its change, as a sentence without its full stop.
    fn lead(&self) -> String {
        let change = match &self.content.change {
            NoticeChange::Incident { change, .. } => match change {
                IncidentChange::Created => "reports an incident",
                IncidentChange::Updated => "has an update on an incident",
                IncidentChange::Resolved => "has resolved an incident",
                IncidentChange::Reopened => "has reopened an incident",
                IncidentChange::Reviewed => "has published a review of an incident",
            },
            NoticeChange::Maintenance { change, .. } => match change {
                MaintenanceChange::Scheduled => "has scheduled a maintenance",
                MaintenanceChange::Reinstated => "has scheduled a cancelled maintenance again",
                MaintenanceChange::Rescheduled => "has changed the times of a maintenance",
                MaintenanceChange::Updated => "has an update on a maintenance",
                MaintenanceChange::Began => "has begun a maintenance",
                MaintenanceChange::Ended => "has completed a maintenance",
                MaintenanceChange::Cancelled => "has cancelled a maintenance",
            },
            NoticeChange::Component { .. } => "has changed the status of a component",
        };
        format!("{} {change}", self.organisation)
    }

    fn status(&self) -> StatusStyle {
        self.content.change.shown_status().into()
    }

    /// Names of the affected components, with the state of each.
    fn components(&self) -> Vec<(&str, Option<StatusStyle>)> {
        let affected = self.content.change.affected().into_iter();
        affected
            .map(|(name, state)| (name, state.map(StatusStyle::from)))
            .collect()
    }

    /// Heading and text of the description; `None` if [`NoticeContent::text`] is the description.
    fn background(&self) -> Option<(&'static str, &str)> {
        let heading = match &self.content.change {
            NoticeChange::Incident { .. } => "About this incident",
            NoticeChange::Maintenance { .. } => "About this maintenance",
            NoticeChange::Component { .. } => "About this component",
        };
        let description = self.content.description.as_str();
        self.content.change_text().map(|_| (heading, description))
    }

    /// Label and URL of the page about the incident or the maintenance; `None` for a component.
    fn permalink(&self) -> Option<(&'static str, String)> {
        let label = match self.content.change {
            NoticeChange::Incident { .. } => "incident",
            NoticeChange::Maintenance { .. } => "maintenance",
            NoticeChange::Component { .. } => return None,
        };
        Some((label, self.links.page.to_owned() + &self.notice.path()?))
    }

    /// Labelled times.
    fn times(&self) -> Vec<(&'static str, String)> {
        let times = self.content.change.times(self.notice.at).into_iter();
        times
            .map(|(label, at)| {
                (
                    label,
                    at.map_or_else(|| "---".to_owned(), |at| time(self.time_zone, at)),
                )
            })
            .collect()
    }
}

/// A text as HTML, with its line breaks. Web addresses become links.
fn lines_html(text: &str) -> String {
    let html = web_address::to_html(text);
    let lines: Vec<&str> = html.lines().collect();
    lines.join("<br>\n")
}
