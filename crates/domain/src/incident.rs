//! Incidents and the rules of changing them.

mod draft;
mod status;

use chrono::{DateTime, TimeDelta, Utc};

pub use self::draft::{IncidentDraft, IncidentPatch};
pub use self::status::IncidentStatus;
use crate::event::{Changed, Event};
use crate::id::IncidentId;
use crate::impact::{self, Attachment};
use crate::incident_update::IncidentUpdate;
use crate::notice::{IncidentChange, NewNotice};
use crate::organisation::Revision;
use crate::validation::{FieldError, Invalid};

/// How long the status page shows an incident after its resolution.
pub const SHOWN_AFTER_RESOLUTION: TimeDelta = TimeDelta::days(14);

/// Validation message of a resolution before the incident occurred.
const RESOLVED_TOO_EARLY: &str = "Resolution must not be before the incident";

/// An incident, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Incident {
    /// Its identifier.
    pub id: IncidentId,
    /// 1 to 200 characters.
    pub title: String,
    /// 1 to 10,000 characters.
    pub description: String,
    /// Current status of the incident.
    pub status: IncidentStatus,
    /// The status that it was created with.
    pub first_status: IncidentStatus,
    /// When it happened, as entered by the operator.
    pub occured_at: DateTime<Utc>,
    /// When it became MONITORING for the first time; `None` if it never did.
    pub monitoring_at: Option<DateTime<Utc>>,
    /// When it was resolved; `None` while it is not RESOLVED.
    pub resolved_at: Option<DateTime<Utc>>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it or its timeline last changed.
    pub updated_at: DateTime<Utc>,
    /// The organisation's revision that last changed a field that operators edit: its version for
    /// conditional writes. An update changes it only if it changes the status.
    pub version: Revision,
}

/// What changes a stored incident.
#[derive(Debug)]
pub(crate) enum Cause {
    /// No update with a message: an edit of its fields, a deletion of updates, or an edit of an
    /// update that is not the newest one afterwards.
    Edit,
    /// A new update.
    UpdateRecorded(IncidentUpdate),
    /// An edit of an update that is the newest one afterwards.
    UpdateEdited(IncidentUpdate),
}

/// Checks an entered time of resolution. `has_status` is whether the request has the status, too.
fn check_resolved_at(
    resolved_at: DateTime<Utc>,
    status: IncidentStatus,
    has_status: bool,
    occured_at: DateTime<Utc>,
    now: DateTime<Utc>,
    invalid: &mut Invalid,
) {
    let message = if status != IncidentStatus::Resolved {
        "Only a resolved incident has a time of resolution"
    } else if !has_status {
        "Send it together with the status RESOLVED"
    } else if resolved_at < occured_at {
        RESOLVED_TOO_EARLY
    } else if resolved_at > now {
        "Resolution must not be in the future"
    } else {
        return;
    };
    invalid.add(FieldError::new("resolvedAt", message));
}

fn occurred_too_late() -> FieldError {
    FieldError::new("occuredAt", "Occurrence must not be after the resolution")
}

impl Incident {
    /// A new incident with components attached to it. Its timeline is empty. The impact of an
    /// incident that is resolved already is part of the history of its components, and their
    /// current status stays.
    ///
    /// # Errors
    /// [`Invalid`] if the draft breaks a rule of its fields or names a component twice.
    pub fn create(
        id: IncidentId,
        draft: IncidentDraft,
        components: &[Attachment],
        notify_by_default: bool,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let notify = draft.notifies(notify_by_default);
        let mut invalid = Invalid::default();
        invalid.check(&draft);
        impact::check_once(components, &mut invalid);
        let occured_at = draft.occured_at.unwrap_or(now);
        if let Some(resolved_at) = draft.resolved_at {
            check_resolved_at(
                resolved_at,
                draft.status,
                true,
                occured_at,
                now,
                &mut invalid,
            );
        } else if draft.status == IncidentStatus::Resolved && occured_at > now {
            invalid.add(occurred_too_late());
        }
        invalid.into_result()?;
        let state = Self {
            id,
            title: draft.title,
            description: draft.description,
            status: draft.status,
            first_status: draft.status,
            occured_at,
            monitoring_at: (draft.status == IncidentStatus::Monitoring).then_some(now),
            resolved_at: draft.resolved_at,
            created_at: now,
            updated_at: now,
            version: Revision::default(),
        };
        let state = state.with_status(draft.status, now);
        let impacts = state.impact_when_attached(components, Some(state.occured_at));
        let notice = NewNotice::Incident {
            change: IncidentChange::Created,
            incident: state.clone(),
            message: None,
            update_status: None,
            shown_at: None,
        };
        let created = Changed {
            notices: vec![notice],
            impacts,
            ..Changed::new(state, vec![Event::NewIncident(id)])
        };
        Ok(created.notify_if(notify))
    }

    /// This incident with an operator's changes. Another status than RESOLVED reopens a resolved
    /// one. A correction of its times [moves](crate::impact::ImpactMove::apply) its impacts.
    ///
    /// # Errors
    /// [`Invalid`] if the result breaks a rule of its fields.
    pub fn edit(
        self,
        patch: IncidentPatch,
        notify_by_default: bool,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let draft = IncidentDraft {
            title: patch.title.unwrap_or_else(|| self.title.clone()),
            description: patch
                .description
                .unwrap_or_else(|| self.description.clone()),
            status: patch.status.unwrap_or(self.status),
            occured_at: patch.occured_at,
            resolved_at: patch.resolved_at,
            notify: patch.notify,
        };
        let notify = draft.notifies(notify_by_default);
        let before = self.clone();
        let occured_at = draft.occured_at.unwrap_or(self.occured_at);
        let mut invalid = Invalid::default();
        invalid.check(&draft);
        if let Some(resolved_at) = draft.resolved_at {
            let has_status = patch.status.is_some();
            check_resolved_at(
                resolved_at,
                draft.status,
                has_status,
                occured_at,
                now,
                &mut invalid,
            );
        } else if draft.status == IncidentStatus::Resolved
            && (occured_at != self.occured_at || self.resolved_at.is_none())
            && self.resolved_at.unwrap_or(now) < occured_at
        {
            invalid.add(occurred_too_late());
        }
        invalid.into_result()?;
        let after = Self {
            title: draft.title,
            description: draft.description,
            occured_at,
            resolved_at: draft.resolved_at.or(self.resolved_at),
            ..self
        };
        let after = after.with_status(draft.status, now);
        if after == before {
            return Ok(Changed::without_events(before));
        }
        let events = vec![Event::IncidentUpdated(after.id)];
        let edited = after.touched(now).changed(&before, events, Cause::Edit);
        Ok(edited.notify_if(notify))
    }

    /// Returns the change from `before` to this incident.
    pub(crate) fn changed(self, before: &Self, events: Vec<Event>, cause: Cause) -> Changed<Self> {
        let (message, recorded) = match cause {
            Cause::Edit => (None, None),
            Cause::UpdateEdited(update) => (Some(update.message), None),
            Cause::UpdateRecorded(update) => (
                Some(update.message),
                Some((update.status, update.display_at)),
            ),
        };
        let change = IncidentChange::of(before, &self, recorded.is_some());
        let notice = change.map(|change| NewNotice::Incident {
            change,
            incident: self.clone(),
            message,
            update_status: recorded.map(|(status, _)| status),
            shown_at: match change {
                IncidentChange::Resolved => self.resolved_at,
                _ => recorded.map(|(_, display_at)| display_at),
            },
        });
        Changed {
            notices: notice.into_iter().collect(),
            impacts: self.impact_after(before),
            ..Changed::new(self, events)
        }
    }

    /// Whether its change from `before` resolves it before it occurred. A time of resolution that
    /// stays is not checked again.
    pub(crate) fn is_resolved_too_early(&self, before: &Self) -> bool {
        self.resolved_at != before.resolved_at
            && self.resolved_at.is_some_and(|time| time < self.occured_at)
    }

    /// Refuses a change from `before`, made by the field of an update, that resolves this incident
    /// before it occurred.
    pub(crate) fn check_resolution(&self, before: &Self, field: &str) -> Result<(), Invalid> {
        if self.is_resolved_too_early(before) {
            return Err(Invalid::field(field, RESOLVED_TOO_EARLY));
        }
        Ok(())
    }

    /// Whether it has an impact on the components attached to it: until it is resolved.
    #[must_use]
    pub const fn has_impact(&self) -> bool {
        self.resolved_at.is_none()
    }

    /// Whether the fields that an operator edits are equal.
    #[must_use]
    pub fn reads_like(&self, other: &Self) -> bool {
        let fields = |incident: &Self| (incident.status, incident.occured_at, incident.resolved_at);
        self.title == other.title
            && self.description == other.description
            && fields(self) == fields(other)
    }

    /// Sets the status, which is reached at `since`. RESOLVED keeps the time at which it was
    /// reached; every other status clears it. MONITORING keeps the time at which it was reached
    /// first, also under other statuses.
    pub(crate) fn with_status(self, status: IncidentStatus, since: DateTime<Utc>) -> Self {
        let resolved_at = if status == IncidentStatus::Resolved {
            Some(self.resolved_at.unwrap_or(since))
        } else {
            None
        };
        let begins = status == IncidentStatus::Monitoring && self.status != status;
        Self {
            status,
            monitoring_at: self.monitoring_at.or(begins.then_some(since)),
            resolved_at,
            ..self
        }
    }

    pub(crate) fn touched(self, now: DateTime<Utc>) -> Self {
        Self {
            updated_at: now,
            ..self
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
