//! Maintenances in the Statuspage API.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

use super::{document, id_of};
use crate::app::{Operator, TestApp};

/// A time so many minutes from now.
#[expect(clippy::disallowed_methods, reason = "the real server's clock")]
fn later(minutes: i64) -> String {
    text(Utc::now() + TimeDelta::minutes(minutes))
}

fn text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

async fn plan(
    operator: &Operator,
    title: &str,
    times: (&str, Option<&str>),
    components: &[&str],
) -> Value {
    let body = json!({
        "title": title, "description": "Read-only for ten minutes.", "startAt": times.0, "endAt": times.1,
        "components": components,
    });
    operator.create("/maintenance/create", body).await
}

fn names(list: &Value) -> Vec<&str> {
    let list = list["scheduled_maintenances"].as_array().unwrap();
    list.iter()
        .map(|one| one["name"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_have_the_maintenances_of_their_status_in_their_order() {
    let (_app, operator) = TestApp::with_operator().await;
    let (past, present) = (later(-60), later(-10));
    plan(&operator, "Late", (&later(300), None), &[]).await;
    plan(&operator, "Running", (&past, None), &[]).await;
    plan(&operator, "Soon", (&later(60), Some(&later(120))), &[]).await;
    plan(&operator, "Over", (&past, Some(&present)), &[]).await;
    let cancelled = plan(&operator, "Cancelled", (&later(30), None), &[]).await;
    let path = format!("/maintenance/{}", id_of(&cancelled));
    operator.patch(&path, json!({"status": "CANCELLED"})).await;

    let all = document(&operator, "scheduled-maintenances").await;
    assert_eq!(names(&all), ["Over", "Soon", "Running", "Late"]);
    let upcoming = document(&operator, "scheduled-maintenances/upcoming").await;
    assert_eq!(names(&upcoming), ["Soon", "Late"]);
    let active = document(&operator, "scheduled-maintenances/active").await;
    assert_eq!(names(&active), ["Running"]);
    let summary = document(&operator, "summary").await;
    assert_eq!(names(&summary), ["Soon", "Late", "Running"]);

    let over = &all["scheduled_maintenances"][0];
    assert_eq!(
        over["resolved_at"], over["created_at"],
        "not before its creation"
    );
    assert_eq!(
        (&over["scheduled_for"], &over["scheduled_until"]),
        (&json!(past), &json!(present))
    );
    let open = &active["scheduled_maintenances"][0];
    assert_eq!(open["scheduled_until"], open["scheduled_for"]);
    assert_eq!(open["resolved_at"], json!(null));
    assert_eq!(open["started_at"], open["created_at"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn begin_and_end_are_entries_in_the_words_of_the_original() {
    let (_app, operator) = TestApp::with_operator().await;
    let (api, web) = (
        operator.component("API").await,
        operator.component("Web").await,
    );
    let broken = json!({"status": "PARTIAL_OUTAGE"});
    operator.patch(&format!("/component/{web}"), broken).await;
    let begin = later(5);
    let created = plan(&operator, "Move", (&begin, None), &[&api, &web]).await;
    let path = format!("/maintenance/{}", id_of(&created));
    let shown = async || {
        let list = document(&operator, "scheduled-maintenances").await;
        list["scheduled_maintenances"][0].clone()
    };
    let scheduled = shown().await;
    assert_eq!(scheduled["status"], "scheduled");
    assert_eq!(scheduled["incident_updates"].as_array().unwrap().len(), 1);
    let link = scheduled["shortlink"].as_str().unwrap();
    assert!(link.ends_with(&format!(
        "/maintenances/{}",
        created["code"].as_str().unwrap()
    )));

    let past = later(-5);
    operator.patch(&path, json!({"startAt": past})).await;
    let message = json!({"message": "Half way", "status": "MONITORING"});
    operator
        .create(&format!("{path}/updates/create"), message)
        .await;
    let components = document(&operator, "components").await["components"].clone();
    assert_eq!(
        (&components[0]["status"], &components[1]["status"]),
        (&json!("partial_outage"), &json!("under_maintenance"))
    );
    let ended = operator.patch(&path, json!({"endAt": later(0)})).await;
    assert_eq!(ended.body["data"]["status"], "COMPLETED", "{ended:?}");

    let over = shown().await;
    assert_eq!(over["status"], "completed");
    let entries = over["incident_updates"].as_array().unwrap();
    let rows: Vec<_> = entries
        .iter()
        .map(|entry| {
            (
                entry["status"].as_str().unwrap(),
                entry["body"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("completed", "The scheduled maintenance has been completed."),
            ("in_progress", "Half way"),
            (
                "in_progress",
                "Scheduled maintenance is currently in progress. We will provide updates as necessary."
            ),
            ("scheduled", "Read-only for ten minutes."),
        ]
    );
    assert_eq!(over["resolved_at"], entries[0]["display_at"]);
    let change = |entry: &Value, index: usize| {
        let affected = &entry["affected_components"][index];
        [
            affected["old_status"].clone(),
            affected["new_status"].clone(),
        ]
    };
    let rows = [
        (0, ["under_maintenance", "operational"]),
        (1, ["under_maintenance", "under_maintenance"]),
        (2, ["operational", "under_maintenance"]),
        (3, ["operational", "operational"]),
    ];
    for (entry, expected) in rows {
        assert_eq!(change(&entries[entry], 0), expected, "{entry}");
        assert_eq!(
            change(&entries[entry], 1),
            ["partial_outage", "partial_outage"]
        );
    }
    let timeline = operator.get(&path).await.body["data"]["timeline"].clone();
    assert_eq!(
        timeline.as_array().unwrap().len(),
        1,
        "only what operators wrote"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn page_with_nothing_but_a_maintenance_says_so() {
    let (_app, operator) = TestApp::with_operator().await;
    let api = operator.component("API").await;
    operator.component("Web").await;
    plan(&operator, "Move", (&later(-5), None), &[&api]).await;
    let summary = document(&operator, "summary").await;
    assert_eq!(
        summary["status"],
        json!({"indicator": "maintenance", "description": "Service Under Maintenance"})
    );
    let affected = &summary["scheduled_maintenances"][0]["components"];
    assert_eq!(affected[0]["status"], "under_maintenance");
    assert_eq!(affected[0], summary["components"][1]);
}
