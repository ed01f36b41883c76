//! The HTML of the public page: the page of the web app's build, filled with the state of an
//! organisation. The page is complete without scripts, and carries tags for link previews.

use std::hash::{DefaultHasher, Hash, Hasher};

use allclear_application::status_page::Snapshot;
use allclear_domain::component::ComponentStatus;
use allclear_domain::maintenance::MaintenanceStatus;
use maud::{Markup, PreEscaped, html};
use serde_json::json;

use crate::status_page::markup::{self, feed_links};
use crate::web_app::sprite::{SPRITE, Sprite};

const HEAD: &str = "<!--allclear:head-->";
pub(crate) const ICON: &str = "/favicon.svg";
const PAGE: &str = "<!--allclear:page-->";
const DRAWN: &str = "<!--allclear:drawn-->";

/// How many incidents the description of a preview names.
const MAX_PREVIEWED: usize = 3;

/// The built page with its placeholders.
#[derive(Debug, Clone)]
pub struct PageTemplate {
    html: String,
    sprite: Sprite,
    fingerprint: String,
    /// The page in the frame of the embedded banner.
    embed: String,
}

impl PageTemplate {
    /// Takes the page of the web app's build, the page in the frame of the embedded banner, and the
    /// origin of the public URL.
    #[must_use]
    pub fn new(html: String, embed: String, origin: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        (&html, origin).hash(&mut hasher);
        let fingerprint = format!("{:x}", hasher.finish());
        let (html, sprite) = Sprite::cut_from(html);
        Self {
            html,
            sprite,
            fingerprint,
            embed,
        }
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

    /// The page of an organisation. `tag` is the entity tag of the snapshot: the script requests
    /// the snapshot, and finds out by its tag whether it is what the page shows.
    #[must_use]
    pub fn page(&self, snapshot: &Snapshot, tag: &str) -> String {
        let icon = format!("/favicon{}.svg", picture_suffix(snapshot));
        let drawn = json!({ "organisation": snapshot.organisation.id, "tag": tag }).to_string();
        let data =
            html! { script type="application/json" id="drawn" { (PreEscaped(in_script(&drawn))) } };
        self.fill(
            &self.html,
            &Self::head(snapshot),
            &icon,
            &markup::page(snapshot),
            &data,
        )
    }

    /// The page for an unknown organisation.
    #[must_use]
    pub fn unknown(&self) -> String {
        let head = html! { title { "Status page not found" } };
        let html = with_whole_style(&self.html);
        self.fill(&html, &head, ICON, &markup::unknown(), &Markup::default())
    }

    /// A page that no script hydrates.
    pub(crate) fn plain(&self, title: &str, page: &Markup) -> String {
        let head = html! {
            title { (title) }
            meta name="robots" content="noindex";
        };
        let html = without_script(&with_whole_style(&self.html));
        self.fill(&html, &head, ICON, page, &Markup::default())
    }

    fn fill(&self, html: &str, head: &Markup, icon: &str, page: &Markup, data: &Markup) -> String {
        fill(html, head, icon, (&self.sprite, page, data))
    }

    /// Title, description and tags for search engines and link previews (the Open Graph protocol;
    /// Twitter cards). The name of the site is the page's title.
    fn head(snapshot: &Snapshot) -> Markup {
        let organisation = &snapshot.organisation;
        let address = &organisation.url;
        let picture = match picture_suffix(snapshot) {
            "" => "-unknown",
            ending => ending,
        };
        let picture = format!("{}/preview{picture}.png", origin_of(address));
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
            meta property="og:title" content=(organisation.page_title);
            meta property="og:description" content=(description);
            meta property="og:url" content=(address);
            meta property="og:image" content=(picture);
            meta property="og:image:alt" content=(headline(snapshot));
            meta name="twitter:card" content="summary_large_image";
        }
    }
}

/// Replaces the placeholders. Placeholders are searched in the template only, never in text that
/// people wrote.
pub(crate) fn fill(
    html: &str,
    head: &Markup,
    icon: &str,
    (sprite, page, data): (&Sprite, &Markup, &Markup),
) -> String {
    let sprite = sprite.of(&page.0);
    let pieces = [
        (HEAD, head.0.as_str()),
        (ICON, icon),
        (SPRITE, &sprite),
        (PAGE, &page.0),
        (DRAWN, &data.0),
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

/// The origin of the address of a page, from which link previews read the picture. It may be a
/// domain while only operators reach the installation's address.
pub(crate) fn origin_of(address: &str) -> &str {
    let host = address.find("://").map_or(0, |scheme| scheme + "://".len());
    let end = address[host..].find('/');
    end.map_or(address, |length| &address[..host + length])
}

/// Applies at once the style that other pages apply after the first paint.
fn with_whole_style(html: &str) -> String {
    let media = html.split_once(" media=\"").and_then(|(before, rest)| {
        let (_, after) = rest.split_once('"')?;
        Some(before.to_owned() + after)
    });
    media.unwrap_or_else(|| html.to_owned())
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
    for incident in unresolved.by_ref().take(MAX_PREVIEWED) {
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

/// Suffix of the favicon and the preview image: the worst component status, else a maintenance
/// in progress.
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
