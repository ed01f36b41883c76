//! The components that a maintenance affects.

use std::sync::Arc;

use allclear_application::clock::Clock;
use chrono::TimeDelta;
use reqwest::Method;
use serde_json::{Value, json};

use super::derived_status::{drive, start_stopped};
use super::{HOUR, later, text};
use crate::app::{Operator, TestApp, assert_status};
use crate::events::Stream;

/// Creates a maintenance of components; returns its path and the response's data.
async fn plan(operator: &Operator, start: &str, components: &[&String]) -> (String, Value) {
    let input = json!({
        "title": "Move", "description": "To the new racks", "startAt": start, "components": components,
    });
    let created = operator.create("/maintenance/create", input).await;
    let path = format!("/maintenance/{}", created["id"].as_str().unwrap());
    (path, created)
}

/// The flag of the only component, in the snapshot and for operators.
async fn flags(operator: &Operator, component: &str) -> (Value, Value) {
    let found = operator.get(&format!("/component/{component}")).await;
    let shown = operator.snapshot().await["components"][0]["underMaintenance"].clone();
    (shown, found.body["data"]["underMaintenance"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn affected_components_are_named_in_every_payload_and_replaced_by_an_edit() {
    let (_app, operator) = TestApp::with_operator().await;
    let api = operator.component("API").await;
    let mut stream = Stream::open(&operator, "", None).await;
    let (path, created) = plan(&operator, &later(HOUR), &[&api]).await;
    let code = operator.get(&format!("/component/{api}")).await.body["data"]["code"].clone();
    let named =
        json!([{"componentId": api, "component": {"id": api, "code": code, "name": "API"}}]);
    assert_eq!(created["components"], named);
    assert_eq!(stream.next().await.1[0]["components"], named);
    let read = operator.get(&path).await.body["data"].clone();
    assert_eq!(read["components"], named);
    let listed = operator.get("/maintenance/list").await.body["data"][0].clone();
    assert_eq!(listed["components"], named);
    let shown = operator.snapshot().await["maintenances"][0].clone();
    assert_eq!(shown["components"], named);

    let kept = operator.patch(&path, json!({"title": "Stay"})).await;
    assert_eq!(kept.body["data"]["components"], named);
    let emptied = operator.patch(&path, json!({"components": []})).await;
    assert_eq!(emptied.body["data"]["components"], json!([]));
    assert_ne!(emptied.etag, kept.etag);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_component_is_named_at_its_place() {
    let app = TestApp::start().await;
    let (operator, other) = (app.operator("Acme").await, app.operator("Other").await);
    let (ours, theirs) = (
        operator.component("API").await,
        other.component("API").await,
    );
    let fields = json!({"title": "Move", "description": "d", "startAt": later(HOUR)});
    let (path, _) = plan(&operator, &later(HOUR), &[&ours]).await;
    let rows = [
        (json!(null), "components: Must be a list of components"),
        (json!("all"), "components: Must be a list of components"),
        (
            json!([ours, null, 7]),
            "components[1]: This component does not exist; components[2]: This component does not exist",
        ),
        (
            json!([ours, ours]),
            "components[1]: This component is chosen already",
        ),
        (
            json!([ours, theirs]),
            "components[1]: This component does not exist",
        ),
        (
            json!([path.rsplit('/').next()]),
            "components[0]: This component does not exist",
        ),
    ];
    let patches = rows
        .clone()
        .map(|(components, errors)| (json!({"components": components}), errors));
    let creates = rows.map(|(components, errors)| {
        let mut body = fields.clone();
        body["components"] = components;
        (body, errors)
    });
    operator
        .assert_invalid(Method::PATCH, &path, &patches)
        .await;
    operator
        .assert_invalid(Method::POST, "/maintenance/create", &creates)
        .await;
    let listed = operator.get("/maintenance/list").await;
    assert_eq!(listed.body["data"].as_array().unwrap().len(), 1);
    assert_eq!(flags(&other, &theirs).await, (json!(false), json!(false)));
}

#[tokio::test(flavor = "multi_thread")]
async fn components_are_under_maintenance_from_its_beginning_to_its_end() {
    let (app, clock) = start_stopped().await;
    let (operator, other) = (app.operator("Acme").await, app.operator("Other").await);
    let api = operator.component("API").await;
    let mut stream = Stream::open(&operator, "", None).await;
    let start = clock.now() + TimeDelta::milliseconds(500);
    let (path, _) = plan(&operator, &text(start), &[&api]).await;
    assert_eq!(stream.next().await.0, "new-maintenance");
    assert_eq!(flags(&operator, &api).await, (json!(false), json!(false)));
    let driver = tokio::spawn(drive(Arc::clone(&clock), other));
    for (status, flag) in [("IN_PROGRESS", true), ("COMPLETED", false)] {
        if status == "COMPLETED" {
            driver.abort();
            let end = json!({"endAt": text(clock.now())});
            assert_status(operator.patch(&path, end), 200).await;
        }
        let (name, args, revision) = stream.next().await;
        assert_eq!(
            (name.as_str(), &args[0]["status"], revision),
            ("maintenance-updated", &json!(status), None)
        );
        let (name, args, revision) = stream.next().await;
        assert_eq!(name, "component-update");
        assert_eq!(
            (&args[0]["id"], &args[0]["underMaintenance"]),
            (&json!(api), &json!(flag))
        );
        assert_eq!(args[0]["status"], "OPERATIONAL");
        assert!(revision.is_some(), "both are of one revision");
        assert_eq!(flags(&operator, &api).await, (json!(flag), json!(flag)));
        assert_eq!(operator.snapshot().await["banner"]["operational"], true);
    }
}
