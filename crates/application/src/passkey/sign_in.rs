//! Authentication with a passkey: at sign-in, after a password, and within a session.

use allclear_domain::id::UserId;
use serde_json::Value;

use super::{
    BegunCeremony, Ceremony, CeremonyKind, PasskeyUse, PasskeyUseOutcome, Passkeys, StoredPasskey,
    VerificationError,
};
use crate::account::SignedIn;
use crate::error::Error;
use crate::second_factor::PendingSignIns;
use crate::secret::SecretToken;
use crate::security_mail::SecurityChange;
use crate::session::{Client, Session, SignInProof};

/// Why an authentication with a passkey failed.
#[derive(Debug)]
pub enum PasskeyFailure {
    /// The response is not valid, or its credential is unknown or another account's. Holds the
    /// reason, for the log.
    Refused(String),
    /// The credential of this account may exist twice: its signature counter went back. To the
    /// client it is the same as [`PasskeyFailure::Refused`].
    Copied(UserId),
    /// The request cannot be served.
    Failed(Error),
}

impl From<Error> for PasskeyFailure {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<PasskeyFailure> for Error {
    fn from(failure: PasskeyFailure) -> Self {
        match failure {
            PasskeyFailure::Refused(_) | PasskeyFailure::Copied(_) => {
                Self::Unauthenticated("This passkey was not accepted")
            }
            PasskeyFailure::Failed(error) => error,
        }
    }
}

impl Passkeys {
    const NONE: &str = "This account has no passkey";

    /// Begins a sign-in with any passkey. It says nothing about accounts.
    pub fn begin_sign_in(&self) -> Result<BegunCeremony, Error> {
        let challenge = self.verifier()?.begin_authentication(&[])?;
        Ok(self.seal_ceremony(CeremonyKind::SignIn, None, challenge))
    }

    /// Begins the second step of a sign-in whose password was right. [`Error::Unauthenticated`] if
    /// it has ended, also by another password; [`Error::Conflict`] if the account has no passkey.
    pub async fn begin_second_step(&self, pending: &SecretToken) -> Result<BegunCeremony, Error> {
        let user = self.pending.user(pending, self.ports.clock.now());
        let account = self.ports.accounts.find(user.ok_or(Self::ENDED)?).await?;
        let account = account.filter(|account| PendingSignIns::is_of(pending, account));
        let user = account.ok_or(Self::ENDED)?.user.id;
        self.begin_with_passkey_of(user, CeremonyKind::SignIn).await
    }

    /// Begins an authentication within a session. [`Error::Conflict`] if the account has no
    /// passkey.
    pub async fn begin_reauthentication(&self, session: &Session) -> Result<BegunCeremony, Error> {
        let kind = CeremonyKind::Reauthentication;
        self.begin_with_passkey_of(session.user.id, kind).await
    }

    /// Signs in the owner of the passkey that responds. The authenticator has verified its user, so
    /// the passkey is the only factor that is needed.
    pub async fn sign_in(
        &self,
        cookie: &SecretToken,
        response: &Value,
        client: &Client,
    ) -> Result<SignedIn, PasskeyFailure> {
        let ceremony = self.open(cookie, CeremonyKind::SignIn)?;
        let used = self.authenticate(&ceremony, response, client).await?;
        let proof = SignInProof::Passkey(used.passkey.id);
        let opened = self.ports.opener.open(used.account, proof, client);
        Ok(opened.await?)
    }

    /// Authenticates the person of a session again. Returns another token, which the session has
    /// from now on (OWASP ASVS 5.0, 7.2.4).
    pub async fn reauthenticate(
        &self,
        session: &Session,
        cookie: &SecretToken,
        response: &Value,
        client: &Client,
    ) -> Result<SecretToken, PasskeyFailure> {
        let ceremony = self.open(cookie, CeremonyKind::Reauthentication)?;
        if ceremony.user != Some(session.user.id) {
            return Err(Self::ENDED.into());
        }
        self.authenticate(&ceremony, response, client).await?;
        let token = SecretToken::generate();
        let now = self.ports.clock.now();
        let store = &self.ports.sessions;
        let digest = token.digest();
        store.authenticate(session.id, digest, true, now).await?;
        Ok(token)
    }

    async fn begin_with_passkey_of(
        &self,
        user: UserId,
        kind: CeremonyKind,
    ) -> Result<BegunCeremony, Error> {
        let verifier = self.verifier()?;
        let credentials = self.ports.passkeys.credentials_of(user).await?;
        if credentials.is_empty() {
            return Err(Error::Conflict(Self::NONE.to_owned()));
        }
        let challenge = verifier.begin_authentication(&credentials)?;
        Ok(self.seal_ceremony(kind, Some(user), challenge))
    }

    /// Verifies a response and stores the use of the passkey. Returns the passkey.
    async fn authenticate(
        &self,
        ceremony: &Ceremony,
        response: &Value,
        client: &Client,
    ) -> Result<StoredPasskey, PasskeyFailure> {
        let verifier = self.verifier()?;
        let Some(claimed) = verifier.claimed(response) else {
            return Err(PasskeyFailure::Refused("not a response".to_owned()));
        };
        // Without an account in the ceremony, the response has to name it.
        let claimant = ceremony.user.or(claimed.user);
        let found = self.ports.passkeys.find_passkey(&claimed.id).await?;
        let found = found.filter(|found| {
            let owner = found.account.user.id;
            claimant == Some(owner) && claimed.user.is_none_or(|claimed| claimed == owner)
        });
        let credential = found.as_ref().map(|found| found.credential.clone());
        let outcome = verifier.authenticate(&ceremony.state, response, credential);
        let Some(found) = found else {
            let reason = "unknown credential, or another account's";
            return Err(PasskeyFailure::Refused(reason.to_owned()));
        };
        let credential = match outcome {
            Ok(credential) => credential,
            Err(VerificationError::Invalid(reason)) => return Err(PasskeyFailure::Refused(reason)),
            Err(VerificationError::CounterWentBack) => {
                return Err(self.refuse_copy(ceremony, found, client).await);
            }
        };
        let used = self.ports.passkeys.use_passkey(PasskeyUse {
            id: found.passkey.id,
            credential,
            challenge: ceremony.used(),
            now: self.ports.clock.now(),
        });
        match used.await? {
            PasskeyUseOutcome::Accepted => Ok(found),
            PasskeyUseOutcome::Refused => {
                let reason = "the challenge was used before";
                Err(PasskeyFailure::Refused(reason.to_owned()))
            }
            PasskeyUseOutcome::CounterWentBack => {
                Err(self.refuse_copy(ceremony, found, client).await)
            }
        }
    }

    /// Records and mails that a passkey may exist twice; once for each challenge.
    async fn refuse_copy(
        &self,
        ceremony: &Ceremony,
        found: StoredPasskey,
        client: &Client,
    ) -> PasskeyFailure {
        let StoredPasskey {
            passkey, account, ..
        } = found;
        let user = account.user;
        let store = &self.ports.passkeys;
        let noted = store
            .record_copied(&passkey, user.id, ceremony.used())
            .await;
        match noted {
            Ok(true) => {
                let name = passkey.name;
                let change = SecurityChange::PasskeyCopied { name };
                self.ports.mails.send(&user, change, client);
                PasskeyFailure::Copied(user.id)
            }
            Ok(false) => PasskeyFailure::Refused("the challenge was used before".to_owned()),
            Err(error) => error.into(),
        }
    }
}
