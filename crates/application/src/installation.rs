//! Secrets that all nodes of an installation share.

use std::fmt;

use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;

/// A key that signs tokens, with its identifier.
#[derive(Clone, PartialEq, Eq)]
pub struct SigningKey {
    /// Identifier of the key in tokens and in the key set (RFC 7517, section 4.5).
    pub id: String,
    /// The private key, in the format of the token issuer.
    pub private: String,
    /// When it was made.
    pub created_at: DateTime<Utc>,
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// An installation's secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct Secrets {
    /// 256 random bits, base64url. The codes of subscribers' links and other signatures are derived
    /// from it.
    pub salt: String,
    /// At least one key, newest first. The newest signs; tokens of all are accepted.
    pub signing_keys: Vec<SigningKey>,
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Secrets")
            .field("signing_keys", &self.signing_keys)
            .finish_non_exhaustive()
    }
}

/// Storage of the installation's secrets.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait InstallationStore: Send + Sync {
    /// Returns the stored secrets; stores `fresh` if there are none. If many nodes call this at
    /// once on an empty database, an adapter MUST return the same secrets to all of them.
    async fn secrets(&self, fresh: Secrets) -> Result<Secrets, Error>;

    /// The signing keys, the newest first.
    async fn signing_keys(&self) -> Result<Vec<SigningKey>, Error>;

    /// Stores a key as the newest one, even if its creation time is earlier, and keeps only the
    /// previous key beside it.
    async fn replace_signing_key(&self, fresh: SigningKey) -> Result<(), Error>;
}
