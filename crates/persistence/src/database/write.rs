//! The ways to write: with items for an audit log, without them, and as a commit that makes
//! a revision.

use allclear_application::error::Error;
use allclear_application::idempotency::CurrentRequest;
use allclear_application::origin::Origin;
use allclear_application::transition::Committed;
use allclear_domain::id::OrganisationId;
use futures_util::future::BoxFuture;
use sea_orm::TransactionTrait;

use super::{Database, Writes};
use crate::audit::subject::Subject;
use crate::audit::{NewAuditItems, NoAuditItem};
use crate::commit::{Scope, StoredChange, commit_revision_in};
use crate::error::broken;
use crate::organisation::lock::Lock;
use crate::transaction::Transaction;

impl Database {
    /// Commits a change of an organisation: locks the organisation, lets `work` load, decide and
    /// store the new state, and then stores everything else that the change causes: impacts,
    /// notices, and the events under the next revision. `None` if the organisation does not exist
    /// or `work` returns `None`. The audit log gets the states of `subject` before and after.
    pub(crate) async fn commit_revision<T, S, W>(
        &self,
        organisation: &OrganisationId,
        subject: Subject,
        work: W,
    ) -> Result<Option<Committed<T>>, Error>
    where
        T: Send + 'static,
        S: Into<StoredChange<T>> + Send,
        W: for<'t> FnOnce(Scope<'t>) -> BoxFuture<'t, Result<Option<S>, Error>> + Send + 'static,
    {
        self.commit_revision_with_lock(organisation, Lock::Read, subject, work)
            .await
    }

    /// [`Self::commit_revision`] with a lock other than [`Lock::Read`].
    pub(crate) async fn commit_revision_with_lock<T, S, W>(
        &self,
        organisation: &OrganisationId,
        lock: Lock,
        subject: Subject,
        work: W,
    ) -> Result<Option<Committed<T>>, Error>
    where
        T: Send + 'static,
        S: Into<StoredChange<T>> + Send,
        W: for<'t> FnOnce(Scope<'t>) -> BoxFuture<'t, Result<Option<S>, Error>> + Send + 'static,
    {
        let organisation = organisation.clone();
        let database = self.clone();
        self.transaction(Some(organisation.clone()), move |transaction| {
            Box::pin(async move {
                commit_revision_in(transaction, &database, &organisation, lock, subject, work).await
            })
        })
        .await
    }

    /// Runs a write transaction that makes no revision: of members, invitations, accounts,
    /// sessions, factors and subscribers. The work returns the items for the audit log with its
    /// value. They are appended in the same transaction, after the work.
    pub(crate) async fn write_audited<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Result<(T, NewAuditItems), Error>>
            + Send
            + 'static,
    {
        self.transaction(None, move |transaction| {
            Box::pin(async move {
                let (value, audit_items) = work(transaction).await?;
                audit_items.append(transaction).await?;
                Ok(value)
            })
        })
        .await
    }

    /// Runs a write transaction that adds no item to an audit log. The caller names the reason.
    pub(crate) async fn write_unaudited<T, F>(&self, _: NoAuditItem, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Result<T, Error>> + Send + 'static,
    {
        self.transaction(None, work).await
    }

    /// Runs one write transaction. If it returns `Ok`, all its writes are stored; if it returns
    /// `Err`, none are. The exception is [`Error::Unavailable`]: the confirmation may have been
    /// lost after the commit. The work has the [`Origin`] and the [`CurrentRequest`] of the caller.
    /// On SQLite, the organisations whose transactions wait take turns.
    async fn transaction<T, F>(
        &self,
        organisation: Option<OrganisationId>,
        work: F,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Result<T, Error>> + Send + 'static,
    {
        // The transaction may run on another thread.
        let (origin, request) = (Origin::current(), CurrentRequest::current());
        let writer = match &self.writes {
            Writes::Together(group) => {
                let write = group.write(organisation, |transaction| {
                    Box::pin(origin.scope(CurrentRequest::scope(request, work(transaction))))
                });
                return self.in_time(write).await;
            }
            Writes::SideBySide(writer) => writer,
        };
        self.in_time(async {
            let transaction = Transaction::new(writer.begin().await.map_err(broken)?);
            let value = origin
                .scope(CurrentRequest::scope(request, work(&transaction)))
                .await?;
            transaction.commit().await.map_err(broken)?;
            Ok(value)
        })
        .await
    }
}
