//! Mails rendered from the templates. The HTML templates escape text from people.

mod account;
mod notice;
mod operator;
mod security;
mod status;
mod subscription;

use allclear_application::error::Error;
use allclear_application::mail::{MailContent, MailPreview};
use allclear_domain::mail_name::mail_name;
use allclear_domain::text::{ends_line, is_direction};
use allclear_domain::time_zone::TimeZone;
use askama::Template;
use chrono::{DateTime, Utc};

use self::notice::{NoticeLinks, NoticeMail};
use self::operator::{DigestMail, ReminderMail};
use self::security::SecurityMail;

/// Stands for the name of an organisation of which nothing is left.
const UNNAMED: &str = "an organisation";

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

impl RenderedMail {
    /// Renders the templates of a content.
    pub(crate) fn new(content: &MailContent) -> Result<Self, askama::Error> {
        match content {
            MailContent::Invitation {
                organisation,
                inviter,
                link,
            } => account::invitation(organisation.as_deref(), inviter.as_deref(), link),
            MailContent::Confirmation { link } => account::confirmation(link),
            MailContent::NewAddress { link } => account::new_address(link),
            MailContent::PasswordReset { link } => account::password_reset(link),
            MailContent::KnownAddress { sign_in, reset } => account::known_address(sign_in, reset),
            MailContent::ProviderLinked { provider, sign_in } => {
                account::provider_linked(provider, sign_in)
            }
            MailContent::SecurityNotice(notice) => SecurityMail::new(notice).render(),
            MailContent::Verification {
                organisation,
                link,
                manage,
                unsubscribe,
            } => subscription::verification(organisation, link, manage, unsubscribe),
            MailContent::SubscribedAlready {
                organisation,
                page,
                manage,
                unsubscribe,
            } => subscription::subscribed_already(organisation, page, manage, unsubscribe),
            MailContent::Test {
                organisation,
                page,
                manage,
            } => subscription::test(organisation, page, manage),
            MailContent::InstallationTest { url } => operator::installation_test(url),
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
                NoticeMail::new(organisation, notice, *time_zone, links).render()
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
        }
    }

    /// Renders the templates of a content for a preview.
    pub(crate) fn preview(content: &MailContent) -> Result<MailPreview, Error> {
        let rendered = Self::new(content).map_err(Error::internal)?;
        Ok(MailPreview {
            subject: rendered.subject,
            text: rendered.text,
            html: rendered.html,
        })
    }

    fn render(
        subject: String,
        text: &impl Template,
        html: &impl Template,
        links: Vec<String>,
    ) -> Result<Self, askama::Error> {
        Ok(Self {
            subject,
            text: with_line_feeds(&text.render()?),
            html: with_line_feeds(&html.render()?),
            links,
        })
    }
}

/// A text whose lines end with a line feed, which the mailer writes as CRLF. A carriage return
/// alone is not allowed (RFC 5321, section 2.3.8).
fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Name of an organisation in mails whose recipient a stranger may have chosen.
fn name_for_anybody(name: &str) -> String {
    mail_name(name).unwrap_or_else(|| UNNAMED.to_owned())
}

/// Name of an organisation in mails to confirmed subscribers and to members. It may look like a web
/// address, such as `Booking.com`.
pub(crate) fn organisation_name(name: &str) -> String {
    let line = single_line(name);
    if line.trim().is_empty() {
        UNNAMED.to_owned()
    } else {
        line
    }
}

/// Name of a person in mails.
fn person_name(name: &str) -> String {
    mail_name(name).unwrap_or_else(|| "Somebody".to_owned())
}

/// The product's format of times, in the organisation's zone: the reader's is unknown. An
/// abbreviation means several zones, so the mail names the zone as well.
fn time(zone: TimeZone, time: DateTime<Utc>) -> String {
    zone.format(time, "%b %d, %Y %I:%M:%S %p %Z")
}

/// A text as the value of a header: one line (RFC 5322, section 2.2), without the start of an
/// encoded word (RFC 2047).
pub(crate) fn one_line(text: &str) -> String {
    single_line(text).replace("=?", "= ?")
}

/// A text without line breaks and direction marks.
fn single_line(text: &str) -> String {
    let lines = text.split(ends_line).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    lines.join(" ").replace(is_direction, "")
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
    fn lines_end_with_line_feeds_only() {
        assert_eq!(with_line_feeds("a\r\nb\rc\nd\r\r\n"), "a\nb\nc\nd\n\n");
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
            manage: "https://x.example/subscription".to_owned(),
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
    fn a_verification_says_whose_updates_and_has_its_links() {
        let link =
            "https://status.example.com/verify?email=ann%40example.com&orgId=org_1&verificationCode=x".to_owned();
        let unsubscribe = link.replace("verify", "unsubscribe");
        let manage = link.replace("verify", "subscription");
        let organisation = "<b>Acme</b>".to_owned();
        let content = MailContent::Verification {
            organisation,
            link: link.clone(),
            manage: manage.clone(),
            unsubscribe: unsubscribe.clone(),
        };
        let mail = RenderedMail::new(&content).unwrap();
        assert_eq!(mail.subject, "Confirm your subscription to <b>Acme</b>");
        assert!(
            [&link, &manage, &unsubscribe]
                .iter()
                .all(|link| mail.text.contains(*link)),
            "{}",
            mail.text
        );
        assert!(!mail.html.contains("<b>Acme"), "{}", mail.html);
        for shown in [link, manage, unsubscribe].map(|link| link.replace('&', "&#38;")) {
            assert!(
                mail.html.contains(&format!("href=\"{shown}\"")),
                "{}",
                mail.html
            );
        }
    }

    #[test]
    fn a_mail_to_a_subscribed_address_says_so_and_has_the_link_that_changes_the_subscription() {
        let manage = "https://status.example.com/subscription?orgId=org_1&manageCode=x".to_owned();
        let unsubscribe = manage.replace("subscription", "unsubscribe");
        let page = "https://status.example.com/status/org_1".to_owned();
        let mail = RenderedMail::new(&MailContent::SubscribedAlready {
            organisation: "<b>Acme</b>".to_owned(),
            page: page.clone(),
            manage: manage.clone(),
            unsubscribe: unsubscribe.clone(),
        })
        .unwrap();
        assert_eq!(mail.subject, "You are subscribed to <b>Acme</b> already");
        for part in [&mail.text, &mail.html] {
            assert!(part.contains("You are subscribed already"), "{part}");
        }
        for link in [&manage, &unsubscribe, &page] {
            assert!(mail.text.contains(link), "{}", mail.text);
            let shown = link.replace('&', "&#38;");
            assert!(
                mail.html.contains(&format!("href=\"{shown}\"")),
                "{}",
                mail.html
            );
        }
        assert!(!mail.html.contains("<b>Acme"), "{}", mail.html);
        assert_eq!(mail.links, [page]);
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
