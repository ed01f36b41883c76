//! Components: the services an organisation shows on its status page.

use chrono::{DateTime, NaiveDate, Utc};
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, VariantArray};
use utoipa::ToSchema;
use validator::Validate;

use crate::audit::{Action, ChangeTarget};
use crate::event::{Changed, Event};
use crate::id::{ComponentGroupId, ComponentId};
use crate::notice::NewNotice;
use crate::organisation::Revision;
use crate::page_order::ComponentPlace;
use crate::text;
use crate::time_zone::TimeZone;
use crate::validation::{FieldError, Invalid, text_to_check};

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
    /// The name that people read.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Operational => "Operational",
            Self::Degraded => "Degraded Performance",
            Self::PartialOutage => "Partial Outage",
            Self::MajorOutage => "Major Outage",
        }
    }

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
    /// Its group and its position on the page.
    pub place: ComponentPlace,
    /// Whether the status page shows its uptime.
    pub show_uptime: bool,
    /// The first day that counts for uptime; `None` if all days count.
    pub start_date: Option<NaiveDate>,
    /// Whether the status page hides it while it is operational.
    pub only_show_when_affected: bool,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
    /// The organisation's revision that last changed it: its version for conditional writes.
    pub version: Revision,
    /// The organisation's revision that last changed its history.
    pub history_version: Revision,
}

/// What an operator enters for a component, the text trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct ComponentDraft {
    /// At least 2 characters.
    #[validate(custom(function = text::name))]
    pub name: String,
    /// May be empty.
    #[validate(custom(function = text::description_length), custom(function = text::no_nul))]
    pub description: String,
    /// Current status of the component.
    pub status: ComponentStatus,
    /// Its group; `None` if it has none.
    pub group: Option<ComponentGroupId>,
    /// Whether the status page shows its uptime.
    pub show_uptime: bool,
    /// The first day that counts for uptime; `None` if it is the day of creation.
    pub start_date: Option<UptimeStart>,
    /// Whether the status page hides it while it is operational.
    pub only_show_when_affected: bool,
}

/// The day from which uptime counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UptimeStart {
    /// All days count.
    Unlimited,
    /// This day and later ones count.
    On(NaiveDate),
}

impl UptimeStart {
    const fn date(self) -> Option<NaiveDate> {
        match self {
            Self::Unlimited => None,
            Self::On(date) => Some(date),
        }
    }
}

/// No name, which is not valid, and the defaults of a new component.
impl Default for ComponentDraft {
    fn default() -> Self {
        Self {
            name: String::new(),
            description: String::new(),
            status: ComponentStatus::default(),
            group: None,
            show_uptime: true,
            start_date: None,
            only_show_when_affected: false,
        }
    }
}

impl ComponentDraft {
    /// Checks the fields. `today` is in the time zone of the page.
    fn check(&self, today: NaiveDate) -> Result<(), Invalid> {
        let mut invalid = Invalid::default();
        invalid.check(self);
        let start = self.start_date.and_then(UptimeStart::date);
        if start.is_some_and(|start| start > today) {
            invalid.add(FieldError::new("startDate", "Must not be in the future"));
        }
        invalid.into_result()
    }
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
    /// Another group; `Some(None)` takes the component out of its group.
    pub group: Option<Option<ComponentGroupId>>,
    /// Whether the status page shows its uptime from now on.
    pub show_uptime: Option<bool>,
    /// Another day from which uptime counts.
    pub start_date: Option<UptimeStart>,
    /// Whether the status page hides it while it is operational from now on.
    pub only_show_when_affected: Option<bool>,
}

impl ComponentPatch {
    /// Adds the errors of its texts.
    pub fn check(&self, invalid: &mut Invalid) {
        invalid.check(&ComponentDraft {
            name: text_to_check(self.name.as_deref()),
            description: text_to_check(self.description.as_deref()),
            ..Default::default()
        });
    }
}

/// Name of a component after that of its group, if it has one: "Group - Component". Components of
/// several groups may have the same name.
#[must_use]
pub fn full_name(group: Option<&str>, name: &str) -> String {
    group.map_or_else(|| name.to_owned(), |group| format!("{group} - {name}"))
}

impl Component {
    /// A new component. `zone` is the time zone of the page.
    ///
    /// # Errors
    /// [`Invalid`] if the draft breaks a rule of its fields.
    pub fn create(
        id: ComponentId,
        draft: ComponentDraft,
        zone: TimeZone,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let today = zone.date_of(now);
        draft.check(today)?;
        let state = Self {
            id,
            name: draft.name,
            description: draft.description,
            status: draft.status,
            status_source: StatusSource::Operator,
            place: ComponentPlace::first(draft.group),
            show_uptime: draft.show_uptime,
            start_date: draft.start_date.unwrap_or(UptimeStart::On(today)).date(),
            only_show_when_affected: draft.only_show_when_affected,
            created_at: now,
            updated_at: now,
            version: Revision::default(),
            history_version: Revision::default(),
        };
        Ok(Changed::new(state, vec![Event::NewComponent(id)]))
    }

    /// This component with an operator's changes. A status that stays the same is not set by hand.
    /// `zone` is the time zone of the page.
    ///
    /// # Errors
    /// [`Invalid`] if the result breaks a rule of its fields.
    pub fn edit(
        self,
        patch: ComponentPatch,
        zone: TimeZone,
        now: DateTime<Utc>,
    ) -> Result<Changed<Self>, Invalid> {
        let draft = ComponentDraft {
            name: patch.name.unwrap_or_else(|| self.name.clone()),
            description: patch
                .description
                .unwrap_or_else(|| self.description.clone()),
            status: patch.status.unwrap_or(self.status),
            group: patch.group.unwrap_or(self.place.group),
            show_uptime: patch.show_uptime.unwrap_or(self.show_uptime),
            // After a change of the zone, the stored date may be in the future.
            start_date: patch
                .start_date
                .filter(|start| start.date() != self.start_date),
            only_show_when_affected: patch
                .only_show_when_affected
                .unwrap_or(self.only_show_when_affected),
        };
        draft.check(zone.date_of(now))?;
        let status_source = if draft.status == self.status {
            self.status_source
        } else {
            StatusSource::Operator
        };
        let state = Self {
            name: draft.name,
            description: draft.description,
            status: draft.status,
            status_source,
            place: if draft.group == self.place.group {
                self.place
            } else {
                ComponentPlace::first(draft.group)
            },
            show_uptime: draft.show_uptime,
            start_date: draft.start_date.map_or(self.start_date, UptimeStart::date),
            only_show_when_affected: draft.only_show_when_affected,
            ..self.clone()
        };
        if state == self {
            return Ok(Changed::without_events(self));
        }
        let event = Event::ComponentUpdate(self.id);
        let state = Self {
            updated_at: now,
            ..state
        };
        let notice = NewNotice::of_component(self.status, &state);
        Ok(Changed {
            notices: notice.into_iter().collect(),
            ..Changed::new(state, vec![event])
        })
    }

    /// The deletion of the component.
    #[must_use]
    pub fn delete(self) -> Changed<()> {
        let target = ChangeTarget::Component(self.id);
        Changed::new((), vec![Event::ComponentDeleted(self.id)]).audited(
            Action::ComponentDeleted,
            target,
            self.name,
        )
    }
}

#[cfg(test)]
mod tests;
