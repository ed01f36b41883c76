//! What unresolved incidents hold on components, and what that makes of a component's status.

use chrono::{DateTime, Utc};

use crate::component::{Component, ComponentStatus, StatusSource};
use crate::event::{Changed, Event};
use crate::id::ComponentId;
use crate::incident::Incident;
use crate::validation::{FieldError, Invalid, repeated};

/// A component an incident affects, and the status the incident holds on it while it is unresolved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attachment {
    /// The component.
    pub component_id: ComponentId,
    /// The status held on it.
    pub status: ComponentStatus,
}

/// Checks components to attach to an incident that exists.
///
/// # Errors
/// [`Invalid`] when there is none, or one comes twice.
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
/// [`Invalid`] when there is none, or one comes twice.
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

/// Notes every component that comes a second time.
pub fn check_once(attachments: &[Attachment], invalid: &mut Invalid) {
    let components: Vec<_> = attachments
        .iter()
        .map(|attachment| attachment.component_id)
        .collect();
    for index in repeated(&components) {
        invalid.add(chosen_already(format!("components[{index}].componentId")));
    }
}

fn chosen_already(field: String) -> FieldError {
    FieldError {
        field,
        message: "This component is chosen already".to_owned(),
    }
}

/// Whether a change of an incident changes what it holds: it was resolved or reopened.
#[must_use]
pub const fn differs(before: &Incident, after: &Incident) -> bool {
    before.holds() != after.holds()
}

impl Component {
    /// This component after what incidents hold on it has changed; `held` is all that they hold now. It takes the worst;
    /// with nothing held it is operational again, unless an operator has set it since incidents last did.
    ///
    /// Who set the status may change without the status: then the state differs from before, and there is no event.
    #[must_use]
    pub fn settle(
        self,
        held: impl IntoIterator<Item = ComponentStatus>,
        now: DateTime<Utc>,
    ) -> Changed<Self> {
        let (status, status_source) = match (ComponentStatus::worst(held), self.status_source) {
            (Some(worst), _) => (worst, StatusSource::Incidents),
            (None, StatusSource::Incidents) => {
                (ComponentStatus::Operational, StatusSource::Incidents)
            }
            (None, StatusSource::Operator) => (self.status, StatusSource::Operator),
        };
        if status == self.status {
            return Changed {
                state: Self {
                    status_source,
                    ..self
                },
                events: Vec::new(),
            };
        }
        let id = self.id;
        let state = Self {
            status,
            status_source,
            updated_at: now,
            ..self
        };
        Changed {
            state,
            events: vec![Event::ComponentUpdate(id)],
        }
    }
}

#[cfg(test)]
mod tests;
