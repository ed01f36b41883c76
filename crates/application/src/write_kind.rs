//! The kinds of changes of an organisation.

use allclear_domain::audit::Actor;
use allclear_domain::event::Event;
use allclear_domain::permission::Permission;
use serde::{Deserialize, Serialize};

use crate::caller::Caller;

/// A kind of changes of an organisation. Each has limits of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteKind {
    /// Changes by people.
    Person,
    /// Changes by API keys. A key in a loop, or a stolen one, does not keep people from writing.
    ApiKey,
    /// Changes that only admins may make. Nobody else can keep an admin from them.
    Administration,
}

impl WriteKind {
    /// The kind of the changes that need this permission, if this caller makes them.
    #[must_use]
    pub const fn of(permission: Permission, caller: &Caller) -> Self {
        match (permission, caller.api_key) {
            (Permission::Administer, _) => Self::Administration,
            (_, Some(_)) => Self::ApiKey,
            (_, None) => Self::Person,
        }
    }

    /// The kind of a change with these events; `None` if neither a person nor an API key made it.
    /// What the clock publishes counts when it is scheduled: an API key could otherwise use up the
    /// limits of people with maintenances.
    #[must_use]
    pub fn of_commit(originator: &Actor, events: &[Event]) -> Option<Self> {
        let is_of_admin = |event: &Event| *event == Event::OrganisationUpdated;
        match originator {
            Actor::User(_) | Actor::ApiKey(_) if events.iter().all(is_of_admin) => {
                Some(Self::Administration)
            }
            Actor::User(_) => Some(Self::Person),
            Actor::ApiKey(_) => Some(Self::ApiKey),
            Actor::Provider | Actor::CommandLine | Actor::Scheduler => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use allclear_domain::author::Author;
    use allclear_domain::id::MaintenanceId;
    use uuid::Uuid;

    use super::*;

    #[test]
    fn commit_counts_for_those_that_made_it() {
        let author = || Author {
            id: "1".into(),
            name: "Ann".into(),
        };
        let maintenance = Event::MaintenanceUpdated(MaintenanceId(Uuid::nil()));
        for (originator, of_content, of_settings) in [
            (
                Actor::User(author()),
                Some(WriteKind::Person),
                Some(WriteKind::Administration),
            ),
            (
                Actor::ApiKey(author()),
                Some(WriteKind::ApiKey),
                Some(WriteKind::Administration),
            ),
            (Actor::Scheduler, None, None),
            (Actor::Provider, None, None),
            (Actor::CommandLine, None, None),
        ] {
            let kind = |event| WriteKind::of_commit(&originator, &[event]);
            assert_eq!(kind(maintenance), of_content, "{originator:?}");
            assert_eq!(
                kind(Event::OrganisationUpdated),
                of_settings,
                "{originator:?}"
            );
        }
    }
}
