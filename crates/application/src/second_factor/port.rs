//! The storage port of second factors, and what it stores.

use allclear_domain::id::{OrganisationId, SessionId, UserId};
use allclear_domain::passkey::Passkey;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;
use crate::secret::Digest;
use crate::session::AdminSession;

/// The authenticator app of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TotpFactor {
    /// The part of the secret that is stored.
    pub nonce: String,
    /// Time step of the last code that was used. Older codes, and this one, are not accepted again.
    pub last_step: i64,
    /// When its enrolment began.
    pub created_at: DateTime<Utc>,
    /// When its first code was entered; `None` before. Until then it is not a factor.
    pub confirmed_at: Option<DateTime<Utc>>,
}

/// The second factors of an account.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Factors {
    /// The authenticator app, confirmed or not.
    pub totp: Option<TotpFactor>,
    /// The passkeys, the oldest first.
    pub passkeys: Vec<Passkey>,
    /// Number of recovery codes that were not used.
    pub recovery_codes: u64,
}

impl Factors {
    /// The authenticator app, if it is confirmed.
    #[must_use]
    pub fn confirmed_totp(&self) -> Option<&TotpFactor> {
        self.totp
            .as_ref()
            .filter(|totp| totp.confirmed_at.is_some())
    }

    /// Whether a sign-in needs a second factor.
    #[must_use]
    pub fn is_needed(&self) -> bool {
        self.confirmed_totp().is_some() || !self.passkeys.is_empty()
    }
}

/// Where the second factor of a session was checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionProof {
    /// In Allclear, if the account has one.
    Account,
    /// At the identity provider that opened the session.
    Provider,
    /// Nowhere: the identity provider did not report a second factor.
    Missing,
}

/// The end of an enrolment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TotpConfirmation {
    /// The account.
    pub user: UserId,
    /// Nonce of the enrolment.
    pub nonce: String,
    /// Time step of the entered code.
    pub step: i64,
    /// Time of the request.
    pub now: DateTime<Utc>,
    /// Digests of the recovery codes.
    pub recovery_codes: Vec<Digest>,
    /// The current session, which does not end.
    pub current_session: SessionId,
}

/// Storage of second factors.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait FactorStore: Send + Sync {
    /// Returns the second factors of an account; none for an unknown account.
    async fn factors(&self, user: UserId) -> Result<Factors, Error>;

    /// Begins the enrolment of an authenticator app, and replaces an unconfirmed one, for a session
    /// of the account. Returns false if the account has a confirmed app, which stays.
    /// [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn begin_totp(
        &self,
        user: UserId,
        nonce: String,
        session: SessionId,
        now: DateTime<Utc>,
    ) -> Result<bool, Error>;

    /// Confirms an authenticator app, replaces the recovery codes, and ends the other sessions of
    /// the account, in one transaction. From then on, the current session has used a second factor.
    /// Returns whether this enrolment awaited its confirmation.
    /// [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn confirm_totp(&self, confirmation: TotpConfirmation) -> Result<bool, Error>;

    /// Stores the time step of a code that is used. Returns whether it is later than the last one.
    /// Of several concurrent requests with one code, an adapter MUST accept one.
    async fn use_step(&self, user: UserId, step: i64) -> Result<bool, Error>;

    /// Removes a recovery code that is used. Returns the number of those that are left; `None` if
    /// the account does not have it. Of several concurrent requests with one code, an adapter MUST
    /// accept one.
    async fn use_recovery_code(&self, user: UserId, digest: &Digest) -> Result<Option<u64>, Error>;

    /// Replaces the recovery codes, and ends the sessions of the account except the current one.
    /// [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn set_recovery_codes(
        &self,
        user: UserId,
        digests: Vec<Digest>,
        current_session: SessionId,
    ) -> Result<(), Error>;

    /// Removes the authenticator app, and the recovery codes with the last second factor, and ends
    /// the sessions of the account except the current one. Returns whether there was a confirmed
    /// app. [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn remove_totp(&self, user: UserId, current_session: SessionId) -> Result<bool, Error>;

    /// Returns where the second factor of a session was checked.
    async fn session_proof(&self, session: SessionId) -> Result<SessionProof, Error>;

    /// Stores that the person of a session has used a second factor of the account, and the digest
    /// of the token that the session has from now on.
    /// [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn prove_factor(&self, session: SessionId, digest: Digest) -> Result<(), Error>;

    /// Whether an organisation requires a second factor of its members.
    async fn is_factor_required(&self, organisation: &OrganisationId) -> Result<bool, Error>;

    /// Stores whether an organisation requires a second factor. Returns whether that is a change.
    /// An adapter MUST check in the same transaction that the session `admin` has not ended and
    /// that its account is an admin. [`Error::NotFound`], [`Error::Forbidden`],
    /// [`Sessions::ENDED`](crate::session::Sessions::ENDED).
    async fn require_factor(
        &self,
        organisation: &OrganisationId,
        required: bool,
        admin: AdminSession,
    ) -> Result<bool, Error>;

    /// Removes all second factors and recovery codes of an account, and ends its sessions.
    async fn reset_factors(&self, user: UserId) -> Result<(), Error>;
}
