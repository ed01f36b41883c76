//! The HTML of the public page: the page of the web app's build, filled with the state of an
//! organisation. The page is complete without scripts, and carries tags for link previews.

use std::hash::{DefaultHasher, Hash, Hasher};

use allclear_application::public::Snapshot;
use allclear_domain::component::ComponentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use maud::{Markup, PreEscaped, html};

use crate::status::markup::{self, SubscribePage, feed_links};

const HEAD: &str = "<!--allclear:head-->";
pub(crate) const ICON: &str = "/favicon.svg";
const PAGE: &str = "<!--allclear:page-->";
const SNAPSHOT: &str = "<!--allclear:snapshot-->";

/// How many incidents the description of a preview names.
const PREVIEWED: usize = 3;

/// The built page with its placeholders.
#[derive(Debug, Clone)]
pub struct PageTemplate {
    html: String,
    /// The page without its script element, for pages that the server alone draws.
    plain: String,
    origin: String,
    fingerprint: String,
    /// The page in the frame of the embedded banner.
    embed: String,
}

impl PageTemplate {
    /// Takes the page of the web app's build, and the origin of the public URL.
    #[must_use]
    pub fn new(html: String, origin: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        (&html, origin).hash(&mut hasher);
        let fingerprint = format!("{:x}", hasher.finish());
        Self {
            plain: without_script(&html),
            html,
            origin: origin.trim_end_matches('/').to_owned(),
            fingerprint,
            embed: String::new(),
        }
    }

    /// Takes the page in the frame of the embedded banner.
    #[must_use]
    pub fn with_embed(self, embed: String) -> Self {
        Self { embed, ..self }
    }

    /// The page in the frame of the embedded banner, with its placeholders.
    pub(crate) fn embed(&self) -> &str {
        &self.embed
    }

    /// A hash of the template. It changes whenever the HTML of all pages changes.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// The page of an organisation. `data` is the snapshot as JSON.
    #[must_use]
    pub fn page(&self, snapshot: &Snapshot, data: &str) -> String {
        let icon = format!("/favicon{}.svg", picture_suffix(snapshot));
        let data = html! { script type="application/json" id="snapshot" { (PreEscaped(in_script(data))) } };
        self.fill(&self.head(snapshot), &icon, &markup::page(snapshot), &data)
    }

    /// The page for an unknown organisation.
    #[must_use]
    pub fn unknown(&self) -> String {
        let head = html! { title { "Status page not found" } };
        self.fill(&head, ICON, &markup::unknown(), &Markup::default())
    }

    /// The page with the plain form that subscribes to an organisation.
    pub(crate) fn subscribe(&self, organisation: &str, shown: &SubscribePage) -> String {
        let head = html! {
            title { "Subscribe to updates" }
            meta name="robots" content="noindex";
        };
        let page = markup::subscribe_page(organisation, shown);
        fill(&self.plain, &head, ICON, (&page, &Markup::default()))
    }

    fn fill(&self, head: &Markup, icon: &str, page: &Markup, data: &Markup) -> String {
        fill(&self.html, head, icon, (page, data))
    }

    /// Title, description and tags for search engines and link previews (the Open Graph protocol; Twitter cards).
    fn head(&self, snapshot: &Snapshot) -> Markup {
        let organisation = &snapshot.organisation;
        let address = &organisation.url;
        let picture = match picture_suffix(snapshot) {
            "" => "-unknown",
            ending => ending,
        };
        let picture = format!("{}/preview{picture}.png", self.origin);
        let title = snapshot.banner.map_or_else(
            || format!("{} status", organisation.page_title),
            |banner| format!("{}: {}", organisation.page_title, banner.text),
        );
        let description = description(snapshot);
        html! {
            title { (title) }
            meta name="description" content=(description);
            link rel="canonical" href=(address);
            (feed_links(&organisation.url, &organisation.page_title))
            meta property="og:type" content="website";
            meta property="og:site_name" content="Allclear Status";
            meta property="og:title" content=(organisation.page_title);
            meta property="og:description" content=(description);
            meta property="og:url" content=(address);
            meta property="og:image" content=(picture);
            meta property="og:image:type" content="image/png";
            meta property="og:image:width" content="1200";
            meta property="og:image:height" content="630";
            meta property="og:image:alt" content=(headline(snapshot));
            meta name="twitter:card" content="summary_large_image";
        }
    }
}

/// Replaces the placeholders. Placeholders are searched in the template only, never in text that people wrote.
pub(crate) fn fill(
    html: &str,
    head: &Markup,
    icon: &str,
    (page, data): (&Markup, &Markup),
) -> String {
    let pieces = [
        (HEAD, head.0.as_str()),
        (ICON, icon),
        (PAGE, &page.0),
        (SNAPSHOT, &data.0),
    ];
    let size = pieces.iter().map(|(_, piece)| piece.len()).sum::<usize>() + html.len();
    let mut filled = String::with_capacity(size);
    let mut rest = html;
    for (place, piece) in pieces {
        if let Some((before, after)) = rest.split_once(place) {
            filled.push_str(before);
            filled.push_str(piece);
            rest = after;
        }
    }
    filled.push_str(rest);
    filled
}

/// Removes the script element from the built page.
fn without_script(html: &str) -> String {
    let script = html.split_once("<script async").and_then(|(before, rest)| {
        let (_, after) = rest.split_once("</script>")?;
        Some(before.to_owned() + after)
    });
    script.unwrap_or_else(|| html.to_owned())
}

/// The page in one sentence.
fn headline(snapshot: &Snapshot) -> String {
    snapshot.banner.map_or_else(
        || format!("The status of {}", snapshot.organisation.page_title),
        |banner| banner.text.to_owned(),
    )
}

/// The headline and the unresolved incidents.
fn description(snapshot: &Snapshot) -> String {
    let mut sentences = headline(snapshot) + ".";
    let mut unresolved = snapshot
        .incidents
        .iter()
        .filter(|incident| markup::is_unresolved(incident));
    for incident in unresolved.by_ref().take(PREVIEWED) {
        sentences.extend([
            " ",
            &incident.title,
            " (",
            markup::incident_status(incident),
            ").",
        ]);
    }
    match unresolved.count() {
        0 => sentences,
        1 => sentences + " One more incident.",
        more => format!("{sentences} {more} more incidents."),
    }
}

/// Suffix of the favicon and the preview image: the worst component status, else a maintenance in progress.
fn picture_suffix(snapshot: &Snapshot) -> &'static str {
    let statuses = snapshot.components.iter().map(|component| component.status);
    let in_progress = snapshot
        .maintenances
        .iter()
        .any(|maintenance| maintenance.status == MaintenanceStatus::InProgress);
    match ComponentStatus::worst(statuses) {
        Some(ComponentStatus::MajorOutage) => "-major",
        Some(ComponentStatus::PartialOutage) => "-partial",
        Some(ComponentStatus::Degraded) => "-degraded",
        Some(ComponentStatus::Operational) | None if in_progress => "-maintenance",
        Some(ComponentStatus::Operational) => "-operational",
        None => "",
    }
}

/// Escapes JSON so that it can neither end the script element nor start a comment.
pub(crate) fn in_script(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests;
