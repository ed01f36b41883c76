//! Sign-up: of the first account, with an invitation, and of strangers.

use std::sync::Arc;

use allclear_domain::account::{SignUpDraft, SignUpMode, User};
use allclear_domain::email::EmailKey;
use allclear_domain::id::{UserId, WaitlistId};
use allclear_domain::validation::Invalid;
use validator::Validate;

use super::{Accounts, Admission, CreationOutcome, NewAccount, SignedIn};
use crate::error::Error;
use crate::invitation::Invitations;
use crate::line_limit::LineLimit;
use crate::password::{PasswordHash, Requester};
use crate::secret::SecretToken;
use crate::session::{Client, NewSession, Sessions};
use crate::waitlist::Waiting;

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

impl Accounts {
    const CLOSED: Error = Error::Forbidden("Sign-up is closed");
    const INVITED_IS_KNOWN: &str =
        "There is an account with this address already. Sign in to accept the invitation";

    /// Signs up. The installation's first account, and an account with an invitation for its
    /// address, is created and signed in. Every other address receives a mail; known and unknown
    /// addresses cost the same and get the same response. [`Error::Invalid`], [`Error::BadCode`]
    /// for a bad invitation, [`Error::Forbidden`] if sign-up is closed, [`Error::Conflict`] if an
    /// invited address has an account.
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
        let hash = self.hash_of_unknown(&draft).await?;
        self.await_confirmation(draft, hash, Some(digest));
        Ok(SignedUp::Pending)
    }

    async fn sign_up_uninvited(self: &Arc<Self>, draft: SignUpDraft) -> Result<SignedUp, Error> {
        match self.mode {
            SignUpMode::Waitlist => self.wait(draft).await,
            SignUpMode::Closed => Err(Self::CLOSED),
            SignUpMode::Open => {
                let hash = self.hash_of_unknown(&draft).await?;
                self.await_confirmation(draft, hash, None);
                Ok(SignedUp::Pending)
            }
        }
    }

    async fn hash_of_unknown(&self, draft: &SignUpDraft) -> Result<PasswordHash, Error> {
        let hasher = &self.ports.hasher;
        hasher.hash(&draft.password, Requester::Unknown).await
    }

    async fn create(
        self: &Arc<Self>,
        draft: SignUpDraft,
        admission: Admission,
        client: &Client,
    ) -> Result<SignedUp, Error> {
        let hash = self.hash_of_unknown(&draft).await?;
        let token = SecretToken::generate();
        let session = Sessions::fresh(self.ports.clock.as_ref(), &token, client);
        let account = self.account(&draft, hash, admission, session);
        let expires_at = account.session.expires_at;
        let device_mark = self
            .ports
            .opener
            .device_mark(account.user.id, &account.password);
        match self.ports.accounts.create(account).await? {
            CreationOutcome::Created(user) => Ok(SignedUp::SignedIn(SignedIn {
                user,
                token,
                expires_at,
                device_mark,
            })),
            CreationOutcome::Taken => Err(Error::Conflict(Self::INVITED_IS_KNOWN.to_owned())),
            // Another first account was made at the same time.
            CreationOutcome::NotFirst => self.sign_up_uninvited(draft).await,
        }
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

    /// A second request of an address changes nothing. Addresses with an account are stored like
    /// any other, so that the response reveals nothing. It is the same if the waitlist is full.
    async fn wait(&self, draft: SignUpDraft) -> Result<SignedUp, Error> {
        let clock = &self.ports.clock;
        let id = WaitlistId(clock.id());
        let waiting = Waiting {
            id,
            name: draft.name,
            email: draft.email,
            created_at: clock.now(),
        };
        if !self.ports.waitlist.add(waiting).await? {
            static LINES: LineLimit = LineLimit::once_a_minute();
            if LINES.allows() {
                tracing::warn!("the waitlist is full: a request was not stored");
            }
        }
        Ok(SignedUp::Waitlisted)
    }
}
