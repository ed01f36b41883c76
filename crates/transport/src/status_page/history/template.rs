//! The HTML of the pages of the history: the page of the web app's build, filled with a part of
//! the history.

use allclear_application::link::{Links, status_page_path};
use allclear_application::status_page::history::{
    History, HistoryDetails, HistorySelection, HistoryStatus, PageOwner,
};
use allclear_application::status_page::uptime::{UptimePage, UptimeSelection};
use allclear_application::timestamp;
use allclear_domain::id::OrganisationId;
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::text::shorten;
use maud::{Markup, PreEscaped, html};
use serde_json::{Value, json};

use crate::status_page::markup::feed_links;
use crate::status_page::markup::history::{self, history_path, uptime_path};
use crate::web_app::page_template::{ICON, fill, in_script, origin_of};
use crate::web_app::sprite::Sprite;

/// Characters of a description for search engines and link previews.
const DESCRIPTION_LENGTH: usize = 200;

/// The built page with its placeholders.
#[derive(Debug)]
pub struct HistoryTemplate {
    html: String,
    sprite: Sprite,
    links: Links,
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
        let (html, sprite) = Sprite::cut_from(html);
        Self {
            html,
            sprite,
            links: Links::new(origin),
        }
    }

    /// The page of some months.
    pub(crate) fn history(&self, history: &History, selection: HistorySelection) -> String {
        let owner = &history.owner;
        let path = history_path(&owner.id, selection.page, selection.component);
        let description = format!("Incidents and maintenances of {} by month.", owner.title);
        let head = self.collection(owner, "History", description, path);
        self.page(&head, &history::page(history, selection))
    }

    /// The page of the uptime by month.
    pub(crate) fn uptime(&self, page: &UptimePage, selection: UptimeSelection) -> String {
        let owner = &page.owner;
        let path = uptime_path(&owner.id, selection.page, selection.component);
        let description = format!("Uptime of the components of {} by month.", owner.title);
        let head = self.collection(owner, "Uptime", description, path);
        self.page(&head, &history::uptime(page, selection))
    }

    /// The head of a page about many things.
    fn collection<'a>(
        &self,
        owner: &'a PageOwner,
        title: &'a str,
        description: String,
        path: String,
    ) -> Head<'a> {
        Head {
            owner,
            title,
            description,
            kind: "website",
            data: json!({
                "@type": "CollectionPage",
                "name": format!("{title} - {}", owner.title),
                "url": self.address(owner, &path),
            }),
            path,
        }
    }

    /// The page of an incident or a maintenance.
    pub(crate) fn entry(&self, details: &HistoryDetails) -> String {
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
        self.fill(&head, &page)
    }

    /// The incident as an article, or the maintenance as an event, in the words of schema.org.
    fn structured(&self, details: &HistoryDetails, path: &str) -> Value {
        let HistoryDetails { owner, entry, .. } = details;
        let organisation = json!({
            "@type": "Organization",
            "name": owner.title,
            "url": self.address(owner, &status_page_path(&owner.id)),
        });
        match entry.status {
            HistoryStatus::Incident(_) => {
                let mut article = json!({
                    "@type": "Article",
                    "headline": entry.title,
                    "datePublished": timestamp::text(&entry.start_at),
                    "dateModified": timestamp::text(&details.updated_at),
                    "author": organisation,
                    "mainEntityOfPage": self.address(owner, path),
                });
                if let Some(review) = &details.review {
                    let changed_at = review.updated_at.max(details.updated_at);
                    article["dateModified"] = timestamp::text(&changed_at).into();
                    article["hasPart"] = json!({
                        "@type": "Article",
                        "headline": format!("Review of {}", entry.title),
                        "datePublished": timestamp::text(&review.published_at),
                        "dateModified": timestamp::text(&review.updated_at),
                        "author": organisation,
                        "url": format!("{}#review", self.address(owner, path)),
                    });
                }
                article
            }
            HistoryStatus::Maintenance(status) => json!({
                "@type": "Event",
                "name": entry.title,
                "startDate": timestamp::text(&entry.start_at),
                "endDate": entry.end_at.as_ref().map(timestamp::text),
                "eventStatus": if status == MaintenanceStatus::Cancelled {
                    "https://schema.org/EventCancelled"
                } else {
                    "https://schema.org/EventScheduled"
                },
                "eventAttendanceMode": "https://schema.org/OnlineEventAttendanceMode",
                "location": { "@type": "VirtualLocation", "url": self.address(owner, path) },
                "organizer": organisation,
            }),
        }
    }

    /// The canonical address of a path below that of the status page.
    fn address(&self, owner: &PageOwner, path: &str) -> String {
        let page = self.links.page(&owner.id, owner.domain.as_ref());
        let rest = path
            .strip_prefix(&status_page_path(&owner.id))
            .unwrap_or(path);
        page + rest
    }

    fn page(&self, head: &Head<'_>, page: &Markup) -> String {
        let title = format!("{} - {}", head.title, head.owner.title);
        let address = self.address(head.owner, &head.path);
        let status_page = self.links.page(&head.owner.id, head.owner.domain.as_ref());
        let picture = format!("{}/preview-unknown.png", origin_of(&status_page));
        let mut data = head.data.clone();
        data["@context"] = "https://schema.org".into();
        let head = html! {
            title { (title) }
            meta name="description" content=(head.description);
            link rel="canonical" href=(address);
            (feed_links(&status_page, &head.owner.title))
            meta property="og:type" content=(head.kind);
            meta property="og:site_name" content=(head.owner.title);
            meta property="og:title" content=(head.title);
            meta property="og:description" content=(head.description);
            meta property="og:url" content=(address);
            meta property="og:image" content=(picture);
            meta property="og:image:width" content="1200";
            meta property="og:image:height" content="630";
            meta property="og:image:alt" content=(head.owner.title);
            meta name="twitter:card" content="summary";
            script type="application/ld+json" { (PreEscaped(in_script(&data.to_string()))) }
        };
        self.fill(&head, page)
    }

    fn fill(&self, head: &Markup, page: &Markup) -> String {
        fill(
            &self.html,
            head,
            ICON,
            (&self.sprite, page, &Markup::default()),
        )
    }
}

/// The beginning of a text, on one line.
fn shortened(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    shorten(&mut line, DESCRIPTION_LENGTH);
    line
}
