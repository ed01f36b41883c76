//! Accounts: sign-up, sign-in and deletion. What responses and their times reveal is in
//! `docs/decisions/one-account-per-address.md`.

mod pending;
mod port;
mod reauthentication;

use std::sync::Arc;

use allclear_domain::account::{
    DeletionDraft, NameDraft, SignInDraft, SignUpDraft, SignUpMode, User,
};
use allclear_domain::email::EmailKey;
use allclear_domain::id::{UserId, WaitlistId};
use allclear_domain::validation::Invalid;
use chrono::{DateTime, Utc};
use validator::Validate;

use crate::background::Background;
use crate::clock::Clock;
use crate::error::Error;
use crate::invitation::Invitations;
use crate::link::Links;
use crate::mail::Mailer;
use crate::mail_budget::MailBudget;
use crate::organisation::OrganisationStore;
use crate::origin::Origin;
use crate::password::{PasswordHash, PasswordHasher, Requester};
use crate::second_factor::{FactorStore, Factors, SecondFactors};
use crate::secret::SecretToken;
use crate::security_mail::{SecurityChange, SecurityMails};
use crate::session::{
    Client, NewSession, Session, SessionOpener, SessionStore, Sessions, require_recent,
};
use crate::waitlist::{Waiting, WaitlistStore};

pub use port::*;

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

/// Result of signing up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignedUp {
    /// The account is created and signed in.
    SignedIn(SignedIn),
    /// A mail was sent: a link, or the notice that the address has an account.
    Pending,
    /// The request is on the waitlist.
    Waitlisted,
}

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
    const CLOSED: Error = Error::Forbidden("Sign-up is closed");
    const INVITED_IS_KNOWN: &str =
        "There is an account with this address already. Sign in to accept the invitation";
    const MISSING: Error = Error::NotFound("Account");
    const WRONG: Error = Error::Unauthenticated("Wrong email or password");

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

    /// Whether the installation has no account yet. The first account can always be created and administers the installation.
    pub async fn is_first(&self) -> Result<bool, Error> {
        Ok(!self.ports.accounts.any().await?)
    }

    /// Signs up. The installation's first account, and an account with an invitation for its address, is created and signed in.
    /// Every other address receives a mail; known and unknown addresses cost the same and get the same response.
    /// [`Error::Invalid`], [`Error::BadCode`] for a bad invitation, [`Error::Forbidden`] if sign-up is closed,
    /// [`Error::Conflict`] if an invited address has an account.
    pub async fn sign_up(
        self: &Arc<Self>,
        draft: SignUpDraft,
        invitation: Option<SecretToken>,
        client: &Client,
    ) -> Result<SignedUp, Error> {
        draft.validate().map_err(Invalid::from)?;
        draft
            .password
            .check_personal("password", &draft.name, &draft.email)?;
        let Some(token) = invitation else {
            if self.is_first().await? {
                return self.create(draft, Admission::First, client).await;
            }
            return self.sign_up_uninvited(draft).await;
        };
        let digest = token.digest();
        let organisations = &self.ports.organisations;
        let found = organisations
            .find_invitation(&digest, self.ports.clock.now())
            .await?;
        let invited = EmailKey::of(&found.ok_or(Invitations::BAD)?.email);
        if invited == EmailKey::of(&draft.email) {
            // The invitation was mailed to this address, so its use proves the address.
            return self
                .create(draft, Admission::Invitation(digest), client)
                .await;
        }
        let hash = self.hash_of_stranger(&draft).await?;
        self.await_confirmation(draft, hash, Some(digest));
        Ok(SignedUp::Pending)
    }

    async fn sign_up_uninvited(self: &Arc<Self>, draft: SignUpDraft) -> Result<SignedUp, Error> {
        match self.mode {
            SignUpMode::Waitlist => self.wait(draft).await,
            SignUpMode::Closed => Err(Self::CLOSED),
            SignUpMode::Open => {
                let hash = self.hash_of_stranger(&draft).await?;
                self.await_confirmation(draft, hash, None);
                Ok(SignedUp::Pending)
            }
        }
    }

    async fn hash_of_stranger(&self, draft: &SignUpDraft) -> Result<PasswordHash, Error> {
        let hasher = &self.ports.hasher;
        hasher.hash(&draft.password, Requester::Stranger).await
    }

    async fn create(
        self: &Arc<Self>,
        draft: SignUpDraft,
        admission: Admission,
        client: &Client,
    ) -> Result<SignedUp, Error> {
        let hash = self.hash_of_stranger(&draft).await?;
        let token = SecretToken::generate();
        let session = Sessions::fresh(self.ports.clock.as_ref(), &token, client);
        let account = self.account(&draft, hash, admission, session);
        let expires_at = account.session.expires_at;
        let device_mark = self.ports.opener.device_mark(account.user.id);
        match self.ports.accounts.create(account).await? {
            Creation::Made(user) => Ok(SignedUp::SignedIn(SignedIn {
                user,
                token,
                expires_at,
                device_mark,
            })),
            Creation::Taken => Err(Error::Conflict(Self::INVITED_IS_KNOWN.to_owned())),
            // Another first account was made at the same time.
            Creation::NotFirst => self.sign_up_uninvited(draft).await,
        }
    }

    /// Signs in the account with this address and password, or awaits a code if it has a second factor.
    /// [`Error::Unauthenticated`] if there is none, [`Error::Invalid`].
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
        let is_known = |account: &&Credentials| self.ports.opener.is_known(account.user.id, client);
        let requester = match accounts.find(is_known) {
            Some(account) => Requester::Known(account.user.id),
            None => Requester::Stranger,
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
        let signed_in = self.ports.opener.open_by_password(account, client).await?;
        Ok(PasswordAccepted::SignedIn(signed_in))
    }

    /// Records a refused sign-in in the audit log of a known account. For an unknown one too, a task starts later, because the time of
    /// the response must not distinguish the two.
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

    /// Stores a hash with the current parameters, and returns the account with it. A failure does not fail the sign-in; the next
    /// sign-in tries again.
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

    /// Returns the account that has the draft's password. Computes one hash, however many accounts there are.
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

    /// Deletes the session's account and ends its sessions. The password replaces a recent authentication if the account has no second
    /// factor. [`Error::Invalid`] if the password is wrong, [`Error::ReauthenticationRequired`] if the person has not authenticated in
    /// the last ten minutes, [`Error::SecondFactorRequired`] if the account has a factor that was not used in the session,
    /// [`Error::Conflict`] if an organisation would lose its last admin or the installation its administrator.
    pub async fn delete(&self, session: &Session, draft: DeletionDraft) -> Result<(), Error> {
        draft.validate().map_err(Invalid::from)?;
        if let Some(password) = &draft.password {
            let account = self.ports.accounts.find(session.user.id).await?;
            let hashes = vec![account.ok_or(Self::MISSING)?.password];
            let requester = Requester::Known(session.user.id);
            let verified = self.ports.hasher.verify(password, hashes, requester);
            if verified.await?.is_none() {
                return Err(Invalid::field("password", "Wrong password").into());
            }
        }
        let factors = self.ports.factors.factors(session.user.id).await?;
        if draft.password.is_none() || factors.is_needed() {
            require_recent(Some(session.authenticated_at), self.ports.clock.now())?;
        }
        self.ports.second_factors.check_proof(session).await?;
        match self.ports.accounts.delete(session.user.id).await? {
            Deletion::Deleted => Ok(()),
            Deletion::LastAdmin(name) => Err(Error::Conflict(format!(
                "You are the last admin of {name}. Make another member an admin, or delete the organisation, first"
            ))),
            Deletion::Administrator => Err(Error::Conflict(
                "This account administers the installation and can only be deleted when it is the last account"
                    .to_owned(),
            )),
            Deletion::Gone => Err(Self::MISSING),
        }
    }

    /// Renames an account. [`Error::Invalid`], [`Error::NotFound`].
    pub async fn rename(&self, id: UserId, draft: NameDraft) -> Result<User, Error> {
        draft.validate().map_err(Invalid::from)?;
        self.ports
            .accounts
            .rename(id, draft.name)
            .await?
            .ok_or(Self::MISSING)
    }

    /// Mails the person who has created an API key, after the response. A person without an account here gets no mail.
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

    fn account(
        &self,
        draft: &SignUpDraft,
        password: PasswordHash,
        admission: Admission,
        session: NewSession,
    ) -> NewAccount {
        let clock = &self.ports.clock;
        let user = User {
            id: UserId(clock.id()),
            name: draft.name.clone(),
            email: draft.email.clone(),
            administrator: false,
            needs_address: false,
            created_at: clock.now(),
        };
        NewAccount {
            user,
            password,
            admission,
            session,
        }
    }

    /// A second request of an address changes nothing. Addresses with an account are stored like any other, so that the response
    /// reveals nothing.
    async fn wait(&self, draft: SignUpDraft) -> Result<SignedUp, Error> {
        let clock = &self.ports.clock;
        let id = WaitlistId(clock.id());
        let waiting = Waiting {
            id,
            name: draft.name,
            email: draft.email,
            created_at: clock.now(),
        };
        self.ports.waitlist.add(waiting).await?;
        Ok(SignedUp::Waitlisted)
    }
}

#[cfg(test)]
mod tests;
