//! Subscribing to an organisation: the control of the public page, and the pages of the plain form.

use allclear_application::link::status_page_path;
use allclear_application::status_page::PublicOrganisation;
use allclear_application::status_page::incident::PublicIncident;
use allclear_domain::channel::Channel;
use maud::{Markup, html};

use super::frame::frame;

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
/// see `status-page.css`. Nothing if visitors may not subscribe.
pub(super) fn control(organisation: &PublicOrganisation) -> Markup {
    html! {
        @if !organisation.channels.is_empty() {
            button class="primary" data-script="needed" aria-haspopup="dialog" { "Subscribe To Updates" }
        }
        @if organisation.channels.contains(&Channel::Email) {
            a data-script="absent" class="primary" href=(action(&organisation.id)) { "Subscribe To Updates" }
        }
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

/// The feeds below a status page, with what each is called.
const FEEDS: [(&str, &str); 6] = [
    ("/history.atom", "Incidents, Atom"),
    ("/history.rss", "Incidents, RSS"),
    ("/updates.atom", "Every update, Atom"),
    ("/updates.rss", "Every update, RSS"),
    ("/feed.json", "JSON Feed"),
    ("/maintenances.ics", "Maintenance calendar"),
];

/// Ways to subscribe besides mail: the other channels, and the feeds.
pub(super) fn feed_menu(organisation: &PublicOrganisation) -> Markup {
    let base = base_of(&organisation.url);
    let channels = organisation.channels.iter();
    html! {
        details class="feeds" {
            summary class="button" { "Other Channels" }
            ul {
                @for channel in channels.filter(|channel| **channel != Channel::Email) {
                    li { button aria-haspopup="dialog" { (channel.label()) } }
                }
                @for (path, name) in FEEDS { li { a href={ (base) (path) } { (name) } } }
            }
        }
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
                a href={ "/status/" (organisation) } class="button" { "Back to the status page" }
            }
        }
    };
    frame(&Markup::default(), &Markup::default(), &content)
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
