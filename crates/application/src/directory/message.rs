//! Webhooks of a hosted identity provider: signed messages about changes.

use allclear_domain::id::OrganisationId;
use chrono::{DateTime, Utc};

use super::{MemberRecord, Revocation};

/// A message as received, not yet verified.
#[derive(Debug, Clone, Copy)]
pub struct Envelope<'a> {
    /// The message's identifier; the same for each attempt to deliver it.
    pub id: &'a str,
    /// Time of the signature, from the header.
    pub timestamp: &'a str,
    /// The signatures, from the header.
    pub signatures: &'a str,
    /// The bytes that were signed.
    pub body: &'a [u8],
}

/// A verified message of the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Its identifier.
    pub id: String,
    /// When its events happened.
    pub happened_at: DateTime<Utc>,
    /// Its events; empty if it does not concern Allclear.
    pub events: Vec<DirectoryEvent>,
}

/// A change at the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectoryEvent {
    /// A user has this name.
    User {
        /// Identifier of the user at the provider.
        id: String,
        /// Name of the user.
        name: String,
        /// Time at which the name was valid.
        as_of: DateTime<Utc>,
    },
    /// An organisation exists and has this name.
    Organisation {
        /// Identifier of the organisation.
        id: OrganisationId,
        /// The name.
        name: String,
        /// Time at which the name was valid.
        as_of: DateTime<Utc>,
    },
    /// An organisation was deleted.
    OrganisationDeleted(OrganisationId),
    /// A user joined an organisation, or the membership changed.
    Member(MemberRecord),
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
