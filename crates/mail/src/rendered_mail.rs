//! Mails rendered from the templates. The HTML templates escape text from people.

mod notice;
mod operator;
mod security;
mod status;

use allclear_application::mail::MailContent;
use allclear_domain::mail_name::mail_name;
use askama::Template;

use self::notice::{NoticeHtml, NoticeLinks, NoticeMail, NoticeText};
use self::operator::{DigestMail, ReminderMail};
use self::security::SecurityMail;

/// Subject and body of a mail.
#[derive(Debug)]
pub(crate) struct RenderedMail {
    /// One line.
    pub(crate) subject: String,
    /// Body as plain text.
    pub(crate) text: String,
    /// Body as HTML.
    pub(crate) html: String,
    /// Links for the log: all but those that unsubscribe.
    pub(crate) links: Vec<String>,
}

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

#[derive(Template)]
#[template(path = "verification.txt", escape = "none")]
struct VerificationText<'a> {
    organisation: &'a str,
    link: &'a str,
    unsubscribe: &'a str,
}

#[derive(Template)]
#[template(path = "verification.html")]
struct VerificationHtml<'a> {
    organisation: &'a str,
    link: &'a str,
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

impl RenderedMail {
    /// Renders the templates of a content.
    pub(crate) fn new(content: &MailContent) -> Result<Self, askama::Error> {
        match content {
            MailContent::Invitation {
                organisation,
                inviter,
                link,
            } => Self::invitation(organisation.as_deref(), inviter.as_deref(), link),
            MailContent::Confirmation { link } => Self::render(
                "Finish your sign-up".to_owned(),
                &ConfirmationText { link },
                &ConfirmationHtml { link },
                vec![link.clone()],
            ),
            MailContent::NewAddress { link } => Self::render(
                "Confirm your address".to_owned(),
                &NewAddressText { link },
                &NewAddressHtml { link },
                vec![link.clone()],
            ),
            MailContent::PasswordReset { link } => Self::render(
                "Reset your password".to_owned(),
                &PasswordResetText { link },
                &PasswordResetHtml { link },
                vec![link.clone()],
            ),
            MailContent::KnownAddress { sign_in, reset } => Self::render(
                "You have an account already".to_owned(),
                &KnownAddressText { sign_in, reset },
                &KnownAddressHtml { sign_in, reset },
                vec![sign_in.clone(), reset.clone()],
            ),
            MailContent::SecurityNotice(notice) => SecurityMail::new(notice).render(),
            MailContent::ProviderLinked { provider, sign_in } => Self::render(
                format!("You can sign in with {}", one_line(provider)),
                &ProviderLinkedText { provider, sign_in },
                &ProviderLinkedHtml { provider, sign_in },
                vec![sign_in.clone()],
            ),
            MailContent::Verification {
                organisation,
                link,
                unsubscribe,
            } => {
                let organisation = &organisation_name(organisation);
                let subject = format!("Confirm your subscription to {}", one_line(organisation));
                let text = VerificationText {
                    organisation,
                    link,
                    unsubscribe,
                };
                let html = VerificationHtml {
                    organisation,
                    link,
                    unsubscribe,
                };
                Self::render(subject, &text, &html, vec![link.clone()])
            }
            MailContent::Notice {
                organisation,
                notice,
                time_zone,
                page,
                manage,
                unsubscribe,
            } => {
                let links = NoticeLinks {
                    page,
                    manage,
                    unsubscribe,
                };
                let mail = &NoticeMail::new(organisation, notice, *time_zone, links);
                Self::render(
                    mail.subject(),
                    &NoticeText { mail },
                    &NoticeHtml { mail },
                    vec![page.clone()],
                )
            }
            MailContent::Reminder {
                organisation,
                time_zone,
                reminder,
                incident,
                settings,
            } => {
                ReminderMail::new(organisation, *time_zone, reminder, [incident, settings]).render()
            }
            MailContent::Digest {
                organisation,
                time_zone,
                digest,
                subscribers,
            } => DigestMail::new(organisation, *time_zone, digest, subscribers).render(),
            MailContent::Test {
                organisation,
                page,
                manage,
            } => Self::test(&organisation_name(organisation), page, manage),
        }
    }

    fn test(organisation: &str, page: &str, manage: &str) -> Result<Self, askama::Error> {
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
        Self::render(subject, &text, &html, vec![page.to_owned()])
    }

    fn invitation(
        organisation: Option<&str>,
        inviter: Option<&str>,
        link: &str,
    ) -> Result<Self, askama::Error> {
        let organisation = organisation.map(organisation_name);
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
        Self::render(subject, &text, &html, vec![link.to_owned()])
    }

    fn render(
        subject: String,
        text: &impl Template,
        html: &impl Template,
        links: Vec<String>,
    ) -> Result<Self, askama::Error> {
        Ok(Self {
            subject,
            text: text.render()?,
            html: html.render()?,
            links,
        })
    }
}

/// Name of an organisation in mails.
pub(crate) fn organisation_name(name: &str) -> String {
    mail_name(name).unwrap_or_else(|| "an organisation".to_owned())
}

/// Name of a person in mails.
fn person_name(name: &str) -> String {
    mail_name(name).unwrap_or_else(|| "Somebody".to_owned())
}

/// A text as the value of a header: without line breaks (RFC 5322, section 2.2), without direction marks, and without the
/// start of an encoded word (RFC 2047).
pub(crate) fn one_line(text: &str) -> String {
    let broken =
        |character: char| character.is_control() || matches!(character, '\u{2028}' | '\u{2029}');
    let words: Vec<&str> = text.split(broken).filter(|word| !word.is_empty()).collect();
    words
        .join(" ")
        .replace(is_direction, "")
        .replace("=?", "= ?")
}

/// Embedding, override or isolate of the bidirectional algorithm (UAX 9, section 2).
const fn is_direction(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invitation(organisation: Option<&str>, inviter: Option<&str>) -> RenderedMail {
        let (organisation, inviter) = (organisation.map(str::to_owned), inviter.map(str::to_owned));
        let link = "https://status.example.com/login?invitation=abc_-123".to_owned();
        RenderedMail::new(&MailContent::Invitation {
            organisation,
            inviter,
            link,
        })
        .unwrap()
    }

    #[test]
    fn an_invitation_says_who_invites_to_what() {
        let mail = invitation(Some("Acme"), Some("Ann"));
        assert_eq!(mail.subject, "You are invited to Acme");
        assert!(
            mail.text
                .starts_with("Ann invites you to Acme on Allclear."),
            "{}",
            mail.text
        );
        assert!(
            invitation(None, None)
                .text
                .starts_with("You are invited to Allclear.")
        );
        for part in [&mail.text, &mail.html] {
            assert!(
                part.contains("https://status.example.com/login?invitation=abc_-123"),
                "{part}"
            );
        }
    }

    #[test]
    fn names_carry_no_address_and_no_long_text() {
        let long = "x".repeat(200);
        let mail = invitation(
            Some("Win at http://evil.example/x now evil.example"),
            Some(&long),
        );
        assert_eq!(mail.subject, "You are invited to Win at now");
        for part in [&mail.text, &mail.html] {
            assert!(!part.contains("evil.example") && !part.contains(&long));
            assert!(part.contains(&"x".repeat(80)));
        }
        let mail = invitation(Some("evil.example"), Some("www.evil.example"));
        assert!(
            mail.text
                .starts_with("Somebody invites you to an organisation on Allclear."),
            "{}",
            mail.text
        );
        let verification = MailContent::Verification {
            organisation: "https://evil.example".to_owned(),
            link: "https://x.example/verify".to_owned(),
            unsubscribe: "https://x.example/unsubscribe".to_owned(),
        };
        let mail = RenderedMail::new(&verification).unwrap();
        assert_eq!(mail.subject, "Confirm your subscription to an organisation");
        assert!(!mail.text.contains("evil") && !mail.html.contains("evil"));
    }

    #[test]
    fn names_are_isolated_from_the_direction_of_the_text_around_them() {
        let mail = invitation(Some("\u{5d0}\u{5d1}"), Some("Ann"));
        assert!(mail.html.contains("<bdi>Ann</bdi>"), "{}", mail.html);
        assert!(
            mail.html.contains("<bdi>\u{5d0}\u{5d1}</bdi>"),
            "{}",
            mail.html
        );
    }

    #[test]
    fn a_verification_says_whose_updates_and_has_both_links() {
        let link =
            "https://status.example.com/verify?email=ann%40example.com&orgId=org_1&verificationCode=x".to_owned();
        let unsubscribe = link.replace("verify", "unsubscribe");
        let organisation = "<b>Acme</b>".to_owned();
        let content = MailContent::Verification {
            organisation,
            link: link.clone(),
            unsubscribe: unsubscribe.clone(),
        };
        let mail = RenderedMail::new(&content).unwrap();
        assert_eq!(mail.subject, "Confirm your subscription to <b>Acme</b>");
        assert!(
            mail.text.contains(&link) && mail.text.contains(&unsubscribe),
            "{}",
            mail.text
        );
        assert!(!mail.html.contains("<b>Acme"), "{}", mail.html);
        for shown in [link, unsubscribe].map(|link| link.replace('&', "&#38;")) {
            assert!(
                mail.html.contains(&format!("href=\"{shown}\"")),
                "{}",
                mail.html
            );
        }
    }

    #[test]
    fn a_mail_about_an_account_has_its_links_in_both_parts() {
        let link = "https://x.example/login?confirmation=abc".to_owned();
        let known = MailContent::KnownAddress {
            sign_in: "https://x.example/login".to_owned(),
            reset: "https://x.example/login?forgot".to_owned(),
        };
        for content in [
            MailContent::Confirmation { link: link.clone() },
            MailContent::NewAddress { link: link.clone() },
            MailContent::PasswordReset { link },
            known,
            MailContent::ProviderLinked {
                provider: "Okta".to_owned(),
                sign_in: "https://x.example/login".to_owned(),
            },
        ] {
            let mail = RenderedMail::new(&content).unwrap();
            assert!(!mail.links.is_empty());
            for link in &mail.links {
                assert!(mail.text.contains(link) && mail.html.contains(link));
            }
        }
    }
}
