//! The form of every document of the Statuspage API: keys in their order, types, words, and what
//! may be null.

use chrono::{DateTime, NaiveDate};
use serde_json::Value;

use super::ordered::Ordered;

const PAGE: &[&str] = &["id", "name", "url", "time_zone", "updated_at"];
const COMPONENT: &[&str] = &[
    "id",
    "name",
    "status",
    "created_at",
    "updated_at",
    "position",
    "description",
    "showcase",
    "start_date",
    "group_id",
    "page_id",
    "group",
    "only_show_if_degraded",
];
const RECORD: &[&str] = &[
    "id",
    "name",
    "status",
    "created_at",
    "updated_at",
    "monitoring_at",
    "resolved_at",
    "impact",
    "shortlink",
    "started_at",
    "page_id",
    "incident_updates",
    "components",
];
const UPDATE: &[&str] = &[
    "id",
    "status",
    "body",
    "incident_id",
    "created_at",
    "updated_at",
    "display_at",
    "affected_components",
    "deliver_notifications",
    "custom_tweet",
    "tweet_id",
];
const STATUSES: &[&str] = &[
    "operational",
    "under_maintenance",
    "degraded_performance",
    "partial_outage",
    "major_outage",
];
const OF_INCIDENTS: &[&str] = &[
    "investigating",
    "identified",
    "monitoring",
    "resolved",
    "postmortem",
];
const OF_MAINTENANCES: &[&str] = &["scheduled", "in_progress", "completed"];

fn word(value: &Value, words: &[&str]) {
    let found = value.as_str().unwrap();
    assert!(words.contains(&found), "{found}");
}

fn code(value: &Value) {
    let code = value.as_str().unwrap();
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    assert!(code.len() == 12 && code.bytes().all(is_plain), "{code}");
}

/// RFC 3339 with exactly three digits for the fraction.
fn time(value: &Value) {
    let text = value.as_str().unwrap();
    DateTime::parse_from_rfc3339(text).unwrap_or_else(|_| panic!("{text}"));
    let (fraction, offset) = text[19..].split_at(4);
    assert!(
        fraction.starts_with('.') && fraction[1..].bytes().all(|byte| byte.is_ascii_digit()),
        "{text}"
    );
    assert!(offset == "Z" || offset.len() == 6, "{text}");
}

fn time_or_null(value: &Value) {
    if !value.is_null() {
        time(value);
    }
}

fn page(ordered: &Ordered, value: &Value) {
    assert_eq!(ordered.keys(), PAGE);
    code(&value["id"]);
    assert!(value["url"].as_str().unwrap().starts_with("http"));
    assert!(!value["url"].as_str().unwrap().ends_with('/'));
    assert!(value["name"].is_string() && value["time_zone"].is_string());
    time(&value["updated_at"]);
}

fn component(ordered: &Ordered, value: &Value) {
    let is_group = value["group"].as_bool().unwrap();
    let mut keys = COMPONENT.to_vec();
    if is_group {
        keys.push("components");
        value["components"]
            .as_array()
            .unwrap()
            .iter()
            .for_each(code);
        assert!(value["group_id"].is_null() && value["start_date"].is_null());
    }
    assert_eq!(ordered.keys(), keys);
    code(&value["id"]);
    code(&value["page_id"]);
    word(&value["status"], STATUSES);
    time(&value["created_at"]);
    time(&value["updated_at"]);
    assert!(value["position"].as_u64().unwrap() >= 1);
    assert!(value["description"].as_str() != Some(""));
    if let Some(date) = value["start_date"].as_str() {
        date.parse::<NaiveDate>().unwrap();
    }
    if !value["group_id"].is_null() {
        code(&value["group_id"]);
    }
    assert!(value["showcase"].is_boolean() && value["only_show_if_degraded"].is_boolean());
}

fn update(ordered: &Ordered, value: &Value, parent: &Value, words: &[&str]) {
    assert_eq!(ordered.keys(), UPDATE);
    code(&value["id"]);
    assert_eq!(value["incident_id"], parent["id"]);
    word(&value["status"], words);
    assert!(value["body"].is_string());
    for name in ["created_at", "updated_at", "display_at"] {
        time(&value[name]);
    }
    assert_eq!(value["deliver_notifications"], true);
    assert!(value["custom_tweet"].is_null() && value["tweet_id"].is_null());
    let affected = &value["affected_components"];
    if affected.is_null() {
        return;
    }
    assert!(!affected.as_array().unwrap().is_empty());
    let pairs = ordered.field("affected_components").items();
    for (ordered, value) in pairs.iter().zip(affected.as_array().unwrap()) {
        assert_eq!(ordered.keys(), ["code", "name", "old_status", "new_status"]);
        code(&value["code"]);
        word(&value["old_status"], STATUSES);
        word(&value["new_status"], STATUSES);
    }
}

fn record(ordered: &Ordered, value: &Value, is_incident: bool) {
    let (words, impacts, last): (_, &[_], &[_]) = if is_incident {
        let impacts = &["none", "minor", "major", "critical"];
        (OF_INCIDENTS, impacts, &["reminder_intervals"])
    } else {
        let last = &["scheduled_for", "scheduled_until"];
        (OF_MAINTENANCES, &["maintenance"], last)
    };
    assert_eq!(ordered.keys(), [RECORD, last].concat());
    code(&value["id"]);
    code(&value["page_id"]);
    word(&value["status"], words);
    word(&value["impact"], impacts);
    for name in ["created_at", "updated_at", "started_at"] {
        time(&value[name]);
    }
    time_or_null(&value["monitoring_at"]);
    time_or_null(&value["resolved_at"]);
    assert!(value["shortlink"].as_str().unwrap().starts_with("http"));
    if is_incident {
        assert!(value["reminder_intervals"].is_null());
    } else {
        time(&value["scheduled_for"]);
        time(&value["scheduled_until"]);
    }
    let updates = value["incident_updates"].as_array().unwrap();
    assert!(!updates.is_empty());
    let pairs = ordered.field("incident_updates").items();
    for (ordered, one) in pairs.iter().zip(updates) {
        update(ordered, one, value, words);
    }
    each(ordered, value, "components", component);
}

fn each(ordered: &Ordered, value: &Value, name: &str, check: impl Fn(&Ordered, &Value)) {
    let pairs = ordered.field(name).items();
    for (ordered, value) in pairs.iter().zip(value[name].as_array().unwrap()) {
        check(ordered, value);
    }
}

/// Checks the form of a document.
pub(super) fn check(name: &str, ordered: &Ordered, value: &Value) {
    let keys: &[_] = match name {
        "summary" => &[
            "page",
            "components",
            "incidents",
            "scheduled_maintenances",
            "status",
        ],
        "status" => &["page", "status"],
        "components" => &["page", "components"],
        _ if name.starts_with("incidents") => &["page", "incidents"],
        _ => &["page", "scheduled_maintenances"],
    };
    assert_eq!(ordered.keys(), keys, "{name}");
    page(ordered.field("page"), &value["page"]);
    if keys.contains(&"status") {
        let status = ordered.field("status");
        assert_eq!(status.keys(), ["indicator", "description"]);
        let words = ["none", "minor", "major", "critical", "maintenance"];
        word(&value["status"]["indicator"], &words);
    }
    if keys.contains(&"components") {
        each(ordered, value, "components", component);
    }
    if keys.contains(&"incidents") {
        each(ordered, value, "incidents", |ordered, value| {
            record(ordered, value, true);
        });
    }
    if keys.contains(&"scheduled_maintenances") {
        each(
            ordered,
            value,
            "scheduled_maintenances",
            |ordered, value| {
                record(ordered, value, false);
            },
        );
    }
}
