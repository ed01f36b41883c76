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
fn each_relevant_event_changes_the_directory() {
    let updated_at = DateTime::from_timestamp_millis(1_654_012_591_514).unwrap();
    let organisation =
        json!({"id": "org_1", "name": "Acme", "slug": "acme", "updated_at": 1_654_012_591_514_i64});
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

#[test]
fn removal_of_a_member_needs_no_more_than_the_identifiers() {
    let data = json!({"organization": {"id": "org_1"}, "public_user_data": {"user_id": "user_1"}});
    let left = Revocation::Membership {
        organisation: acme(),
        user: "user_1".into(),
    };
    let found = events("organizationMembership.deleted", &data);
    assert_eq!(found, Ok(vec![DirectoryEvent::Revoked(left)]));
}
