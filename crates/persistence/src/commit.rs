//! The one transaction of every change of an organisation.

use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::stamp::Stamp;
use allclear_application::transition::Committed;
use allclear_domain::event::Changed;
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::Incident;
use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;
use sea_orm::DatabaseTransaction;

use crate::database::Database;
use crate::organisation::{lock_and_bump_revision, lock_for_commit};
use crate::{impact, notice, outbox};

/// A transaction that holds the lock of an organisation.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'t> {
    pub(crate) transaction: &'t DatabaseTransaction,
    pub(crate) organisation: &'t OrganisationId,
    pub(crate) stamp: Stamp,
    pub(crate) clock: &'t dyn Clock,
}

/// A change whose state is stored.
pub(crate) struct Stored<T> {
    pub(crate) changed: Changed<T>,
    /// The incident as stored, so that its events need not read it again.
    pub(crate) incident: Option<Incident>,
}

impl<T> From<Changed<T>> for Stored<T> {
    fn from(changed: Changed<T>) -> Self {
        Self {
            changed,
            incident: None,
        }
    }
}

/// How a commit locks its organisation.
enum Lock {
    /// By reading it.
    Read,
    /// By storing the next revision, which saves a statement.
    BumpRevision,
    /// By reading it; what depends on the clock is as of this time.
    ReadAsOf(DateTime<Utc>),
}

impl Database {
    /// Commits a change of an organisation: locks the organisation, lets `work` load, decide and store the new state, and then stores
    /// everything else that the change causes: impacts, notices, and the events under the next revision. `None` if the organisation
    /// does not exist or `work` returns `None`.
    pub(crate) async fn commit<T, S, W>(
        &self,
        organisation: &OrganisationId,
        work: W,
    ) -> Result<Option<Committed<T>>, Error>
    where
        T: Send + 'static,
        S: Into<Stored<T>> + Send,
        W: for<'t> FnOnce(Scope<'t>) -> BoxFuture<'t, Result<Option<S>, Error>> + Send + 'static,
    {
        self.commit_with(organisation, Lock::Read, work).await
    }

    /// [`Self::commit`] in one statement less, for `work` that causes an event or returns an error.
    pub(crate) async fn commit_certain<T, S, W>(
        &self,
        organisation: &OrganisationId,
        work: W,
    ) -> Result<Option<Committed<T>>, Error>
    where
        T: Send + 'static,
        S: Into<Stored<T>> + Send,
        W: for<'t> FnOnce(Scope<'t>) -> BoxFuture<'t, Result<Option<S>, Error>> + Send + 'static,
    {
        self.commit_with(organisation, Lock::BumpRevision, work)
            .await
    }

    /// [`Self::commit`] of what the clock has changed at `now`.
    pub(crate) async fn commit_as_of<T, S, W>(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
        work: W,
    ) -> Result<Option<Committed<T>>, Error>
    where
        T: Send + 'static,
        S: Into<Stored<T>> + Send,
        W: for<'t> FnOnce(Scope<'t>) -> BoxFuture<'t, Result<Option<S>, Error>> + Send + 'static,
    {
        self.commit_with(organisation, Lock::ReadAsOf(now), work)
            .await
    }

    async fn commit_with<T, S, W>(
        &self,
        organisation: &OrganisationId,
        lock: Lock,
        work: W,
    ) -> Result<Option<Committed<T>>, Error>
    where
        T: Send + 'static,
        S: Into<Stored<T>> + Send,
        W: for<'t> FnOnce(Scope<'t>) -> BoxFuture<'t, Result<Option<S>, Error>> + Send + 'static,
    {
        let (organisation, clock) = (organisation.clone(), Arc::clone(&self.clock));
        self.write(move |transaction| {
            Box::pin(async move {
                let locked = if let Lock::BumpRevision = lock {
                    lock_and_bump_revision(transaction, &organisation, &*clock).await?
                } else {
                    lock_for_commit(transaction, &organisation, &*clock).await?
                };
                let Some(mut locked) = locked else {
                    return Ok(None);
                };
                if let Lock::ReadAsOf(now) = lock {
                    locked.stamp.clock = now;
                }
                let scope = Scope {
                    transaction,
                    organisation: &organisation,
                    stamp: locked.stamp,
                    clock: &*clock,
                };
                let Some(stored) = work(scope).await? else {
                    return Ok(None);
                };
                let Stored { changed, incident } = stored.into();
                let Changed {
                    state,
                    mut events,
                    notices,
                    impacts,
                } = changed;
                if events.is_empty() {
                    return Ok(Some(Committed {
                        state,
                        commit: None,
                    }));
                }
                if let Some(change) = impacts {
                    events.extend(impact::apply(scope, change).await?);
                }
                if locked.has_subscribers {
                    notice::store(scope, notices).await?;
                }
                let commit =
                    outbox::append(transaction, locked, &events, incident.as_ref()).await?;
                Ok(Some(Committed {
                    state,
                    commit: Some(commit),
                }))
            })
        })
        .await
    }
}
