//! The public page as HTML, which its script hydrates, and which is complete without a script.
//!
//! Each function corresponds to the component of the same name in the web app's `features/status-page`, element by
//! element and text by text, because React replaces whatever differs. A browser test compares the two.

mod component;
mod frame;
pub(crate) mod history;
mod icon;
mod incident;
mod maintenance;
mod section;
mod status_style;
mod subscribe;
mod text;
mod timeline;
mod uptime;

use allclear_application::public::Snapshot;
use allclear_application::public::incident::PublicIncident;
use maud::{Markup, html};

use self::frame::frame;
use self::icon::Icon;
use self::status_style::StatusStyle;
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
pub fn page(snapshot: &Snapshot) -> Markup {
    let organisation = &snapshot.organisation;
    // Unresolved incidents come before the components they affect.
    let incidents_first = snapshot.incidents.iter().any(is_unresolved);
    let heading = html! {
        h1 class="text-2xl font-semibold tracking-tight text-balance wrap-anywhere sm:text-3xl" dir="auto" {
            a href={ "/status/" (organisation.id) } class="rounded-sm" { (organisation.page_title) }
        }
    };
    let content = html! {
        div class="grid gap-3" {
            (text::prose(organisation.page_description.as_deref().unwrap_or_default(), " text-muted"))
            (component::banner(snapshot.banner, &snapshot.components))
            div class="flex flex-col justify-between gap-x-4 gap-y-1 text-sm text-subtle sm:flex-row" {
                p data-print="hidden" class="flex min-w-24 items-baseline gap-2" {
                    span aria-hidden="true" class="size-2 shrink-0 rounded-full bg-neutral-solid" {}
                    span { "State of " (text::local_time(Some(snapshot.generated_at), organisation.time_zone)) }
                }
                p { "All times are in " (text::zone_name(organisation.time_zone)) }
            }
        }
        div class="grid gap-8 xl:grid-cols-[minmax(0,5fr)_minmax(0,7fr)] xl:grid-rows-[auto_1fr]" {
            @if incidents_first { (incident::list(organisation, &snapshot.incidents)) }
            (component::list(snapshot))
            @if !incidents_first { (incident::list(organisation, &snapshot.incidents)) }
            (maintenance::list(organisation, &snapshot.maintenances))
        }
        p class="flex flex-wrap gap-2" {
            (link_button(&format!("/status/{}/history", organisation.id), "View history"))
            (link_button(&format!("/status/{}/uptime", organisation.id), "Uptime"))
            @if let Some(support) = &organisation.support_url { (link_button(support, "Get support")) }
        }
        div role="log" aria-live="polite" aria-label="Changes" class="sr-only" {}
    };
    let actions = html! {
        (subscribe::control(&organisation.id))
        (subscribe::feed_menu(&organisation.url))
    };
    frame(&heading, &actions, &content)
}

fn link_button(path: &str, text: &str) -> Markup {
    html! { a href=(path) class=(frame::button(frame::SECONDARY)) { (text) } }
}

/// The page for an unknown organisation.
#[must_use]
pub fn unknown() -> Markup {
    let content = html! {
        div class="mx-auto grid max-w-md justify-items-center gap-4 py-12 text-center" {
            (Icon::SEARCH_X.svg("size-10 text-subtle"))
            h1 class="text-2xl font-semibold tracking-tight text-balance" { "There is no status page here" }
            p class="text-muted" {
                "The address may have a typing mistake, or the organisation may have taken its page down. Compare it with \
                 the link you were given, or ask the organisation for its current one."
            }
            a href="/" class=(frame::button(frame::PRIMARY)) { "Back to Home" }
        }
    };
    frame(&Markup::default(), &Markup::default(), &content)
}

#[cfg(test)]
mod tests;
