//! The ways to write: as a commit that makes a revision, with items for an audit log, and without
//! them. On SQLite, the organisations whose writes wait take turns, so each write names the
//! organisation that it belongs to.

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

    /// [`Self::commit_revision`] of a change that depends on the clock in the same way as what the
    /// scheduler publishes. The clock of one node may be wrong.
    pub(crate) async fn commit_as_of_shared_time<T, S, W>(
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
        self.commit_revision_with_lock(organisation, Lock::ReadAsOfSharedTime, subject, work)
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

    /// Runs a write transaction that makes no revision: of members, invitations, subscribers,
    /// accounts, sessions and factors. The work returns the items for the audit log with its value.
    /// They are appended in the same transaction, after the work. `organisation` is the one that
    /// the write belongs to; `None` if it belongs to no organisation or to several.
    pub(crate) async fn write_audited_of<T, F>(
        &self,
        organisation: Option<&OrganisationId>,
        work: F,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Result<(T, NewAuditItems), Error>>
            + Send
            + 'static,
    {
        self.transaction(organisation.cloned(), move |transaction| {
            Box::pin(async move {
                let (value, audit_items) = work(transaction).await?;
                audit_items.append(transaction).await?;
                Ok(value)
            })
        })
        .await
    }

    /// [`Self::write_audited_of`] without an organisation.
    pub(crate) async fn write_audited<T, F>(&self, work: F) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Result<(T, NewAuditItems), Error>>
            + Send
            + 'static,
    {
        self.write_audited_of(None, work).await
    }

    /// Runs a write transaction that adds no item to an audit log. The caller names the reason, and
    /// the organisation that the write belongs to; `None` if it belongs to no organisation or to
    /// several. Also `None` for a worker that serves all organisations one after the other: what
    /// waits for one of them must not delay the others.
    pub(crate) async fn write_unaudited_of<T, F>(
        &self,
        organisation: Option<&OrganisationId>,
        _: NoAuditItem,
        work: F,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Result<T, Error>> + Send + 'static,
    {
        self.transaction(organisation.cloned(), work).await
    }

    /// [`Self::write_unaudited_of`] without an organisation.
    pub(crate) async fn write_unaudited<T, F>(
        &self,
        reason: NoAuditItem,
        work: F,
    ) -> Result<T, Error>
    where
        T: Send + 'static,
        F: for<'t> FnOnce(&'t Transaction) -> BoxFuture<'t, Result<T, Error>> + Send + 'static,
    {
        self.write_unaudited_of(None, reason, work).await
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
            let has_changed = transaction.has_changed();
            transaction.commit().await.map_err(broken)?;
            if has_changed {
                self.probe.commits.succeeded();
            }
            Ok(value)
        })
        .await
    }
}
