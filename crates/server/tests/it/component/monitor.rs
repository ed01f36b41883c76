//! Reports of monitors, with an API key.

use reqwest::Method;
use serde_json::{Value, json};

use crate::api_key::{key, program};
use crate::app::{Operator, TestApp, assert_status, send};

/// What the webhook of Uptime Kuma has of a check.
fn heartbeat(status: i32) -> Value {
    json!({"heartbeat": {"monitorID": 1, "status": status}, "monitor": {"id": 1}, "msg": "[API]"})
}

/// The monitor's report, and the status that the component has then.
async fn report(monitor: &Operator, path: &str, body: Value) -> Value {
    let reported = monitor.post(path, body).await;
    assert_eq!(reported.status, 200, "{reported:?}");
    let id = reported.body["data"]["id"].as_str().unwrap();
    let read = monitor.get(&format!("/component/{id}")).await;
    assert_eq!(reported.body["data"], read.body["data"]);
    assert_eq!(reported.etag, read.etag);
    reported.body["data"]["status"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn monitor_sets_a_status_in_each_form_and_repeats_it_without_a_change() {
    let (_app, admin) = TestApp::with_operator().await;
    let path = format!("/component/{}/status", admin.component("API").await);
    let degraded = format!("{path}?firing=DEGRADED");
    let monitor = program(&admin, &key(&admin, "editor").await);
    let alert = |status: &str| json!({"version": "4", "status": status, "alerts": []});
    for (path, body, expected) in [
        (&path, json!({"status": "PARTIAL_OUTAGE"}), "PARTIAL_OUTAGE"),
        (&path, alert("firing"), "MAJOR_OUTAGE"),
        (&degraded, alert("firing"), "DEGRADED"),
        (&degraded, alert("resolved"), "OPERATIONAL"),
        (&degraded, heartbeat(0), "DEGRADED"),
        (&path, heartbeat(1), "OPERATIONAL"),
    ] {
        assert_eq!(report(&monitor, path, body.clone()).await, expected);
        let revision = admin.snapshot().await["revision"].clone();
        assert_eq!(report(&monitor, path, body).await, expected);
        assert_eq!(admin.snapshot().await["revision"], revision);
    }
    let revision = admin.snapshot().await["revision"].clone();
    let test = json!({"heartbeat": null, "monitor": null, "msg": "Webhook Testing"});
    for body in [heartbeat(2), heartbeat(3), test] {
        assert_eq!(report(&monitor, &path, body).await, "OPERATIONAL");
    }
    assert_eq!(admin.snapshot().await["revision"], revision);
    let audit = admin.get("/audit?action=component.updated").await;
    let items = audit.body["data"].as_array().unwrap();
    assert_eq!(items.len(), 6, "one for each change");
    assert_eq!(items[0]["actor"]["type"], "API_KEY");
}

#[tokio::test(flavor = "multi_thread")]
async fn resolved_alert_has_the_effect_of_a_status_by_hand_during_an_incident() {
    let (_app, operator) = TestApp::with_operator().await;
    let id = operator.component("API").await;
    let components = json!([{"componentId": id, "status": "MAJOR_OUTAGE"}]);
    let incident = json!({"title": "Down", "description": "All of it", "components": components});
    operator.create("/incident/create", incident).await;
    let path = format!("/component/{id}/status");
    let resolved = json!({"status": "resolved"});
    assert_eq!(report(&operator, &path, resolved).await, "OPERATIONAL");
}

#[tokio::test(flavor = "multi_thread")]
async fn report_that_cannot_be_used_changes_nothing() {
    let (_app, admin) = TestApp::with_operator().await;
    let path = format!("/component/{}/status", admin.component("API").await);
    let unknown = "status: Must be OPERATIONAL, DEGRADED, PARTIAL_OUTAGE, MAJOR_OUTAGE, firing or resolved, \
        or the body must have a heartbeat of Uptime Kuma";
    let rows = [
        (json!({}), unknown),
        (json!({"status": "down"}), unknown),
        (heartbeat(4), unknown),
    ];
    admin.assert_invalid(Method::POST, &path, &rows).await;
    let rows = [(json!({"status": "firing"}), "firing: Select Any One")];
    let query = format!("{path}?firing=DOWN");
    admin.assert_invalid(Method::POST, &query, &rows).await;

    let firing = json!({"status": "firing"});
    let viewer = program(&admin, &key(&admin, "viewer").await);
    assert_status(viewer.post(&path, firing.clone()), 403).await;
    let missing = "/component/00000000-0000-7000-8000-000000000000/status";
    assert_status(admin.post(missing, firing), 404).await;
    let large = json!({"status": "firing", "alerts": ["x".repeat(256 * 1024)]});
    assert_status(admin.post(&path, large), 413).await;
    let text = admin.request(Method::POST, &path).body("firing");
    assert_status(send(text), 415).await;
    let listed = admin.get("/component/list").await;
    assert_eq!(listed.body["data"][0]["status"], "OPERATIONAL");
}
