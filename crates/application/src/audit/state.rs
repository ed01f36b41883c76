//! The states of things before and after a change, as JSON with the fields of the API.
//!
//! A state has neither secrets nor names and addresses of persons: the audit log keeps it after the
//! thing or the account is deleted. Mail addresses are [masked](MaskedAddress).

use allclear_domain::account::User;
use allclear_domain::api_key::ApiKey;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{ComponentId, UserId};
use allclear_domain::incident::Incident;
use allclear_domain::incident_update::IncidentUpdate;
use allclear_domain::maintenance::{Maintenance, MaintenanceStatus};
use allclear_domain::maintenance_update::MaintenanceUpdate;
use allclear_domain::membership::Role;
use allclear_domain::organisation::Organisation;
use allclear_domain::page_order::PageOrder;
use allclear_domain::review::Review;
use allclear_domain::status_period::{PeriodCause, StatusPeriod};
use allclear_domain::subscriber::Subscriber;
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::component::ComponentReport;
use crate::component_group::ComponentGroupReport;
use crate::invitation::Invitation;
use crate::security_log::MaskedAddress;
use crate::status_page::component_group::PublicOrder;
use crate::timestamp;

/// Longest text of a state, in characters.
pub const MAX_TEXT_LENGTH: usize = 2_000;
/// Most bytes of a state's texts and lists, without the escapes of JSON and the marks of what is
/// cut.
pub const MAX_STATE_BYTES: usize = 16 * 1024;

/// An API key, without its text.
#[must_use]
pub fn api_key(key: &ApiKey) -> Value {
    json!({
        "id": key.id.to_string(),
        "name": key.name,
        "role": key.role,
        "prefix": key.prefix,
        "expiresAt": key.expires_at.as_ref().map(timestamp::text),
    })
}

/// The JSON of a state for storage. A text longer than [`MAX_TEXT_LENGTH`] is cut, and what does
/// not fit into [`MAX_STATE_BYTES`] is left out; both are marked by `… N more`.
#[must_use]
pub fn stored(mut state: Value) -> String {
    let mut room = MAX_STATE_BYTES;
    cut(&mut state, &mut room);
    state.to_string()
}

fn cut(value: &mut Value, room: &mut usize) {
    match value {
        Value::String(text) => {
            let longest = text.char_indices().nth(MAX_TEXT_LENGTH);
            let end = longest.map_or(text.len(), |(end, _)| end).min(*room);
            let end = text.floor_char_boundary(end);
            if end < text.len() {
                let left = text[end..].chars().count();
                text.truncate(end);
                text.push_str(&more(left));
            }
            *room = room.saturating_sub(text.len());
        }
        Value::Array(items) => {
            for index in 0..items.len() {
                if *room == 0 {
                    let left = items.len() - index;
                    items.truncate(index);
                    items.push(Value::String(more(left)));
                    break;
                }
                cut(&mut items[index], room);
                // Eight bytes for the separators, and for values that are neither texts nor lists.
                *room = room.saturating_sub(8);
            }
        }
        Value::Object(fields) => {
            // The lists come last: a long one must not take the room of the other fields.
            let fields = fields.values_mut();
            let (lists, others): (Vec<_>, Vec<_>) = fields.partition(|field| field.is_array());
            for field in others.into_iter().chain(lists) {
                cut(field, room);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Marks what is left out.
fn more(left: usize) -> String {
    format!("… {left} more")
}

fn time(at: DateTime<Utc>) -> String {
    timestamp::text(&at)
}

fn optional_time(at: Option<DateTime<Utc>>) -> Option<String> {
    at.map(time)
}

fn masked(address: &str) -> String {
    MaskedAddress(address).to_string()
}

/// State of a component.
#[must_use]
pub fn component(report: &ComponentReport) -> Value {
    let component = &report.component;
    json!({
        "id": component.id.to_string(),
        "code": component.id.code().to_string(),
        "name": component.name,
        "description": component.description,
        "status": component.status,
        "underMaintenance": report.under_maintenance,
        "groupId": component.place.group.map(|group| group.to_string()),
        "position": component.place.position,
        "showUptime": component.show_uptime,
        "startDate": component.start_date,
        "onlyShowWhenAffected": component.only_show_when_affected,
        "createdAt": time(component.created_at),
        "updatedAt": time(component.updated_at),
    })
}

/// State of a group of components.
#[must_use]
pub fn component_group(report: &ComponentGroupReport) -> Value {
    let group = &report.group;
    json!({
        "id": group.id.to_string(),
        "code": group.id.code().to_string(),
        "name": group.name,
        "description": group.description,
        "position": report.position,
        "display": group.display,
        "status": report.status,
        "underMaintenance": report.under_maintenance,
        "createdAt": time(group.created_at),
        "updatedAt": time(group.updated_at),
    })
}

/// State of the order of the page.
#[must_use]
pub fn component_order(order: &PageOrder) -> Value {
    json!(PublicOrder::from(order))
}

/// State of a period of a component's history.
#[must_use]
pub fn period(period: &StatusPeriod) -> Value {
    let (kind, id) = match &period.cause {
        PeriodCause::Incident(id, _) => ("INCIDENT", Some(id.to_string())),
        PeriodCause::Operator(author) => {
            let id = author.as_ref().map(|author| author.id.clone());
            ("OPERATOR", id)
        }
        PeriodCause::Correction(author) => ("CORRECTION", Some(author.id.clone())),
    };
    json!({
        "id": period.id.to_string(),
        "status": period.span.status,
        "startAt": time(period.span.start_at),
        "endAt": optional_time(period.span.end_at),
        "cause": {"type": kind, "id": id},
    })
}

/// State of an incident without its timeline, with the impact on each attached component.
#[must_use]
pub fn incident(incident: &Incident, components: &[(ComponentId, ComponentStatus)]) -> Value {
    let components: Vec<_> = components
        .iter()
        .map(|(id, status)| json!({"componentId": id.to_string(), "status": status}))
        .collect();
    json!({
        "id": incident.id.to_string(),
        "code": incident.id.code().to_string(),
        "title": incident.title,
        "description": incident.description,
        "status": incident.status,
        "occuredAt": time(incident.occured_at),
        "resolvedAt": optional_time(incident.resolved_at),
        "createdAt": time(incident.created_at),
        "updatedAt": time(incident.updated_at),
        "components": components,
    })
}

/// State of an update of an incident.
#[must_use]
pub fn incident_update(update: &IncidentUpdate) -> Value {
    json!({
        "id": update.id.to_string(),
        "code": update.id.code().to_string(),
        "incidentId": update.incident_id.to_string(),
        "status": update.status,
        "message": update.message,
        "user": {"id": update.author.id},
        "createdAt": time(update.created_at),
        "displayAt": time(update.display_at),
    })
}

/// State of a review.
#[must_use]
pub fn review(review: &Review) -> Value {
    json!({
        "body": review.body,
        "status": review.status(),
        "publishedAt": optional_time(review.published_at),
        "createdAt": time(review.created_at),
        "updatedAt": time(review.updated_at),
    })
}

/// State of a maintenance without its timeline.
#[must_use]
pub fn maintenance(maintenance: &Maintenance, status: MaintenanceStatus) -> Value {
    let components: Vec<_> = maintenance
        .components
        .iter()
        .map(|id| json!({"componentId": id.to_string()}))
        .collect();
    json!({
        "id": maintenance.id.to_string(),
        "code": maintenance.id.code().to_string(),
        "title": maintenance.title,
        "description": maintenance.description,
        "status": status,
        "startAt": time(maintenance.start_at),
        "endAt": optional_time(maintenance.end_at),
        "createdAt": time(maintenance.created_at),
        "updatedAt": time(maintenance.updated_at),
        "components": components,
    })
}

/// State of an update of a maintenance.
#[must_use]
pub fn maintenance_update(update: &MaintenanceUpdate) -> Value {
    json!({
        "id": update.id.to_string(),
        "code": update.id.code().to_string(),
        "maintenanceId": update.maintenance_id.to_string(),
        "status": update.status,
        "message": update.message,
        "user": {"id": update.author.id},
        "createdAt": time(update.created_at),
        "displayAt": time(update.display_at),
    })
}

/// State of the settings of an organisation. The token of a domain is left out.
#[must_use]
pub fn organisation(organisation: &Organisation) -> Value {
    let domain = organisation.domain.as_ref().map(|claim| {
        json!({
            "name": claim.name.to_string(),
            "status": claim.status,
            "checkedAt": optional_time(claim.checked_at),
        })
    });
    json!({
        "id": organisation.id.to_string(),
        "code": organisation.id.code().to_string(),
        "name": organisation.name,
        "timeZone": organisation.time_zone.to_string(),
        "domain": domain,
        "pageTitle": organisation.page_title,
        "pageDescription": organisation.page_description,
        "supportUrl": organisation.support_url,
        "notifyByDefault": organisation.notify_by_default,
        "publicChannels": organisation.public_channels,
        "reminderHours": organisation.reminder_hours,
    })
}

/// State of a subscriber. It contains the time of the newest secret, but not the secret.
#[must_use]
pub fn subscriber(subscriber: &Subscriber) -> Value {
    let choice = subscriber.scope.choice();
    let components = choice.map(|choice| texts(&choice.components));
    let groups = choice.map(|choice| texts(&choice.groups));
    let email = subscriber.target.email().map(masked);
    json!({
        "id": subscriber.id.to_string(),
        "channel": subscriber.target.channel(),
        "target": email.clone().unwrap_or_else(|| subscriber.target.masked()),
        "email": email,
        "scope": subscriber.scope.kind(),
        "components": components.filter(|chosen| !chosen.is_empty()),
        "groups": groups.filter(|chosen| !chosen.is_empty()),
        "incidentId": subscriber.scope.incident().map(|id| id.to_string()),
        "muteMaintenances": subscriber.mute_maintenances,
        "status": subscriber.status,
        "isVerified": subscriber.is_verified,
        "secretRotatedAt": optional_time(subscriber.secret.rotated_at),
        "createdAt": time(subscriber.created_at),
    })
}

fn texts(ids: &[impl ToString]) -> Vec<String> {
    ids.iter().map(ToString::to_string).collect()
}

/// State of a member. The name is in the target of the item.
#[must_use]
pub fn member(id: UserId, role: Role) -> Value {
    json!({"id": id.to_string(), "role": role})
}

/// State of a member at a hosted identity provider. The role is null if it is not known.
#[must_use]
pub fn directory_member(id: &str, role: Option<Role>) -> Value {
    json!({"id": id, "role": role})
}

/// State of an account. It contains the name, because people change it. Deleting the account
/// removes the name.
#[must_use]
pub fn account(user: &User) -> Value {
    json!({
        "id": user.id.to_string(),
        "name": user.name,
        "email": masked(&user.email),
        "needsAddress": user.needs_address,
    })
}

/// State of an invitation.
#[must_use]
pub fn invitation(invitation: &Invitation) -> Value {
    json!({
        "id": invitation.id.to_string(),
        "email": masked(&invitation.email),
        "role": invitation.role,
        "createdAt": time(invitation.created_at),
        "expiresAt": time(invitation.expires_at),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_text_is_cut_and_says_how_much_is_missing() {
        let cut = stored(json!({"message": "é".repeat(MAX_TEXT_LENGTH + 7), "id": 1}));
        let read: Value = serde_json::from_str(&cut).unwrap();
        let message = read["message"].as_str().unwrap();
        assert!(message.ends_with("é… 7 more"), "{message}");
        assert_eq!(message.matches('é').count(), MAX_TEXT_LENGTH);
        assert_eq!(read["id"], 1);
    }

    #[test]
    fn state_of_many_items_is_bounded() {
        let ids: Vec<_> = (0..100_000).map(|number| format!("{number:036}")).collect();
        let groups = vec![json!({"components": ids}); 3];
        let cut = stored(json!({"groups": groups}));
        assert!(cut.len() < 2 * MAX_STATE_BYTES, "{}", cut.len());
        let read: Value = serde_json::from_str(&cut).unwrap();
        let first = read["groups"][0]["components"].as_array().unwrap();
        let end = first.last().unwrap().as_str().unwrap();
        assert_eq!(end, format!("… {} more", 100_000 - (first.len() - 1)));
    }

    #[test]
    fn long_list_leaves_the_other_fields_readable() {
        let component = json!({"componentId": "0".repeat(36), "status": "MAJOR_OUTAGE"});
        let state = json!({
            "components": vec![component.clone(); 1000], "description": "語".repeat(MAX_TEXT_LENGTH),
            "status": "RESOLVED", "title": "Down", "updatedAt": "2026-03-05T18:00:00.000Z",
        });
        let read: Value = serde_json::from_str(&stored(state.clone())).unwrap();
        for field in ["description", "status", "title", "updatedAt"] {
            assert_eq!(read[field], state[field]);
        }
        let components = read["components"].as_array().unwrap();
        let (end, whole) = components.split_last().unwrap();
        assert!(whole.len() > 100, "{}", whole.len());
        assert_eq!(whole[0], component);
        assert_eq!(*end, format!("… {} more", 1000 - whole.len()));
    }

    #[test]
    fn state_of_texts_is_bounded_in_bytes() {
        let texts = vec!["語".repeat(MAX_TEXT_LENGTH); 10];
        let cut = stored(json!({"texts": texts}));
        assert!(cut.len() < MAX_STATE_BYTES + 100, "{}", cut.len());
        assert!(cut.ends_with("語… 544 more\",\"… 7 more\"]}"), "{cut}");
    }

    #[test]
    fn short_state_stays_as_it_is() {
        let state = json!({"name": "API", "groups": [], "startDate": null});
        assert_eq!(stored(state.clone()), state.to_string());
    }
}
