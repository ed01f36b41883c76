//! What mails say, from the templates. Text from people is escaped in the HTML ones.

mod notice;
mod status;

use allclear_application::mail::MailContent;
use allclear_domain::mail_name::mail_name;
use askama::Template;

use self::notice::{Notice, NoticeHtml, NoticeText};

/// A mail in words.
#[derive(Debug)]
pub(crate) struct RenderedMail {
    /// One line.
    pub(crate) subject: String,
    /// For readers that show text.
    pub(crate) text: String,
    /// For readers that show HTML.
    pub(crate) html: String,
    /// Every link in it.
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

impl RenderedMail {
    /// The mail that says this.
    pub(crate) fn write(content: &MailContent) -> Result<Self, askama::Error> {
        match content {
            MailContent::Invitation {
                organisation,
                inviter,
                link,
            } => {
                let organisation = organisation.as_deref().map(organisation_name);
                let inviter = inviter.as_deref().map(person_name);
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
                Self::render(subject, &text, &html, vec![link.clone()])
            }
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
            MailContent::Incident(notice) => Self::notify(&Notice::of_incident(notice)),
            MailContent::Maintenance(notice) => Self::notify(&Notice::of_maintenance(notice)),
        }
    }

    fn notify(notice: &Notice<'_>) -> Result<Self, askama::Error> {
        Self::render(
            notice.subject(),
            &NoticeText { notice },
            &NoticeHtml { notice },
            notice.links(),
        )
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

/// An organisation's name as mails show it.
pub(crate) fn organisation_name(name: &str) -> String {
    mail_name(name).unwrap_or_else(|| "an organisation".to_owned())
}

/// A person's name as mails show it.
fn person_name(name: &str) -> String {
    mail_name(name).unwrap_or_else(|| "Somebody".to_owned())
}

/// A header is one line, whatever line breaks a name may hold (RFC 5322, section 2.2). Nor may it turn the direction of
/// what is shown after it, or pass for an encoded word (RFC 2047), which would be shown as something else.
pub(crate) fn one_line(text: &str) -> String {
    let broken = |letter: char| letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}');
    let words: Vec<&str> = text.split(broken).filter(|word| !word.is_empty()).collect();
    words
        .join(" ")
        .replace(is_direction, "")
        .replace("=?", "= ?")
}

/// The embeddings, overrides and isolates of the bidirectional algorithm (UAX 9, section 2).
const fn is_direction(letter: char) -> bool {
    matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invitation(organisation: Option<&str>, inviter: Option<&str>) -> RenderedMail {
        let (organisation, inviter) = (organisation.map(str::to_owned), inviter.map(str::to_owned));
        let link = "https://status.example.com/login?invitation=abc_-123".to_owned();
        RenderedMail::write(&MailContent::Invitation {
            organisation,
            inviter,
            link,
        })
        .unwrap()
    }

    #[test]
    fn an_invitation_says_who_invites_to_what() {
        let letter = invitation(Some("Acme"), Some("Ann"));
        assert_eq!(letter.subject, "You are invited to Acme");
        assert!(
            letter
                .text
                .starts_with("Ann invites you to Acme on Allclear."),
            "{}",
            letter.text
        );
        assert!(
            invitation(None, None)
                .text
                .starts_with("You are invited to Allclear.")
        );
        for part in [&letter.text, &letter.html] {
            assert!(
                part.contains("https://status.example.com/login?invitation=abc_-123"),
                "{part}"
            );
        }
    }

    #[test]
    fn text_from_people_is_shown_as_text() {
        let letter = invitation(Some("<b>Acme</b>"), Some("<script>alert(1)</script>"));
        assert!(
            !letter.html.contains("<script>") && !letter.html.contains("<b>Acme"),
            "{}",
            letter.html
        );
        assert!(letter.text.contains("<b>Acme</b>"), "{}", letter.text);
    }

    #[test]
    fn a_line_break_in_a_name_does_not_break_the_subject() {
        assert_eq!(
            invitation(Some("Acme\r\nBcc: eve"), None).subject,
            "You are invited to Acme Bcc: eve"
        );
    }

    #[test]
    fn names_carry_no_address_and_no_long_text() {
        let long = "x".repeat(200);
        let letter = invitation(
            Some("Win at http://evil.example/x now evil.example"),
            Some(&long),
        );
        assert_eq!(letter.subject, "You are invited to Win at now");
        for part in [&letter.text, &letter.html] {
            assert!(!part.contains("evil.example") && !part.contains(&long));
            assert!(part.contains(&"x".repeat(80)));
        }
        let letter = invitation(Some("evil.example"), Some("www.evil.example"));
        assert!(
            letter
                .text
                .starts_with("Somebody invites you to an organisation on Allclear."),
            "{}",
            letter.text
        );
        let verification = MailContent::Verification {
            organisation: "https://evil.example".to_owned(),
            link: "https://x.example/verify".to_owned(),
            unsubscribe: "https://x.example/unsubscribe".to_owned(),
        };
        let letter = RenderedMail::write(&verification).unwrap();
        assert_eq!(
            letter.subject,
            "Confirm your subscription to an organisation"
        );
        assert!(!letter.text.contains("evil") && !letter.html.contains("evil"));
    }

    #[test]
    fn names_are_isolated_from_the_direction_of_the_text_around_them() {
        let letter = invitation(Some("\u{5d0}\u{5d1}"), Some("Ann"));
        assert!(letter.html.contains("<bdi>Ann</bdi>"), "{}", letter.html);
        assert!(
            letter.html.contains("<bdi>\u{5d0}\u{5d1}</bdi>"),
            "{}",
            letter.html
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
        let letter = RenderedMail::write(&content).unwrap();
        assert_eq!(letter.subject, "Confirm your subscription to <b>Acme</b>");
        assert!(
            letter.text.contains(&link) && letter.text.contains(&unsubscribe),
            "{}",
            letter.text
        );
        assert!(!letter.html.contains("<b>Acme"), "{}", letter.html);
        for shown in [link, unsubscribe].map(|link| link.replace('&', "&#38;")) {
            assert!(
                letter.html.contains(&format!("href=\"{shown}\"")),
                "{}",
                letter.html
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
        ] {
            let letter = RenderedMail::write(&content).unwrap();
            assert!(!letter.links.is_empty());
            for link in &letter.links {
                assert!(letter.text.contains(link) && letter.html.contains(link));
            }
        }
    }
}
