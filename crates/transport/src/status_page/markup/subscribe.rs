//! Subscribing to an organisation: the control of the public page, and the pages of the plain form.

use allclear_application::link::status_page_path;
use allclear_application::status_page::PublicOrganisation;
use allclear_application::status_page::history::PageOwner;
use allclear_application::status_page::incident::PublicIncident;
use allclear_domain::channel::Channel;
use maud::{Markup, html};

use super::frame::{Home, frame};

/// The contents of the plain form.
#[derive(Debug, Default)]
pub(crate) struct SubscribeForm {
    /// The given address.
    pub(crate) email: String,
    /// Whether the address is invalid.
    pub(crate) is_invalid: bool,
    /// Why the subscription was refused; `None` before the form was sent.
    pub(crate) reason: Option<String>,
}

/// A page of the plain form.
#[derive(Debug)]
pub(crate) enum SubscribePage {
    /// The form.
    Form(SubscribeForm),
    /// The confirmation, with its message.
    Sent(&'static str),
}

fn action(organisation: &str) -> String {
    status_page_path(organisation) + "/subscribe"
}

/// The button that opens the dialog and, without a script, the link to the plain form in its place:
/// see `public-frame.css`. The first script presses the button if the address names it. Nothing if
/// visitors may not subscribe.
pub(super) fn control(organisation: &PublicOrganisation) -> Markup {
    html! {
        @if !organisation.channels.is_empty() {
            button id="subscribe" class="primary" data-script="needed" aria-haspopup="dialog" { "Subscribe To Updates" }
        }
        @if organisation.channels.contains(&Channel::Email) { (form_link(&organisation.id)) }
    }
}

/// The links of the other pages to that button and, without a script, to the plain form. Nothing if
/// visitors may not subscribe.
pub(super) fn links(owner: &PageOwner) -> Markup {
    html! {
        @if !owner.channels.is_empty() {
            a href={ (status_page_path(&owner.id)) "#subscribe" } class="primary" data-script="needed" data-print="hidden" {
                "Subscribe To Updates"
            }
        }
        @if owner.channels.contains(&Channel::Email) { (form_link(owner.id.as_str())) }
    }
}

fn form_link(organisation: &str) -> Markup {
    html! {
        a data-script="absent" class="primary" href=(action(organisation)) { "Subscribe by mail" }
    }
}

/// The button that opens the dialog for one incident. The first script presses the one that the
/// address names. Nothing if visitors may not subscribe.
pub(super) fn follow_button(
    organisation: &PublicOrganisation,
    incident: &PublicIncident,
) -> Markup {
    html! {
        @if !organisation.channels.is_empty() {
            button id=(incident.code) class="button" data-script="needed" aria-haspopup="dialog"
                aria-label={ "Follow this incident: " (incident.title) } { "Follow this incident" }
        }
    }
}

const CALENDAR: &str = "/maintenances.ics";

/// The feeds below a status page, with what each is called.
const FEEDS: [(&str, &str); 6] = [
    ("/history.atom", "Incidents, Atom"),
    ("/history.rss", "Incidents, RSS"),
    ("/updates.atom", "Every update, Atom"),
    ("/updates.rss", "Every update, RSS"),
    ("/feed.json", "JSON Feed"),
    (CALENDAR, "Maintenance calendar"),
];

/// Ways to subscribe besides mail: the other channels, and the feeds.
pub(super) fn feed_menu(organisation: &PublicOrganisation) -> Markup {
    let url = &organisation.url;
    let channels = organisation.channels.iter();
    html! {
        details class="feeds" {
            summary class="button" { "Other Channels" }
            ul {
                @for channel in channels.filter(|channel| **channel != Channel::Email) {
                    li { button aria-haspopup="dialog" { (channel.label()) } }
                }
                @for (path, name) in FEEDS { li { a href=(feed_address(url, path)) { (name) } } }
            }
        }
    }
}

/// The address of a feed below the page at `url`. Programs subscribe to a calendar with the scheme
/// `webcal`; with another one they import it once.
fn feed_address(url: &str, path: &str) -> String {
    match url.strip_prefix("https") {
        Some(rest) if path == CALENDAR => format!("webcal{rest}{path}"),
        _ => format!("{}{path}", base_of(url)),
    }
}

/// What links below a page begin with: the path of its address, which is shorter than the address.
/// A page with a domain is also at the installation's address, where these paths do not exist, so
/// its links are absolute.
fn base_of(url: &str) -> &str {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    host.find('/').map_or(url, |path| &host[path..])
}

/// Links by which a reader of feeds finds those of the history (HTML Standard, section 4.6.7.1).
pub(crate) fn feed_links(page: &str, title: &str) -> Markup {
    let base = base_of(page);
    html! {
        link rel="alternate" type="application/atom+xml" href={ (base) "/history.atom" }
            title={ (title) " Status History - Atom Feed" };
        link rel="alternate" type="application/rss+xml" href={ (base) "/history.rss" }
            title={ (title) " Status History - RSS Feed" };
    }
}

/// A page of the plain form, which no script hydrates.
pub(crate) fn page(organisation: &str, shown: &SubscribePage) -> Markup {
    let content = html! {
        div class="narrow" {
            @match shown {
                SubscribePage::Form(filled) => (form(organisation, filled)),
                SubscribePage::Sent(sentence) => {
                    h1 { "Check your mail" }
                    p role="status" { (sentence) ". Updates follow once you have opened its link." }
                }
            }
            div {
                a href=(status_page_path(organisation)) class="button" { "Back to the status page" }
            }
        }
    };
    let nothing = Markup::default();
    frame(Home::Root, &nothing, &nothing, &content)
}

fn form(organisation: &str, filled: &SubscribeForm) -> Markup {
    let described = filled.reason.as_ref().map(|_| "reason");
    html! {
        h1 { "Subscribe to updates" }
        p {
            "Updates are sent by mail when something happens. A first mail asks you to confirm your address."
        }
        form method="post" action=(action(organisation)) {
            div {
                label for="email" { "Email" }
                input id="email" type="email" name="email" required autofocus autocomplete="email"
                    maxlength="254" value=(filled.email) aria-invalid=[filled.is_invalid.then_some("true")]
                    aria-describedby=[described];
                @if let Some(reason) = &filled.reason {
                    p id="reason" role="alert" { (reason) }
                }
            }
            div { button type="submit" class="primary" { "Subscribe" } }
        }
    }
}
