//! Component groups: components that the status page shows together.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString};
use utoipa::ToSchema;
use validator::Validate;

use crate::audit::{Action, ChangeTarget};
use crate::event::{Changed, Event};
use crate::id::ComponentGroupId;
use crate::organisation::Revision;
use crate::text;
use crate::validation::Invalid;

/// Whether a group shows its components when a visitor opens the page.
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
)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum GroupDisplay {
    /// It shows them.
    #[default]
    Open,
    /// It hides them until the visitor opens it.
    Closed,
    /// It shows them while one of them is not operational or under maintenance.
    OpenWhenAffected,
}

/// A group of components, as stored. Its position is in the [page order](crate::page_order).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentGroup {
    /// Its identifier.
    pub id: ComponentGroupId,
    /// 2 to 200 characters.
    pub name: String,
    /// Up to 10,000 characters; may be empty.
    pub description: String,
    /// Whether it shows its components.
    pub display: GroupDisplay,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// The organisation's revision that last changed it: its version for conditional writes.
    pub version: Revision,
}

/// What an operator enters for a group, the text trimmed. In an edit, only what is present changes.
#[derive(Debug, Clone, PartialEq, Eq, Default, Validate)]
pub struct ComponentGroupPatch {
    /// A new name; required to create a group.
    #[validate(custom(function = text::name))]
    pub name: Option<String>,
    /// A new description.
    #[validate(custom(function = text::description_length), custom(function = text::no_nul))]
    pub description: Option<String>,
    /// A new display mode.
    pub display: Option<GroupDisplay>,
}

impl ComponentGroupPatch {
    /// The fields of a new group, which must have a name.
    #[must_use]
    pub fn of_new_group(self) -> Self {
        Self {
            name: self.name.or_else(|| Some(String::new())),
            ..self
        }
    }
}

impl ComponentGroup {
    /// A new group without components.
    ///
    /// # Errors
    /// [`Invalid`] if the fields break a rule.
    pub fn create(
        id: ComponentGroupId,
        fields: ComponentGroupPatch,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let fields = fields.of_new_group();
        fields.validate().map_err(Invalid::from)?;
        let state = Self {
            id,
            name: fields.name.unwrap_or_default(),
            description: fields.description.unwrap_or_default(),
            display: fields.display.unwrap_or_default(),
            created_at: now,
            updated_at: now,
            version: Revision::default(),
        };
        Ok(Changed::new(state, vec![Event::NewComponentGroup(id)]))
    }

    /// This group with an operator's changes.
    ///
    /// # Errors
    /// [`Invalid`] if the result breaks a rule of its fields.
    pub fn edit(
        self,
        patch: ComponentGroupPatch,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        patch.validate().map_err(Invalid::from)?;
        let before = self.clone();
        let after = Self {
            name: patch.name.unwrap_or(self.name),
            description: patch.description.unwrap_or(self.description),
            display: patch.display.unwrap_or(self.display),
            ..before.clone()
        };
        if after == before {
            return Ok(Changed::without_events(after));
        }
        let state = Self {
            updated_at: now,
            ..after
        };
        let event = Event::ComponentGroupUpdate(state.id);
        Ok(Changed::new(state, vec![event]))
    }

    /// The deletion of the group. Its components stay, without a group, so the page has
    /// another order.
    #[must_use]
    pub fn delete(self) -> Changed<()> {
        let events = vec![
            Event::ComponentGroupDeleted(self.id),
            Event::ComponentOrderUpdated,
        ];
        let target = ChangeTarget::ComponentGroup(self.id);
        Changed::new((), events).audited(Action::ComponentGroupDeleted, target, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(second, 0).unwrap()
    }

    fn fields(name: &str) -> ComponentGroupPatch {
        ComponentGroupPatch {
            name: Some(name.into()),
            ..Default::default()
        }
    }

    fn group() -> ComponentGroup {
        let id = ComponentGroupId(Uuid::from_u128(1));
        ComponentGroup::create(id, fields("Core"), at(1))
            .unwrap()
            .state
    }

    #[test]
    fn new_group_is_open_and_has_no_description() {
        assert_eq!(group().display, GroupDisplay::Open);
        assert_eq!(group().description, "");
    }

    #[test]
    fn name_is_required() {
        for name in ["", "A"] {
            let result = group().edit(fields(name), at(2));
            assert_eq!(result, Err(Invalid::field("name", "Name is required")));
        }
        let nameless = ComponentGroup::create(group().id, ComponentGroupPatch::default(), at(1));
        assert_eq!(nameless, Err(Invalid::field("name", "Name is required")));
    }

    #[test]
    fn edit_without_a_difference_changes_nothing() {
        assert!(group().edit(fields("Core"), at(2)).unwrap().has_no_events());
        let renamed = group().edit(fields("Edge"), at(2)).unwrap();
        assert_eq!(renamed.state.updated_at, at(2));
        assert_eq!(renamed.events, [Event::ComponentGroupUpdate(group().id)]);
    }
}
