//! Payloads of Clerk's webhooks: <https://clerk.com/docs/guides/development/webhooks/overview>, with the types of
//! `packages/backend/src/api/resources/JSON.ts`.

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
    email_address: String,
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
        known.or_else(|| address.map(|address| address.email_address.clone()))
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
                let found: Membership = read(data)?;
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
mod tests {
    use super::*;
    use allclear_domain::membership::Role;
    use serde_json::json;

    fn at() -> DateTime<Utc> {
        DateTime::from_timestamp_millis(1_654_012_591_835).unwrap()
    }

    fn events(kind: &str, data: &Value) -> Result<Vec<DirectoryEvent>, String> {
        let event: Event = serde_json::from_value(json!({
            "data": data, "object": "event", "type": kind, "timestamp": 1_654_012_591_835_i64, "instance_id": "ins_1",
            "event_attributes": {"http_request": {"client_ip": "0.0.0.0", "user_agent": ""}},
        }))
        .unwrap();
        let happened_at = event.happened_at().unwrap();
        assert_eq!(happened_at, at());
        event.events(happened_at)
    }

    fn acme() -> OrganisationId {
        OrganisationId::parse("org_1").unwrap()
    }

    #[test]
    fn each_event_of_concern_is_news() {
        let updated_at = DateTime::from_timestamp_millis(1_654_012_591_514).unwrap();
        let organisation = json!({"id": "org_1", "name": "Acme", "slug": "acme", "updated_at": 1_654_012_591_514_i64});
        let membership = json!({
            "id": "orgmem_1", "role": "org:member", "organization": organisation,
            "public_user_data": {"user_id": "user_1", "identifier": "ann@example.com"},
        });
        let deleted = |id: &str| json!({"id": id, "object": "any", "deleted": true});
        let session =
            json!({"id": "sess_1", "object": "session", "status": "revoked", "user_id": "user_1"});
        let named = DirectoryEvent::Organisation {
            id: acme(),
            name: "Acme".into(),
            as_of: updated_at,
        };
        let left = Revocation::Membership {
            organisation: acme(),
            user: "user_1".into(),
        };
        for (kind, data, expected) in [
            ("organization.created", organisation.clone(), named.clone()),
            ("organization.updated", organisation.clone(), named),
            (
                "organization.deleted",
                deleted("org_1"),
                DirectoryEvent::OrganisationDeleted(acme()),
            ),
            (
                "organizationMembership.deleted",
                membership.clone(),
                DirectoryEvent::Revoked(left),
            ),
            (
                "user.deleted",
                deleted("user_1"),
                DirectoryEvent::Revoked(Revocation::User("user_1".into())),
            ),
            (
                "session.ended",
                session.clone(),
                DirectoryEvent::Revoked(Revocation::Session("sess_1".into())),
            ),
            (
                "session.removed",
                session.clone(),
                DirectoryEvent::Revoked(Revocation::Session("sess_1".into())),
            ),
            (
                "session.revoked",
                session.clone(),
                DirectoryEvent::Revoked(Revocation::Session("sess_1".into())),
            ),
        ] {
            assert_eq!(events(kind, &data), Ok(vec![expected]), "{kind}");
        }
        for kind in ["session.created", "email.created", "anything.new"] {
            assert_eq!(events(kind, &membership), Ok(Vec::new()), "{kind}");
        }
    }

    #[test]
    fn change_of_a_membership_names_the_organisation_and_the_role() {
        let updated_at = DateTime::from_timestamp_millis(1_654_012_591_514).unwrap();
        for (kind, change) in [
            ("organizationMembership.created", MemberChange::Joined),
            ("organizationMembership.updated", MemberChange::Updated),
        ] {
            for (name, role) in [
                ("org:admin", Role::Admin),
                ("org:viewer", Role::Viewer),
                ("org:member", Role::Editor),
                ("org:billing", Role::Editor),
            ] {
                let membership = json!({
                    "id": "orgmem_1", "role": name, "public_user_data": {"user_id": "user_1", "identifier": "ann@example.com"},
                    "organization": {"id": "org_1", "name": "Acme", "updated_at": 1_654_012_591_514_i64},
                });
                let organisation = DirectoryEvent::Organisation {
                    id: acme(),
                    name: "Acme".into(),
                    as_of: updated_at,
                };
                let member = DirectoryEvent::Member(MemberRecord {
                    organisation: acme(),
                    user: "user_1".into(),
                    role,
                    change,
                    as_of: at(),
                });
                assert_eq!(events(kind, &membership), Ok(vec![organisation, member]));
            }
        }
    }

    #[test]
    fn a_user_is_called_by_name_or_else_by_what_there_is() {
        let name = |change: Value| {
            let mut data = json!({
                "id": "user_1", "first_name": null, "last_name": null, "username": null, "primary_email_address_id": "idn_2",
                "email_addresses": [
                    {"id": "idn_1", "email_address": "old@example.com"}, {"id": "idn_2", "email_address": "ann@example.com"},
                ],
            });
            data.as_object_mut()
                .unwrap()
                .extend(change.as_object().unwrap().clone());
            match events("user.updated", &data).unwrap().as_slice() {
                [DirectoryEvent::User { id, name, as_of }] if id == "user_1" && *as_of == at() => {
                    Some(name.clone())
                }
                _ => None,
            }
        };
        assert_eq!(
            name(json!({"first_name": "Ann", "last_name": "Lee", "username": "al"})).as_deref(),
            Some("Ann Lee")
        );
        assert_eq!(
            name(json!({"first_name": " ", "last_name": "Lee"})).as_deref(),
            Some("Lee")
        );
        assert_eq!(name(json!({"username": "al"})).as_deref(), Some("al"));
        assert_eq!(name(json!({})).as_deref(), Some("ann@example.com"));
        assert_eq!(name(json!({"email_addresses": []})), None);
    }

    #[test]
    fn a_banned_users_tokens_end() {
        let banned = events(
            "user.updated",
            &json!({"id": "user_1", "username": "al", "banned": true}),
        )
        .unwrap();
        assert!(banned.contains(&DirectoryEvent::Revoked(Revocation::User("user_1".into()))));
    }

    #[test]
    fn unreadable_event_is_an_error() {
        assert!(events("organization.deleted", &json!({"deleted": true})).is_err());
        assert!(events("organization.created", &json!({"id": "../x", "name": "X"})).is_err());
        assert!(events("session.ended", &json!({"id": 7})).is_err());
    }
}
