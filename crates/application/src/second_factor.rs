//! Second factors: authenticator apps and recovery codes.

mod pending;
mod port;
mod recovery_code;
mod requirement;
mod totp;

use std::sync::Arc;

use allclear_domain::account::{CodeDraft, User};
use allclear_domain::email::EmailKey;
use allclear_domain::id::UserId;
use allclear_domain::validation::Invalid;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use validator::Validate;

use self::totp::Totp;
use crate::account::{AccountStore, Credentials, SignedIn};
use crate::clock::Clock;
use crate::error::{Error, Resource};
use crate::organisation::OrganisationStore;
use crate::secret::{Digest, HmacKey, SecretToken, ShortLivedSigner};
use crate::security_log::{SecurityEvent, SecurityRecord};
use crate::security_mail::{SecurityChange, SecurityMails};
use crate::session::{Client, Session, SessionOpener, SignInProof};

pub use pending::PendingSignIns;
pub use port::*;
pub use recovery_code::RecoveryCode;
pub(crate) use requirement::check_requirement;

/// The factor whose code was entered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UsedCode {
    /// A code of the authenticator app.
    Totp {
        /// Nonce of the app's enrolment, which is different for every app.
        nonce: String,
    },
    /// A recovery code.
    RecoveryCode {
        /// Number of codes that are left. An account with more of them has got new codes since.
        left: u64,
    },
}

/// The entered code is not one of the account's second factor, or was used before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongCode;

impl WrongCode {
    /// Sentence to show.
    pub const MESSAGE: &str = "Wrong code";

    /// The error of the field with the code.
    #[must_use]
    pub fn at(self, field: &str) -> Invalid {
        Invalid::field(field, Self::MESSAGE)
    }
}

impl From<WrongCode> for Error {
    fn from(_: WrongCode) -> Self {
        Self::Unauthenticated(WrongCode::MESSAGE)
    }
}

/// The secret of an enrolment, for an authenticator app.
#[derive(Clone, PartialEq, Eq)]
pub struct Enrolment {
    /// The secret in base 32.
    pub secret: String,
    /// The URI with the secret, for a QR code.
    pub uri: String,
}

/// Ports of [`SecondFactors`].
#[derive(Clone)]
pub struct FactorPorts {
    /// Storage of accounts.
    pub accounts: Arc<dyn AccountStore>,
    /// Storage of memberships.
    pub organisations: Arc<dyn OrganisationStore>,
    /// Storage of factors.
    pub factors: Arc<dyn FactorStore>,
    /// Opens sessions.
    pub opener: SessionOpener,
    /// Sends mails about changes.
    pub mails: SecurityMails,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Time that authenticator apps should show.
    pub app_clock: Arc<dyn Clock>,
    /// Key from which the secrets of authenticator apps are derived.
    pub hmac_key: HmacKey,
    /// Signs pending sign-ins.
    pub signer: Arc<dyn ShortLivedSigner>,
}

/// The use cases of second factors.
pub struct SecondFactors {
    ports: FactorPorts,
    pending: PendingSignIns,
}

impl SecondFactors {
    const ENDED: Error =
        Error::Unauthenticated("This sign-in has taken too long. Please enter your password again");
    const MISSING: Error = Error::NotFound(Resource::AuthenticatorApp);

    /// The use cases over these ports.
    #[must_use]
    pub fn new(ports: FactorPorts) -> Self {
        let pending = PendingSignIns::new(Arc::clone(&ports.signer));
        Self { ports, pending }
    }

    /// Returns the factors of the session's account.
    pub async fn list(&self, session: &Session) -> Result<Factors, Error> {
        self.ports.factors.factors(session.user.id).await
    }

    /// Begins the enrolment of an authenticator app. [`Error::Conflict`] if the account has one.
    pub async fn begin_totp(&self, session: &Session) -> Result<Enrolment, Error> {
        let (user, now) = (&session.user, self.ports.clock.now());
        let nonce = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 16]>());
        let totp = Totp::new(&self.ports.hmac_key, user.id, &nonce);
        let factors = &self.ports.factors;
        if !factors.begin_totp(user.id, nonce, session.id, now).await? {
            return Err(Error::Conflict(
                "This account has an authenticator app. Remove it first".to_owned(),
            ));
        }
        Ok(Enrolment {
            secret: totp.reveal(),
            uri: totp.uri(&user.email)?,
        })
    }

    /// Confirms the enrolment with the first code, and ends the account's other sessions. Returns
    /// the recovery codes, which are not shown again. [`Error::Invalid`] if the draft breaks a
    /// rule, [`Error::NotFound`] if no enrolment has begun.
    pub async fn confirm_totp(
        &self,
        session: &Session,
        draft: CodeDraft,
        client: &Client,
    ) -> Result<Result<Vec<RecoveryCode>, WrongCode>, Error> {
        draft.validate().map_err(Invalid::from)?;
        let (user, now) = (&session.user, self.ports.clock.now());
        let factors = self.ports.factors.factors(user.id).await?;
        let waiting = factors.totp.filter(|totp| totp.confirmed_at.is_none());
        let TotpFactor { nonce, .. } = waiting.ok_or(Self::MISSING)?;
        let totp = Totp::new(&self.ports.hmac_key, user.id, &nonce);
        let step = match totp::entered(&draft.code) {
            Some(code) => totp.step_of(&code, self.ports.app_clock.now(), 0)?,
            None => None,
        };
        let Some(step) = step else {
            return Ok(Err(WrongCode));
        };
        let codes = RecoveryCode::generate();
        let confirmation = TotpConfirmation {
            user: user.id,
            nonce,
            step,
            now,
            recovery_codes: digests(&codes),
            current_session: session.id,
        };
        if !self.ports.factors.confirm_totp(confirmation).await? {
            return Err(Self::MISSING);
        }
        let change = SecurityChange::AuthenticatorAdded;
        self.ports.mails.send(user, change, client);
        Ok(Ok(codes))
    }

    /// Removes the authenticator app, and the recovery codes with the last second factor, and ends
    /// the account's other sessions. [`Error::NotFound`].
    pub async fn remove_totp(&self, session: &Session, client: &Client) -> Result<(), Error> {
        let removed = self
            .ports
            .factors
            .remove_totp(session.user.id, session.id)
            .await?;
        if !removed {
            return Err(Self::MISSING);
        }
        let change = SecurityChange::AuthenticatorRemoved;
        self.ports.mails.send(&session.user, change, client);
        Ok(())
    }

    /// Replaces the recovery codes, and ends the account's other sessions. [`Error::Conflict`] if
    /// the account has no second factor.
    pub async fn replace_recovery_codes(
        &self,
        session: &Session,
        client: &Client,
    ) -> Result<Vec<RecoveryCode>, Error> {
        let user = &session.user;
        if !self.ports.factors.factors(user.id).await?.is_needed() {
            return Err(Error::Conflict(
                "This account has no second factor".to_owned(),
            ));
        }
        let codes = RecoveryCode::generate();
        self.ports
            .factors
            .set_recovery_codes(user.id, digests(&codes), session.id)
            .await?;
        let change = SecurityChange::RecoveryCodesReplaced;
        self.ports.mails.send(user, change, client);
        Ok(codes)
    }

    /// The token with which a sign-in to an account awaits a code.
    pub(crate) fn await_code(&self, account: &Credentials) -> SecretToken {
        self.pending.issue(account, self.ports.clock.now())
    }

    /// The account of a pending sign-in. [`Error::Unauthenticated`] if the token is wrong or
    /// has expired.
    pub fn pending_user(&self, token: &SecretToken) -> Result<UserId, Error> {
        let user = self.pending.user(token, self.ports.clock.now());
        user.ok_or(Self::ENDED)
    }

    /// Signs in the account of a pending sign-in with a code of its second factor.
    /// [`Error::Unauthenticated`] if the sign-in has ended, [`Error::Invalid`].
    pub async fn sign_in(
        &self,
        token: &SecretToken,
        draft: CodeDraft,
        client: &Client,
    ) -> Result<Result<SignedIn, WrongCode>, Error> {
        draft.validate().map_err(Invalid::from)?;
        let account = self.ports.accounts.find(self.pending_user(token)?).await?;
        let account = account.ok_or(Self::ENDED)?;
        if !PendingSignIns::is_of(token, &account) {
            return Err(Self::ENDED);
        }
        let code = match self.check(&account.user, &draft.code, client).await? {
            Ok(used) => Some(used),
            Err(wrong) => return Ok(Err(wrong)),
        };
        let hash = account.password.clone();
        let proof = SignInProof::Password { hash, code };
        let opened = self.ports.opener.open(account, proof, client);
        opened.await.map(Ok)
    }

    /// Checks a code of an account's second factor, which cannot be used again. The use of a
    /// recovery code is recorded and mailed.
    pub(crate) async fn check(
        &self,
        user: &User,
        code: &str,
        client: &Client,
    ) -> Result<Result<UsedCode, WrongCode>, Error> {
        if let Some(code) = totp::entered(code) {
            return self.check_totp(user.id, &code).await;
        }
        let Some(code) = RecoveryCode::entered(code) else {
            return Ok(Err(WrongCode));
        };
        let store = &self.ports.factors;
        let left = store.use_recovery_code(user.id, &code.digest()).await?;
        let Some(left) = left else {
            return Ok(Err(WrongCode));
        };
        SecurityRecord {
            subject: Some(&user.id),
            object: Some(&"recovery-code"),
            ..SecurityRecord::new(SecurityEvent::RecoveryCodeUsed)
        }
        .write_with_originator();
        let change = SecurityChange::RecoveryCodeUsed { left };
        self.ports.mails.send(user, change, client);
        Ok(Ok(UsedCode::RecoveryCode { left }))
    }

    async fn check_totp(
        &self,
        user: UserId,
        code: &str,
    ) -> Result<Result<UsedCode, WrongCode>, Error> {
        let factors = self.ports.factors.factors(user).await?;
        let Some(factor) = factors.confirmed_totp() else {
            return Ok(Err(WrongCode));
        };
        let totp = Totp::new(&self.ports.hmac_key, user, &factor.nonce);
        let step = totp.step_of(code, self.ports.app_clock.now(), factor.last_step)?;
        let Some(step) = step else {
            return Ok(Err(WrongCode));
        };
        if !self.ports.factors.use_step(user, step).await? {
            return Ok(Err(WrongCode));
        }
        let nonce = factor.nonce.clone();
        Ok(Ok(UsedCode::Totp { nonce }))
    }
}

/// Removes all second factors of the account with an address, ends its sessions, and mails its
/// owner, for an operator who helps a person without a factor. Returns the account.
/// [`Error::NotFound`].
pub async fn reset_factors(
    accounts: &dyn AccountStore,
    factors: &dyn FactorStore,
    mails: &SecurityMails,
    address: &str,
) -> Result<User, Error> {
    let account = accounts.owner(&EmailKey::of(address)).await?;
    let user = account.ok_or(Error::NotFound(Resource::Account))?.user;
    factors.reset_factors(user.id).await?;
    SecurityRecord {
        object: Some(&user.id),
        ..SecurityRecord::new(SecurityEvent::FactorsReset)
    }
    .write();
    mails.send(&user, SecurityChange::FactorsReset, &Client::default());
    Ok(user)
}

fn digests(codes: &[RecoveryCode]) -> Vec<Digest> {
    codes.iter().map(RecoveryCode::digest).collect()
}

#[cfg(test)]
mod tests;
