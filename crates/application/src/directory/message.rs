//! Webhooks of a hosted identity provider: signed messages about what has changed there.

use allclear_domain::id::OrganisationId;
use chrono::{DateTime, Utc};

use super::Revocation;

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
    /// When its events happened.
    pub happened_at: DateTime<Utc>,
    /// Its events; empty if it does not concern Allclear.
    pub events: Vec<DirectoryEvent>,
}

/// Something that has changed at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectoryEvent {
    /// A user has this name.
    User {
        /// The user.
        id: String,
        /// The name.
        name: String,
        /// Since when at the latest.
        as_of: DateTime<Utc>,
    },
    /// An organisation exists and has this name.
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
    /// Tokens were revoked.
    Revoked(Revocation),
}

/// The signature is wrong or the message cannot be read. The reason is for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidWebhook(pub String);

/// Verifies that a message is the provider's.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait WebhookVerifier: Send + Sync {
    /// Checks the signature and its time, and reads the message.
    ///
    /// # Errors
    /// [`InvalidWebhook`].
    #[expect(
        clippy::elidable_lifetime_names,
        reason = "the mock's macro wants it named"
    )]
    fn verify<'a>(&self, envelope: &Envelope<'a>) -> Result<Message, InvalidWebhook>;
}
