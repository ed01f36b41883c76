//! The HTML of the pages of the history: the page of the web app's build, filled with a part of the history.

use allclear_application::public::history::{
    EntryDetails, EntryStatus, History, HistorySelection, PageOwner,
};
use allclear_domain::id::OrganisationId;
use allclear_domain::maintenance::MaintenanceStatus;
use chrono::{DateTime, SecondsFormat, Utc};
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::page_template::{ICON, fill, in_script};
use crate::status::markup::history::{self, base, history_path};

/// Characters of a description for search engines and link previews.
const DESCRIPTION_LENGTH: usize = 200;

/// The built page with its placeholders.
#[derive(Debug)]
pub struct HistoryTemplate {
    html: String,
    origin: String,
}

/// What the head of a page says.
struct Head<'a> {
    owner: &'a PageOwner,
    title: &'a str,
    description: String,
    path: String,
    kind: &'static str,
    data: Value,
}

impl HistoryTemplate {
    /// Takes the page of the web app's build, and the origin of the public URL.
    #[must_use]
    pub fn new(html: String, origin: &str) -> Self {
        Self {
            html,
            origin: origin.trim_end_matches('/').to_owned(),
        }
    }

    /// The page of some months.
    pub(crate) fn history(&self, history: &History, selection: HistorySelection) -> String {
        let owner = &history.owner;
        let path = history_path(&owner.id, selection.page, selection.component);
        let head = Head {
            owner,
            title: "History",
            description: format!("Incidents and maintenances of {} by month.", owner.title),
            kind: "website",
            data: json!({
                "@type": "CollectionPage",
                "name": format!("History - {}", owner.title),
                "url": self.address(&path),
            }),
            path,
        };
        self.page(&head, &history::page(history, selection))
    }

    /// The page of an incident or a maintenance.
    pub(crate) fn entry(&self, details: &EntryDetails) -> String {
        let (owner, entry) = (&details.owner, &details.entry);
        let path = history::entry_path(&owner.id, entry);
        let description = format!("{}. {}", history::label(entry.status), entry.summary);
        let head = Head {
            owner,
            title: &entry.title,
            description: shortened(&description),
            kind: "article",
            data: self.structured(details, &path),
            path,
        };
        self.page(&head, &history::entry(details))
    }

    /// The page for an unknown address.
    pub(crate) fn unknown(&self, organisation: Option<&OrganisationId>) -> String {
        let head = html! {
            title { "Page not found" }
            meta name="robots" content="noindex";
        };
        let page = history::unknown(organisation);
        fill(&self.html, &head, ICON, (&page, &Markup::default()))
    }

    /// The incident as an article, or the maintenance as an event, in the words of schema.org.
    fn structured(&self, details: &EntryDetails, path: &str) -> Value {
        let EntryDetails { owner, entry, .. } = details;
        let organisation = json!({
            "@type": "Organization",
            "name": owner.title,
            "url": self.address(&base(&owner.id)),
        });
        match entry.status {
            EntryStatus::Incident(_) => json!({
                "@type": "Article",
                "headline": entry.title,
                "datePublished": machine_time(entry.start_at),
                "dateModified": machine_time(details.updated_at),
                "author": organisation,
                "mainEntityOfPage": self.address(path),
            }),
            EntryStatus::Maintenance(status) => json!({
                "@type": "Event",
                "name": entry.title,
                "startDate": machine_time(entry.start_at),
                "endDate": entry.end_at.map(machine_time),
                "eventStatus": if status == MaintenanceStatus::Cancelled {
                    "https://schema.org/EventCancelled"
                } else {
                    "https://schema.org/EventScheduled"
                },
                "eventAttendanceMode": "https://schema.org/OnlineEventAttendanceMode",
                "location": { "@type": "VirtualLocation", "url": self.address(path) },
                "organizer": organisation,
            }),
        }
    }

    fn address(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    fn page(&self, head: &Head<'_>, page: &Markup) -> String {
        let title = format!("{} - {}", head.title, head.owner.title);
        let address = self.address(&head.path);
        let mut data = head.data.clone();
        data["@context"] = "https://schema.org".into();
        let head = html! {
            title { (title) }
            meta name="description" content=(head.description);
            link rel="canonical" href=(address);
            meta property="og:type" content=(head.kind);
            meta property="og:site_name" content=(head.owner.title);
            meta property="og:title" content=(head.title);
            meta property="og:description" content=(head.description);
            meta property="og:url" content=(address);
            meta property="og:image" content=(self.address("/preview-unknown.png"));
            meta property="og:image:width" content="1200";
            meta property="og:image:height" content="630";
            meta property="og:image:alt" content=(head.owner.title);
            meta name="twitter:card" content="summary";
            script type="application/ld+json" { (PreEscaped(in_script(&data.to_string()))) }
        };
        fill(&self.html, &head, ICON, (page, &Markup::default()))
    }
}

fn machine_time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// The beginning of a text, on one line.
fn shortened(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(DESCRIPTION_LENGTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
