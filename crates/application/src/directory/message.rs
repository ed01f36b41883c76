//! What a hosted identity provider tells by itself: signed messages about what has changed there.

use allclear_domain::id::OrganisationId;
use chrono::{DateTime, Utc};

use super::Ending;

/// A message as it arrived, not yet believed.
#[derive(Debug, Clone, Copy)]
pub struct Envelope<'a> {
    /// The message's identifier; the same for each attempt to deliver it.
    pub id: &'a str,
    /// When this attempt was signed, as its header says it.
    pub timestamp: &'a str,
    /// The signatures, as their header says them.
    pub signatures: &'a str,
    /// The bytes that were signed.
    pub body: &'a [u8],
}

/// A message that is the provider's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its identifier.
    pub id: String,
    /// When what it tells happened.
    pub happened_at: DateTime<Utc>,
    /// What it tells; nothing where it is of no concern here.
    pub news: Vec<News>,
}

/// Something that has changed at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum News {
    /// A user bears this name.
    User {
        /// Who.
        id: String,
        /// The name.
        name: String,
        /// Since when at the latest.
        as_of: DateTime<Utc>,
    },
    /// An organisation exists and bears this name.
    Organisation {
        /// Which.
        id: OrganisationId,
        /// The name.
        name: String,
        /// Since when at the latest.
        as_of: DateTime<Utc>,
    },
    /// An organisation was deleted.
    OrganisationDeleted(OrganisationId),
    /// Something that tokens stand for has ended.
    Ended(Ending),
}

/// A message that is not to be believed, or cannot be read. The reason is for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidWebhook(pub String);

/// Tells the provider's messages from others'.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait WebhookVerifier: Send + Sync {
    /// Checks who signed a message and when, and reads it.
    ///
    /// # Errors
    /// [`InvalidWebhook`].
    #[expect(
        clippy::elidable_lifetime_names,
        reason = "the mock's macro wants it named"
    )]
    fn read<'a>(&self, envelope: &Envelope<'a>) -> Result<Message, InvalidWebhook>;
}
