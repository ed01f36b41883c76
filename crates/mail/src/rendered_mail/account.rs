//! Mails about an account: how it begins, and how the person gets in.

use askama::Template;

use super::{RenderedMail, name_for_anybody, one_line, person_name};

#[derive(Template)]
#[template(path = "invitation.txt", escape = "none")]
struct InvitationText<'a> {
    organisation: Option<&'a str>,
    inviter: Option<&'a str>,
    link: &'a str,
}

#[derive(Template)]
#[template(path = "invitation.html")]
struct InvitationHtml<'a> {
    organisation: Option<&'a str>,
    inviter: Option<&'a str>,
    link: &'a str,
}

#[derive(Template)]
#[template(path = "confirmation.txt", escape = "none")]
struct ConfirmationText<'a> {
    link: &'a str,
}

#[derive(Template)]
#[template(path = "confirmation.html")]
struct ConfirmationHtml<'a> {
    link: &'a str,
}

#[derive(Template)]
#[template(path = "new_address.txt", escape = "none")]
struct NewAddressText<'a> {
    link: &'a str,
}

#[derive(Template)]
#[template(path = "new_address.html")]
struct NewAddressHtml<'a> {
    link: &'a str,
}

#[derive(Template)]
#[template(path = "password_reset.txt", escape = "none")]
struct PasswordResetText<'a> {
    link: &'a str,
}

#[derive(Template)]
#[template(path = "password_reset.html")]
struct PasswordResetHtml<'a> {
    link: &'a str,
}

#[derive(Template)]
#[template(path = "known_address.txt", escape = "none")]
struct KnownAddressText<'a> {
    sign_in: &'a str,
    reset: &'a str,
}

#[derive(Template)]
#[template(path = "known_address.html")]
struct KnownAddressHtml<'a> {
    sign_in: &'a str,
    reset: &'a str,
}

#[derive(Template)]
#[template(path = "provider_linked.txt", escape = "none")]
struct ProviderLinkedText<'a> {
    provider: &'a str,
    sign_in: &'a str,
}

#[derive(Template)]
#[template(path = "provider_linked.html")]
struct ProviderLinkedHtml<'a> {
    provider: &'a str,
    sign_in: &'a str,
}

type Rendered = Result<RenderedMail, askama::Error>;

pub(super) fn invitation(
    organisation: Option<&str>,
    inviter: Option<&str>,
    link: &str,
) -> Rendered {
    let organisation = organisation.map(name_for_anybody);
    let inviter = inviter.map(person_name);
    let subject = match &organisation {
        Some(organisation) => format!("You are invited to {}", one_line(organisation)),
        None => "You are invited to Allclear".to_owned(),
    };
    let (organisation, inviter) = (organisation.as_deref(), inviter.as_deref());
    let text = InvitationText {
        organisation,
        inviter,
        link,
    };
    let html = InvitationHtml {
        organisation,
        inviter,
        link,
    };
    RenderedMail::render(subject, &text, &html, vec![link.to_owned()])
}

pub(super) fn confirmation(link: &str) -> Rendered {
    RenderedMail::render(
        "Finish your sign-up".to_owned(),
        &ConfirmationText { link },
        &ConfirmationHtml { link },
        vec![link.to_owned()],
    )
}

pub(super) fn new_address(link: &str) -> Rendered {
    RenderedMail::render(
        "Confirm your address".to_owned(),
        &NewAddressText { link },
        &NewAddressHtml { link },
        vec![link.to_owned()],
    )
}

pub(super) fn password_reset(link: &str) -> Rendered {
    RenderedMail::render(
        "Reset your password".to_owned(),
        &PasswordResetText { link },
        &PasswordResetHtml { link },
        vec![link.to_owned()],
    )
}

pub(super) fn known_address(sign_in: &str, reset: &str) -> Rendered {
    RenderedMail::render(
        "You have an account already".to_owned(),
        &KnownAddressText { sign_in, reset },
        &KnownAddressHtml { sign_in, reset },
        vec![sign_in.to_owned(), reset.to_owned()],
    )
}

pub(super) fn provider_linked(provider: &str, sign_in: &str) -> Rendered {
    RenderedMail::render(
        format!("You can sign in with {}", one_line(provider)),
        &ProviderLinkedText { provider, sign_in },
        &ProviderLinkedHtml { provider, sign_in },
        vec![sign_in.to_owned()],
    )
}
