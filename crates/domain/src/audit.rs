//! The audit log: changes, the changed things, and the originators.

use serde::Serialize;
use strum::{Display, EnumString, VariantArray};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::author::Author;
use crate::event::Event;
use crate::id::{
    ApiKeyId, ComponentGroupId, ComponentId, IncidentId, MaintenanceId, OrganisationId,
};

/// What was done, as `THING.PAST`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, VariantArray)]
#[expect(missing_docs, reason = "each variant has its words beside it")]
pub enum Action {
    #[strum(serialize = "organisation.created")]
    OrganisationCreated,
    #[strum(serialize = "organisation.updated")]
    OrganisationUpdated,
    #[strum(serialize = "domain.verified")]
    DomainVerified,
    #[strum(serialize = "component.created")]
    ComponentCreated,
    #[strum(serialize = "component.updated")]
    ComponentUpdated,
    #[strum(serialize = "component.deleted")]
    ComponentDeleted,
    #[strum(serialize = "component-history.created")]
    ComponentHistoryCreated,
    #[strum(serialize = "component-history.updated")]
    ComponentHistoryUpdated,
    #[strum(serialize = "component-history.deleted")]
    ComponentHistoryDeleted,
    #[strum(serialize = "component-group.created")]
    ComponentGroupCreated,
    #[strum(serialize = "component-group.updated")]
    ComponentGroupUpdated,
    #[strum(serialize = "component-group.deleted")]
    ComponentGroupDeleted,
    #[strum(serialize = "component-order.updated")]
    ComponentOrderUpdated,
    #[strum(serialize = "incident.created")]
    IncidentCreated,
    #[strum(serialize = "incident.updated")]
    IncidentUpdated,
    #[strum(serialize = "incident.deleted")]
    IncidentDeleted,
    #[strum(serialize = "incident-update.created")]
    IncidentUpdateCreated,
    #[strum(serialize = "incident-update.updated")]
    IncidentUpdateUpdated,
    #[strum(serialize = "incident-update.deleted")]
    IncidentUpdateDeleted,
    #[strum(serialize = "incident-review.created")]
    IncidentReviewCreated,
    #[strum(serialize = "incident-review.updated")]
    IncidentReviewUpdated,
    #[strum(serialize = "incident-review.published")]
    IncidentReviewPublished,
    #[strum(serialize = "incident-review.deleted")]
    IncidentReviewDeleted,
    #[strum(serialize = "maintenance.created")]
    MaintenanceCreated,
    #[strum(serialize = "maintenance.updated")]
    MaintenanceUpdated,
    #[strum(serialize = "maintenance.deleted")]
    MaintenanceDeleted,
    #[strum(serialize = "maintenance.started")]
    MaintenanceStarted,
    #[strum(serialize = "maintenance.completed")]
    MaintenanceCompleted,
    #[strum(serialize = "maintenance-update.created")]
    MaintenanceUpdateCreated,
    #[strum(serialize = "maintenance-update.updated")]
    MaintenanceUpdateUpdated,
    #[strum(serialize = "maintenance-update.deleted")]
    MaintenanceUpdateDeleted,
    #[strum(serialize = "subscriber.created")]
    SubscriberCreated,
    #[strum(serialize = "subscriber.updated")]
    SubscriberUpdated,
    #[strum(serialize = "subscriber.deleted")]
    SubscriberDeleted,
    #[strum(serialize = "subscriber.imported")]
    SubscriberImported,
    #[strum(serialize = "member.added")]
    MemberAdded,
    #[strum(serialize = "member.role-changed")]
    MemberRoleChanged,
    #[strum(serialize = "member.removed")]
    MemberRemoved,
    #[strum(serialize = "invitation.created")]
    InvitationCreated,
    #[strum(serialize = "invitation.deleted")]
    InvitationDeleted,
    #[strum(serialize = "api-key.created")]
    ApiKeyCreated,
    #[strum(serialize = "api-key.deleted")]
    ApiKeyDeleted,
    #[strum(serialize = "session.created")]
    SessionCreated,
    #[strum(serialize = "session.refused")]
    SessionRefused,
    #[strum(serialize = "session.deleted")]
    SessionDeleted,
    #[strum(serialize = "password.changed")]
    PasswordChanged,
    #[strum(serialize = "account.updated")]
    AccountUpdated,
    #[strum(serialize = "factor.created")]
    FactorCreated,
    #[strum(serialize = "factor.updated")]
    FactorUpdated,
    #[strum(serialize = "factor.deleted")]
    FactorDeleted,
    #[strum(serialize = "factor.copied")]
    FactorCopied,
    #[strum(serialize = "recovery-codes.created")]
    RecoveryCodesCreated,
}

/// Kind of what a change concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, Serialize, ToSchema)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = ChangeTargetType)]
pub enum TargetType {
    /// The organisation, also for the order of its page.
    Organisation,
    /// A component, also for its history.
    Component,
    /// A group of components.
    ComponentGroup,
    /// An incident, also for its updates and its review.
    Incident,
    /// A maintenance, also for its updates.
    Maintenance,
    /// A subscriber.
    Subscriber,
    /// A person: a member, also for sessions, passwords and factors.
    User,
    /// An invitation to the organisation.
    Invitation,
    /// An API key.
    ApiKey,
}

/// What a change concerns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeTarget {
    /// The organisation of the change.
    Organisation,
    /// A component.
    Component(ComponentId),
    /// A group of components.
    ComponentGroup(ComponentGroupId),
    /// An incident.
    Incident(IncidentId),
    /// A maintenance.
    Maintenance(MaintenanceId),
    /// An API key.
    ApiKey(ApiKeyId),
}

impl ChangeTarget {
    /// Kind of the target.
    #[must_use]
    pub const fn kind(self) -> TargetType {
        match self {
            Self::Organisation => TargetType::Organisation,
            Self::Component(_) => TargetType::Component,
            Self::ComponentGroup(_) => TargetType::ComponentGroup,
            Self::Incident(_) => TargetType::Incident,
            Self::Maintenance(_) => TargetType::Maintenance,
            Self::ApiKey(_) => TargetType::ApiKey,
        }
    }

    /// Identifier of the target in `organisation`.
    #[must_use]
    pub fn id(self, organisation: &OrganisationId) -> String {
        match self {
            Self::Organisation => organisation.to_string(),
            Self::Component(id) => id.to_string(),
            Self::ComponentGroup(id) => id.to_string(),
            Self::Incident(id) => id.to_string(),
            Self::Maintenance(id) => id.to_string(),
            Self::ApiKey(id) => id.to_string(),
        }
    }
}

/// A change as the audit log describes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditedChange {
    /// What was done.
    pub action: Action,
    /// What it was done to.
    pub target: ChangeTarget,
    /// Name of the target; `None` if storage knows it.
    pub name: Option<String>,
}

impl AuditedChange {
    /// The change that a commit with this first event made. `stamp` is the commit's identifier: it
    /// is greater than those of earlier updates, and not greater than that of an update which the
    /// commit records.
    #[must_use]
    pub fn of(event: Event, stamp: Uuid) -> Self {
        use Action as A;
        let recorded = |id: Uuid, created, updated| if id < stamp { updated } else { created };
        let (action, target) = match event {
            Event::OrganisationUpdated => (A::OrganisationUpdated, ChangeTarget::Organisation),
            Event::NewComponent(id) => (A::ComponentCreated, ChangeTarget::Component(id)),
            Event::ComponentUpdate(id) => (A::ComponentUpdated, ChangeTarget::Component(id)),
            Event::ComponentDeleted(id) => (A::ComponentDeleted, ChangeTarget::Component(id)),
            Event::NewComponentGroup(id) => {
                (A::ComponentGroupCreated, ChangeTarget::ComponentGroup(id))
            }
            Event::ComponentGroupUpdate(id) => {
                (A::ComponentGroupUpdated, ChangeTarget::ComponentGroup(id))
            }
            Event::ComponentGroupDeleted(id) => {
                (A::ComponentGroupDeleted, ChangeTarget::ComponentGroup(id))
            }
            Event::ComponentOrderUpdated => (A::ComponentOrderUpdated, ChangeTarget::Organisation),
            Event::NewIncident(id) => (A::IncidentCreated, ChangeTarget::Incident(id)),
            Event::IncidentUpdated(id) => (A::IncidentUpdated, ChangeTarget::Incident(id)),
            Event::IncidentDeleted(id) => (A::IncidentDeleted, ChangeTarget::Incident(id)),
            Event::TimelineUpdated(id, update) => {
                let (created, updated) = (A::IncidentUpdateCreated, A::IncidentUpdateUpdated);
                let action = recorded(update.0, created, updated);
                (action, ChangeTarget::Incident(id))
            }
            Event::IncidentTimelineDeleted(id, _) => {
                (A::IncidentUpdateDeleted, ChangeTarget::Incident(id))
            }
            Event::NewMaintenance(id) => (A::MaintenanceCreated, ChangeTarget::Maintenance(id)),
            Event::MaintenanceUpdated(id) => (A::MaintenanceUpdated, ChangeTarget::Maintenance(id)),
            Event::MaintenanceDeleted(id) => (A::MaintenanceDeleted, ChangeTarget::Maintenance(id)),
            Event::MaintenanceTimelineUpdated(id, update) => {
                let (created, updated) = (A::MaintenanceUpdateCreated, A::MaintenanceUpdateUpdated);
                let action = recorded(update.0, created, updated);
                (action, ChangeTarget::Maintenance(id))
            }
            Event::MaintenanceTimelineDeleted(id, _) => {
                (A::MaintenanceUpdateDeleted, ChangeTarget::Maintenance(id))
            }
        };
        Self {
            action,
            target,
            name: None,
        }
    }
}

/// Kind of the actor that makes a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, Serialize, ToSchema)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[schema(as = ChangeActorType)]
pub enum ActorType {
    /// A person.
    User,
    /// An API key.
    ApiKey,
    /// The identity provider.
    Provider,
    /// The clock, by which maintenances begin and end.
    Scheduler,
}

/// The originator of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Actor {
    /// A person, with the name at that time.
    User(Author),
    /// An API key, with its identifier and its name at that time.
    ApiKey(Author),
    /// The identity provider.
    Provider,
    /// An operator of the installation on its command line. The audit log calls it a provider, too.
    CommandLine,
    /// The clock, by which maintenances begin and end.
    Scheduler,
}

impl Actor {
    /// Kind of the actor.
    #[must_use]
    pub const fn kind(&self) -> ActorType {
        match self {
            Self::User(_) => ActorType::User,
            Self::ApiKey(_) => ActorType::ApiKey,
            Self::Provider | Self::CommandLine => ActorType::Provider,
            Self::Scheduler => ActorType::Scheduler,
        }
    }

    /// Identifier of the actor; `None` if it is neither a person nor an API key.
    #[must_use]
    pub fn id(&self) -> Option<&str> {
        match self {
            Self::User(author) | Self::ApiKey(author) => Some(&author.id),
            Self::Provider | Self::CommandLine | Self::Scheduler => None,
        }
    }

    /// Name of the actor.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::User(author) | Self::ApiKey(author) => &author.name,
            Self::Provider => "Identity provider",
            Self::CommandLine => "Command line",
            Self::Scheduler => "Scheduler",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::{IncidentUpdateId, MaintenanceUpdateId};

    fn action_of(event: Event, stamp: u128) -> String {
        let change = AuditedChange::of(event, Uuid::from_u128(stamp));
        change.action.to_string()
    }

    #[test]
    fn action_is_read_as_it_is_written() {
        for action in Action::VARIANTS {
            let words = action.to_string();
            assert_eq!(words.parse(), Ok(*action));
            let (thing, past) = words.split_once('.').unwrap();
            let is_word = |text: &str| {
                let mut letters = text.chars();
                !text.is_empty() && letters.all(|c| c.is_ascii_lowercase() || c == '-')
            };
            assert!(is_word(thing) && is_word(past), "{words}");
        }
        assert_eq!(Action::ComponentCreated.to_string(), "component.created");
    }

    #[test]
    fn update_of_this_commit_is_created_and_an_earlier_one_is_edited() {
        let (incident, update) = (IncidentId(Uuid::nil()), Uuid::from_u128(7));
        let event = Event::TimelineUpdated(incident, IncidentUpdateId(update));
        assert_eq!(action_of(event, 7), "incident-update.created");
        assert_eq!(action_of(event, 8), "incident-update.updated");
        let maintenance = MaintenanceId(Uuid::nil());
        let update = MaintenanceUpdateId(update);
        let event = Event::MaintenanceTimelineUpdated(maintenance, update);
        assert_eq!(action_of(event, 6), "maintenance-update.created");
        assert_eq!(action_of(event, 9), "maintenance-update.updated");
    }

    #[test]
    fn target_of_an_order_is_the_organisation() {
        let change = AuditedChange::of(Event::ComponentOrderUpdated, Uuid::nil());
        let acme = OrganisationId::parse("acme").unwrap();
        assert_eq!(change.target.kind(), TargetType::Organisation);
        assert_eq!(change.target.id(&acme), "acme");
    }
}
