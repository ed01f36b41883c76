//! Sign-in with a password.

use std::sync::Arc;

use allclear_domain::account::{SignInDraft, User};
use allclear_domain::email::EmailKey;
use allclear_domain::id::UserId;
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use validator::Validate;

use super::{Accounts, Credentials};
use crate::error::Error;
use crate::origin::Origin;
use crate::password::Requester;
use crate::second_factor::Factors;
use crate::secret::SecretToken;
use crate::session::{Client, SignInProof};

/// Result of a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// The account.
    pub user: User,
    /// The session's secret, for the cookie.
    pub token: SecretToken,
    /// When the session ends unless it is used.
    pub expires_at: DateTime<Utc>,
    /// Mark for the browser, which makes it a known device.
    pub device_mark: String,
}

/// Result of a sign-in with the right password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PasswordAccepted {
    /// The account is signed in.
    SignedIn(SignedIn),
    /// The account has a second factor, which is awaited with this token.
    SecondFactor {
        /// The token of the pending sign-in.
        token: SecretToken,
        /// The factors of the account.
        factors: Factors,
    },
}

impl Accounts {
    const WRONG: Error = Error::Unauthenticated("Wrong email or password");

    /// Signs in the account with this address and password, or awaits a code if it has a second
    /// factor. [`Error::Unauthenticated`] if there is none, [`Error::Invalid`].
    pub async fn sign_in(
        &self,
        draft: SignInDraft,
        client: &Client,
    ) -> Result<PasswordAccepted, Error> {
        draft.validate().map_err(Invalid::from)?;
        let key = EmailKey::of(&draft.email);
        let candidates = self.ports.accounts.candidates(&key).await?;
        let owner: Vec<_> = candidates.owner.into_iter().collect();
        let known = owner.first().map(|owner| owner.user.id);
        let mut accounts = owner.iter().chain(&candidates.without_address);
        let is_known = |account: &&Credentials| self.ports.opener.is_known(account, client);
        let requester = match accounts.find(is_known) {
            Some(account) => Requester::Known(account.user.id),
            None => Requester::Unknown,
        };
        let mut found = self.with_password(&draft, owner, requester).await?;
        // The number of hashes depends on the installation, not on the address.
        if candidates.any_without_address {
            let others = candidates.without_address;
            let other = self.with_password(&draft, others, requester).await?;
            found = found.or(other);
        }
        let Some(mut account) = found else {
            self.record_refused_sign_in(known);
            return Err(Self::WRONG);
        };
        if self.ports.hasher.is_outdated(&account.password) {
            account = self.upgrade_password(&draft, account, requester).await?;
        }
        let factors = self.ports.factors.factors(account.user.id).await?;
        if factors.is_needed() {
            let token = self.ports.second_factors.await_code(&account);
            return Ok(PasswordAccepted::SecondFactor { token, factors });
        }
        let proof = SignInProof::Password {
            hash: account.password.clone(),
            code: None,
        };
        let opened = self.ports.opener.open(account, proof, client);
        Ok(PasswordAccepted::SignedIn(opened.await?))
    }

    /// Whether the client is a known device of the account with this address: a browser in which
    /// somebody signed in to the account since its password was set.
    pub async fn is_known_device(
        &self,
        address: &EmailKey,
        client: &Client,
    ) -> Result<bool, Error> {
        if client.marks.is_empty() {
            return Ok(false);
        }
        let owner = self.ports.accounts.owner(address).await?;
        Ok(owner.is_some_and(|owner| self.ports.opener.is_known(&owner, client)))
    }

    /// Records a refused sign-in in the audit log of a known account. For an unknown one too, a
    /// task starts later, because the time of the response must not distinguish the two.
    fn record_refused_sign_in(&self, known: Option<UserId>) {
        let accounts = Arc::clone(&self.ports.accounts);
        let work = async move {
            match known {
                Some(account) => accounts.record_refused_sign_in(account).await,
                None => Ok(()),
            }
        };
        let noted = Origin::current().scope(work);
        self.background
            .start_later("the note of a refused sign-in", noted);
    }

    /// Stores a hash with the current parameters, and returns the account with it. A failure does
    /// not fail the sign-in; the next sign-in tries again.
    async fn upgrade_password(
        &self,
        draft: &SignInDraft,
        account: Credentials,
        requester: Requester,
    ) -> Result<Credentials, Error> {
        let id = account.user.id;
        let upgraded = async {
            let hasher = &self.ports.hasher;
            let stronger = hasher.hash(&draft.password, requester).await?;
            let outdated = account.password.clone();
            let accounts = &self.ports.accounts;
            let is_stored = accounts
                .upgrade_password(id, outdated, stronger.clone())
                .await?;
            Ok::<_, Error>(is_stored.then_some(stronger))
        };
        match upgraded.await {
            Ok(Some(password)) => Ok(Credentials {
                password,
                ..account
            }),
            // A concurrent sign-in has upgraded the hash, or the password was changed.
            Ok(None) => {
                let current = self.ports.accounts.find(id).await?;
                let current = current.into_iter().collect();
                let found = self.with_password(draft, current, requester).await?;
                found.ok_or(Self::WRONG)
            }
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a password's hash was not upgraded"
                );
                Ok(account)
            }
        }
    }

    /// Returns the account that has the draft's password. Computes one hash, however many accounts
    /// there are.
    async fn with_password(
        &self,
        draft: &SignInDraft,
        accounts: Vec<Credentials>,
        requester: Requester,
    ) -> Result<Option<Credentials>, Error> {
        let hashes = accounts
            .iter()
            .map(|account| account.password.clone())
            .collect();
        let password = &draft.password;
        let found = self
            .ports
            .hasher
            .verify(password, hashes, requester)
            .await?;
        Ok(found.and_then(|index| accounts.into_iter().nth(index)))
    }
}
