//! Sign-ups and new addresses of accounts that wait for the link of a mail.

use std::sync::Arc;

use allclear_domain::account::{AddressDraft, SignUpDraft, SignUpMode, User};
use allclear_domain::email::EmailKey;
use allclear_domain::id::UserId;
use allclear_domain::validation::Invalid;
use chrono::TimeDelta;
use validator::Validate;

use super::{
    Accounts, Confirmation, ConfirmationOutcome, Credentials, PendingAddress, PendingSignUp,
    SignedIn,
};
use crate::error::Error;
use crate::line_limit::LineLimit;
use crate::mail::{Mail, MailContent};
use crate::mail_budget::{MailCause, MailKind};
use crate::password::PasswordHash;
use crate::secret::{Digest, SecretToken};
use crate::security_mail::SecurityChange;
use crate::session::{Client, Session, Sessions, require_recent};

impl Accounts {
    /// Lifetime of the link in a confirmation mail.
    pub const CONFIRMATION_LIFETIME: TimeDelta = TimeDelta::hours(24);
    /// Maximum number of pending sign-ups per address.
    pub const PENDING_OF_ADDRESS: u64 = 10;
    /// Maximum number of pending sign-ups of all addresses.
    pub const PENDING: u64 = 10_000;

    const BAD_LINK: Error = Error::BadCode("This link is wrong or has expired");
    const BAD_ADDRESS_LINK: Error =
        Error::BadCode("This link is wrong, has expired or belongs to another account");
    const TAKEN: Error =
        Error::BadCode("There is an account with this address already. Please sign in");
    const SAME_ADDRESS: &str = "This is the address of your account";

    /// Creates the account of a confirmation link and signs it in. [`Error::BadCode`] if the token
    /// is wrong, used or expired.
    pub async fn confirm(&self, token: &SecretToken, client: &Client) -> Result<SignedIn, Error> {
        let clock = &self.ports.clock;
        let session_token = SecretToken::generate();
        let session = Sessions::fresh(clock.as_ref(), &session_token, client);
        let expires_at = session.expires_at;
        let confirmation = Confirmation {
            digest: token.digest(),
            user: UserId(clock.id()),
            session,
            needs_invitation: self.mode != SignUpMode::Open,
            now: clock.now(),
        };
        match self.ports.accounts.confirm_sign_up(confirmation).await? {
            ConfirmationOutcome::Confirmed(Credentials { user, password }) => Ok(SignedIn {
                device_mark: self.ports.opener.device_mark(user.id, &password),
                user,
                token: session_token,
                expires_at,
            }),
            ConfirmationOutcome::Taken => Err(Self::TAKEN),
            ConfirmationOutcome::Unknown => Err(Self::BAD_LINK),
        }
    }

    /// Mails a link that gives the caller's account a new address. The response is the same for
    /// known and unknown addresses. An account with an address of its own needs a recent
    /// authentication with every factor, because its address leads to a new password (OWASP ASVS
    /// 5.0, 7.5.1). [`Error::Invalid`], also for the address that the account has,
    /// [`Error::ReauthenticationRequired`], [`Error::SecondFactorRequired`].
    pub async fn request_address(
        self: &Arc<Self>,
        session: &Session,
        draft: AddressDraft,
    ) -> Result<(), Error> {
        draft.validate().map_err(Invalid::from)?;
        if !session.user.needs_address {
            require_recent(Some(session.authenticated_at), self.ports.clock.now())?;
            self.ports.second_factors.check_proof(session).await?;
            if EmailKey::of(&draft.email) == EmailKey::of(&session.user.email) {
                return Err(Invalid::field("email", Self::SAME_ADDRESS).into());
            }
        }
        let (service, user) = (Arc::clone(self), session.user.id);
        self.background.start("mailing a new address", async move {
            service.mail_address(user, draft.email).await
        });
        Ok(())
    }

    /// Gives the session's account the address its link was mailed to, ends the account's other
    /// sessions, and mails the address that the account had. Without the session, the owner of a
    /// mailbox could give it to a stranger's account by following a link. [`Error::BadCode`] if the
    /// token is wrong, used, expired or another account's, [`Error::Unauthenticated`] if the
    /// session has ended.
    pub async fn confirm_address(
        &self,
        session: &Session,
        token: &SecretToken,
        client: &Client,
    ) -> Result<User, Error> {
        let (digest, now) = (token.digest(), self.ports.clock.now());
        let confirmed = self
            .ports
            .accounts
            .confirm_address(&digest, session.user.id, session.id, now)
            .await?;
        match confirmed {
            ConfirmationOutcome::Confirmed(account) => {
                // The former address of an account that needs one is another account's.
                if !session.user.needs_address {
                    let change = SecurityChange::AddressChanged;
                    self.ports.mails.send(&session.user, change, client);
                }
                Ok(account.user)
            }
            ConfirmationOutcome::Taken => Err(Self::TAKEN),
            ConfirmationOutcome::Unknown => Err(Self::BAD_ADDRESS_LINK),
        }
    }

    /// Stores the sign-up and mails its link after the response. The owner of a known address gets
    /// a mail that says so.
    pub(super) fn await_confirmation(
        self: &Arc<Self>,
        draft: SignUpDraft,
        password: PasswordHash,
        invitation: Option<Digest>,
    ) {
        let service = Arc::clone(self);
        self.background.start("mailing a sign-up", async move {
            service.mail_sign_up(draft, password, invitation).await
        });
    }

    async fn mail_sign_up(
        &self,
        draft: SignUpDraft,
        password: PasswordHash,
        invitation: Option<Digest>,
    ) -> Result<(), Error> {
        let cause = MailCause::by_anybody(MailKind::EnteredAddress, EmailKey::of(&draft.email));
        if !self.ports.mail_budget.try_take(&cause).await? {
            return Ok(());
        }
        if self.is_known(&draft.email).await? {
            return self.mail_known_address(draft.email).await;
        }
        let (token, created_at) = (SecretToken::generate(), self.ports.clock.now());
        let pending = PendingSignUp {
            digest: token.digest(),
            name: draft.name,
            email: draft.email.clone(),
            password,
            invitation,
            created_at,
            expires_at: created_at + Self::CONFIRMATION_LIFETIME,
        };
        if !self.ports.accounts.add_sign_up(pending).await? {
            static LINES: LineLimit = LineLimit::once_a_minute();
            if LINES.allows() {
                tracing::warn!("too many sign-ups wait for their links: a new one was not stored");
            }
            return self.ports.mail_budget.give_back(&cause, created_at).await;
        }
        let link = self.links.confirmation(&token);
        self.send(draft.email, MailContent::Confirmation { link })
            .await
    }

    async fn mail_address(&self, user: UserId, email: String) -> Result<(), Error> {
        let cause = MailCause {
            account: Some(user.to_string()),
            ..MailCause::by_anybody(MailKind::EnteredAddress, EmailKey::of(&email))
        };
        if !self.ports.mail_budget.try_take(&cause).await? {
            return Ok(());
        }
        if self.is_known(&email).await? {
            return self.mail_known_address(email).await;
        }
        let token = SecretToken::generate();
        let pending = PendingAddress {
            digest: token.digest(),
            user,
            email: email.clone(),
            expires_at: self.ports.clock.now() + Self::CONFIRMATION_LIFETIME,
        };
        self.ports.accounts.add_address(pending).await?;
        let link = self.links.address(&token);
        self.send(email, MailContent::NewAddress { link }).await
    }

    async fn is_known(&self, email: &str) -> Result<bool, Error> {
        let owner = self.ports.accounts.owner(&EmailKey::of(email)).await?;
        Ok(owner.is_some())
    }

    async fn mail_known_address(&self, to: String) -> Result<(), Error> {
        let content = MailContent::KnownAddress {
            sign_in: self.links.login(),
            reset: self.links.forgot(),
        };
        self.send(to, content).await
    }

    async fn send(&self, to: String, content: MailContent) -> Result<(), Error> {
        let mailer = self.ports.mailer.as_ref();
        self.background
            .send_mail(mailer, Mail::new(to, content))
            .await
    }
}
