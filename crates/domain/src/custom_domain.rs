//! Domains of organisations: the host names at which public pages are served.

use std::fmt;
use std::str::FromStr;

use chrono::{DateTime, Utc};
use idna::AsciiDenyList;
use idna::uts46::{DnsLength, Hyphens, Uts46};
use serde::Serialize;
use strum::{Display, EnumString};
use url::Host;
use utoipa::ToSchema;

use crate::event::{Changed, Event};
use crate::organisation::Organisation;

/// A host name of at least two labels in ASCII and lower case, such as `status.example.com`. It has
/// no scheme, port, path or trailing dot, and it is not an IP address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DomainName(String);

/// A text that is not the name of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("Invalid domain name")]
pub struct InvalidDomainName;

impl DomainName {
    /// Maximum length of a text that can be a name, in bytes. A name in other letters may be longer
    /// than its ASCII form.
    const MAX_TEXT_LENGTH: usize = 1_024;

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for DomainName {
    type Err = InvalidDomainName;

    /// Reads a name in any case; an internationalised one becomes its ASCII form (UTS 46).
    fn from_str(text: &str) -> Result<Self, InvalidDomainName> {
        if text.len() > Self::MAX_TEXT_LENGTH {
            return Err(InvalidDomainName);
        }
        let ascii = Uts46::new()
            .to_ascii(
                text.as_bytes(),
                AsciiDenyList::STD3,
                Hyphens::CheckFirstLast,
                DnsLength::Verify,
            )
            .map_err(|_| InvalidDomainName)?;
        match Host::parse(&ascii) {
            Ok(Host::Domain(name)) if name == ascii && name.contains('.') => Ok(Self(name)),
            _ => Err(InvalidDomainName),
        }
    }
}

impl fmt::Display for DomainName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a claim to a domain is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Display, EnumString, Serialize, ToSchema)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum DomainStatus {
    /// The domain has not served the token of the claim.
    Pending,
    /// The domain has served the token of the claim.
    Verified,
}

/// The claim of an organisation to a domain. Several organisations may claim a domain; one of them
/// may have verified it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DomainClaim {
    /// The domain.
    pub name: DomainName,
    /// The text that the domain must serve. Only admins may see it before the check.
    pub token: String,
    /// Whether the domain has served it.
    pub status: DomainStatus,
    /// When the domain served the token; `None` while the claim is pending.
    pub checked_at: Option<DateTime<Utc>>,
    /// When the domain was claimed.
    pub created_at: DateTime<Utc>,
}

impl DomainClaim {
    /// A claim that is not proven.
    #[must_use]
    pub const fn new(name: DomainName, token: String, created_at: DateTime<Utc>) -> Self {
        Self {
            name,
            token,
            status: DomainStatus::Pending,
            checked_at: None,
            created_at,
        }
    }

    /// Whether the claim is proven.
    #[must_use]
    pub fn is_verified(&self) -> bool {
        self.status == DomainStatus::Verified
    }
}

impl Organisation {
    /// The domain of the public pages; `None` without a verified one.
    #[must_use]
    pub fn verified_domain(&self) -> Option<&DomainName> {
        let claim = self.domain.as_ref()?;
        claim.is_verified().then_some(&claim.name)
    }

    /// This organisation with a claim in place of its present one. A claim to the same domain stays
    /// as it is, with its token.
    #[must_use]
    pub fn claim_domain(self, claim: DomainClaim) -> Changed<Self> {
        let known = self.domain.as_ref();
        if known.is_some_and(|known| known.name == claim.name) {
            return Changed::without_events(self);
        }
        let claimed = Self {
            domain: Some(claim),
            ..self.clone()
        };
        claimed.in_place_of(&self)
    }

    /// This organisation with the claim that has this token proven. `None` if it has no such claim
    /// any more.
    #[must_use]
    pub fn verify_domain(mut self, token: &str, now: DateTime<Utc>) -> Option<Changed<Self>> {
        let claim = self.domain.as_mut().filter(|claim| claim.token == token)?;
        if claim.is_verified() {
            return Some(Changed::without_events(self));
        }
        claim.status = DomainStatus::Verified;
        claim.checked_at = Some(now);
        Some(Changed::new(self, vec![Event::OrganisationUpdated]))
    }

    /// This organisation without a domain.
    #[must_use]
    pub fn remove_domain(self) -> Changed<Self> {
        let removed = Self {
            domain: None,
            ..self.clone()
        };
        removed.in_place_of(&self)
    }
}

#[cfg(test)]
mod tests;
