//! The body for programs.

use std::sync::Arc;

use allclear_application::message::MessageKind;
use allclear_application::statuspage_api::{IncidentRecord, MaintenanceRecord, StatuspageState};
use allclear_domain::channel::Channel;
use allclear_domain::code::Code;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{ComponentGroupId, ComponentId, IncidentId, MaintenanceId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{Incident, IncidentStatus};
use allclear_domain::maintenance::{Maintenance, MaintenanceStatus};
use allclear_domain::notice::{IncidentChange, MaintenanceChange, NoticeChange};
use allclear_domain::organisation::Revision;
use allclear_domain::rollup::PublicStatus;
use allclear_domain::statuspage_entry::{
    StatuspageAffectedComponent, StatuspageEntry, StatuspageStatus,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::content::{MANAGE, about, at, body, content, notice, state, text_of_body};

fn entry(name: &str, status: StatuspageStatus, body: &str, time: &str) -> StatuspageEntry {
    StatuspageEntry {
        code: Code::of(name.as_bytes()),
        status,
        body: body.into(),
        created_at: at(time),
        updated_at: at(time),
        display_at: at(time),
        affected: None,
    }
}

/// A state with the incident of the notice, which was resolved after it.
fn resolved_state() -> StatuspageState {
    let mut identified = entry(
        "identified",
        StatuspageStatus::Identified,
        "A bad deploy was found.",
        "2026-03-05T16:22:41.500Z",
    );
    identified.affected = Some(vec![StatuspageAffectedComponent {
        code: Code::of(b"edge"),
        name: "Core platform - Edge API".into(),
        old_status: PublicStatus::Degraded,
        new_status: PublicStatus::PartialOutage,
    }]);
    let incident = Incident {
        id: IncidentId(notice().subject),
        title: "Elevated API errors, resolved".into(),
        description: "Requests fail.".into(),
        status: IncidentStatus::Resolved,
        first_status: IncidentStatus::Investigating,
        occured_at: at("2026-03-05T16:00:00Z"),
        monitoring_at: Some(at("2026-03-05T17:00:00Z")),
        resolved_at: Some(at("2026-03-05T18:00:00Z")),
        created_at: at("2026-03-05T16:01:00Z"),
        updated_at: at("2026-03-05T18:00:00Z"),
        version: Revision(9),
    };
    StatuspageState {
        incidents: vec![IncidentRecord {
            incident,
            entries: vec![
                entry(
                    "resolved",
                    StatuspageStatus::Resolved,
                    "It is over.",
                    "2026-03-05T18:00:00Z",
                ),
                identified,
                entry(
                    "description",
                    StatuspageStatus::Investigating,
                    "Requests fail.",
                    "2026-03-05T16:01:00Z",
                ),
            ],
            impacts: vec![Attachment {
                component_id: ComponentId(Uuid::from_u128(1)),
                status: ComponentStatus::PartialOutage,
            }],
            components: vec![ComponentId(Uuid::from_u128(1))],
            reviewed_at: None,
        }],
        ..state()
    }
}

fn maintenance_state(status: MaintenanceStatus) -> StatuspageState {
    let maintenance = Maintenance {
        id: MaintenanceId(notice().subject),
        title: "Move".into(),
        description: "All of it".into(),
        start_at: at("2026-03-05T16:00:00Z"),
        end_at: Some(at("2026-03-05T16:20:00Z")),
        cancelled_at: (status == MaintenanceStatus::Cancelled).then(|| at("2026-03-05T15:00:00Z")),
        published_status: status,
        notify: true,
        components: vec![ComponentId(Uuid::from_u128(1))],
        reschedules: 0,
        created_at: at("2026-03-01T00:00:00Z"),
        updated_at: at("2026-03-01T00:00:00Z"),
        version: Revision(9),
    };
    let description = entry(
        "description",
        StatuspageStatus::Scheduled,
        "All of it",
        "2026-03-01T00:00:00Z",
    );
    StatuspageState {
        maintenances: vec![MaintenanceRecord {
            components: maintenance.components.clone(),
            maintenance,
            status,
            entries: vec![description],
        }],
        ..state()
    }
}

fn of_maintenance(status: MaintenanceStatus) -> Value {
    let mut notice = notice();
    notice.content.message = None;
    notice.content.change = NoticeChange::Maintenance {
        change: MaintenanceChange::Updated,
        status,
        start_at: at("2026-03-05T16:00:00Z"),
        end_at: Some(at("2026-03-05T16:20:00Z")),
        components: vec!["Edge API".into()],
    };
    let kind = MessageKind::Notice(Arc::new(notice));
    body(Channel::Webhook, &content(maintenance_state(status), kind))
}

#[test]
fn an_incident_has_the_form_of_statuspage_as_of_its_notice() {
    let kind = MessageKind::Notice(Arc::new(notice()));
    let content = content(resolved_state(), kind);
    let page = content.state.organisation.id.code().to_string();
    let incident = IncidentId(notice().subject).code().to_string();
    let code = |name: &str| Code::of(name.as_bytes()).to_string();
    let update = |name: &str, status: &str, text: &str, time: &str, affected: Value| {
        json!({
            "status": status, "body": text, "created_at": time, "wants_twitter_update": false,
            "twitter_updated_at": null, "updated_at": time, "display_at": time,
            "affected_components": affected, "custom_tweet": null, "deliver_notifications": true,
            "id": code(name), "incident_id": incident,
        })
    };
    let affected = json!([{
        "code": code("edge"), "name": "Core platform - Edge API",
        "old_status": "degraded_performance", "new_status": "partial_outage",
    }]);
    let expected = json!({
        "meta": {
            "unsubscribe": MANAGE,
            "documentation": "https://status.acme.example",
            "generated_at": "2026-03-05T16:22:41.500Z",
        },
        "page": {
            "id": page, "status_indicator": "major", "status_description": "Partial System Outage",
        },
        "incident": {
            "name": "Elevated API errors", "status": "identified",
            "created_at": "2026-03-05T16:01:00.000Z", "updated_at": "2026-03-05T16:22:41.500Z",
            "monitoring_at": null, "resolved_at": null, "impact": "major",
            "shortlink": format!("https://status.acme.example/incidents/{incident}"),
            "postmortem_ignored": false, "postmortem_body": null,
            "postmortem_body_last_updated_at": null, "postmortem_published_at": null,
            "postmortem_notified_subscribers": false, "postmortem_notified_twitter": false,
            "backfilled": false, "scheduled_for": null, "scheduled_until": null,
            "scheduled_remind_prior": false, "scheduled_reminded_at": null,
            "impact_override": null, "scheduled_auto_in_progress": false,
            "scheduled_auto_completed": false, "started_at": "2026-03-05T16:00:00.000Z",
            "id": incident, "page_id": page,
            "incident_updates": [
                update("identified", "identified", "A bad deploy was found.",
                    "2026-03-05T16:22:41.500Z", affected),
                update("description", "investigating", "Requests fail.",
                    "2026-03-05T16:01:00.000Z", Value::Null),
            ],
            "components": [{
                "status": "partial_outage", "name": "Edge API",
                "created_at": "2025-11-03T15:00:00.000Z", "updated_at": "2026-03-05T16:10:12.345Z",
                "position": 1, "description": "Public REST API", "showcase": true,
                "id": Code::of(Uuid::from_u128(1).as_bytes()).to_string(), "page_id": page,
                "group_id": Code::of(Uuid::from_u128(77).as_bytes()).to_string(),
            }],
        },
    });
    assert_eq!(body(Channel::Webhook, &content), expected);
}

#[test]
fn keys_are_in_the_order_of_statuspage() {
    let text = text_of_body(Channel::Webhook, &about(notice()));
    let places = [
        "\"meta\"",
        "\"unsubscribe\"",
        "\"documentation\"",
        "\"generated_at\"",
        "\"page\"",
        "\"status_indicator\"",
        "\"incident\"",
        "\"name\"",
        "\"monitoring_at\"",
        "\"shortlink\"",
        "\"scheduled_for\"",
        "\"incident_updates\"",
        "\"components\"",
    ]
    .map(|key| text.find(key).unwrap());
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn a_resolved_incident_has_its_time_of_resolution() {
    let mut notice = notice();
    notice.at = at("2026-03-05T18:00:00Z");
    if let NoticeChange::Incident { change, status, .. } = &mut notice.content.change {
        *change = IncidentChange::Resolved;
        *status = IncidentStatus::Resolved;
    }
    let kind = MessageKind::Notice(Arc::new(notice));
    let body = body(Channel::Webhook, &content(resolved_state(), kind));
    let incident = &body["incident"];
    assert_eq!(incident["status"], "resolved");
    assert_eq!(incident["resolved_at"], "2026-03-05T18:00:00.000Z");
    assert_eq!(incident["monitoring_at"], "2026-03-05T17:00:00.000Z");
    assert_eq!(incident["incident_updates"].as_array().unwrap().len(), 3);
}

#[test]
fn a_review_is_a_postmortem() {
    let mut state = resolved_state();
    let review = entry(
        "review",
        StatuspageStatus::Postmortem,
        "# What happened",
        "2026-03-06T09:00:00Z",
    );
    state.incidents[0].entries.insert(0, review);
    let mut notice = notice();
    notice.at = at("2026-03-06T09:00:00Z");
    if let NoticeChange::Incident { change, status, .. } = &mut notice.content.change {
        *change = IncidentChange::Reviewed;
        *status = IncidentStatus::Resolved;
    }
    let kind = MessageKind::Notice(Arc::new(notice));
    let body = body(Channel::Webhook, &content(state, kind));
    let incident = &body["incident"];
    assert_eq!(incident["status"], "postmortem");
    assert_eq!(incident["postmortem_body"], "# What happened");
    assert_eq!(
        incident["postmortem_published_at"],
        "2026-03-06T09:00:00.000Z"
    );
    assert_eq!(incident["postmortem_notified_subscribers"], true);
}

#[test]
fn a_reviewed_incident_that_is_open_again_has_its_own_status() {
    let mut state = resolved_state();
    let review = entry(
        "review",
        StatuspageStatus::Postmortem,
        "# What happened",
        "2026-03-06T09:00:00Z",
    );
    state.incidents[0].entries.insert(0, review);
    let mut notice = notice();
    notice.at = at("2026-03-07T09:00:00Z");
    if let NoticeChange::Incident { status, .. } = &mut notice.content.change {
        *status = IncidentStatus::Identified;
    }
    let body = body(
        Channel::Webhook,
        &content(state, MessageKind::Notice(Arc::new(notice))),
    );
    let incident = &body["incident"];
    assert_eq!(incident["status"], "identified");
    assert_eq!(incident["postmortem_body"], "# What happened");
    // The review may have been published without a notice.
    assert_eq!(incident["postmortem_notified_subscribers"], false);
}

#[test]
fn an_incident_that_is_not_listed_is_drawn_from_its_notice() {
    let body = body(Channel::Webhook, &about(notice()));
    let incident = &body["incident"];
    assert_eq!(incident["name"], "Elevated API errors");
    assert_eq!(incident["status"], "identified");
    assert_eq!(incident["started_at"], "2026-03-05T16:00:00.000Z");
    let updates = incident["incident_updates"].as_array().unwrap();
    assert_eq!(updates.len(), 1);
    assert_eq!(updates[0]["body"], "A bad deploy was found.");
    assert_eq!(updates[0]["status"], "identified");
    assert_eq!(updates[0]["incident_id"], incident["id"]);
    assert_eq!(incident["components"], json!([]));
}

#[test]
fn a_maintenance_is_an_incident_with_planned_times() {
    let body = of_maintenance(MaintenanceStatus::Scheduled);
    let incident = &body["incident"];
    let code = MaintenanceId(notice().subject).code();
    assert_eq!(incident["id"], code.to_string());
    assert_eq!(
        incident["shortlink"],
        format!("https://status.acme.example/maintenances/{code}")
    );
    for (field, expected) in [
        ("status", json!("scheduled")),
        ("impact", json!("maintenance")),
        ("scheduled_for", json!("2026-03-05T16:00:00.000Z")),
        ("scheduled_until", json!("2026-03-05T16:20:00.000Z")),
        ("scheduled_auto_in_progress", json!(true)),
        ("resolved_at", Value::Null),
    ] {
        assert_eq!(incident[field], expected, "{field}");
    }
    let completed = of_maintenance(MaintenanceStatus::Completed);
    let completed = &completed["incident"];
    assert_eq!(completed["status"], "completed");
    assert_eq!(completed["resolved_at"], "2026-03-05T16:20:00.000Z");
}

#[test]
fn a_cancelled_maintenance_is_completed_and_says_why() {
    let body = of_maintenance(MaintenanceStatus::Cancelled);
    let incident = &body["incident"];
    assert_eq!(incident["status"], "completed");
    assert_eq!(incident["resolved_at"], "2026-03-05T15:00:00.000Z");
    let updates = incident["incident_updates"].as_array().unwrap();
    assert_eq!(
        updates[0]["body"],
        "The scheduled maintenance was cancelled."
    );
    assert_eq!(updates[0]["status"], "completed");
    assert_eq!(updates[1]["body"], "All of it");
}

#[test]
fn a_confirmation_and_a_test_have_keys_of_their_own() {
    let link = "https://status.acme.example/verify?x=y".to_owned();
    let confirmation = content(state(), MessageKind::Confirmation { link });
    let confirmation = body(Channel::Webhook, &confirmation);
    assert_eq!(
        confirmation["confirmation"],
        json!({"url": "https://status.acme.example/verify?x=y"})
    );
    assert!(confirmation.get("incident").is_none());
    let test = body(Channel::Webhook, &content(state(), MessageKind::Test));
    let expected = json!({"message": "This is a test message from Acme."});
    assert_eq!(test["test"], expected);
    for body in [confirmation, test] {
        assert_eq!(body["meta"]["unsubscribe"], MANAGE);
        assert_eq!(body["page"]["status_indicator"], "major");
    }
}

#[test]
fn the_newest_updates_fit_into_a_body() {
    let mut state = resolved_state();
    let long = "x".repeat(10_000);
    let update = |_| {
        let time = "2026-03-05T16:10:00Z";
        entry("long", StatuspageStatus::Investigating, &long, time)
    };
    let description = state.incidents[0].entries.pop().unwrap();
    state.incidents[0].entries.extend((0..200).map(update));
    state.incidents[0].entries.push(description);
    let kind = MessageKind::Notice(Arc::new(notice()));
    let body = body(Channel::Webhook, &content(state, kind));
    let updates = body["incident"]["incident_updates"].as_array().unwrap();
    assert_eq!(updates[0]["body"], "A bad deploy was found.");
    assert!((40..60).contains(&updates.len()), "{}", updates.len());
}

#[test]
fn a_component_under_maintenance_is_so_again_after_an_outage() {
    let mut notice = notice();
    notice.subject = Uuid::from_u128(1);
    notice.content.message = None;
    notice.content.change = NoticeChange::Component {
        old_status: ComponentStatus::MajorOutage,
        status: ComponentStatus::Operational,
    };
    let mut state = state();
    state.components[0].component.status = ComponentStatus::Operational;
    state.components[0].under_maintenance = true;
    let kind = MessageKind::Notice(Arc::new(notice));
    let sent = body(Channel::Webhook, &content(state, kind));
    assert_eq!(sent["component"]["status"], "under_maintenance");
    let update = &sent["component_update"];
    assert_eq!(
        (&update["old_status"], &update["new_status"]),
        (&json!("major_outage"), &json!("under_maintenance"))
    );
}

#[test]
fn a_changed_status_of_a_component_has_the_form_of_statuspage() {
    let mut notice = notice();
    notice.subject = Uuid::from_u128(1);
    notice.content.message = None;
    notice.content.change = NoticeChange::Component {
        old_status: ComponentStatus::Degraded,
        status: ComponentStatus::PartialOutage,
    };
    let content = about(notice.clone());
    let page = content.state.organisation.id.code().to_string();
    let component = ComponentId(Uuid::from_u128(1)).code().to_string();
    let group = ComponentGroupId(Uuid::from_u128(77)).code().to_string();
    let sent = body(Channel::Webhook, &content);
    assert_eq!(
        sent["component"],
        json!({
            "status": "partial_outage", "name": "Edge API", "created_at": "2025-11-03T15:00:00.000Z",
            "updated_at": "2026-03-05T16:10:12.345Z", "position": 1, "description": "Public REST API",
            "showcase": true, "id": component, "page_id": page, "group_id": group,
        })
    );
    assert_eq!(
        sent["component_update"],
        json!({
            "old_status": "degraded_performance", "new_status": "partial_outage",
            "created_at": "2026-03-05T16:22:41.500Z", "component_type": "Component",
            "id": ComponentId(notice.id).code().to_string(), "component_id": component,
        })
    );
    let mut keys: Vec<_> = sent.as_object().unwrap().keys().collect();
    keys.sort();
    assert_eq!(keys, ["component", "component_update", "meta", "page"]);
}
