//! What a message to a chat says, whatever the product.

mod notice;

use std::borrow::Cow;

use allclear_application::message::{MessageContent, MessageKind};
use allclear_domain::time_zone::TimeZone;
use allclear_domain::tone::Tone;
use chrono::{DateTime, Utc};

/// A message to a chat. Texts are as people wrote them.
#[derive(Debug)]
pub(super) struct Chat<'a> {
    /// Title of the status page.
    pub(super) page: &'a str,
    /// Title of the incident or the maintenance.
    pub(super) title: Cow<'a, str>,
    /// Status in words.
    pub(super) status: &'static str,
    /// Tone of the message. The status is always written beside it.
    pub(super) tone: Tone,
    /// The message, or the description.
    pub(super) text: Cow<'a, str>,
    /// Names of the affected components, with the impact on each.
    pub(super) affected: Vec<(&'a str, Option<&'static str>)>,
    /// Number of affected components that are not named.
    pub(super) unnamed: u64,
    /// Labels and times in the page's zone.
    pub(super) times: Vec<(&'static str, String)>,
    /// Where the whole text is, or what the reader is asked to open.
    pub(super) main: Link<'a>,
    /// The page that changes or ends the subscription.
    pub(super) manage: Link<'a>,
    /// When the message was queued.
    pub(super) at: DateTime<Utc>,
}

/// A link.
#[derive(Debug, Clone)]
pub(super) struct Link<'a> {
    pub(super) label: &'static str,
    pub(super) url: Cow<'a, str>,
}

impl<'a> Link<'a> {
    fn new(label: &'static str, url: impl Into<Cow<'a, str>>) -> Self {
        let url = url.into();
        Self { label, url }
    }

    /// The URL if it has at most so many code units. Installations make much shorter ones.
    pub(super) fn within(&self, limit: usize) -> Option<&str> {
        (self.url.len() <= limit).then_some(&*self.url)
    }
}

impl<'a> Chat<'a> {
    pub(super) fn of(content: &'a MessageContent) -> Self {
        let state = &*content.state;
        let page = state.organisation.effective_title();
        let base = Self {
            page,
            title: Cow::Borrowed(page),
            status: "Test message",
            tone: Tone::Maintenance,
            text: format!(
                "This is a test message from {page}. Changes of its status are sent here."
            )
            .into(),
            affected: Vec::new(),
            unnamed: 0,
            times: Vec::new(),
            main: Link::new("View status page", &*state.url),
            manage: Link::new("Manage subscription", &*content.manage),
            at: content.at,
        };
        match &content.kind {
            MessageKind::Test => base,
            MessageKind::Confirmation { link } => Self {
                status: "Subscription to confirm",
                text: format!(
                    "This channel was subscribed to status updates of {page}. Confirm the subscription to receive them. If you do not \
                     expect it, end it: nothing else is sent until it is confirmed."
                )
                .into(),
                main: Link::new("Confirm subscription", &**link),
                manage: Link::new("End subscription", &*content.manage),
                ..base
            },
            MessageKind::Notice(notice) => base.with_notice(state, notice),
        }
    }
}

/// A time as the page's zone shows it, with the zone's name.
fn time(zone: TimeZone, at: DateTime<Utc>) -> String {
    let time = zone.format(at, "%b %-d, %Y, %H:%M %Z");
    format!("{time} ({zone})")
}
