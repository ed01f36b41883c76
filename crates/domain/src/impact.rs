//! Impacts of unresolved incidents on components, and the status that a component gets from them.

mod interval;
mod moved;
mod piece;
mod worst;

use chrono::{DateTime, Utc};

pub use self::interval::{ImpactInterval, effective_from, impact_start};
pub use self::moved::{ImpactMove, ImpactedComponent};
pub use self::worst::{Impact, worst_over_time};
use crate::audit::{Action, ChangeTarget};
use crate::component::{Component, ComponentStatus, StatusSource};
use crate::event::{Changed, Event};
use crate::id::{ComponentId, IncidentId};
use crate::incident::Incident;
use crate::notice::NewNotice;
use crate::validation::{FieldError, Invalid, check_known, repeated};

const NOT_ATTACHED: &str = "This component is not attached";

/// A component attached to an incident, with the impact on it while the incident is unresolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attachment {
    /// The component.
    pub component_id: ComponentId,
    /// The impact.
    pub status: ComponentStatus,
}

/// Checks the components to attach to an incident, or whose impact changes.
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
    let field = |index| format!("componentIds[{index}]");
    check_each_once(components, field, &mut invalid);
    invalid.into_result()
}

/// Checks that components whose impact changes are attached to the incident.
///
/// # Errors
/// [`Invalid`] with an error for each that is not.
pub fn check_attached(attachments: &[Attachment], attached: &[ComponentId]) -> Result<(), Invalid> {
    let field = |index| format!("components[{index}].componentId");
    check_known(&ids(attachments), attached, field, NOT_ATTACHED)
}

/// Adds an error for every repeated component.
pub fn check_once(attachments: &[Attachment], invalid: &mut Invalid) {
    let field = |index| format!("components[{index}].componentId");
    check_each_once(&ids(attachments), field, invalid);
}

/// Adds an error for every repeated component. `field` names the one with an index.
pub(crate) fn check_each_once(
    components: &[ComponentId],
    field: impl Fn(usize) -> String,
    invalid: &mut Invalid,
) {
    for index in repeated(components) {
        let message = "This component is chosen already";
        invalid.add(FieldError::new(field(index), message));
    }
}

pub(crate) fn ids(attachments: &[Attachment]) -> Vec<ComponentId> {
    let ids = attachments.iter().map(|attachment| attachment.component_id);
    ids.collect()
}

/// The components whose impact by an incident changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImpactChange {
    /// All components attached to the incident, because it was resolved or reopened.
    OnAll {
        /// The incident.
        incident: IncidentId,
        /// The correction of its times by the same change, such as a resolution in the past; `None`
        /// if there is none. It comes first.
        moved: Option<ImpactMove>,
    },
    /// These components, because they were attached or detached, the impact on them was corrected,
    /// or the incident was created or deleted.
    On {
        /// The incident.
        incident: IncidentId,
        /// The components.
        components: Vec<ComponentId>,
        /// When the impact began; `None` means with this change.
        since: Option<DateTime<Utc>>,
    },
    /// The history of these components, because the incident was over when they were attached.
    /// Their current status stays.
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
    /// The history of all components attached to the incident, because its times were corrected.
    /// Their current status stays.
    Moved(ImpactMove),
}

impl ImpactChange {
    /// Number of impacts that the change adds to the histories of components without an event of
    /// each component.
    #[must_use]
    pub const fn past_impacts(&self) -> usize {
        match self {
            Self::Past { components, .. } => components.len(),
            Self::OnAll { .. } | Self::On { .. } | Self::Moved(_) => 0,
        }
    }
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

/// The impacts of an incident cannot be changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImpactRefused {
    /// They are history by now.
    #[error(
        "The incident is resolved. Its impact is in the history of each component, which you can edit"
    )]
    Resolved,
    /// One of the components is not attached.
    #[error(transparent)]
    Invalid(#[from] Invalid),
}

impl IncidentAndAttached {
    /// Attaches components. If the incident is resolved, its impact becomes part of their history,
    /// and their current status stays.
    ///
    /// # Errors
    /// [`AlreadyAttached`] if one of them is attached.
    pub fn attach(&self, components: &[Attachment]) -> Result<Changed<()>, AlreadyAttached> {
        if components
            .iter()
            .any(|attachment| self.attached.contains(&attachment.component_id))
        {
            return Err(AlreadyAttached);
        }
        let events = vec![Event::IncidentUpdated(self.incident.id)];
        Ok(Changed {
            impacts: self.incident.impact_when_attached(components, None),
            ..Changed::new((), events)
        })
    }

    /// Changes the impacts on attached components from now on.
    ///
    /// # Errors
    /// [`ImpactRefused`] if the incident is resolved, or one of the components is not attached.
    pub fn change_impacts(&self, components: &[Attachment]) -> Result<Changed<()>, ImpactRefused> {
        check_attached(components, &self.attached)?;
        if !self.incident.has_impact() {
            return Err(ImpactRefused::Resolved);
        }
        Ok(self.changed(Event::IncidentUpdated(self.incident.id), ids(components)))
    }

    /// Detaches components. The history that a resolved incident caused stays, also when the
    /// incident is deleted; an operator may correct it.
    ///
    /// # Errors
    /// [`Invalid`] if one of them is not attached.
    pub fn detach(&self, components: Vec<ComponentId>) -> Result<Changed<()>, Invalid> {
        let field = |index| format!("componentIds[{index}]");
        check_known(&components, &self.attached, field, NOT_ATTACHED)?;
        Ok(self.changed(Event::IncidentUpdated(self.incident.id), components))
    }

    /// Deletes the incident.
    #[must_use]
    pub fn delete(self) -> Changed<()> {
        let id = self.incident.id;
        self.changed(Event::IncidentDeleted(id), self.attached.clone())
            .audited(
                Action::IncidentDeleted,
                ChangeTarget::Incident(id),
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
    /// The change of impacts if components are attached to this incident. If it is unresolved, the
    /// impact begins at `since`; `None` means now.
    pub(crate) fn impact_when_attached(
        &self,
        components: &[Attachment],
        since: Option<DateTime<Utc>>,
    ) -> Option<ImpactChange> {
        if let Some(resolved_at) = self.resolved_at {
            return self.past_impact_on(components, resolved_at);
        }
        self.impact_on(ids(components), since)
    }

    /// The change of impacts from `before` to this incident. The components attached to it are
    /// the same.
    pub(crate) fn impact_after(&self, before: &Self) -> Option<ImpactChange> {
        let moved = self.moved_from(before);
        if before.has_impact() == self.has_impact() {
            return moved.map(ImpactChange::Moved);
        }
        Some(ImpactChange::OnAll {
            incident: self.id,
            moved,
        })
    }

    /// The change of impacts if components are attached to this incident or detached from it, or
    /// the impact on them changes. `None` for `since` means now. `None` if the incident is
    /// resolved or there are no components.
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

    /// The impact of this resolved incident on the history of its components; `None` if it
    /// has none.
    fn past_impact_on(
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
    /// This component after its impacts have changed; `impacts` are those of all unresolved
    /// incidents now. Its status becomes the worst impact. Without impacts it becomes operational,
    /// unless an operator has set the status since incidents last did.
    ///
    /// The source may change without the status. Then the state differs from before, and there is
    /// no event.
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

    /// Whether an operator has set the status since other incidents last did.
    /// `has_other_impacts` is whether they have an impact now. Without one, nobody may have set
    /// that the component is operational: it is from the beginning on.
    #[must_use]
    pub fn is_set_by_hand(&self, has_other_impacts: bool) -> bool {
        let is_affected = self.status != ComponentStatus::Operational;
        self.status_source == StatusSource::Operator && (is_affected || has_other_impacts)
    }
}

#[cfg(test)]
mod tests;
