//! Components: the services an organisation shows on its status page.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};
use utoipa::ToSchema;
use validator::Validate;

use crate::event::{Changed, Event};
use crate::id::ComponentId;
use crate::organisation::Revision;
use crate::text;
use crate::validation::Invalid;

/// Status of a component, from best to worst.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
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
pub enum ComponentStatus {
    /// Works as it should.
    #[default]
    Operational,
    /// Works, but slowly or with faults.
    Degraded,
    /// Part of it does not work.
    PartialOutage,
    /// None of it works.
    MajorOutage,
}

impl ComponentStatus {
    /// The worst of the given statuses; `None` if there are none.
    #[must_use]
    pub fn worst(statuses: impl IntoIterator<Item = Self>) -> Option<Self> {
        statuses.into_iter().max()
    }
}

/// The source of a component's status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum StatusSource {
    /// An operator, by hand.
    Operator,
    /// The impacts of incidents.
    Incidents,
}

/// A service of an organisation, as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// Its identifier.
    pub id: ComponentId,
    /// 2 to 200 characters.
    pub name: String,
    /// Up to 10,000 characters; may be empty.
    pub description: String,
    /// Current status of the component.
    pub status: ComponentStatus,
    /// What set `status` last.
    pub status_source: StatusSource,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// The organisation's revision that last changed it: its version for conditional writes.
    pub version: Revision,
}

/// What an operator enters for a component, the text trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct ComponentDraft {
    /// At least 2 characters.
    #[validate(
        length(min = 2, message = "Name is required"),
        custom(function = text::name_length),
        custom(function = text::one_line)
    )]
    pub name: String,
    /// May be empty.
    #[validate(custom(function = text::description_length), custom(function = text::no_nul))]
    pub description: String,
    /// Current status of the component.
    pub status: ComponentStatus,
}

/// A change to a component. `None` fields stay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ComponentPatch {
    /// A new name.
    pub name: Option<String>,
    /// A new description.
    pub description: Option<String>,
    /// A new status.
    pub status: Option<ComponentStatus>,
}

impl Component {
    /// A new component.
    ///
    /// # Errors
    /// [`Invalid`] if the draft breaks a rule of its fields.
    pub fn create(
        id: ComponentId,
        draft: ComponentDraft,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        draft.validate().map_err(Invalid::from)?;
        let state = Self {
            id,
            name: draft.name,
            description: draft.description,
            status: draft.status,
            status_source: StatusSource::Operator,
            created_at: now,
            updated_at: now,
            version: Revision::default(),
        };
        Ok(Changed::new(state, vec![Event::NewComponent(id)]))
    }

    /// This component with an operator's changes. A status that stays the same is not set by hand.
    ///
    /// # Errors
    /// [`Invalid`] if the result breaks a rule of its fields.
    pub fn edit(self, patch: ComponentPatch, now: DateTime<Utc>) -> Result<Changed<Self>, Invalid> {
        let draft = ComponentDraft {
            name: patch.name.unwrap_or_else(|| self.name.clone()),
            description: patch
                .description
                .unwrap_or_else(|| self.description.clone()),
            status: patch.status.unwrap_or(self.status),
        };
        draft.validate().map_err(Invalid::from)?;
        let unchanged = draft.name == self.name
            && draft.description == self.description
            && draft.status == self.status;
        if unchanged {
            return Ok(Changed::nothing(self));
        }
        let status_source = if draft.status == self.status {
            self.status_source
        } else {
            StatusSource::Operator
        };
        let id = self.id;
        let state = Self {
            name: draft.name,
            description: draft.description,
            status: draft.status,
            status_source,
            updated_at: now,
            ..self
        };
        Ok(Changed::new(state, vec![Event::ComponentUpdate(id)]))
    }

    /// The deletion of a component.
    #[must_use]
    pub fn delete(id: ComponentId) -> Changed<()> {
        Changed::new((), vec![Event::ComponentDeleted(id)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    fn draft(name: &str, description: &str, status: ComponentStatus) -> ComponentDraft {
        ComponentDraft {
            name: name.into(),
            description: description.into(),
            status,
        }
    }

    fn component() -> Component {
        let id = ComponentId(Uuid::from_u128(1));
        Component::create(id, draft("API", "", ComponentStatus::Degraded), at(1))
            .unwrap()
            .state
    }

    fn any_status() -> impl Strategy<Value = ComponentStatus> {
        proptest::sample::select(ComponentStatus::VARIANTS.to_vec())
    }

    #[test]
    fn badness_goes_from_operational_to_major_outage() {
        assert!(ComponentStatus::VARIANTS.is_sorted());
        assert_eq!(ComponentStatus::default(), ComponentStatus::VARIANTS[0]);
    }

    proptest! {
        #[test]
        fn the_worst_is_one_of_them_and_none_is_worse(statuses in proptest::collection::vec(any_status(), 0..8)) {
            match ComponentStatus::worst(statuses.iter().copied()) {
                None => prop_assert!(statuses.is_empty()),
                Some(worst) => {
                    prop_assert!(statuses.contains(&worst));
                    prop_assert!(statuses.iter().all(|status| *status <= worst));
                }
            }
        }

        #[test]
        fn a_status_reads_what_it_writes(status in any_status()) {
            prop_assert_eq!(status.to_string().parse(), Ok(status));
        }

        #[test]
        fn a_name_is_accepted_exactly_within_its_limits(name in "[\\PC&&[^\u{2028}\u{2029}]]{0,220}") {
            let name = text::trimmed(&name);
            let fits = (2..=200).contains(&name.chars().count());
            let id = ComponentId(Uuid::from_u128(1));
            prop_assert_eq!(Component::create(id, draft(&name, "", ComponentStatus::default()), at(1)).is_ok(), fits);
        }

        #[test]
        fn an_edit_changes_what_it_carries_and_nothing_else(
            name in proptest::option::of("[a-z]{2,9}"),
            description in proptest::option::of("[a-z]{0,9}"),
            status in proptest::option::of(any_status()),
        ) {
            let before = component();
            let patch = ComponentPatch { name: name.clone(), description: description.clone(), status };
            let after = before.clone().edit(patch, at(2)).unwrap();
            prop_assert_eq!(&after.state.name, name.as_ref().unwrap_or(&before.name));
            prop_assert_eq!(&after.state.description, description.as_ref().unwrap_or(&before.description));
            prop_assert_eq!(after.state.status, status.unwrap_or(before.status));
            prop_assert_eq!(after.events.is_empty(), after.state == before);
        }
    }

    #[test]
    fn a_short_name_is_refused_with_the_words_of_the_form() {
        let refused = component().edit(
            ComponentPatch {
                name: Some("A".into()),
                ..Default::default()
            },
            at(2),
        );
        assert_eq!(refused, Err(Invalid::field("name", "Name is required")));
    }

    #[test]
    fn a_long_description_and_a_nul_are_refused() {
        let long = ComponentPatch {
            description: Some("x".repeat(10_001)),
            ..Default::default()
        };
        let refused = component().edit(long, at(2));
        assert_eq!(
            refused,
            Err(Invalid::field(
                "description",
                "Must be at most 10000 characters"
            ))
        );
        let nul = ComponentPatch {
            name: Some("A\0B".into()),
            ..Default::default()
        };
        assert_eq!(
            component().edit(nul, at(2)),
            Err(Invalid::field("name", "Must be one line"))
        );
    }

    #[test]
    fn saving_the_status_unchanged_is_not_setting_it_by_hand() {
        let affected = Component {
            status_source: StatusSource::Incidents,
            ..component()
        };
        let renamed = ComponentPatch {
            name: Some("Web".into()),
            status: Some(affected.status),
            ..Default::default()
        };
        assert_eq!(
            affected
                .clone()
                .edit(renamed, at(2))
                .unwrap()
                .state
                .status_source,
            StatusSource::Incidents
        );
        let set = ComponentPatch {
            status: Some(ComponentStatus::MajorOutage),
            ..Default::default()
        };
        assert_eq!(
            affected.edit(set, at(2)).unwrap().state.status_source,
            StatusSource::Operator
        );
    }
}
