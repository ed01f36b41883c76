//! Accounts: making one, and signing in. What an answer and its time give away, and what not, is in
//! `docs/decisions/several-accounts-per-address.md`.

use std::sync::Arc;

use allclear_domain::account::{NameDraft, SignInDraft, SignUpDraft, SignUpMode, User};
use allclear_domain::email::EmailKey;
use allclear_domain::id::{UserId, WaitlistId};
use allclear_domain::validation::Invalid;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use validator::Validate;

use crate::background::Background;
use crate::clock::Clock;
use crate::error::Error;
use crate::invitation::{InvitationStore, Invitations};
use crate::link::Links;
use crate::mail::{Mail, MailContent, Mailer};
use crate::password::{PasswordHash, PasswordHasher, owner};
use crate::secret::{Digest, SecretToken};
use crate::session::{NewSession, SessionStore, Sessions};
use crate::waitlist::{Waiting, WaitlistStore};

/// An account with its password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The account.
    pub user: User,
    /// Its password's hash.
    pub password: PasswordHash,
}

/// What lets a new account in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// Everybody may.
    Open,
    /// It has to be the installation's first.
    First,
    /// The invitation with this digest, which is used up and gives the membership it promises.
    Invitation(Digest),
}

/// An account to be made, signed in at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewAccount {
    /// The account. Whether it is an administrator is for the store to say.
    pub user: User,
    /// Its password's hash.
    pub password: PasswordHash,
    /// What lets it in.
    pub admission: Admission,
    /// Its first session.
    pub session: NewSession,
}

/// What came of making an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Creation {
    /// It was made; the very first is an administrator.
    Made(User),
    /// Another account of this address with this password was made a moment ago.
    Twin,
    /// It was not the first.
    NotFirst,
}

/// Keeps accounts.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait AccountStore: Send + Sync {
    /// Whether there is any account.
    async fn any(&self) -> Result<bool, Error>;

    /// An account.
    async fn find(&self, id: UserId) -> Result<Option<Credentials>, Error>;

    /// The accounts of an address, oldest first.
    async fn credentials(&self, address: &EmailKey) -> Result<Vec<Credentials>, Error>;

    /// Stores an account, its session and what its invitation promises, in one transaction. An adapter MUST make exactly
    /// one first account, however many come at once, and never two of one address with one password.
    /// [`Invitations::BAD`] where the invitation was used or has expired.
    async fn create(&self, account: NewAccount) -> Result<Creation, Error>;

    /// Gives an account another name; none where there is no such account.
    async fn rename(&self, id: UserId, name: String) -> Result<Option<User>, Error>;

    /// Removes sessions, resets and invitations that have expired.
    async fn prune(&self, now: DateTime<Utc>) -> Result<(), Error>;
}

/// Somebody who has just signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedIn {
    /// Who.
    pub user: User,
    /// The session's secret, for the cookie.
    pub token: SecretToken,
    /// When the session ends unless it is used.
    pub expires_at: DateTime<Utc>,
}

/// What came of signing up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SignedUp {
    /// They are in.
    SignedIn(SignedIn),
    /// They are on the waitlist.
    Waitlisted,
}

/// The ports that signing up and in need.
#[derive(Clone)]
pub struct AccountPorts {
    /// Keeps accounts.
    pub accounts: Arc<dyn AccountStore>,
    /// Keeps sessions.
    pub sessions: Arc<dyn SessionStore>,
    /// Keeps invitations.
    pub invitations: Arc<dyn InvitationStore>,
    /// Keeps the waitlist.
    pub waitlist: Arc<dyn WaitlistStore>,
    /// Hashes passwords.
    pub hasher: Arc<dyn PasswordHasher>,
    /// Sends mail.
    pub mailer: Arc<dyn Mailer>,
    /// Time and identifiers.
    pub clock: Arc<dyn Clock>,
}

/// How people make accounts and sign in.
pub struct Accounts {
    ports: AccountPorts,
    mode: SignUpMode,
    background: Background,
    links: Links,
}

impl Accounts {
    const CLOSED: Error = Error::Forbidden("Sign-up is closed");
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

    /// Who may make an account.
    #[must_use]
    pub const fn mode(&self) -> SignUpMode {
        self.mode
    }

    /// Whether the next account would be the installation's first, which can always be made and administers it.
    pub async fn is_first(&self) -> Result<bool, Error> {
        Ok(!self.ports.accounts.any().await?)
    }

    /// Makes an account and signs it in. An address that has one already is answered exactly like a fresh one: with the
    /// password of such an account it is a sign-in, with any other a separate account is made, and the address hears of
    /// it by mail. [`Error::Invalid`], [`Error::BadCode`] for a bad invitation, [`Error::Forbidden`] where sign-up is
    /// closed.
    pub async fn sign_up(
        &self,
        draft: SignUpDraft,
        invitation: Option<SecretToken>,
    ) -> Result<SignedUp, Error> {
        draft.validate().map_err(Invalid::from)?;
        let admission = match (invitation, self.mode) {
            (Some(token), _) => {
                let known = self
                    .ports
                    .invitations
                    .find(&token.digest(), self.ports.clock.now())
                    .await?;
                known
                    .map(|_| Admission::Invitation(token.digest()))
                    .ok_or(Invitations::BAD)?
            }
            (None, SignUpMode::Open) => Admission::Open,
            (None, _) if self.is_first().await? => Admission::First,
            (None, SignUpMode::Waitlist) => return self.wait(draft).await,
            (None, SignUpMode::Closed) => return Err(Self::CLOSED),
        };
        let key = EmailKey::of(&draft.email);
        let hash = self.ports.hasher.hash(&key, &draft.password).await?;
        let known = self.ports.accounts.credentials(&key).await?;
        if let Some(user) = owner(&known, &hash) {
            return self.welcome_back(user, &admission).await;
        }
        let token = SecretToken::generate();
        let account = self.account(&draft, hash.clone(), &admission, &token);
        let expires_at = account.session.expires_at;
        match self.ports.accounts.create(account).await? {
            Creation::Made(user) => {
                if !known.is_empty() {
                    self.tell_known_address(draft.email);
                }
                Ok(SignedUp::SignedIn(SignedIn {
                    user,
                    token,
                    expires_at,
                }))
            }
            Creation::Twin => {
                let known = self.ports.accounts.credentials(&key).await?;
                let user = owner(&known, &hash)
                    .ok_or_else(|| Error::internal("an account vanished while it was made"))?;
                self.welcome_back(user, &admission).await
            }
            Creation::NotFirst if self.mode == SignUpMode::Waitlist => self.wait(draft).await,
            Creation::NotFirst => Err(Self::CLOSED),
        }
    }

    /// Signs in the account of the address whose password this is. [`Error::Unauthenticated`] where there is none,
    /// [`Error::Invalid`].
    pub async fn sign_in(&self, draft: SignInDraft) -> Result<SignedIn, Error> {
        draft.validate().map_err(Invalid::from)?;
        let key = EmailKey::of(&draft.email);
        let hash = self.ports.hasher.hash(&key, &draft.password).await?;
        let known = self.ports.accounts.credentials(&key).await?;
        match owner(&known, &hash) {
            Some(user) => self.open(user.clone()).await,
            None => Err(Self::WRONG),
        }
    }

    /// Gives an account another name. [`Error::Invalid`], [`Error::NotFound`].
    pub async fn rename(&self, id: UserId, draft: NameDraft) -> Result<User, Error> {
        draft.validate().map_err(Invalid::from)?;
        self.ports
            .accounts
            .rename(id, draft.name)
            .await?
            .ok_or(Error::NotFound("Account"))
    }

    /// Removes what has expired. To be called now and then.
    pub async fn prune(&self) -> Result<(), Error> {
        self.ports.accounts.prune(self.ports.clock.now()).await
    }

    fn account(
        &self,
        draft: &SignUpDraft,
        password: PasswordHash,
        by: &Admission,
        token: &SecretToken,
    ) -> NewAccount {
        let clock = &self.ports.clock;
        let user = User {
            id: UserId(clock.id()),
            name: draft.name.clone(),
            email: draft.email.clone(),
            administrator: false,
            created_at: clock.now(),
        };
        NewAccount {
            user,
            password,
            admission: by.clone(),
            session: Sessions::fresh(clock.as_ref(), token),
        }
    }

    /// Somebody signs up anew with an address and password that open an account.
    async fn welcome_back(&self, user: &User, admission: &Admission) -> Result<SignedUp, Error> {
        if let Admission::Invitation(digest) = admission {
            self.ports
                .invitations
                .accept(digest, user.id, self.ports.clock.now())
                .await?
                .ok_or(Invitations::BAD)?;
        }
        self.open(user.clone()).await.map(SignedUp::SignedIn)
    }

    async fn open(&self, user: User) -> Result<SignedIn, Error> {
        let token = SecretToken::generate();
        let session = Sessions::fresh(self.ports.clock.as_ref(), &token);
        let expires_at = session.expires_at;
        self.ports.sessions.open(user.id, session).await?;
        Ok(SignedIn {
            user,
            token,
            expires_at,
        })
    }

    /// Waiting twice is waiting once, and an address that has an account waits like any other.
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

    fn tell_known_address(&self, to: String) {
        let (mailer, link) = (Arc::clone(&self.ports.mailer), self.links.login());
        self.background
            .start("mailing a known address", async move {
                mailer
                    .send(Mail::new(to, MailContent::KnownAddress { link }))
                    .await?;
                Ok(())
            });
    }
}

#[cfg(test)]
mod tests;
