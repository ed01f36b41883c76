//! Passkeys: adding, renaming and removing them, and signing in with them.

mod ceremony;
mod port;
mod sign_in;

use std::sync::Arc;

use allclear_domain::id::{PasskeyId, UserId};
use allclear_domain::passkey::{Passkey, PasskeyDraft};
use allclear_domain::validation::Invalid;
use chrono::TimeDelta;
use serde_json::Value;
use validator::Validate;

use self::ceremony::{Ceremony, CeremonyKind};
use crate::account::AccountStore;
use crate::clock::Clock;
use crate::error::{Error, Resource};
use crate::second_factor::{PendingSignIns, RecoveryCode};
use crate::secret::{HmacKey, SecretToken, ShortLivedSigner};
use crate::security_mail::{SecurityChange, SecurityMails};
use crate::session::{Client, Session, SessionOpener, SessionStore};

pub use port::*;
pub use sign_in::PasskeyFailure;

/// A challenge for a browser.
#[derive(Debug, Clone, PartialEq)]
pub struct BegunCeremony {
    /// Options for the browser's call of WebAuthn.
    pub options: Value,
    /// Value of the cookie that binds the response to the browser.
    pub cookie: SecretToken,
}

/// A passkey that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedPasskey {
    /// The passkey.
    pub passkey: Passkey,
    /// Recovery codes, if it is the account's first second factor. They are not shown again.
    pub recovery_codes: Option<Vec<RecoveryCode>>,
}

/// Ports of [`Passkeys`].
#[derive(Clone)]
pub struct PasskeyPorts {
    /// Storage of accounts.
    pub accounts: Arc<dyn AccountStore>,
    /// Storage of passkeys.
    pub passkeys: Arc<dyn PasskeyStore>,
    /// Storage of sessions.
    pub sessions: Arc<dyn SessionStore>,
    /// Verifies responses; `None` if this installation does not use passkeys.
    pub verifier: Option<Arc<dyn PasskeyVerifier>>,
    /// Opens sessions.
    pub opener: SessionOpener,
    /// Sends mails about changes.
    pub mails: SecurityMails,
    /// Time and identifiers.
    pub clock: Arc<dyn Clock>,
    /// Key that seals ceremonies.
    pub hmac_key: HmacKey,
    /// Signs pending sign-ins.
    pub signer: Arc<dyn ShortLivedSigner>,
}

/// The use cases of passkeys.
pub struct Passkeys {
    ports: PasskeyPorts,
    pending: PendingSignIns,
}

impl Passkeys {
    /// How long a person may take to respond to a challenge.
    pub const CEREMONY_LIFETIME: TimeDelta = Ceremony::LIFETIME;

    const ENDED: Error = Error::Unauthenticated("This has taken too long. Please try again");
    const MISSING: Error = Error::NotFound(Resource::Passkey);
    const NOT_OFFERED: Error = Error::Forbidden("Passkeys are not available here");

    /// The use cases over these ports.
    #[must_use]
    pub fn new(ports: PasskeyPorts) -> Self {
        let pending = PendingSignIns::new(Arc::clone(&ports.signer));
        Self { ports, pending }
    }

    /// Whether people may add passkeys and sign in with them.
    #[must_use]
    pub fn are_offered(&self) -> bool {
        self.ports.verifier.is_some()
    }

    /// Begins to add a passkey to the session's account. [`Error::Conflict`] if it has
    /// [`Passkey::MAX_COUNT`].
    pub async fn begin_registration(&self, session: &Session) -> Result<BegunCeremony, Error> {
        let verifier = self.verifier()?;
        let user = &session.user;
        let known = self.ports.passkeys.credentials_of(user.id).await?;
        if known.len() as u64 >= Passkey::MAX_COUNT {
            return Err(Self::full());
        }
        let challenge = verifier.begin_registration(user, &known)?;
        Ok(self.seal_ceremony(CeremonyKind::Registration, Some(user.id), challenge))
    }

    /// Adds the passkey that an authenticator has made, and ends the account's other sessions.
    /// [`Error::Invalid`] if the response is not valid, [`Error::Conflict`] if the account has too
    /// many passkeys or this one already, [`Error::Unauthenticated`] if the session has ended.
    pub async fn register(
        &self,
        session: &Session,
        cookie: &SecretToken,
        draft: PasskeyDraft,
        response: &Value,
        client: &Client,
    ) -> Result<AddedPasskey, Error> {
        draft.validate().map_err(Invalid::from)?;
        let verifier = self.verifier()?;
        let (user, now) = (&session.user, self.ports.clock.now());
        let ceremony = self.open(cookie, CeremonyKind::Registration)?;
        if ceremony.user != Some(user.id) {
            return Err(Self::ENDED);
        }
        let credential = verifier
            .register(&ceremony.state, response)
            .map_err(|reason| {
                tracing::debug!(%reason, "a new passkey was refused");
                Invalid::field("response", "This passkey cannot be used")
            })?;
        let passkey = Passkey {
            id: PasskeyId(self.ports.clock.id()),
            name: draft.name,
            created_at: now,
            last_used_at: None,
        };
        let codes = RecoveryCode::generate();
        let stored = self.ports.passkeys.add_passkey(NewPasskey {
            user: user.id,
            passkey: passkey.clone(),
            credential,
            challenge: ceremony.used(),
            recovery_codes: codes.iter().map(RecoveryCode::digest).collect(),
            current_session: session.id,
        });
        let recovery_codes = match stored.await? {
            PasskeyAdditionOutcome::First => Some(codes),
            PasskeyAdditionOutcome::Further => None,
            PasskeyAdditionOutcome::Full => return Err(Self::full()),
            PasskeyAdditionOutcome::Known => {
                let message = "This passkey was added before".to_owned();
                return Err(Error::Conflict(message));
            }
        };
        let change = SecurityChange::PasskeyAdded;
        self.ports.mails.send(user, change, client);
        Ok(AddedPasskey {
            passkey,
            recovery_codes,
        })
    }

    /// Renames a passkey of the session's account. [`Error::Invalid`], [`Error::NotFound`],
    /// [`Error::Unauthenticated`] if the session has ended.
    pub async fn rename(
        &self,
        session: &Session,
        id: PasskeyId,
        draft: PasskeyDraft,
    ) -> Result<Passkey, Error> {
        draft.validate().map_err(Invalid::from)?;
        let store = &self.ports.passkeys;
        let renamed = store.rename_passkey(session.user.id, id, draft.name, session.id);
        renamed.await?.ok_or(Self::MISSING)
    }

    /// Removes a passkey of the session's account, and ends the account's other sessions.
    /// [`Error::NotFound`], [`Error::Unauthenticated`] if the session has ended.
    pub async fn remove(
        &self,
        session: &Session,
        id: PasskeyId,
        client: &Client,
    ) -> Result<(), Error> {
        let store = &self.ports.passkeys;
        let removed = store.remove_passkey(session.user.id, id, session.id);
        if !removed.await? {
            return Err(Self::MISSING);
        }
        let change = SecurityChange::PasskeyRemoved;
        self.ports.mails.send(&session.user, change, client);
        Ok(())
    }

    fn verifier(&self) -> Result<&dyn PasskeyVerifier, Error> {
        self.ports.verifier.as_deref().ok_or(Self::NOT_OFFERED)
    }

    fn full() -> Error {
        let most = Passkey::MAX_COUNT;
        Error::Conflict(format!("An account may have {most} passkeys"))
    }

    fn seal_ceremony(
        &self,
        kind: CeremonyKind,
        user: Option<UserId>,
        challenge: Challenge,
    ) -> BegunCeremony {
        let now = self.ports.clock.now();
        let ceremony = Ceremony::begin(kind, user, challenge.state, now);
        BegunCeremony {
            options: challenge.options,
            cookie: ceremony.seal(&self.ports.hmac_key),
        }
    }

    fn open(&self, cookie: &SecretToken, kind: CeremonyKind) -> Result<Ceremony, Error> {
        let now = self.ports.clock.now();
        Ceremony::open(cookie, kind, &self.ports.hmac_key, now).ok_or(Self::ENDED)
    }
}

#[cfg(test)]
mod tests;
