//! The ports of passkeys: storage, and the verification of authenticators' responses.

use std::fmt;

use allclear_domain::account::User;
use allclear_domain::id::{PasskeyId, SessionId, UserId};
use allclear_domain::passkey::Passkey;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use serde_json::Value;

use crate::account::Credentials;
use crate::error::Error;
use crate::secret::Digest;

/// Identifier of a credential, which its authenticator chose, base64url.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CredentialId(pub String);

/// A challenge for an authenticator.
#[derive(Debug, Clone, PartialEq)]
pub struct Challenge {
    /// Options for the browser's call of WebAuthn.
    pub options: Value,
    /// What the verification of the response needs, as JSON.
    pub state: String,
}

/// A credential that an authenticator has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCredential {
    /// Its identifier.
    pub id: CredentialId,
    /// Public key, signature counter and flags, as JSON.
    pub credential: String,
    /// The signature counter; 0 if the authenticator has none.
    pub sign_count: u32,
}

/// A credential that proved itself by a signature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifiedCredential {
    /// The credential as it is from now on, as JSON.
    pub credential: String,
    /// The signature counter.
    pub sign_count: u32,
}

/// The credential that a response claims to come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedCredential {
    /// Its identifier.
    pub id: CredentialId,
    /// The account that the authenticator stores with the credential; `None` if the response does
    /// not have it.
    pub user: Option<UserId>,
}

/// Why a response is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerificationError {
    /// The response is not valid. Holds the reason, for the log.
    Invalid(String),
    /// The signature is right, and the signature counter is not greater than the stored one: the
    /// credential may exist twice.
    CounterWentBack,
}

impl fmt::Display for VerificationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(reason) => f.write_str(reason),
            Self::CounterWentBack => f.write_str("the signature counter went back"),
        }
    }
}

/// Makes challenges and verifies the responses of authenticators (WebAuthn Level 3). Responses are
/// those of `toJSON()`.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
pub trait PasskeyVerifier: Send + Sync {
    /// Makes a challenge for a new credential of an account. Authenticators with a known credential
    /// are excluded.
    ///
    /// # Errors
    /// [`Error::Internal`].
    fn begin_registration(&self, user: &User, known: &[CredentialId]) -> Result<Challenge, Error>;

    /// Verifies the response to a challenge for a new credential. The authenticator MUST have
    /// verified its user.
    ///
    /// # Errors
    /// [`VerificationError::Invalid`].
    fn register(&self, state: &str, response: &Value) -> Result<NewCredential, VerificationError>;

    /// Makes a challenge for one of the allowed credentials; for any credential if the list
    /// is empty.
    ///
    /// # Errors
    /// [`Error::Internal`].
    fn begin_authentication(&self, allowed: &[CredentialId]) -> Result<Challenge, Error>;

    /// Returns the credential that a response claims to come from; `None` if it is not a response.
    fn claimed(&self, response: &Value) -> Option<ClaimedCredential>;

    /// Verifies the response of a stored credential to a challenge. The authenticator MUST have
    /// verified its user. Without a credential the response is refused after the same work, so that
    /// the time does not reveal whether a credential exists.
    ///
    /// # Errors
    /// [`VerificationError`].
    fn authenticate(
        &self,
        state: &str,
        response: &Value,
        credential: Option<String>,
    ) -> Result<VerifiedCredential, VerificationError>;
}

/// A challenge that a response has used up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedChallenge {
    /// Digest of the challenge.
    pub digest: Digest,
    /// When the challenge expires.
    pub expires_at: DateTime<Utc>,
}

/// A passkey to be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPasskey {
    /// The account.
    pub user: UserId,
    /// The passkey.
    pub passkey: Passkey,
    /// Its credential.
    pub credential: NewCredential,
    /// The challenge that made it.
    pub challenge: UsedChallenge,
    /// Digests of recovery codes, for an account that had no second factor.
    pub recovery_codes: Vec<Digest>,
    /// The current session, which does not end.
    pub current_session: SessionId,
}

/// Result of storing a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasskeyAdditionOutcome {
    /// It was stored, and is the account's first second factor: the recovery codes are those of
    /// the request.
    First,
    /// It was stored beside other factors. The recovery codes stay.
    Further,
    /// The account has [`Passkey::MAX_COUNT`] passkeys.
    Full,
    /// The credential is stored already, or the challenge was used.
    Known,
}

/// A stored passkey with its account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredPasskey {
    /// The passkey.
    pub passkey: Passkey,
    /// The account.
    pub account: Credentials,
    /// The credential, as JSON.
    pub credential: String,
}

/// The use of a passkey.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasskeyUse {
    /// The passkey.
    pub id: PasskeyId,
    /// The credential after the use.
    pub credential: VerifiedCredential,
    /// The challenge that it responded to.
    pub challenge: UsedChallenge,
    /// Time of the use.
    pub now: DateTime<Utc>,
}

/// Result of using a passkey.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PasskeyUseOutcome {
    /// The use was stored.
    Accepted,
    /// The challenge was used before, or the passkey was removed.
    Refused,
    /// A concurrent use has stored a counter that is not less.
    CounterWentBack,
}

/// Storage of passkeys. [`FactorStore::factors`](crate::second_factor::FactorStore::factors) lists
/// those of an account.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait PasskeyStore: Send + Sync {
    /// Stores a passkey, marks its challenge as used, stores the recovery codes if the account has
    /// no other second factor, and ends the other sessions of the account, in one transaction.
    /// [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn add_passkey(&self, passkey: NewPasskey) -> Result<PasskeyAdditionOutcome, Error>;

    /// Returns the identifiers of the credentials of an account.
    async fn credentials_of(&self, user: UserId) -> Result<Vec<CredentialId>, Error>;

    /// Returns the passkey with a credential; `None` if there is none.
    async fn find_passkey(&self, credential: &CredentialId)
    -> Result<Option<StoredPasskey>, Error>;

    /// Stores the use of a passkey and marks its challenge as used, in one transaction. Of several
    /// concurrent requests with one challenge or one counter, an adapter MUST accept one.
    async fn use_passkey(&self, used: PasskeyUse) -> Result<PasskeyUseOutcome, Error>;

    /// Marks the challenge of a refused copy of a passkey as used, and records the copy in the
    /// audit logs of its owner's organisations. Returns whether the challenge was not used before.
    async fn record_copied(
        &self,
        passkey: &Passkey,
        user: UserId,
        challenge: UsedChallenge,
    ) -> Result<bool, Error>;

    /// Renames a passkey of an account, for one of its sessions. `None` if the account does not
    /// have it. [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn rename_passkey(
        &self,
        user: UserId,
        id: PasskeyId,
        name: String,
        session: SessionId,
    ) -> Result<Option<Passkey>, Error>;

    /// Removes a passkey of an account, and the recovery codes with the last second factor, and
    /// ends the sessions of the account except the current one. Returns whether the account had
    /// it. [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn remove_passkey(
        &self,
        user: UserId,
        id: PasskeyId,
        current_session: SessionId,
    ) -> Result<bool, Error>;
}
