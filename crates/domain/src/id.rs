//! Identifiers, a type for each kind, so that they cannot be confused.

use std::borrow::Borrow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::code::{Code, feed_number};

/// Declares an identifier type over a `UUIDv7` (RFC 9562, section 5.7).
macro_rules! identifier {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub Uuid);

        impl $name {
            /// The public code of what this identifier names.
            #[must_use]
            pub fn code(self) -> Code {
                Code::of(self.0.as_bytes())
            }

            /// The public code of a Statuspage entry that follows from what this identifier names
            /// and has no identifier of its own.
            #[must_use]
            pub fn statuspage_entry_code(self, entry: &str) -> Code {
                Code::of(&[self.0.as_bytes(), entry.as_bytes()].concat())
            }

            /// The number of what this identifier names in feeds.
            #[must_use]
            pub fn feed_number(self) -> u64 {
                feed_number(self.0.as_bytes())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.hyphenated().fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::try_parse(text).map(Self)
            }
        }
    };
}

identifier!(
    /// Names a component.
    ComponentId
);

identifier!(
    /// Names a period of a component's status.
    StatusPeriodId
);

identifier!(
    /// Names a group of components.
    ComponentGroupId
);

identifier!(
    /// Names an incident.
    IncidentId
);

identifier!(
    /// Names an update of an incident: an entry of its timeline.
    IncidentUpdateId
);

identifier!(
    /// Names an account of the built-in identity provider.
    UserId
);

identifier!(
    /// Names a session: one sign-in of one account in one browser.
    SessionId
);

identifier!(
    /// Names an invitation, to an organisation or to the installation.
    InvitationId
);

identifier!(
    /// Identifies an entry of the waitlist.
    WaitlistId
);

identifier!(
    /// Names a maintenance.
    MaintenanceId
);

identifier!(
    /// Names an update of a maintenance.
    MaintenanceUpdateId
);

identifier!(
    /// Names a subscriber.
    SubscriberId
);

identifier!(
    /// Names an API key.
    ApiKeyId
);

identifier!(
    /// Names a passkey of an account.
    PasskeyId
);

/// Identifier of an organisation: the identity provider's string, unchanged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct OrganisationId(String);

impl OrganisationId {
    /// Maximum length in bytes. Providers use about thirty.
    pub const MAX_LENGTH: usize = 64;

    /// Reads an identifier: 1 to [`Self::MAX_LENGTH`] ASCII letters, digits, `_` and `-`.
    ///
    /// # Errors
    /// [`NotAnOrganisationId`] for anything else; no organisation has such a name, so callers treat
    /// it as unknown.
    pub fn parse(text: &str) -> Result<Self, NotAnOrganisationId> {
        let fits = (1..=Self::MAX_LENGTH).contains(&text.len());
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        if fits && text.bytes().all(plain) {
            Ok(Self(text.to_owned()))
        } else {
            Err(NotAnOrganisationId)
        }
    }

    /// The public code of the organisation.
    #[must_use]
    pub fn code(&self) -> Code {
        Code::of(self.0.as_bytes())
    }

    /// The identifier as the provider writes it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for OrganisationId {
    type Err = NotAnOrganisationId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl TryFrom<String> for OrganisationId {
    type Error = NotAnOrganisationId;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

/// Allows look-ups in a map by the identifier's text.
impl Borrow<str> for OrganisationId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for OrganisationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The text is not a valid identifier of an organisation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not an organisation's identifier")]
pub struct NotAnOrganisationId;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_organisation_id_is_plain_and_bounded() {
        assert!(OrganisationId::parse("org_2abcDEF-9").is_ok());
        for bad in ["", "a b", "org/1", "org\0", "é", &"x".repeat(65)] {
            assert_eq!(
                OrganisationId::parse(bad),
                Err(NotAnOrganisationId),
                "{bad:?}"
            );
        }
    }

    #[test]
    fn an_identifier_reads_what_it_writes() {
        let id = ComponentId(Uuid::from_u128(7));
        assert_eq!(id.to_string().parse(), Ok(id));
    }
}
