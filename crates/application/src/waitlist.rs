//! The waitlist: requests for an account while sign-up is by invitation.

use std::sync::Arc;

use allclear_domain::account::{AddressDraft, User};
use allclear_domain::id::WaitlistId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::{Error, Resource};
use crate::invitation::Invitations;
use crate::page::{Listed, Page};
use crate::session::Session;

/// An entry of the waitlist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Its identifier.
    pub id: WaitlistId,
    /// The person's name.
    pub name: String,
    /// The person's address.
    pub email: String,
    /// When it was added.
    pub created_at: DateTime<Utc>,
}

/// Storage of the waitlist.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait WaitlistStore: Send + Sync {
    /// Adds an entry, unless the address is on the list already. Returns `false`, and adds nothing,
    /// if the list has [`Waitlist::MAX_LENGTH`] entries. An adapter MUST NOT remove an entry for a
    /// new one: strangers may add invented addresses, and could remove those of others.
    async fn add(&self, waiting: Waiting) -> Result<bool, Error>;

    /// The entries, newest first.
    async fn list(&self, page: Page) -> Result<Listed<Waiting>, Error>;

    /// An entry.
    async fn find(&self, id: WaitlistId) -> Result<Option<Waiting>, Error>;

    /// Removes an entry. Returns whether it existed.
    async fn remove(&self, id: WaitlistId) -> Result<bool, Error>;
}

/// The use cases of the waitlist, for the administrator of the installation.
pub struct Waitlist {
    store: Arc<dyn WaitlistStore>,
    invitations: Arc<Invitations>,
}

impl Waitlist {
    /// Maximum number of entries: anybody may add one.
    pub const MAX_LENGTH: u64 = 10_000;

    const MISSING: Error = Error::NotFound(Resource::WaitlistEntry);

    /// The use cases over these ports.
    #[must_use]
    pub fn new(store: Arc<dyn WaitlistStore>, invitations: Arc<Invitations>) -> Self {
        Self { store, invitations }
    }

    /// The entries, newest first. [`Error::Forbidden`].
    pub async fn list(&self, session: &Session, page: Page) -> Result<Listed<Waiting>, Error> {
        require_administrator(&session.user)?;
        self.store.list(page).await
    }

    /// Mails an invitation and removes the entry, which stays if the mail fails.
    /// [`Error::Forbidden`], [`Error::NotFound`], [`Error::InvitationNotMailed`].
    pub async fn invite(&self, session: &Session, id: WaitlistId) -> Result<(), Error> {
        require_administrator(&session.user)?;
        let waiting = self.store.find(id).await?.ok_or(Self::MISSING)?;
        let draft = AddressDraft {
            email: waiting.email,
        };
        let account = Some(session.user.id);
        let stored = self.invitations.admit(draft, account).await?;
        stored.require_mailed()?;
        self.store.remove(id).await?;
        Ok(())
    }

    /// Removes an entry. [`Error::Forbidden`], [`Error::NotFound`].
    pub async fn remove(&self, session: &Session, id: WaitlistId) -> Result<(), Error> {
        require_administrator(&session.user)?;
        if self.store.remove(id).await? {
            Ok(())
        } else {
            Err(Self::MISSING)
        }
    }
}

fn require_administrator(user: &User) -> Result<(), Error> {
    if user.administrator {
        Ok(())
    } else {
        Err(Error::Forbidden(
            "Only the installation's administrator may do this",
        ))
    }
}

#[cfg(test)]
mod tests;
