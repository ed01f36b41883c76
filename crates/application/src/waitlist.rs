//! The waitlist: who asked for an account where sign-up is by invitation.

use std::sync::Arc;

use allclear_domain::account::{AddressDraft, User};
use allclear_domain::id::WaitlistId;
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::Error;
use crate::invitation::Invitations;
use crate::session::Session;

/// Somebody who waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    /// Names the place on the list.
    pub id: WaitlistId,
    /// The person's name.
    pub name: String,
    /// The person's address.
    pub email: String,
    /// Since when.
    pub created_at: DateTime<Utc>,
}

/// Keeps the waitlist.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait WaitlistStore: Send + Sync {
    /// Puts somebody on the list, unless the address is on it already.
    async fn add(&self, waiting: Waiting) -> Result<(), Error>;

    /// Everybody who waits, newest first.
    async fn list(&self) -> Result<Vec<Waiting>, Error>;

    /// Somebody who waits.
    async fn find(&self, id: WaitlistId) -> Result<Option<Waiting>, Error>;

    /// Takes somebody off the list. Answers whether they were on it.
    async fn remove(&self, id: WaitlistId) -> Result<bool, Error>;
}

/// What the installation's administrator does with the waitlist.
pub struct Waitlist {
    store: Arc<dyn WaitlistStore>,
    invitations: Arc<Invitations>,
}

impl Waitlist {
    const MISSING: Error = Error::NotFound("Waitlist entry");

    /// The use cases over these ports.
    #[must_use]
    pub fn new(store: Arc<dyn WaitlistStore>, invitations: Arc<Invitations>) -> Self {
        Self { store, invitations }
    }

    /// Everybody who waits, newest first. [`Error::Forbidden`].
    pub async fn list(&self, session: &Session) -> Result<Vec<Waiting>, Error> {
        require_administrator(&session.user)?;
        self.store.list().await
    }

    /// Lets somebody in: mails an invitation and takes them off the list. [`Error::Forbidden`], [`Error::NotFound`].
    pub async fn invite(&self, session: &Session, id: WaitlistId) -> Result<(), Error> {
        require_administrator(&session.user)?;
        let waiting = self.store.find(id).await?.ok_or(Self::MISSING)?;
        self.invitations
            .admit(AddressDraft {
                email: waiting.email,
            })
            .await?;
        self.store.remove(id).await?;
        Ok(())
    }

    /// Takes somebody off the list. [`Error::Forbidden`], [`Error::NotFound`].
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
