//! Mails about one subscription.

use askama::Template;

use super::{RenderedMail, name_for_anybody, one_line, organisation_name};

#[derive(Template)]
#[template(path = "verification.txt", escape = "none")]
struct VerificationText<'a> {
    organisation: &'a str,
    link: &'a str,
    manage: &'a str,
    unsubscribe: &'a str,
}

#[derive(Template)]
#[template(path = "verification.html")]
struct VerificationHtml<'a> {
    organisation: &'a str,
    link: &'a str,
    manage: &'a str,
    unsubscribe: &'a str,
}

#[derive(Template)]
#[template(path = "subscribed_already.txt", escape = "none")]
struct SubscribedAlreadyText<'a> {
    organisation: &'a str,
    page: &'a str,
    manage: &'a str,
    unsubscribe: &'a str,
}

#[derive(Template)]
#[template(path = "subscribed_already.html")]
struct SubscribedAlreadyHtml<'a> {
    organisation: &'a str,
    page: &'a str,
    manage: &'a str,
    unsubscribe: &'a str,
}

#[derive(Template)]
#[template(path = "test.txt", escape = "none")]
struct TestText<'a> {
    organisation: &'a str,
    page: &'a str,
    manage: &'a str,
}

#[derive(Template)]
#[template(path = "test.html")]
struct TestHtml<'a> {
    organisation: &'a str,
    page: &'a str,
    manage: &'a str,
}

pub(super) fn verification(
    organisation: &str,
    link: &str,
    manage: &str,
    unsubscribe: &str,
) -> Result<RenderedMail, askama::Error> {
    let organisation = &name_for_anybody(organisation);
    let subject = format!("Confirm your subscription to {}", one_line(organisation));
    let text = VerificationText {
        organisation,
        link,
        manage,
        unsubscribe,
    };
    let html = VerificationHtml {
        organisation,
        link,
        manage,
        unsubscribe,
    };
    RenderedMail::render(subject, &text, &html, vec![link.to_owned()])
}

pub(super) fn subscribed_already(
    organisation: &str,
    page: &str,
    manage: &str,
    unsubscribe: &str,
) -> Result<RenderedMail, askama::Error> {
    let organisation = &organisation_name(organisation);
    let subject = format!("You are subscribed to {} already", one_line(organisation));
    let text = SubscribedAlreadyText {
        organisation,
        page,
        manage,
        unsubscribe,
    };
    let html = SubscribedAlreadyHtml {
        organisation,
        page,
        manage,
        unsubscribe,
    };
    RenderedMail::render(subject, &text, &html, vec![page.to_owned()])
}

pub(super) fn test(
    organisation: &str,
    page: &str,
    manage: &str,
) -> Result<RenderedMail, askama::Error> {
    let organisation = &organisation_name(organisation);
    let subject = format!("Test message of {}", one_line(organisation));
    let text = TestText {
        organisation,
        page,
        manage,
    };
    let html = TestHtml {
        organisation,
        page,
        manage,
    };
    RenderedMail::render(subject, &text, &html, vec![page.to_owned()])
}
