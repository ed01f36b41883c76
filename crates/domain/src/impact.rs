//! Impacts of unresolved incidents on components, and the status that a component gets from them.

use chrono::{DateTime, Utc};

use crate::audit::{Action, Target};
use crate::component::{Component, ComponentStatus, StatusSource};
use crate::event::{Changed, Event};
use crate::id::{ComponentId, IncidentId};
use crate::incident::Incident;
use crate::notice::NewNotice;
use crate::validation::{FieldError, Invalid, check_known, repeated};

/// A component attached to an incident, with the impact on it while the incident is unresolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attachment {
    /// The component.
    pub component_id: ComponentId,
    /// The impact.
    pub status: ComponentStatus,
}

/// Checks components to attach to an incident that exists.
///
/// # Errors
/// [`Invalid`] if the list is empty or names a component twice.
pub fn check_attachments(attachments: &[Attachment]) -> Result<(), Invalid> {
    if attachments.is_empty() {
        return Err(Invalid::field(
            "components",
            "At least one component is required",
        ));
    }
    let mut invalid = Invalid::default();
    check_once(attachments, &mut invalid);
    invalid.into_result()
}

/// Checks components to detach from an incident.
///
/// # Errors
/// [`Invalid`] if the list is empty or names a component twice.
pub fn check_detachments(components: &[ComponentId]) -> Result<(), Invalid> {
    if components.is_empty() {
        return Err(Invalid::field(
            "componentIds",
            "At least one component is required",
        ));
    }
    let mut invalid = Invalid::default();
    for index in repeated(components) {
        invalid.add(chosen_already(format!("componentIds[{index}]")));
    }
    invalid.into_result()
}

/// Adds an error for every repeated component.
pub fn check_once(attachments: &[Attachment], invalid: &mut Invalid) {
    let components: Vec<_> = attachments
        .iter()
        .map(|attachment| attachment.component_id)
        .collect();
    for index in repeated(&components) {
        invalid.add(chosen_already(format!("components[{index}].componentId")));
    }
}

pub(crate) fn chosen_already(field: String) -> FieldError {
    FieldError {
        field,
        message: "This component is chosen already".to_owned(),
    }
}

/// The components whose impact by an incident changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImpactChange {
    /// All components attached to the incident, because it was resolved or reopened.
    OnAll {
        /// The incident.
        incident: IncidentId,
        /// When it was resolved or reopened.
        since: DateTime<Utc>,
    },
    /// These components, because they were attached or detached or the incident was created or deleted.
    On {
        /// The incident.
        incident: IncidentId,
        /// The components.
        components: Vec<ComponentId>,
        /// When the impact began; `None` means with this change.
        since: Option<DateTime<Utc>>,
    },
    /// The history of these components, because the incident was over when it was created. Their current status stays.
    Past {
        /// The incident.
        incident: IncidentId,
        /// The components with the impact on each.
        components: Vec<Attachment>,
        /// When the impact began.
        from: DateTime<Utc>,
        /// When it ended.
        to: DateTime<Utc>,
    },
}

/// An incident with the components attached to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentAndAttached {
    /// The incident.
    pub incident: Incident,
    /// The components attached to it.
    pub attached: Vec<ComponentId>,
}

/// A component cannot be attached twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("A component is attached to this incident already")]
pub struct AlreadyAttached;

impl IncidentAndAttached {
    /// Attaches components.
    ///
    /// # Errors
    /// [`AlreadyAttached`] if one of them is attached.
    pub fn attach(&self, components: &[Attachment]) -> Result<Changed<()>, AlreadyAttached> {
        let components: Vec<_> = components
            .iter()
            .map(|attachment| attachment.component_id)
            .collect();
        if components.iter().any(|id| self.attached.contains(id)) {
            return Err(AlreadyAttached);
        }
        Ok(self.changed(Event::IncidentUpdated(self.incident.id), components))
    }

    /// Detaches components.
    ///
    /// # Errors
    /// [`Invalid`] if one of them is not attached.
    pub fn detach(&self, components: Vec<ComponentId>) -> Result<Changed<()>, Invalid> {
        let field = |index| format!("componentIds[{index}]");
        let message = "This component is not attached";
        check_known(&components, &self.attached, field, message)?;
        Ok(self.changed(Event::IncidentUpdated(self.incident.id), components))
    }

    /// Deletes the incident.
    #[must_use]
    pub fn delete(self) -> Changed<()> {
        let id = self.incident.id;
        self.changed(Event::IncidentDeleted(id), self.attached.clone())
            .audited(
                Action::IncidentDeleted,
                Target::Incident(id),
                self.incident.title,
            )
    }

    fn changed(&self, event: Event, components: Vec<ComponentId>) -> Changed<()> {
        Changed {
            impacts: self.incident.impact_on(components, None),
            ..Changed::new((), vec![event])
        }
    }
}

impl Incident {
    /// The change of impacts if components are attached to this incident or detached from it, `None` for `since` means now.
    pub(crate) fn impact_on(
        &self,
        components: Vec<ComponentId>,
        since: Option<DateTime<Utc>>,
    ) -> Option<ImpactChange> {
        (self.has_impact() && !components.is_empty()).then_some(ImpactChange::On {
            incident: self.id,
            components,
            since,
        })
    }

    /// The impact of this resolved incident on the history of its components; `None` if it has none.
    pub(crate) fn past_impact_on(
        &self,
        components: &[Attachment],
        resolved_at: DateTime<Utc>,
    ) -> Option<ImpactChange> {
        let lasted = self.occured_at < resolved_at;
        (lasted && !components.is_empty()).then(|| ImpactChange::Past {
            incident: self.id,
            components: components.to_vec(),
            from: self.occured_at,
            to: resolved_at,
        })
    }
}

impl Component {
    /// This component after its impacts have changed; `impacts` are those of all unresolved incidents now. Its status becomes the
    /// worst impact. Without impacts it becomes operational, unless an operator has set the status since incidents last did.
    ///
    /// The source may change without the status. Then the state differs from before, and there is no event.
    #[must_use]
    pub fn apply_impacts(
        self,
        impacts: impl IntoIterator<Item = ComponentStatus>,
        now: DateTime<Utc>,
    ) -> Changed<Self> {
        let (status, status_source) = match (ComponentStatus::worst(impacts), self.status_source) {
            (Some(worst), _) => (worst, StatusSource::Incidents),
            (None, StatusSource::Incidents) => {
                (ComponentStatus::Operational, StatusSource::Incidents)
            }
            (None, StatusSource::Operator) => (self.status, StatusSource::Operator),
        };
        if status == self.status {
            return Changed::without_events(Self {
                status_source,
                ..self
            });
        }
        let (id, old_status) = (self.id, self.status);
        let state = Self {
            status,
            status_source,
            updated_at: now,
            ..self
        };
        let notice = NewNotice::of_component(old_status, &state);
        Changed {
            notices: notice.into_iter().collect(),
            ..Changed::new(state, vec![Event::ComponentUpdate(id)])
        }
    }
}

#[cfg(test)]
mod tests;
