//! Accounts: sign-up, sign-in, changes and deletion. What responses and their times reveal is in
//! `docs/decisions/one-account-per-address.md`.

mod pending;
mod port;
mod reauthentication;
mod sign_in;
mod sign_up;

use std::sync::Arc;

use allclear_domain::account::{DeletionDraft, NameDraft, SignUpMode, User};
use allclear_domain::id::UserId;
use allclear_domain::validation::Invalid;
use validator::Validate;

use crate::background::Background;
use crate::clock::Clock;
use crate::error::{Error, Resource};
use crate::link::Links;
use crate::mail::Mailer;
use crate::mail_budget::MailBudget;
use crate::organisation::OrganisationStore;
use crate::password::{PasswordHasher, Requester, WrongPassword};
use crate::second_factor::{FactorStore, SecondFactors};
use crate::security_mail::{SecurityChange, SecurityMails};
use crate::session::{Client, Session, SessionOpener, SessionStore, require_recent};
use crate::waitlist::WaitlistStore;

pub use port::*;
pub use reauthentication::ReauthenticationRefusal;
pub use sign_in::{PasswordAccepted, SignedIn};
pub use sign_up::SignedUp;

/// Ports of [`Accounts`].
#[derive(Clone)]
pub struct AccountPorts {
    /// Storage of accounts.
    pub accounts: Arc<dyn AccountStore>,
    /// Storage of sessions.
    pub sessions: Arc<dyn SessionStore>,
    /// Storage of invitations.
    pub organisations: Arc<dyn OrganisationStore>,
    /// Storage of the waitlist.
    pub waitlist: Arc<dyn WaitlistStore>,
    /// Storage of second factors.
    pub factors: Arc<dyn FactorStore>,
    /// Checks codes of second factors.
    pub second_factors: Arc<SecondFactors>,
    /// Opens sessions.
    pub opener: SessionOpener,
    /// Hashes passwords.
    pub hasher: Arc<dyn PasswordHasher>,
    /// Sends mail.
    pub mailer: Arc<dyn Mailer>,
    /// Sends mails about changes of an account's security.
    pub mails: SecurityMails,
    /// Mail budget.
    pub mail_budget: Arc<MailBudget>,
    /// Time and identifiers.
    pub clock: Arc<dyn Clock>,
}

/// The use cases of accounts.
pub struct Accounts {
    ports: AccountPorts,
    mode: SignUpMode,
    background: Background,
    links: Links,
}

impl Accounts {
    const MISSING: Error = Error::NotFound(Resource::Account);

    /// The use cases over these ports.
    #[must_use]
    pub const fn new(
        ports: AccountPorts,
        mode: SignUpMode,
        background: Background,
        links: Links,
    ) -> Self {
        Self {
            ports,
            mode,
            background,
            links,
        }
    }

    /// Which people may sign up.
    #[must_use]
    pub const fn mode(&self) -> SignUpMode {
        self.mode
    }

    /// Whether the installation has no account yet. The first account can always be created and
    /// administers the installation.
    pub async fn is_first(&self) -> Result<bool, Error> {
        Ok(!self.ports.accounts.any().await?)
    }

    /// Deletes the session's account and ends its sessions. The password replaces a recent
    /// authentication if the account has no second factor. [`Error::Invalid`] if the draft breaks a
    /// rule, [`Error::ReauthenticationRequired`] if the person has not authenticated in the last
    /// ten minutes, [`Error::SecondFactorRequired`] if the account has a factor that was not used
    /// in the session, [`Error::Conflict`] if an organisation would lose its last admin or the
    /// installation its administrator.
    pub async fn delete(
        &self,
        session: &Session,
        draft: DeletionDraft,
    ) -> Result<Result<(), WrongPassword>, Error> {
        draft.validate().map_err(Invalid::from)?;
        let mut verified = None;
        if let Some(password) = &draft.password {
            let account = self.ports.accounts.find(session.user.id).await?;
            let hash = account.ok_or(Self::MISSING)?.password;
            let requester = Requester::Known(session.user.id);
            let is_right = self.ports.hasher.verify_one(password, &hash, requester);
            if !is_right.await? {
                return Ok(Err(WrongPassword));
            }
            verified = Some(hash);
        }
        let factors = self.ports.factors.factors(session.user.id).await?;
        if draft.password.is_none() || factors.is_needed() {
            require_recent(Some(session.authenticated_at), self.ports.clock.now())?;
        }
        self.ports.second_factors.check_proof(session).await?;
        let (id, accounts) = (session.user.id, &self.ports.accounts);
        match accounts.delete(id, verified, session.id).await? {
            DeletionOutcome::Deleted => Ok(Ok(())),
            DeletionOutcome::PasswordChanged => Ok(Err(WrongPassword)),
            DeletionOutcome::LastAdmin(name) => Err(Error::Conflict(format!(
                "You are the last admin of {name}. Make another member an admin, or delete the organisation, first"
            ))),
            DeletionOutcome::Administrator => Err(Error::Conflict(
                "This account administers the installation and can only be deleted when it is the last account"
                    .to_owned(),
            )),
            DeletionOutcome::Gone => Err(Self::MISSING),
        }
    }

    /// Renames the session's account. [`Error::Invalid`], [`Error::Unauthenticated`] if the session
    /// has ended.
    pub async fn rename(&self, session: &Session, draft: NameDraft) -> Result<User, Error> {
        draft.validate().map_err(Invalid::from)?;
        let (id, name) = (session.user.id, draft.name);
        self.ports.accounts.rename(id, name, session.id).await
    }

    /// Mails the person who has created an API key, after the response. A person without an account
    /// here gets no mail.
    pub fn mail_api_key(&self, creator: UserId, name: String, client: &Client) {
        let accounts = Arc::clone(&self.ports.accounts);
        let mails = self.ports.mails.clone();
        let client = client.clone();
        let mailed = async move {
            if let Some(account) = accounts.find(creator).await? {
                let change = SecurityChange::ApiKeyCreated { name };
                mails.send(&account.user, change, &client);
            }
            Ok(())
        };
        self.background.start("the mail about an API key", mailed);
    }

    /// Removes expired sessions, links and invitations. To be called periodically.
    pub async fn prune(&self) -> Result<(), Error> {
        self.ports.accounts.prune(self.ports.clock.now()).await
    }
}

#[cfg(test)]
mod tests;
