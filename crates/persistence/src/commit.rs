//! What every commit of a revision does in its transaction.

use allclear_application::error::Error;
use allclear_application::stamp::Stamp;
use allclear_application::transition::Committed;
use allclear_domain::audit::AuditedChange;
use allclear_domain::event::{Changed, Event};
use allclear_domain::id::OrganisationId;
use allclear_domain::impact::ImpactChange;
use allclear_domain::incident::Incident;
use futures_util::future::BoxFuture;
use serde_json::Value;

use crate::affected::{self, ChangingEntry};
use crate::audit::States;
use crate::audit::subject::Subject;
use crate::database::Database;
use crate::organisation::lock::{Lock, lock_for_commit};
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
pub(crate) struct StoredChange<T> {
    pub(crate) changed: Changed<T>,
    /// The incident as stored, so that its events need not read it again.
    pub(crate) incident: Option<Incident>,
    /// The states before and after each change for the audit log, if the work knows them; otherwise
    /// the commit reads them.
    pub(crate) states: Vec<States>,
    /// Whether notices are withdrawn although no event says so.
    pub(crate) withdraws_notices: bool,
    /// Number of events that the clock will publish because of the change.
    pub(crate) scheduled_events: usize,
}

impl<T> StoredChange<T> {
    /// A change of an incident, as stored.
    pub(crate) const fn of_incident(changed: Changed<T>, incident: Incident) -> Self {
        Self {
            changed,
            incident: Some(incident),
            states: Vec::new(),
            withdraws_notices: false,
            scheduled_events: 0,
        }
    }

    /// The same with the states before and after each change.
    pub(crate) fn with_states(mut self, states: Vec<States>) -> Self {
        self.states = states;
        self
    }
}

impl<T> From<Changed<T>> for StoredChange<T> {
    fn from(changed: Changed<T>) -> Self {
        Self {
            changed,
            incident: None,
            states: Vec::new(),
            withdraws_notices: false,
            scheduled_events: 0,
        }
    }
}

/// [`Database::commit_revision`] inside a transaction that does more.
pub(crate) async fn commit_revision_in<T, S, W>(
    transaction: &Transaction,
    database: &Database,
    organisation: &OrganisationId,
    lock: Lock,
    subject: Subject,
    work: W,
) -> Result<Option<Committed<T>>, Error>
where
    T: Send + 'static,
    S: Into<StoredChange<T>> + Send,
    W: for<'t> FnOnce(Scope<'t>) -> BoxFuture<'t, Result<Option<S>, Error>> + Send,
{
    let clock = &*database.clock;
    let Some(locked) = lock_for_commit(transaction, organisation, lock, clock).await? else {
        return Ok(None);
    };
    let scope = Scope {
        transaction,
        organisation,
        stamp: locked.stamp,
        database,
    };
    let before = subject.read(scope).await?;
    let stored = work(scope).await?.map(Into::<StoredChange<T>>::into);
    let has_events = |stored: &StoredChange<T>| !stored.changed.has_no_events();
    if locked.revision_stored && !stored.as_ref().is_some_and(has_events) {
        // It would be a gap in the outbox.
        return Err(Error::internal("a stored revision has no event"));
    }
    let Some(StoredChange {
        changed,
        incident,
        states,
        withdraws_notices,
        scheduled_events,
    }) = stored
    else {
        return Ok(None);
    };
    let (state, changed) = changed.split();
    let subject = (subject, before);
    append_audit_items(scope, subject, &changed, states, incident.as_ref()).await?;
    let response = idempotency::response_to(&state)?;
    let at = scope.stamp.committed_at;
    idempotency::keep(transaction, organisation, at, response).await?;
    if changed.has_no_events() {
        return Ok(Some(Committed::unchanged(state)));
    }
    let effects = store_effects(scope, changed, locked.has_subscribers).await?;
    let mut commit = outbox::append(scope, &locked, &effects, incident.as_ref()).await?;
    commit.may_have_messages |= withdraws_notices;
    commit.scheduled_events = scheduled_events;
    Ok(Some(Committed {
        state,
        commit: Some(commit),
    }))
}

/// Appends the items of a change to the audit log. `states` are empty if the work does not know
/// them; `before` is the state of the subject before the work.
async fn append_audit_items(
    scope: Scope<'_>,
    (subject, before): (Subject, Option<Value>),
    changed: &Changed<()>,
    states: Vec<States>,
    incident: Option<&Incident>,
) -> Result<(), Error> {
    let audited = audited_changes(changed, scope);
    if audited.is_empty() {
        return Ok(());
    }
    let states = if states.is_empty() {
        let after = subject.named_by(&changed.events).read(scope).await?;
        vec![(before, after)]
    } else {
        states
    };
    audit::append(scope, audited, states, incident).await
}

/// What the audit log says of a change.
fn audited_changes(changed: &Changed<()>, scope: Scope<'_>) -> Vec<AuditedChange> {
    if !changed.audited.is_empty() {
        return changed.audited.clone();
    }
    let first = changed.events.first();
    first
        .map(|event| AuditedChange::of(*event, scope.stamp.id))
        .into_iter()
        .collect()
}

/// What a change has caused.
pub(crate) struct Effects {
    /// All events, those of the change first.
    pub(crate) events: Vec<Event>,
    /// Size of the stored notices, in bytes; 0 if there are none.
    pub(crate) notice_bytes: usize,
    /// Number of impacts that were added to the histories of components without an event of each.
    pub(crate) past_impacts: usize,
}

/// Stores what a change causes: changed statuses of components and notices.
async fn store_effects(
    scope: Scope<'_>,
    changed: Changed<()>,
    has_subscribers: bool,
) -> Result<Effects, Error> {
    let Changed {
        mut events,
        mut notices,
        notifies,
        impacts,
        maintained,
        ..
    } = changed;
    let past_impacts = impacts.as_ref().map_or(0, ImpactChange::past_impacts);
    if let Some(change) = impacts {
        let statuses = impact::apply(scope, change).await?;
        if let Some(entry) = changing_entry(&events).filter(|_| !statuses.events.is_empty()) {
            affected::store_after(scope, entry).await?;
        }
        events.extend(statuses.events);
        if notifies.unwrap_or(scope.stamp.notify_by_default) {
            // After the notice of the incident.
            notices.extend(statuses.notices);
        }
    }
    events.extend(maintenance::component::events(scope, maintained).await?);
    let is_received =
        !notices.is_empty() && (has_subscribers || notice::has_new_subscribers(scope).await?);
    let notice_bytes = if is_received {
        notice::store(scope, notices).await?
    } else {
        0
    };
    Ok(Effects {
        events,
        notice_bytes,
        past_impacts,
    })
}

/// The entry of an incident that these events store, if there is one.
fn changing_entry(events: &[Event]) -> Option<ChangingEntry> {
    events.iter().find_map(|event| match event {
        Event::NewIncident(incident) => Some(ChangingEntry::Description(*incident)),
        Event::TimelineUpdated(incident, update) => Some(ChangingEntry::Update(*incident, *update)),
        _ => None,
    })
}
