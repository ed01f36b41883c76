//! Organisations: the owners of components, incidents, maintenances and subscribers.

use std::fmt;

use validator::Validate;

use crate::id::OrganisationId;
use crate::text;

/// How often an organisation has changed. Each transaction that stores events adds one, so an organisation's events are
/// totally ordered and without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
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

/// An organisation as the status page shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Organisation {
    /// Its identifier at the identity provider.
    pub id: OrganisationId,
    /// Its name.
    pub name: String,
    /// Its newest revision.
    pub revision: Revision,
}

/// What a person enters for an organisation, the text trimmed.
#[derive(Debug, Clone, PartialEq, Eq, Validate)]
pub struct OrganisationDraft {
    /// At least 2 characters.
    #[validate(
        length(min = 2, message = "Name is required"),
        custom(function = text::name_length),
        custom(function = text::one_line)
    )]
    pub name: String,
}
