//! Mails to operators: reminders, digests and the test of the mail server.

use allclear_application::operator_mail::{FailingSubscription, FailureDigest, Reminder};
use allclear_domain::time_zone::TimeZone;
use askama::Template;

use super::{RenderedMail, one_line, organisation_name, time};

#[derive(Template)]
#[template(path = "reminder.txt", escape = "none")]
struct ReminderText<'a> {
    mail: &'a ReminderMail<'a>,
}

#[derive(Template)]
#[template(path = "reminder.html")]
struct ReminderHtml<'a> {
    mail: &'a ReminderMail<'a>,
}

#[derive(Template)]
#[template(path = "digest.txt", escape = "none")]
struct DigestText<'a> {
    mail: &'a DigestMail<'a>,
}

#[derive(Template)]
#[template(path = "digest.html")]
struct DigestHtml<'a> {
    mail: &'a DigestMail<'a>,
}

#[derive(Template)]
#[template(path = "installation_test.txt", escape = "none")]
struct InstallationTestText<'a> {
    url: &'a str,
}

#[derive(Template)]
#[template(path = "installation_test.html")]
struct InstallationTestHtml<'a> {
    url: &'a str,
}

/// A test of the mail server.
pub(super) fn installation_test(url: &str) -> Result<RenderedMail, askama::Error> {
    let (text, html) = (InstallationTestText { url }, InstallationTestHtml { url });
    let subject = "Test message of Allclear".to_owned();
    RenderedMail::render(subject, &text, &html, vec![url.to_owned()])
}

/// A reminder as both templates show it.
pub(super) struct ReminderMail<'a> {
    organisation: String,
    reminder: &'a Reminder,
    time_zone: TimeZone,
    incident: &'a str,
    settings: &'a str,
}

impl<'a> ReminderMail<'a> {
    /// The links are those of the incident and of the settings.
    pub(super) fn new(
        organisation: &str,
        time_zone: TimeZone,
        reminder: &'a Reminder,
        [incident, settings]: [&'a str; 2],
    ) -> Self {
        Self {
            organisation: organisation_name(organisation),
            reminder,
            time_zone,
            incident,
            settings,
        }
    }

    pub(super) fn render(&self) -> Result<RenderedMail, askama::Error> {
        let (text, html) = (ReminderText { mail: self }, ReminderHtml { mail: self });
        RenderedMail::render(self.subject(), &text, &html, vec![self.incident.to_owned()])
    }

    fn subject(&self) -> String {
        one_line(&format!(
            "[{}] No update for {}: {}",
            self.organisation,
            self.duration(),
            self.reminder.title
        ))
    }

    fn duration(&self) -> String {
        pluralise(self.reminder.hours.unsigned_abs(), "hour")
    }

    /// What happened last, and when.
    fn last_change(&self) -> String {
        let label = if self.reminder.never_updated {
            "Created"
        } else {
            "Last update"
        };
        let at = time(self.time_zone, self.reminder.silent_since);
        format!("{label}: {at} ({})", self.time_zone.label())
    }
}

/// A digest as both templates show it.
pub(super) struct DigestMail<'a> {
    organisation: String,
    digest: &'a FailureDigest,
    time_zone: TimeZone,
    subscribers: &'a str,
}

impl<'a> DigestMail<'a> {
    pub(super) fn new(
        organisation: &str,
        time_zone: TimeZone,
        digest: &'a FailureDigest,
        subscribers: &'a str,
    ) -> Self {
        Self {
            organisation: organisation_name(organisation),
            digest,
            time_zone,
            subscribers,
        }
    }

    pub(super) fn render(&self) -> Result<RenderedMail, askama::Error> {
        let (text, html) = (DigestText { mail: self }, DigestHtml { mail: self });
        let links = vec![self.subscribers.to_owned()];
        RenderedMail::render(self.subject(), &text, &html, links)
    }

    fn subject(&self) -> String {
        one_line(&format!(
            "[{}] Messages to {} could not be delivered",
            self.organisation,
            self.count()
        ))
    }

    fn count(&self) -> String {
        pluralise(self.digest.count, "subscriber")
    }

    fn since(&self, subscription: &FailingSubscription) -> String {
        time(self.time_zone, subscription.since)
    }
}

/// A number with its noun: "1 hour", "2 hours".
fn pluralise(number: u64, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use allclear_application::mail::MailContent;
    use allclear_domain::channel::Channel;
    use chrono::{DateTime, Utc};
    use uuid::Uuid;

    use super::*;
    use crate::rendered_mail::RenderedMail;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    fn reminder(organisation: &str, title: &str, hours: i64) -> RenderedMail {
        reminder_of(
            organisation,
            Reminder {
                incident: Uuid::nil(),
                title: title.into(),
                silent_since: at(1_700_000_000),
                hours,
                never_updated: false,
            },
        )
    }

    fn reminder_of(organisation: &str, reminder: Reminder) -> RenderedMail {
        RenderedMail::new(&MailContent::Reminder {
            organisation: organisation.into(),
            time_zone: "Europe/Berlin".parse().unwrap(),
            reminder,
            incident: "https://status.example.com/incidents/incident/edit/7".into(),
            settings: "https://status.example.com/settings".into(),
        })
        .unwrap()
    }

    fn digest(count: u64, targets: &[&str]) -> RenderedMail {
        let failing = |target: &&str| FailingSubscription {
            channel: Channel::Slack,
            target: (*target).to_owned(),
            reason: "The receiver responded with 404".into(),
            since: at(1_700_000_000),
        };
        RenderedMail::new(&MailContent::Digest {
            organisation: "Acme".into(),
            time_zone: TimeZone::default(),
            digest: FailureDigest {
                count,
                first: targets.iter().map(failing).collect(),
            },
            subscribers: "https://status.example.com/subscribers".into(),
        })
        .unwrap()
    }

    #[test]
    fn a_reminder_names_the_incident_the_silence_and_where_to_switch_it_off() {
        let mail = reminder("Acme", "Database down", 5);
        assert_eq!(mail.subject, "[Acme] No update for 5 hours: Database down");
        for part in [&mail.text, &mail.html] {
            for expected in [
                "Acme",
                "Database down",
                "5 hours",
                "Last update: Nov 14, 2023 11:13:20 PM CET (Europe/Berlin)",
                "https://status.example.com/incidents/incident/edit/7",
                "https://status.example.com/settings",
            ] {
                assert!(part.contains(expected), "{expected}: {part}");
            }
        }
        assert!(reminder("Acme", "Down", 1).text.contains("1 hour."));
    }

    #[test]
    fn a_reminder_of_an_incident_without_any_update_says_when_it_was_created() {
        let reminder = Reminder {
            incident: Uuid::nil(),
            title: "Down".into(),
            silent_since: at(1_700_000_000),
            hours: 5,
            never_updated: true,
        };
        let mail = reminder_of("Acme", reminder);
        for part in [&mail.text, &mail.html] {
            let created = "Created: Nov 14, 2023 11:13:20 PM CET (Europe/Berlin)";
            assert!(
                part.contains(created) && !part.contains("Last update"),
                "{part}"
            );
        }
    }

    #[test]
    fn operators_read_a_name_with_a_dot() {
        assert_eq!(
            reminder("Booking.com", "Down", 5).subject,
            "[Booking.com] No update for 5 hours: Down"
        );
        assert!(
            reminder("\u{202e}", "Down", 5)
                .text
                .contains("of an organisation is open")
        );
    }

    #[test]
    fn text_of_people_is_shown_as_text_and_breaks_no_header() {
        let mail = reminder("Acme", "<b>Down</b>\r\nBcc: eve@example.com", 5);
        assert!(!mail.html.contains("<b>Down"), "{}", mail.html);
        assert!(!mail.subject.contains(['\r', '\n']), "{}", mail.subject);
    }

    #[test]
    fn a_digest_names_some_subscribers_and_counts_all() {
        let mail = digest(
            23,
            &["https://hooks.example/…abcd", "https://hooks.example/…efgh"],
        );
        assert_eq!(
            mail.subject,
            "[Acme] Messages to 23 subscribers could not be delivered"
        );
        for part in [&mail.text, &mail.html] {
            for expected in [
                "Slack",
                "https://hooks.example/…abcd",
                "https://hooks.example/…efgh",
                "The receiver responded with 404",
                "Nov 14, 2023 10:13:20 PM UTC",
                "21 more",
                "All times are in UTC.",
                "https://status.example.com/subscribers",
            ] {
                assert!(part.contains(expected), "{expected}: {part}");
            }
        }
        let one = digest(1, &["https://hooks.example/…abcd"]);
        assert!(
            one.subject.contains("1 subscriber could"),
            "{}",
            one.subject
        );
        assert!(!one.text.contains("more"), "{}", one.text);
    }
}
