//! The public page as HTML, which its script hydrates, and which is complete without a script.
//!
//! Each function corresponds to the component of the same name in the web app's
//! `features/status-page`, element by element and text by text, because React replaces whatever
//! differs. A browser test compares the two.

mod affected;
mod component;
mod frame;
pub(crate) mod history;
mod icon;
mod incident;
mod link;
mod maintenance;
mod section;
mod status_style;
mod subscribe;
mod text;
mod timeline;
mod uptime;

use allclear_application::link::status_page_path;
use allclear_application::status_page::Snapshot;
use allclear_application::status_page::incident::PublicIncident;
use maud::{Markup, html};

use self::affected::UniqueNames;
use self::frame::{Home, frame};
pub(crate) use self::link::{FORMS as LINK_FORMS, LinkOutcome, page as link_page};
use self::status_style::StatusStyle;
pub(crate) use self::status_style::tone_name;
pub(crate) use self::subscribe::{
    SubscribeForm, SubscribePage, feed_links, page as subscribe_page,
};
pub(crate) use self::uptime::uptime_digits;

/// Whether an incident is unresolved.
pub(crate) fn is_unresolved(incident: &PublicIncident) -> bool {
    incident::is_unresolved(incident)
}

/// Label of an incident's status.
pub(crate) fn incident_status(incident: &PublicIncident) -> &'static str {
    StatusStyle::from(incident.status).label
}

/// The page of an organisation.
#[must_use]
pub(crate) fn page(snapshot: &Snapshot) -> Markup {
    let organisation = &snapshot.organisation;
    let path = status_page_path(&organisation.id);
    let heading = html! {
        a href="#components" class="skip" { "Skip to components" }
        h1 class="title" dir="auto" { a href=(path) { (organisation.page_title) } }
    };
    let content = html! {
        div class="overview" {
            (text::prose(organisation.page_description.as_deref().unwrap_or_default()))
            (component::banner(snapshot))
            div class="note" {
                p class="live" {
                    span {}
                    span { "State of " (text::exact_time(snapshot.generated_at, organisation.time_zone)) }
                }
                p { "All times are in " (organisation.time_zone.label()) }
            }
            nav aria-label="Pages" class="links" {
                (link_button(&format!("{path}/history"), "View history"))
                (link_button(&format!("{path}/uptime"), "Uptime"))
                @if let Some(support) = &organisation.support_url { (link_button(support, "Get support")) }
            }
        }
        div class="sections" { @for section in sections(snapshot) { (section) } }
        div role="log" aria-live="polite" aria-label="Changes" {}
    };
    let actions = html! {
        (subscribe::control(organisation))
        (subscribe::feed_menu(organisation))
    };
    // The address below the installation has this path. That of a domain has none.
    let home = Home::of(!organisation.url.ends_with(&path));
    frame(home, &heading, &actions, &content)
}

/// The sections in the order in which they are read. Unresolved incidents are before the components
/// that they affect, past ones after them. Maintenances that are not over come second.
fn sections(snapshot: &Snapshot) -> Vec<Markup> {
    let names = UniqueNames::of(snapshot);
    let mut sections = vec![component::list(snapshot), incident::list(snapshot, &names)];
    if snapshot.incidents.iter().any(is_unresolved) {
        sections.reverse();
    }
    let all_over = snapshot.maintenances.iter().all(maintenance::is_over);
    sections.insert(
        if all_over { 2 } else { 1 },
        maintenance::list(snapshot, &names),
    );
    sections
}

fn link_button(path: &str, text: &str) -> Markup {
    html! { a href=(path) class="button" { (text) } }
}

/// The page for an unknown organisation.
#[must_use]
pub(crate) fn unknown() -> Markup {
    let content = html! {
        div class="absent" {
            (icon::search_x())
            h1 { "There is no status page here" }
            p {
                "The address may have a typing mistake, or the organisation may have taken its page down. Compare it with \
                 the link you were given, or ask the organisation for its current one."
            }
            a href="/" class="primary" { "Back to Home" }
        }
    };
    let nothing = Markup::default();
    frame(Home::Root, &nothing, &nothing, &content)
}

#[cfg(test)]
mod tests;
