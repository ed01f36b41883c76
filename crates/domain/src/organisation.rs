//! Organisations: the owners of components, incidents, maintenances and subscribers.

use std::fmt;

use serde::{Deserialize, Serialize};
use validator::Validate;

use crate::audit::{Action, ChangeTarget};
use crate::channel::PublicChannels;
use crate::custom_domain::DomainClaim;
use crate::event::{Changed, Event};
use crate::id::OrganisationId;
use crate::text;
use crate::time_zone::TimeZone;
use crate::validation::Invalid;

/// How often an organisation has changed. Each transaction that stores events adds one, so an
/// organisation's events are totally ordered and without gaps.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Revision(pub i64);

impl Revision {
    /// The revision that follows.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An organisation with the settings of its public pages, as stored.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct Organisation {
    /// Its identifier at the identity provider.
    pub id: OrganisationId,
    /// Its name: at least 2 characters.
    #[validate(custom(function = text::name))]
    pub name: String,
    /// The time zone of its public pages: days, bars and times are in it.
    pub time_zone: TimeZone,
    /// The title of its public pages; `None` if it is the name.
    #[validate(custom(function = text::name_length), custom(function = text::one_line))]
    pub page_title: Option<String>,
    /// A description on its public pages; `None` if there is none.
    #[validate(custom(function = text::description_length), custom(function = text::no_nul))]
    pub page_description: Option<String>,
    /// Where visitors find help, an absolute http, https or mailto URL; `None` if there is none.
    #[validate(custom(function = text::link))]
    pub support_url: Option<String>,
    /// Whether changes notify subscribers if the operator does not say.
    pub notify_by_default: bool,
    /// Channels that visitors may subscribe by.
    pub public_channels: PublicChannels,
    /// After how many hours without an update an open incident reminds the editors and admins by
    /// mail; `None` for never. 1 to 720.
    #[validate(range(min = 1, max = 720, message = "Must be from 1 to 720"))]
    pub reminder_hours: Option<u16>,
    /// Its claim to a domain; `None` if there is none.
    pub domain: Option<DomainClaim>,
    /// Its newest revision.
    pub revision: Revision,
    /// The version of its name, settings and claim for conditional writes. It grows with each
    /// change of them.
    pub version: Revision,
}

/// A change to an organisation: only what is present changes. `Some(None)` empties a field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OrganisationPatch {
    /// A new name.
    pub name: Option<String>,
    /// A new time zone.
    pub time_zone: Option<TimeZone>,
    /// A new title of the public pages.
    pub page_title: Option<Option<String>>,
    /// A new description.
    pub page_description: Option<Option<String>>,
    /// A new support link.
    pub support_url: Option<Option<String>>,
    /// A new default for notifying subscribers.
    pub notify_by_default: Option<bool>,
    /// Channels that visitors may subscribe by.
    pub public_channels: Option<PublicChannels>,
    /// New hours until a reminder.
    pub reminder_hours: Option<Option<u16>>,
}

impl Organisation {
    /// An organisation with the default settings.
    #[must_use]
    pub fn new(id: OrganisationId, name: String) -> Self {
        Self {
            id,
            name,
            time_zone: TimeZone::default(),
            page_title: None,
            page_description: None,
            support_url: None,
            notify_by_default: true,
            public_channels: PublicChannels::default(),
            reminder_hours: None,
            domain: None,
            revision: Revision::default(),
            version: Revision::default(),
        }
    }

    /// The title of the public pages.
    #[must_use]
    pub fn effective_title(&self) -> &str {
        self.page_title.as_deref().unwrap_or(&self.name)
    }

    /// This organisation with an admin's changes.
    ///
    /// # Errors
    /// [`Invalid`] if the result breaks a rule of its fields. A name and a support link that stay
    /// are not checked again.
    pub fn edit(self, patch: OrganisationPatch) -> Result<Changed<Self>, Invalid> {
        let before = self.clone();
        let after = Self {
            name: patch.name.unwrap_or(self.name),
            time_zone: patch.time_zone.unwrap_or(self.time_zone),
            page_title: patch.page_title.unwrap_or(self.page_title),
            page_description: patch.page_description.unwrap_or(self.page_description),
            support_url: patch.support_url.unwrap_or(self.support_url),
            notify_by_default: patch.notify_by_default.unwrap_or(self.notify_by_default),
            public_channels: patch.public_channels.unwrap_or(self.public_channels),
            reminder_hours: patch.reminder_hours.unwrap_or(self.reminder_hours),
            ..before.clone()
        };
        let mut invalid = Invalid::default();
        invalid.check(&after);
        if after.name == before.name {
            // The name may be an identifier or come from an identity provider; the operator could
            // not correct it.
            invalid.errors.retain(|error| error.field != "name");
        }
        if after.support_url == before.support_url {
            // Links were accepted by a weaker rule.
            invalid.errors.retain(|error| error.field != "supportUrl");
        }
        invalid.into_result()?;
        Ok(after.in_place_of(&before))
    }

    /// The change from `before` to this organisation. It has an event if the public pages show
    /// something of it.
    pub(crate) fn in_place_of(self, before: &Self) -> Changed<Self> {
        if self == *before {
            return Changed::without_events(self);
        }
        if !self.looks_like(before) {
            return Changed::new(self, vec![Event::OrganisationUpdated]);
        }
        let name = self.name.clone();
        Changed::without_events(self).audited(
            Action::OrganisationUpdated,
            ChangeTarget::Organisation,
            name,
        )
    }

    /// Whether only operators see the difference to another state of this organisation.
    fn looks_like(&self, other: &Self) -> bool {
        let private = Self {
            notify_by_default: other.notify_by_default,
            reminder_hours: other.reminder_hours,
            domain: other.domain.clone(),
            revision: other.revision,
            version: other.version,
            ..self.clone()
        };
        private == *other && self.verified_domain() == other.verified_domain()
    }
}

/// What a person enters for an organisation, the text trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct OrganisationDraft {
    /// At least 2 characters.
    #[validate(custom(function = text::name))]
    pub name: String,
}

impl OrganisationDraft {
    /// The draft with a name from an identity provider, [cleaned](text::clean_line). `None` if the
    /// name breaks a rule even then.
    #[must_use]
    pub fn from_provider(name: &str) -> Option<Self> {
        let draft = Self {
            name: text::clean_line(name, text::MAX_NAME_LENGTH),
        };
        draft.validate().is_ok().then_some(draft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn acme() -> Organisation {
        Organisation::new(OrganisationId::parse("acme").unwrap(), "Acme".into())
    }

    #[test]
    fn page_title_is_the_name_until_one_is_set() {
        let patch = OrganisationPatch {
            page_title: Some(Some("Acme Cloud".into())),
            ..Default::default()
        };
        let titled = acme().edit(patch).unwrap();
        assert_eq!(acme().effective_title(), "Acme");
        assert_eq!(titled.state.effective_title(), "Acme Cloud");
        assert_eq!(titled.events, [Event::OrganisationUpdated]);
        let cleared = titled.state.edit(OrganisationPatch {
            page_title: Some(None),
            ..Default::default()
        });
        assert_eq!(cleared.unwrap().state, acme());
    }

    #[test]
    fn settings_that_only_operators_see_cause_no_event() {
        let private = OrganisationPatch {
            notify_by_default: Some(false),
            reminder_hours: Some(Some(4)),
            ..Default::default()
        };
        let changed = acme().edit(private.clone()).unwrap();
        assert!(changed.has_no_events());
        assert_eq!(changed.audited[0].action, Action::OrganisationUpdated);
        assert_eq!(changed.state.reminder_hours, Some(4));
        let both = OrganisationPatch {
            time_zone: Some("Europe/Berlin".parse().unwrap()),
            ..private
        };
        assert_eq!(
            acme().edit(both).unwrap().events,
            [Event::OrganisationUpdated]
        );
    }

    #[test]
    fn unchanged_settings_cause_no_event() {
        let same = OrganisationPatch {
            name: Some("Acme".into()),
            ..Default::default()
        };
        assert!(acme().edit(same).unwrap().has_no_events());
    }

    #[test]
    fn stored_name_that_breaks_a_rule_does_not_block_other_settings() {
        for name in ["X", "Ac\u{202E}me", ""] {
            let stored = Organisation {
                name: name.into(),
                ..acme()
            };
            for sent in [None, Some(name.to_owned())] {
                let patch = OrganisationPatch {
                    name: sent,
                    notify_by_default: Some(false),
                    ..Default::default()
                };
                let edited = stored.clone().edit(patch).unwrap().state;
                assert_eq!(
                    (edited.name.as_str(), edited.notify_by_default),
                    (name, false)
                );
            }
            let renamed = OrganisationPatch {
                name: Some("Y".into()),
                ..Default::default()
            };
            assert_eq!(
                stored.edit(renamed),
                Err(Invalid::field("name", "Name is required"))
            );
        }
    }

    #[test]
    fn provider_name_that_no_person_may_enter_is_no_name() {
        for name in ["", "X", " X\n", "\u{202E}X\u{2066}"] {
            assert_eq!(OrganisationDraft::from_provider(name), None, "{name:?}");
        }
    }

    #[test]
    fn stored_support_link_that_breaks_a_rule_does_not_block_other_settings() {
        let stored = Organisation {
            support_url: Some("https:///acme.example".into()),
            ..acme()
        };
        for sent in [None, Some(stored.support_url.clone())] {
            let patch = OrganisationPatch {
                support_url: sent,
                notify_by_default: Some(false),
                ..Default::default()
            };
            let edited = stored.clone().edit(patch).unwrap().state;
            assert_eq!(edited.support_url, stored.support_url);
            assert!(!edited.notify_by_default);
        }
    }

    proptest! {
        #[test]
        fn every_name_from_a_provider_passes_the_validation(name in "(\\PC|[\\x00-\\x20]|[\u{2028}-\u{202E}\u{2066}-\u{2069}]){0,210}") {
            if let Some(draft) = OrganisationDraft::from_provider(&name) {
                let patch = OrganisationPatch { name: Some(draft.name.clone()), ..Default::default() };
                let organisation = acme().edit(patch).unwrap().state;
                prop_assert!(organisation.validate().is_ok());
                prop_assert_eq!(organisation.name, draft.name);
            }
        }
    }

    #[test]
    fn support_link_is_an_absolute_web_or_mail_address() {
        let edit = |link: &str| {
            acme().edit(OrganisationPatch {
                support_url: Some(Some(link.into())),
                ..Default::default()
            })
        };
        for link in [
            "https://acme.example/help",
            "http://acme.example",
            "mailto:help@acme.example",
        ] {
            assert!(edit(link).is_ok(), "{link}");
        }
        let long = format!("https://acme.example/{}", "x".repeat(2_000));
        for link in [
            "javascript:alert(1)",
            "/help",
            "acme.example",
            "ftp://acme.example",
            "https://",
            "https:///acme.example",
            "https://ann:pass@acme.example",
            "https://acme.example/\"><script>",
            "http://a\nb.example",
            &long,
        ] {
            let refused = edit(link).unwrap_err();
            assert!(
                refused
                    .errors
                    .iter()
                    .all(|error| error.field == "supportUrl"),
                "{link}"
            );
        }
    }
}
