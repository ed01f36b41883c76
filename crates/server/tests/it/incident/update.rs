use reqwest::Method;
use serde_json::{Value, json};

use super::open;
use crate::app::{Operator, TestApp, assert_status, send};

/// Records an update and returns it.
async fn record(operator: &Operator, path: &str, status: &str) -> Value {
    let update = json!({"message": " m ", "status": status});
    operator
        .create(&format!("{path}/updates/create"), update)
        .await
}

async fn status(operator: &Operator, path: &str) -> Value {
    operator.get(path).await.body["data"]["status"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_is_recorded_read_changed_and_deleted() {
    let (_app, operator) = TestApp::with_operator().await;
    let path = open(&operator, json!([])).await;
    let update = record(&operator, &path, "IDENTIFIED").await;
    assert_eq!(
        (&update["message"], &update["user"]["name"]),
        (&json!("m"), &json!("Ada"))
    );
    assert_eq!(
        format!("/incident/{}", update["incidentId"].as_str().unwrap()),
        path
    );
    assert_eq!(status(&operator, &path).await, "IDENTIFIED");
    let one = format!("{path}/updates/{}", update["id"].as_str().unwrap());
    let read = operator.get(&one).await;
    assert_eq!((read.status, &read.body["data"]), (200, &update));
    assert_eq!(
        operator.get(&format!("{path}/updates/list")).await.body["data"],
        json!([update])
    );

    let edit = |etag: &str| {
        let request = operator
            .request(Method::PATCH, &one)
            .header("if-match", etag);
        send(request.json(&json!({"message": "Better", "status": "MONITORING"})))
    };
    let changed = edit(read.etag.as_deref().unwrap()).await;
    assert_eq!(
        (changed.status, &changed.body["data"]["message"]),
        (200, &json!("Better"))
    );
    assert_eq!(edit(read.etag.as_deref().unwrap()).await.status, 412);
    assert_eq!(status(&operator, &path).await, "MONITORING");

    let deleted = operator
        .post(
            &format!("{path}/updates/delete"),
            json!({"incidentUpdateIds": [update["id"]]}),
        )
        .await;
    assert_eq!(
        (deleted.status, &deleted.body["data"]["ids"]),
        (200, &json!([update["id"]]))
    );
    assert_eq!(operator.get(&one).await.status, 404);
    assert_eq!(status(&operator, &path).await, "MONITORING");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resolved_incident_takes_no_update_until_it_is_reopened() {
    let (_app, operator) = TestApp::with_operator().await;
    let path = open(&operator, json!([])).await;
    record(&operator, &path, "RESOLVED").await;
    let more = json!({"message": "More"});
    let response = operator
        .post(&format!("{path}/updates/create"), more.clone())
        .await;
    assert_eq!(response.status, 409);
    assert_eq!(
        response.body["message"],
        "This incident is resolved. Reopen it to record another update"
    );
    operator.patch(&path, json!({"status": "MONITORING"})).await;
    assert_status(operator.post(&format!("{path}/updates/create"), more), 201).await;
    assert_eq!(status(&operator, &path).await, "INVESTIGATING");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_fields_are_named_and_nothing_is_stored() {
    let (_app, operator) = TestApp::with_operator().await;
    let path = open(&operator, json!([])).await;
    let rows = [
        (json!({}), "message: Message is required"),
        (
            json!({"message": " ", "status": "OVER"}),
            "message: Message is required; status: Select Any One",
        ),
    ];
    let create = format!("{path}/updates/create");
    operator.assert_invalid(Method::POST, &create, &rows).await;
    let list = operator.get(&format!("{path}/updates/list")).await;
    assert_eq!(list.body["data"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_changes_the_impacts_on_components() {
    let (_app, operator) = TestApp::with_operator().await;
    let (api, web) = (
        operator.component("API").await,
        operator.component("Web").await,
    );
    let down = json!([{"componentId": api, "status": "MAJOR_OUTAGE"}]);
    let path = open(&operator, down).await;
    let create = format!("{path}/updates/create");
    let update = |status: &str, component: &str| {
        let slow = json!({"componentId": component, "status": "DEGRADED"});
        json!({"message": "m", "status": status, "components": [slow]})
    };
    operator.create(&create, update("IDENTIFIED", &api)).await;
    let component = operator.get(&format!("/component/{api}")).await;
    assert_eq!(component.body["data"]["status"], "DEGRADED");
    assert_eq!(status(&operator, &path).await, "IDENTIFIED");

    let refused = operator.post(&create, update("RESOLVED", &api)).await;
    assert_eq!(refused.status, 409);
    assert_eq!(
        refused.body["message"],
        "A resolved incident has no impact. Record the update without components"
    );
    let rows = [
        (
            update("MONITORING", &web),
            "components[0].componentId: This component is not attached",
        ),
        (
            json!({"components": [{"componentId": api}]}),
            "message: Message is required; components[0].status: Select Any One",
        ),
        (
            json!({"message": "m", "components": null}),
            "components: Must be a list of components",
        ),
    ];
    operator.assert_invalid(Method::POST, &create, &rows).await;
    assert_eq!(status(&operator, &path).await, "IDENTIFIED");
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_several_is_all_or_nothing() {
    let (_app, operator) = TestApp::with_operator().await;
    let (path, other) = (
        open(&operator, json!([])).await,
        open(&operator, json!([])).await,
    );
    let (ours, foreign) = (
        record(&operator, &path, "IDENTIFIED").await,
        record(&operator, &other, "IDENTIFIED").await,
    );
    let rows = [
        (
            json!({}),
            "incidentUpdateIds: At least one update is required",
        ),
        (
            json!({"incidentUpdateIds": vec![&ours["id"]; 501]}),
            "incidentUpdateIds: Choose at most 500",
        ),
        (
            json!({"incidentUpdateIds": ["x"]}),
            "incidentUpdateIds[0]: Update is required",
        ),
        (
            json!({"incidentUpdateIds": [ours["id"], ours["id"]]}),
            "incidentUpdateIds[1]: This update is chosen already",
        ),
        (
            json!({"incidentUpdateIds": [ours["id"], foreign["id"]]}),
            "incidentUpdateIds[1]: This update does not exist",
        ),
        (
            json!({"incidentUpdateIds": [ours["id"]], "notify": "no"}),
            "notify: Must be true or false",
        ),
    ];
    let delete = format!("{path}/updates/delete");
    operator.assert_invalid(Method::POST, &delete, &rows).await;
    let list = operator.get(&format!("{path}/updates/list")).await;
    assert_eq!(list.body["data"], json!([ours]));
}
