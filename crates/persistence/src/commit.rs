//! The one transaction of every change of an organisation.

use allclear_application::error::Error;
use allclear_application::stamp::Stamp;
use allclear_application::transition::Committed;
use allclear_domain::audit::AuditedChange;
use allclear_domain::event::{Changed, Event};
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::Incident;
use chrono::{DateTime, Utc};
use futures_util::future::BoxFuture;

use crate::affected::{self, ChangingEntry};
use crate::audit::subject::Subject;
use crate::audit::{NoAuditItem, States};
use crate::database::Database;
use crate::organisation::lock::{lock_and_bump_revision, lock_for_commit};
use crate::transaction::Transaction;
use crate::{audit, idempotency, impact, maintenance, notice, outbox};

/// A transaction that holds the lock of an organisation.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'t> {
    pub(crate) transaction: &'t Transaction,
    pub(crate) organisation: &'t OrganisationId,
    pub(crate) stamp: Stamp,
    pub(crate) database: &'t Database,
}

/// A change whose state is stored.
pub(crate) struct Stored<T> {
    pub(crate) changed: Changed<T>,
    /// The incident as stored, so that its events need not read it again.
    pub(crate) incident: Option<Incident>,
    /// The states before and after each change for the audit log, if the work knows them; otherwise the commit reads them.
    pub(crate) states: Vec<States>,
}

impl<T> Stored<T> {
    /// A change of an incident, as stored.
    pub(crate) const fn of_incident(changed: Changed<T>, incident: Incident) -> Self {
        Self {
            changed,
            incident: Some(incident),
            states: Vec::new(),
        }
    }

    /// The same with the states before and after each change.
    pub(crate) fn with_states(mut self, states: Vec<States>) -> Self {
        self.states = states;
        self
    }
}

impl<T> From<Changed<T>> for Stored<T> {
    fn from(changed: Changed<T>) -> Self {
        Self {
            changed,
            incident: None,
            states: Vec::new(),
        }
    }
}

/// How a commit locks its organisation.
#[derive(Clone, Copy)]
pub(crate) enum Lock {
    /// By reading it.
    Read,
    /// By storing the next revision, which saves a statement. For work that causes an event or returns an error.
    BumpRevision,
    /// By reading it; what depends on the clock is as of this time.
    ReadAsOf(DateTime<Utc>),
}

impl Database {
    /// Commits a change of an organisation: locks the organisation, lets `work` load, decide and store the new state, and then stores
    /// everything else that the change causes: impacts, notices, and the events under the next revision. `None` if the organisation
    /// does not exist or `work` returns `None`. The audit log gets the states of `subject` before and after.
    pub(crate) async fn commit<T, S, W>(
        &self,
        organisation: &OrganisationId,
        subject: Subject,
        work: W,
    ) -> Result<Option<Committed<T>>, Error>
    where
        T: Send + 'static,
        S: Into<Stored<T>> + Send,
        W: for<'t> FnOnce(Scope<'t>) -> BoxFuture<'t, Result<Option<S>, Error>> + Send + 'static,
    {
        self.commit_with(organisation, Lock::Read, subject, work)
            .await
    }

    /// [`Self::commit`] with a lock other than [`Lock::Read`].
    pub(crate) async fn commit_with<T, S, W>(
        &self,
        organisation: &OrganisationId,
        lock: Lock,
        subject: Subject,
        work: W,
    ) -> Result<Option<Committed<T>>, Error>
    where
        T: Send + 'static,
        S: Into<Stored<T>> + Send,
        W: for<'t> FnOnce(Scope<'t>) -> BoxFuture<'t, Result<Option<S>, Error>> + Send + 'static,
    {
        let organisation = organisation.clone();
        let database = self.clone();
        self.write(NoAuditItem::Appended, move |transaction| {
            Box::pin(async move {
                commit_in(transaction, &database, &organisation, lock, subject, work).await
            })
        })
        .await
    }
}

/// The entry of an incident that these events store, if there is one.
fn changing_entry(events: &[Event]) -> Option<ChangingEntry> {
    events.iter().find_map(|event| match event {
        Event::NewIncident(incident) => Some(ChangingEntry::Description(*incident)),
        Event::TimelineUpdated(incident, update) => Some(ChangingEntry::Update(*incident, *update)),
        _ => None,
    })
}

/// [`Database::commit`] inside a transaction that does more.
pub(crate) async fn commit_in<T, S, W>(
    transaction: &Transaction,
    database: &Database,
    organisation: &OrganisationId,
    lock: Lock,
    subject: Subject,
    work: W,
) -> Result<Option<Committed<T>>, Error>
where
    T: Send + 'static,
    S: Into<Stored<T>> + Send,
    W: for<'t> FnOnce(Scope<'t>) -> BoxFuture<'t, Result<Option<S>, Error>> + Send,
{
    let clock = &*database.clock;
    let locked = if let Lock::BumpRevision = lock {
        lock_and_bump_revision(transaction, organisation, clock).await?
    } else {
        lock_for_commit(transaction, organisation, clock).await?
    };
    let Some(mut locked) = locked else {
        return Ok(None);
    };
    if let Lock::ReadAsOf(now) = lock {
        locked.stamp.wall_time = now;
    }
    let scope = Scope {
        transaction,
        organisation,
        stamp: locked.stamp,
        database,
    };
    let before = subject.read(scope).await?;
    let revision_stored = locked.revision_stored;
    // A stored revision without events would be a gap in the outbox.
    let without_events = move || {
        if revision_stored {
            return Err(Error::internal("a stored revision has no event"));
        }
        Ok(())
    };
    let Some(stored) = work(scope).await? else {
        without_events()?;
        return Ok(None);
    };
    let mut stored: Stored<T> = stored.into();
    let Changed {
        state,
        mut events,
        mut notices,
        notifies,
        impacts,
        mut audited,
        maintained,
    } = stored.changed;
    if audited.is_empty() {
        let first = events.first().copied();
        audited.extend(first.map(|event| AuditedChange::of(event, scope.stamp.id)));
    }
    if !audited.is_empty() {
        if stored.states.is_empty() {
            let after = subject.named_by(&events).read(scope).await?;
            stored.states.push((before, after));
        }
        audit::append(scope, audited, stored.states, stored.incident.as_ref()).await?;
    }
    let response = idempotency::response_to(&state)?;
    idempotency::keep(
        transaction,
        organisation,
        scope.stamp.committed_at,
        response,
    )
    .await?;
    if events.is_empty() {
        without_events()?;
        return Ok(Some(Committed::unchanged(state)));
    }
    if let Some(change) = impacts {
        let changes = impact::apply(scope, change).await?;
        if let Some(entry) = changing_entry(&events).filter(|_| !changes.events.is_empty()) {
            affected::store_after(scope, entry).await?;
        }
        events.extend(changes.events);
        if notifies.unwrap_or(scope.stamp.notify_by_default) {
            // After the notice of the incident.
            notices.extend(changes.notices);
        }
    }
    events.extend(maintenance::component::events(scope, maintained).await?);
    if locked.has_subscribers {
        notice::store(scope, notices).await?;
    }
    let commit = outbox::append(scope, &locked, &events, stored.incident.as_ref()).await?;
    Ok(Some(Committed {
        state,
        commit: Some(commit),
    }))
}
