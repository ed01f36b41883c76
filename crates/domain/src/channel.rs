//! Channels: how subscribers are reached.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};
use url::Url;
use utoipa::ToSchema;

use crate::email::{EmailKey, email_address};
use crate::text::MAX_LINK_LENGTH;
use crate::validation::Invalid;
use crate::web_address::{self, AddressFault};

/// How a subscriber is reached.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Default,
    Serialize,
    Deserialize,
    ToSchema,
    Display,
    EnumString,
    VariantArray,
)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Channel {
    /// By mail.
    #[default]
    Email,
    /// By a signed request to a program (Standard Webhooks).
    Webhook,
    /// By an incoming webhook of Slack.
    Slack,
    /// By a workflow of Microsoft Teams.
    Teams,
    /// By a webhook of Discord.
    Discord,
}

impl Channel {
    /// The field of a request that carries the target of this channel.
    #[must_use]
    pub const fn field(self) -> &'static str {
        match self {
            Self::Email => "email",
            _ => "target",
        }
    }

    /// The product's name.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Email => "Email",
            Self::Webhook => "Webhook",
            Self::Slack => "Slack",
            Self::Teams => "Microsoft Teams",
            Self::Discord => "Discord",
        }
    }
}

/// Where a channel reaches a subscriber: a mail address, or the URL of a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    channel: Channel,
    text: String,
    is_by_visitor: bool,
}

impl Target {
    const REFUSAL: &str = "Must be a link that begins with https://";

    /// Reads what a person entered, trimmed. Whether the installation allows the host, the port and
    /// plain HTTP is decided when the connection is made.
    ///
    /// # Errors
    /// [`Invalid`] at [`Channel::field`] if it is neither a mail address nor, for the other
    /// channels, an absolute http or https URL of at most [`MAX_LINK_LENGTH`] characters, with a
    /// host and without a user name or password.
    pub fn parse(channel: Channel, text: &str) -> Result<Self, Invalid> {
        let text = match channel {
            Channel::Email => {
                email_address(text).map_err(|error| {
                    let message = error.message.unwrap_or_default();
                    Invalid::field(channel.field(), message)
                })?;
                text.to_owned()
            }
            _ => link(text).map_err(|message| Invalid::field(channel.field(), message))?,
        };
        Ok(Self::stored(channel, text))
    }

    /// A target that was accepted earlier.
    #[must_use]
    pub const fn stored(channel: Channel, text: String) -> Self {
        Self {
            channel,
            text,
            is_by_visitor: false,
        }
    }

    /// This target, entered by a visitor: it must be public, also where the installation allows
    /// operators more.
    #[must_use]
    pub const fn entered_by_visitor(mut self) -> Self {
        self.is_by_visitor = true;
        self
    }

    /// Whether a visitor entered it.
    #[must_use]
    pub const fn is_by_visitor(&self) -> bool {
        self.is_by_visitor
    }

    /// Its channel.
    #[must_use]
    pub const fn channel(&self) -> Channel {
        self.channel
    }

    /// The address as typed, or the whole URL. The URL is a secret: it is enough to post into
    /// the channel.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The mail address; `None` on other channels.
    #[must_use]
    pub fn email(&self) -> Option<&str> {
        (self.channel == Channel::Email).then_some(&*self.text)
    }

    /// The form that is equal for all spellings of a target: the [`EmailKey`] of an address, or the
    /// URL as the URL Standard writes it.
    #[must_use]
    pub fn key(&self) -> TargetKey {
        match self.channel {
            Channel::Email => TargetKey::of_email(&self.text),
            _ => TargetKey(self.text.clone()),
        }
    }

    /// The address, or the part of the URL that people may see: its host and the last four
    /// characters.
    #[must_use]
    pub fn masked(&self) -> String {
        let Ok(url) = Url::parse(&self.text) else {
            return self.text.clone();
        };
        if self.channel == Channel::Email {
            return self.text.clone();
        }
        let origin = url.origin().ascii_serialization();
        let path = self.text.get(origin.len()..).unwrap_or_default();
        let kept = path.chars().count().saturating_sub(4).max(4);
        let end: String = path.chars().skip(kept).collect();
        format!("{origin}/…{end}")
    }
}

/// A [`Target`] for comparisons. Of targets with equal keys, an organisation has one subscriber for
/// each incident, and one for everything else.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TargetKey(String);

impl TargetKey {
    /// The key of a mail address, which may be any text.
    #[must_use]
    pub fn of_email(address: &str) -> Self {
        Self(EmailKey::of(address).as_str().to_owned())
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The recipient of mails and messages, for the limits of what one receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipientKey {
    /// A mailbox, in any spelling.
    Mailbox(EmailKey),
    /// The URL of a webhook.
    Url(String),
}

impl RecipientKey {
    /// The key of the mailbox that it usually reaches; see [`EmailKey::usual_mailbox`].
    #[must_use]
    pub fn usual_mailbox(&self) -> Self {
        match self {
            Self::Mailbox(address) => Self::Mailbox(address.usual_mailbox()),
            Self::Url(_) => self.clone(),
        }
    }

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match self {
            Self::Mailbox(address) => address.as_str(),
            Self::Url(url) => url,
        }
    }
}

impl From<EmailKey> for RecipientKey {
    fn from(address: EmailKey) -> Self {
        Self::Mailbox(address)
    }
}

impl From<&Target> for RecipientKey {
    fn from(target: &Target) -> Self {
        match target.email() {
            Some(address) => Self::Mailbox(EmailKey::of(address)),
            None => Self::Url(target.text.clone()),
        }
    }
}

/// Returns the URL in the form of the URL Standard, without a fragment.
fn link(text: &str) -> Result<String, &'static str> {
    if text.is_empty() {
        return Err("Target is required");
    }
    if text.chars().count() > MAX_LINK_LENGTH {
        return Err("Must be at most 2000 characters");
    }
    let mut url = web_address::parse(text).map_err(|fault| match fault {
        AddressFault::NotAbsolute => Target::REFUSAL,
        AddressFault::HasCredentials => "Must not contain a user name or a password",
    })?;
    url.set_fragment(None);
    Ok(url.into())
}

/// Channels that visitors may subscribe by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a switch for each channel, as the settings show them"
)]
pub struct PublicChannels {
    /// By mail.
    pub email: bool,
    /// By a signed request to a program.
    pub webhook: bool,
    /// In Slack.
    pub slack: bool,
    /// In Microsoft Teams.
    pub teams: bool,
    /// In Discord.
    pub discord: bool,
}

impl Default for PublicChannels {
    fn default() -> Self {
        Self {
            email: true,
            webhook: true,
            slack: true,
            teams: true,
            discord: true,
        }
    }
}

impl PublicChannels {
    /// The channels that visitors may subscribe by.
    pub fn offered(self) -> impl Iterator<Item = Channel> {
        let channels = Channel::VARIANTS.iter().copied();
        channels.filter(move |channel| self.offers(*channel))
    }

    /// Whether visitors may subscribe by a channel.
    #[must_use]
    pub const fn offers(self, channel: Channel) -> bool {
        match channel {
            Channel::Email => self.email,
            Channel::Webhook => self.webhook,
            Channel::Slack => self.slack,
            Channel::Teams => self.teams,
            Channel::Discord => self.discord,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_an_https_or_http_url() {
        for good in [
            "https://hooks.example/services/T1/B2/x",
            "http://10.0.0.1:8080/x?y=z",
            "https://[::1]/x",
            "HTTPS://HOOKS.EXAMPLE",
        ] {
            assert!(Target::parse(Channel::Webhook, good).is_ok(), "{good}");
        }
        for bad in [
            "",
            "hooks.example/x",
            "ftp://hooks.example",
            "file:///etc/passwd",
            "javascript:alert(1)",
            "https://",
            "https:///hooks.example",
            "https://hooks.example/\"><script>",
            "https://ann@hooks.example",
            "https://ann:pass@hooks.example",
            "https://hooks.example/a b",
            "https://hooks\n.example",
            "ann@example.com",
        ] {
            assert!(Target::parse(Channel::Webhook, bad).is_err(), "{bad:?}");
        }
        let long = format!("https://hooks.example/{}", "x".repeat(2000));
        assert!(Target::parse(Channel::Slack, &long).is_err());
        assert!(Target::parse(Channel::Email, "https://hooks.example/x").is_err());
    }

    #[test]
    fn a_target_says_whether_a_visitor_entered_it() {
        let target = Target::parse(Channel::Webhook, "https://hooks.example/x").unwrap();
        assert!(!target.is_by_visitor());
        let by_visitor = target.clone().entered_by_visitor();
        assert!(by_visitor.is_by_visitor());
        // They are one subscriber.
        assert_eq!(by_visitor.key(), target.key());
    }

    #[test]
    fn recipients_of_limits_are_mailboxes_and_exact_urls() {
        let key = |channel, text| {
            let target = Target::parse(channel, text).unwrap();
            RecipientKey::from(&target)
                .usual_mailbox()
                .as_str()
                .to_owned()
        };
        assert_eq!(
            key(Channel::Email, "Ann+list@EXAMPLE.com"),
            "ann@example.com"
        );
        let url = "https://hooks.example/T1/a+B@c";
        assert_eq!(key(Channel::Webhook, url), url);
    }

    #[test]
    fn spellings_of_an_address_have_one_key() {
        let key = |text| Target::parse(Channel::Email, text).unwrap().key();
        let ann = key("ann@xn--exmple-cua.com");
        for spelling in ["Ann@exämple.com", "ANN@EXÄMPLE.com"] {
            assert_eq!(key(spelling), ann, "{spelling}");
            assert_eq!(TargetKey::of_email(spelling), ann, "{spelling}");
        }
        // Only limits compare sub-addresses.
        assert_ne!(key("ann+list@exämple.com"), ann);
    }

    #[test]
    fn spellings_of_a_url_have_one_key() {
        let key = |text| Target::parse(Channel::Webhook, text).unwrap().key();
        let plain = key("https://hooks.example/x");
        for spelling in [
            "HTTPS://HOOKS.example:443/x",
            "https://hooks.example/y/../x",
            "https://hooks.example/x#part",
        ] {
            assert_eq!(key(spelling), plain, "{spelling}");
        }
        assert_ne!(key("https://hooks.example/X"), plain);
    }

    #[test]
    fn people_see_a_part_of_a_url_and_the_whole_of_an_address() {
        let masked = |channel, text| Target::parse(channel, text).unwrap().masked();
        assert_eq!(
            masked(
                Channel::Slack,
                "https://hooks.example/services/T1/B2/secret"
            ),
            "https://hooks.example/…cret"
        );
        assert_eq!(
            masked(Channel::Webhook, "https://a.example/ab"),
            "https://a.example/…"
        );
        assert_eq!(
            masked(Channel::Webhook, "https://a.example"),
            "https://a.example/…"
        );
        assert_eq!(masked(Channel::Email, "ann@b.example"), "ann@b.example");
    }
}
