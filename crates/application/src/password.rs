//! Passwords: how they are hashed, changed and reset.

use std::fmt;
use std::sync::Arc;

use allclear_domain::account::{Password, PasswordChangeDraft, PasswordDraft, ResetDraft, User};
use allclear_domain::email::EmailKey;
use allclear_domain::id::UserId;
use allclear_domain::validation::Invalid;
use async_trait::async_trait;
use chrono::TimeDelta;
use subtle::ConstantTimeEq;
use validator::Validate;

use crate::account::{AccountStore, Credentials, PasswordChange, Reset, ResetOutcome};
use crate::background::Background;
use crate::clock::Clock;
use crate::error::{Error, Resource};
use crate::link::Links;
use crate::mail::{Mail, MailContent, Mailer};
use crate::mail_budget::{MailBudget, MailCause, MailKind};
use crate::secret::SecretToken;
use crate::security_mail::{SecurityChange, SecurityMails};
use crate::session::{Client, Session, SessionOpener};

/// The hash of a password.
#[derive(Clone)]
pub struct PasswordHash(String);

impl PasswordHash {
    /// A hash in the hasher's own form, which names its parameters.
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The hash as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The comparison takes the same time wherever the hashes differ.
impl PartialEq for PasswordHash {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_bytes().ct_eq(other.0.as_bytes()).into()
    }
}

impl Eq for PasswordHash {}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(..)")
    }
}

/// The entered password is not the account's, or not any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WrongPassword;

impl WrongPassword {
    /// Sentence to show.
    pub const MESSAGE: &str = "Wrong password";

    /// The error of the field with the password.
    #[must_use]
    pub fn at(self, field: &str) -> Invalid {
        Invalid::field(field, Self::MESSAGE)
    }
}

/// The person whose password is hashed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requester {
    /// Anybody: a person who signs up, or signs in from a browser in which nobody signed in to the
    /// account since its password was set.
    Unknown,
    /// A person with a session, a link from a mail, or a browser in which somebody signed in to
    /// this account since its password was set.
    Known(UserId),
}

/// Hashes passwords. If hashes have to wait, an adapter MUST keep a part of the waiting
/// places from unknown requesters, and from the hashes of each account. They could occupy
/// all of them otherwise.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// Hashes a new password. An adapter MUST use a slow, memory-hard function (OWASP ASVS 5.0,
    /// 11.4.2) and a new random salt.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when too many are waiting.
    async fn hash(&self, password: &Password, requester: Requester) -> Result<PasswordHash, Error>;

    /// Returns the index of the first stored hash of this password; `None` if no hash matches. An
    /// adapter MUST compute one hash per salt, and one if there are no hashes, so that the time
    /// reveals nothing.
    ///
    /// # Errors
    /// [`Error::Unavailable`] when too many are waiting.
    async fn verify(
        &self,
        password: &Password,
        stored: Vec<PasswordHash>,
        requester: Requester,
    ) -> Result<Option<usize>, Error>;

    /// Whether [`hash`](Self::hash) would make a stronger hash than this one today.
    fn is_outdated(&self, stored: &PasswordHash) -> bool;
}

// Not a method of the port, which mocks would have to provide, too.
impl dyn PasswordHasher {
    /// Whether a stored hash is that of this password.
    pub(crate) async fn verify_one(
        &self,
        password: &Password,
        stored: &PasswordHash,
        requester: Requester,
    ) -> Result<bool, Error> {
        let found = self.verify(password, vec![stored.clone()], requester);
        Ok(found.await?.is_some())
    }
}

/// Ports of [`Passwords`].
pub struct PasswordPorts {
    /// Storage of accounts.
    pub accounts: Arc<dyn AccountStore>,
    /// Hashes passwords.
    pub hasher: Arc<dyn PasswordHasher>,
    /// Sends mail.
    pub mailer: Arc<dyn Mailer>,
    /// Mail budget.
    pub mail_budget: Arc<MailBudget>,
    /// Sends mails about changes.
    pub security_mails: SecurityMails,
    /// Makes device marks.
    pub opener: SessionOpener,
    /// Time.
    pub clock: Arc<dyn Clock>,
}

/// The use cases of passwords.
pub struct Passwords {
    ports: PasswordPorts,
    background: Background,
    links: Links,
}

impl Passwords {
    /// Lifetime of the link in a reset mail.
    pub(crate) const RESET_LIFETIME: TimeDelta = TimeDelta::hours(1);

    const BAD_RESET: Error = Error::BadCode("This link is wrong or has expired");

    /// The use cases over these ports.
    #[must_use]
    pub const fn new(ports: PasswordPorts, background: Background, links: Links) -> Self {
        Self {
            ports,
            background,
            links,
        }
    }

    /// Changes the password of the session's account, and ends the account's other sessions (OWASP
    /// ASVS 5.0, 7.4.3) and device marks. Returns the new mark for the browser, which stays a known
    /// device. [`Error::Invalid`] if the draft breaks a rule, [`Error::Unauthenticated`] if the
    /// session has ended.
    pub async fn change(
        &self,
        session: &Session,
        draft: PasswordChangeDraft,
        client: &Client,
    ) -> Result<Result<String, WrongPassword>, Error> {
        draft.validate().map_err(Invalid::from)?;
        let account = self
            .ports
            .accounts
            .find(session.user.id)
            .await?
            .ok_or(Error::NotFound(Resource::Account))?;
        let requester = Requester::Known(session.user.id);
        let hasher = &self.ports.hasher;
        let is_right = hasher.verify_one(&draft.current_password, &account.password, requester);
        if !is_right.await? {
            return Ok(Err(WrongPassword));
        }
        let user = &account.user;
        draft
            .new_password
            .check_personal("newPassword", &user.name, &user.email)?;
        let hash = hasher.hash(&draft.new_password, requester).await?;
        let device_mark = self.ports.opener.device_mark(user.id, &hash);
        let change = PasswordChange {
            user: user.id,
            verified: account.password,
            new: hash,
            current_session: session.id,
        };
        if !self.ports.accounts.change_password(change).await? {
            return Ok(Err(WrongPassword));
        }
        self.mail_change(&account.user, client);
        Ok(Ok(device_mark))
    }

    /// Mails a link to an address that has an account. The work is done after the response, which
    /// is always the same. [`Error::Invalid`] if the address is malformed.
    pub fn request_reset(self: &Arc<Self>, draft: &ResetDraft) -> Result<(), Error> {
        draft.validate().map_err(Invalid::from)?;
        let (service, key) = (Arc::clone(self), EmailKey::of(&draft.email));
        self.background
            .start_later("mailing a password reset", async move {
                service.mail_reset(key).await
            });
        Ok(())
    }

    async fn mail_reset(&self, key: EmailKey) -> Result<(), Error> {
        let owner = self.ports.accounts.owner(&key).await?;
        let cause = MailCause::by_anybody(MailKind::PasswordReset, key.clone());
        if !self.ports.mail_budget.try_take(&cause).await? {
            return Ok(());
        }
        let Some(Credentials { user, .. }) = owner else {
            return Ok(());
        };
        let token = SecretToken::generate();
        let reset = Reset {
            digest: token.digest(),
            user: user.id,
            address: key,
            expires_at: self.ports.clock.now() + Self::RESET_LIFETIME,
        };
        // The account may have got another address since it was found: then the owner of this one
        // must get no link.
        if !self.ports.accounts.add_reset(reset).await? {
            return Ok(());
        }
        let link = self.links.reset(&token);
        let mail = Mail::new(user.email, MailContent::PasswordReset { link });
        let mailer = self.ports.mailer.as_ref();
        self.background.send_mail(mailer, mail).await
    }

    /// Sets the password of a reset link's account and ends all sessions and device marks of the
    /// account. The link works once. Returns the account. [`Error::BadCode`], [`Error::Invalid`].
    pub async fn reset(
        &self,
        token: &SecretToken,
        draft: PasswordDraft,
        client: &Client,
    ) -> Result<UserId, Error> {
        draft.validate().map_err(Invalid::from)?;
        let digest = token.digest();
        // An unknown link costs no hash: the difference in time reveals nothing.
        let account = self
            .ports
            .accounts
            .find_reset(&digest, self.ports.clock.now())
            .await?
            .ok_or(Self::BAD_RESET)?;
        let user = &account.user;
        draft
            .password
            .check_personal("password", &user.name, &user.email)?;
        let hasher = &self.ports.hasher;
        let requester = Requester::Known(user.id);
        let hash = hasher.hash(&draft.password, requester).await?;
        match self
            .ports
            .accounts
            .use_reset(&digest, hash, self.ports.clock.now())
            .await?
        {
            ResetOutcome::Stored => {
                self.mail_change(&account.user, client);
                Ok(account.user.id)
            }
            ResetOutcome::Gone => Err(Self::BAD_RESET),
        }
    }

    fn mail_change(&self, user: &User, client: &Client) {
        let change = SecurityChange::PasswordChanged;
        self.ports.security_mails.send(user, change, client);
    }
}

#[cfg(test)]
mod tests;
