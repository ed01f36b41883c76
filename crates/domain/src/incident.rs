//! Incidents and the rules of changing them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};
use utoipa::ToSchema;
use validator::Validate;

use crate::event::{Changed, Event};
use crate::id::IncidentId;
use crate::impact::{self, Attachment, ImpactChange};
use crate::notice::{IncidentChange, NewNotice};
use crate::organisation::Revision;
use crate::text;
use crate::validation::Invalid;

/// Status of an incident. Every status may follow every other one.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Default,
    Serialize,
    Deserialize,
    ToSchema,
    Display,
    EnumString,
    VariantArray,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum IncidentStatus {
    /// The cause is being investigated.
    #[default]
    Investigating,
    /// The cause is known.
    Identified,
    /// A fix is in place and being monitored.
    Monitoring,
    /// It has ended.
    Resolved,
}

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
    /// When it happened, as entered by the operator.
    pub occured_at: DateTime<Utc>,
    /// When it was resolved; `None` while it is not RESOLVED.
    pub resolved_at: Option<DateTime<Utc>>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it or its timeline last changed.
    pub updated_at: DateTime<Utc>,
    /// The organisation's revision that last changed a field that operators edit: its version for conditional writes. An update
    /// changes it only if it changes the status.
    pub version: Revision,
}

/// What an operator enters for an incident, the text trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct IncidentDraft {
    /// Required.
    #[validate(
        length(min = 1, message = "Title is required"),
        custom(function = text::name_length),
        custom(function = text::one_line)
    )]
    pub title: String,
    /// Required.
    #[validate(
        length(min = 1, message = "Description is required"),
        custom(function = text::description_length),
        custom(function = text::no_nul)
    )]
    pub description: String,
    /// Current status of the incident.
    pub status: IncidentStatus,
    /// When it happened; `None` means at its creation.
    pub occured_at: Option<DateTime<Utc>>,
}

/// A change to an incident. `None` fields stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IncidentPatch {
    /// A new title.
    pub title: Option<String>,
    /// A new description.
    pub description: Option<String>,
    /// A new status.
    pub status: Option<IncidentStatus>,
    /// A new time of happening.
    pub occured_at: Option<DateTime<Utc>>,
}

impl Incident {
    /// A new incident with components attached to it. Its timeline is empty.
    ///
    /// # Errors
    /// [`Invalid`] if the draft breaks a rule of its fields or names a component twice.
    pub fn create(
        id: IncidentId,
        draft: IncidentDraft,
        components: &[Attachment],
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let mut invalid = Invalid::default();
        invalid.check(&draft);
        impact::check_once(components, &mut invalid);
        invalid.into_result()?;
        let state = Self {
            id,
            title: draft.title,
            description: draft.description,
            status: draft.status,
            occured_at: draft.occured_at.unwrap_or(now),
            resolved_at: None,
            created_at: now,
            updated_at: now,
            version: Revision::default(),
        };
        let state = state.with_status(draft.status, now);
        let components = components
            .iter()
            .map(|attachment| attachment.component_id)
            .collect();
        let notice = NewNotice::Incident {
            change: IncidentChange::Created,
            incident: state.clone(),
            message: None,
        };
        Ok(Changed {
            notices: vec![notice],
            impacts: state.impact_on(components),
            ..Changed::new(state, vec![Event::NewIncident(id)])
        })
    }

    /// This incident with an operator's changes. Another status than RESOLVED reopens a resolved one.
    ///
    /// # Errors
    /// [`Invalid`] if the result breaks a rule of its fields.
    pub fn edit(self, patch: IncidentPatch, now: DateTime<Utc>) -> Result<Changed<Self>, Invalid> {
        let draft = IncidentDraft {
            title: patch.title.unwrap_or_else(|| self.title.clone()),
            description: patch
                .description
                .unwrap_or_else(|| self.description.clone()),
            status: patch.status.unwrap_or(self.status),
            occured_at: patch.occured_at,
        };
        draft.validate().map_err(Invalid::from)?;
        let before = self.clone();
        let occured_at = draft.occured_at.unwrap_or(self.occured_at);
        let after = Self {
            title: draft.title,
            description: draft.description,
            occured_at,
            ..self
        };
        let after = after.with_status(draft.status, now);
        if after == before {
            return Ok(Changed::nothing(before));
        }
        let events = vec![Event::IncidentUpdated(after.id)];
        Ok(after.touched(now).changed(&before, events, false, None))
    }

    /// Returns the change from `before` to this incident. `message` is the message of an update, which was `recorded` or edited.
    pub(crate) fn changed(
        self,
        before: &Self,
        events: Vec<Event>,
        recorded: bool,
        message: Option<&str>,
    ) -> Changed<Self> {
        let notice =
            IncidentChange::of(Some(before), &self, recorded).map(|change| NewNotice::Incident {
                change,
                incident: self.clone(),
                message: message.map(str::to_owned),
            });
        let impacts = before.has_impact() != self.has_impact();
        Changed {
            notices: notice.into_iter().collect(),
            impacts: impacts.then_some(ImpactChange::OnAll(self.id)),
            ..Changed::new(self, events)
        }
    }

    /// Whether it has an impact on the components attached to it: until it is resolved.
    #[must_use]
    pub const fn has_impact(&self) -> bool {
        self.resolved_at.is_none()
    }

    /// Whether the fields that an operator edits are equal.
    #[must_use]
    pub fn reads_like(&self, other: &Self) -> bool {
        let fields = |incident: &Self| (incident.status, incident.occured_at);
        self.title == other.title
            && self.description == other.description
            && fields(self) == fields(other)
    }

    /// Sets the status. RESOLVED keeps the time at which it was reached; every other status clears it.
    pub(crate) fn with_status(self, status: IncidentStatus, now: DateTime<Utc>) -> Self {
        let resolved_at = if status == IncidentStatus::Resolved {
            Some(self.resolved_at.unwrap_or(now))
        } else {
            None
        };
        Self {
            status,
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
