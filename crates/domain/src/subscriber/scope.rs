//! What a subscriber receives updates about.

use serde::Serialize;
use strum::{Display, EnumString, VariantArray};
use utoipa::ToSchema;

use crate::id::{ComponentGroupId, ComponentId, IncidentId};
use crate::validation::{FieldError, Invalid, repeated};

/// What a subscriber wants updates about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Scope {
    /// Everything.
    #[default]
    All,
    /// Changes that concern these components and groups.
    Components(Choice),
    /// One incident, until a day after it is resolved: see
    /// [`Subscriber::is_followed`](super::Subscriber::is_followed).
    Incident(IncidentId),
}

/// What a subscriber receives updates about: everything, chosen components and groups, or
/// one incident.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema, Display, EnumString, VariantArray,
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum ScopeKind {
    /// Everything.
    All,
    /// Chosen components and groups.
    Components,
    /// One incident.
    Incident,
}

/// Components and groups that a subscriber chose. Both lists are empty after everything that was
/// chosen is deleted.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Choice {
    /// The components, in the order in which they were entered.
    pub components: Vec<ComponentId>,
    /// The groups. A component belongs to the choice while it belongs to the group.
    pub groups: Vec<ComponentGroupId>,
}

impl Choice {
    /// Longest list of components, and of groups, that can be chosen: a page of subscribers has all
    /// of theirs. The deletion of a group may make a list longer.
    pub const MAX_LENGTH: usize = 200;
}

impl Scope {
    /// The scope of a request: each field is `None` if it is absent or null.
    ///
    /// # Errors
    /// [`Invalid`] at `components` or `groups` if a list is empty or too long, names something
    /// twice, or stands beside an incident.
    pub fn of(
        components: Option<Vec<ComponentId>>,
        groups: Option<Vec<ComponentGroupId>>,
        incident: Option<IncidentId>,
    ) -> Result<Self, Invalid> {
        let max_lengths = (Choice::MAX_LENGTH, Choice::MAX_LENGTH);
        Self::with_lists_up_to(max_lengths, components, groups, incident)
    }

    pub(super) fn with_lists_up_to(
        (max_components, max_groups): (usize, usize),
        components: Option<Vec<ComponentId>>,
        groups: Option<Vec<ComponentGroupId>>,
        incident: Option<IncidentId>,
    ) -> Result<Self, Invalid> {
        let mut invalid = Invalid::default();
        let has_incident = incident.is_some();
        let list = components.as_deref();
        check_list(
            "components",
            list,
            max_components,
            has_incident,
            &mut invalid,
        );
        let list = groups.as_deref();
        check_list("groups", list, max_groups, has_incident, &mut invalid);
        invalid.into_result()?;
        Ok(match (incident, &components, &groups) {
            (Some(incident), _, _) => Self::Incident(incident),
            (None, None, None) => Self::All,
            (None, _, _) => Self::Components(Choice {
                components: components.unwrap_or_default(),
                groups: groups.unwrap_or_default(),
            }),
        })
    }

    /// What either of two scopes of one subscriber includes; everything if the lists become longer
    /// than can be chosen.
    pub(super) fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Components(mut choice), Self::Components(other)) => {
                add_missing(&mut choice.components, other.components);
                add_missing(&mut choice.groups, other.groups);
                let longest = choice.components.len().max(choice.groups.len());
                if longest > Choice::MAX_LENGTH {
                    Self::All
                } else {
                    Self::Components(choice)
                }
            }
            // A subscriber follows the same incident in both.
            (Self::Incident(incident), _) => Self::Incident(incident),
            _ => Self::All,
        }
    }

    /// Its kind.
    #[must_use]
    pub const fn kind(&self) -> ScopeKind {
        match self {
            Self::All => ScopeKind::All,
            Self::Components(_) => ScopeKind::Components,
            Self::Incident(_) => ScopeKind::Incident,
        }
    }

    /// The incident, if it is one.
    #[must_use]
    pub const fn incident(&self) -> Option<IncidentId> {
        match self {
            Self::Incident(incident) => Some(*incident),
            Self::All | Self::Components(_) => None,
        }
    }

    /// The components and groups, if they were chosen.
    #[must_use]
    pub const fn choice(&self) -> Option<&Choice> {
        match self {
            Self::Components(choice) => Some(choice),
            Self::All | Self::Incident(_) => None,
        }
    }
}

fn add_missing<Id: PartialEq>(list: &mut Vec<Id>, more: Vec<Id>) {
    for id in more {
        if !list.contains(&id) {
            list.push(id);
        }
    }
}

fn check_list<Id: Ord>(
    field: &str,
    list: Option<&[Id]>,
    max_length: usize,
    has_incident: bool,
    invalid: &mut Invalid,
) {
    let Some(list) = list else { return };
    if list.is_empty() {
        invalid.add(FieldError::new(field, "Choose at least one"));
    } else if list.len() > max_length {
        let message = format!("Choose at most {max_length}");
        invalid.add(FieldError::new(field, message));
    } else if has_incident {
        let message = "Cannot be chosen together with an incident";
        invalid.add(FieldError::new(field, message));
    }
    for place in repeated(list) {
        let field = format!("{field}[{place}]");
        invalid.add(FieldError::new(field, "Must be listed only once"));
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn component(number: u128) -> ComponentId {
        ComponentId(Uuid::from_u128(number))
    }

    fn group(number: u128) -> ComponentGroupId {
        ComponentGroupId(Uuid::from_u128(number))
    }

    #[test]
    fn a_scope_is_everything_a_choice_or_one_incident() {
        let incident = IncidentId(Uuid::from_u128(9));
        assert_eq!(Scope::of(None, None, None), Ok(Scope::All));
        assert_eq!(
            Scope::of(None, None, Some(incident)),
            Ok(Scope::Incident(incident))
        );
        let choice = Choice {
            components: vec![component(1)],
            groups: Vec::new(),
        };
        assert_eq!(
            Scope::of(Some(vec![component(1)]), None, None),
            Ok(Scope::Components(choice))
        );
        for (components, groups, incident, field) in [
            (Some(vec![]), None, None, "components"),
            (None, Some(vec![]), None, "groups"),
            (Some(vec![component(1)]), None, Some(incident), "components"),
            (None, Some(vec![group(1)]), Some(incident), "groups"),
            (
                Some(vec![component(1), component(1)]),
                None,
                None,
                "components[1]",
            ),
        ] {
            let refused = Scope::of(components, groups, incident).unwrap_err();
            assert_eq!(refused.errors[0].field, field);
        }
    }
}
