//! The pages of the links in messages to subscribers, for browsers without scripts.

use maud::{Markup, html};

use super::frame::{Home, frame};

/// The outcome of a link.
#[derive(Debug)]
pub(crate) enum LinkOutcome {
    /// The subscription is confirmed.
    Confirmed {
        /// Says so.
        message: &'static str,
        /// The secret of a webhook, which is shown once.
        secret: Option<String>,
    },
    /// The subscription has ended. Holds the message that says so.
    Unsubscribed(&'static str),
    /// The request was refused for this reason.
    Refused(String),
}

/// The page of a link without scripts, before its button is pressed.
#[derive(Debug)]
pub(crate) struct LinkForm {
    pub(crate) path: &'static str,
    pub(crate) title: &'static str,
    sentence: &'static str,
    button: &'static str,
}

/// The page of each link.
pub(crate) const FORMS: [LinkForm; 3] = [
    LinkForm {
        path: "/verify",
        title: "Confirm your subscription",
        sentence: "Updates are sent once it is confirmed.",
        button: "Confirm Subscription",
    },
    LinkForm {
        path: "/unsubscribe",
        title: "Unsubscribe",
        sentence: "Press the button, and no more updates are sent to you.",
        button: "Unsubscribe",
    },
    LinkForm {
        path: "/subscription",
        title: "Manage Subscription",
        sentence: "Choosing what you receive needs JavaScript. Without it, you can unsubscribe.",
        button: "Unsubscribe",
    },
];

impl LinkForm {
    /// The content of the page. The form has no action, so it posts to the address of the page,
    /// which has the parameters of the link.
    pub(crate) fn markup(&self) -> Markup {
        html! {
            div class="page" {
                main {
                    div class="narrow" {
                        h1 { (self.title) }
                        p { (self.sentence) }
                        (button_form(self.button))
                    }
                }
            }
        }
    }
}

fn button_form(button: &str) -> Markup {
    html! {
        form method="post" {
            div { button type="submit" class="primary" { (button) } }
        }
    }
}

/// The page that shows the outcome of a link. It leads to the status page with this path, if any.
pub(crate) fn page(title: &str, outcome: &LinkOutcome, status_page: Option<&str>) -> Markup {
    let content = html! {
        div class="narrow" {
            h1 { (title) }
            @match outcome {
                LinkOutcome::Confirmed { message, secret } => {
                    p role="status" { (message) }
                    @if let Some(secret) = secret { (signing_secret(secret)) }
                }
                LinkOutcome::Unsubscribed(message) => {
                    p role="status" { (message) }
                    p { "You can subscribe again on the status page." }
                    div { a href="/" class="button" { "Return Home" } }
                }
                LinkOutcome::Refused(reason) => {
                    p role="alert" { (reason) }
                    (button_form("Try Again"))
                    div { a href="/" class="button" { "Go Back" } }
                }
            }
            @if let Some(path) = status_page {
                div { a href=(path) class="button" { "View Status Page" } }
            }
        }
    };
    let nothing = Markup::default();
    frame(Home::Root, &nothing, &nothing, &content)
}

fn signing_secret(secret: &str) -> Markup {
    html! {
        div {
            label for="secret" { "Signing secret" }
            input id="secret" readonly value=(secret);
        }
        p {
            "It is shown once: copy it now. With it, your program checks the signature of each request \
             (Standard Webhooks)."
        }
    }
}
