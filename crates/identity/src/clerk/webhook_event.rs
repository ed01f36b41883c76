//! Payloads of Clerk's webhooks: <https://clerk.com/docs/guides/development/webhooks/overview>,
//! with the types of `packages/backend/src/api/resources/JSON.ts`.

use allclear_application::directory::{DirectoryEvent, MemberChange, MemberRecord, Revocation};
use allclear_domain::id::OrganisationId;
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::claims::role;

/// A webhook's body.
#[derive(Deserialize)]
pub(crate) struct Event {
    #[serde(rename = "type")]
    kind: String,
    data: Value,
    /// When it happened, in milliseconds.
    timestamp: Option<i64>,
}

/// `UserJSON`.
#[derive(Deserialize)]
pub(crate) struct User {
    id: String,
    first_name: Option<String>,
    last_name: Option<String>,
    username: Option<String>,
    #[serde(default)]
    email_addresses: Vec<EmailAddress>,
    primary_email_address_id: Option<String>,
    #[serde(default)]
    banned: bool,
    updated_at: Option<i64>,
}

/// `EmailAddressJSON`.
#[derive(Deserialize)]
struct EmailAddress {
    id: String,
    #[serde(rename = "email_address")]
    address: String,
    verification: Option<Verification>,
}

/// `VerificationJSON`.
#[derive(Deserialize)]
struct Verification {
    status: String,
}

/// `OrganizationJSON`.
#[derive(Deserialize)]
struct Organisation {
    id: String,
    name: String,
    updated_at: Option<i64>,
}

/// `OrganizationMembershipJSON`.
#[derive(Deserialize)]
struct Membership {
    organization: Organisation,
    public_user_data: PublicUserData,
    role: Option<String>,
}

/// What a removal needs of an `OrganizationMembershipJSON`: less than a change of it, so that
/// nothing else can keep access open.
#[derive(Deserialize)]
struct Removal {
    organization: Identified,
    public_user_data: PublicUserData,
}

/// `OrganizationMembershipPublicUserDataJSON`.
#[derive(Deserialize)]
struct PublicUserData {
    user_id: String,
}

/// `SessionJSON`, `DeletedObjectJSON`.
#[derive(Deserialize)]
struct Identified {
    id: String,
}

impl User {
    /// The primary mail address, if it is verified.
    pub(crate) fn address(self) -> Option<String> {
        let primary = self.primary_email_address_id?;
        let mut addresses = self.email_addresses.into_iter();
        let found = addresses.find(|address| address.id == primary)?;
        let verification = found.verification?;
        (verification.status == "verified").then_some(found.address)
    }

    /// The first and last name; without both, the user name or the mail address.
    pub(crate) fn name(&self) -> Option<String> {
        let parts = [&self.first_name, &self.last_name]
            .into_iter()
            .flatten()
            .map(|part| part.trim());
        let full = parts
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(" ");
        let primary =
            |address: &&EmailAddress| Some(&address.id) == self.primary_email_address_id.as_ref();
        let address = self
            .email_addresses
            .iter()
            .find(primary)
            .or(self.email_addresses.first());
        let username = self.username.clone().filter(|name| !name.trim().is_empty());
        let known = (!full.is_empty()).then_some(full).or(username);
        known.or_else(|| address.map(|found| found.address.clone()))
    }
}

impl Event {
    /// Time of the event, if given.
    pub(crate) fn happened_at(&self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp_millis(self.timestamp?)
    }

    /// Returns the changes that concern Allclear; empty for other kinds of events.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(crate) fn events(self, happened_at: DateTime<Utc>) -> Result<Vec<DirectoryEvent>, String> {
        let data = self.data;
        Ok(match self.kind.as_str() {
            "organization.created" | "organization.updated" => {
                vec![named(read(data)?, happened_at)?]
            }
            "organization.deleted" => vec![DirectoryEvent::OrganisationDeleted(organisation(
                &read::<Identified>(data)?.id,
            )?)],
            "organizationMembership.created" => {
                member(read(data)?, MemberChange::Joined, happened_at)?
            }
            "organizationMembership.updated" => {
                member(read(data)?, MemberChange::Updated, happened_at)?
            }
            "organizationMembership.deleted" => {
                let found: Removal = read(data)?;
                let organisation = organisation(&found.organization.id)?;
                vec![DirectoryEvent::Revoked(Revocation::Membership {
                    organisation,
                    user: found.public_user_data.user_id,
                })]
            }
            "user.created" | "user.updated" => {
                let found: User = read(data)?;
                let banned = found
                    .banned
                    .then(|| DirectoryEvent::Revoked(Revocation::User(found.id.clone())));
                let as_of = as_of(found.updated_at, happened_at);
                let named = found.name().map(|name| DirectoryEvent::User {
                    id: found.id.clone(),
                    name,
                    as_of,
                });
                banned.into_iter().chain(named).collect()
            }
            "user.deleted" => vec![DirectoryEvent::Revoked(Revocation::User(
                read::<Identified>(data)?.id,
            ))],
            "session.ended" | "session.removed" | "session.revoked" => {
                vec![DirectoryEvent::Revoked(Revocation::Session(
                    read::<Identified>(data)?.id,
                ))]
            }
            _ => Vec::new(),
        })
    }
}

/// Time at which a thing was as it is reported.
fn as_of(updated_at: Option<i64>, happened_at: DateTime<Utc>) -> DateTime<Utc> {
    updated_at
        .and_then(DateTime::from_timestamp_millis)
        .unwrap_or(happened_at)
}

/// The name of an organisation.
fn named(found: Organisation, happened_at: DateTime<Utc>) -> Result<DirectoryEvent, String> {
    Ok(DirectoryEvent::Organisation {
        id: organisation(&found.id)?,
        name: found.name,
        as_of: as_of(found.updated_at, happened_at),
    })
}

/// A change of a membership, after the organisation, whose own message may come later.
fn member(
    found: Membership,
    change: MemberChange,
    happened_at: DateTime<Utc>,
) -> Result<Vec<DirectoryEvent>, String> {
    let record = MemberRecord {
        organisation: organisation(&found.organization.id)?,
        user: found.public_user_data.user_id,
        role: role(found.role.as_deref()),
        change,
        as_of: happened_at,
    };
    let organisation = named(found.organization, happened_at)?;
    Ok(vec![organisation, DirectoryEvent::Member(record)])
}

fn read<T: DeserializeOwned>(data: Value) -> Result<T, String> {
    serde_json::from_value(data).map_err(|error| error.to_string())
}

fn organisation(id: &str) -> Result<OrganisationId, String> {
    OrganisationId::parse(id).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
