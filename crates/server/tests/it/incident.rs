//! The incident calls, as clients make them. Their updates and components are tested in files of
//! their own.

mod component;
mod past;
mod review;
mod update;

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{Operator, TestApp};
use crate::events::Stream;

/// Opens an incident with these impacts; returns its path.
async fn open(operator: &Operator, components: Value) -> String {
    let input = json!({"title": "Down", "description": "All of it", "components": components});
    let created = operator.create("/incident/create", input).await;
    format!("/incident/{}", created["id"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_incident_is_created_read_changed_and_deleted() {
    let (_app, operator) = TestApp::with_operator().await;
    let input = json!({"title": " Down ", "description": "All of it", "status": "IDENTIFIED",
        "occuredAt": "2026-01-31T09:30", "components": []});
    let created = operator.post("/incident/create", input).await;
    assert_eq!(created.status, 201, "{created:?}");
    let incident = &created.body["data"];
    assert_eq!(
        (&incident["title"], &incident["status"]),
        (&json!("Down"), &json!("IDENTIFIED"))
    );
    assert_eq!(incident["occuredAt"], "2026-01-31T09:30:00.000Z");
    assert_eq!(
        (&incident["resolvedAt"], &incident["IncidentTimeline"]),
        (&json!(null), &json!([]))
    );
    let path = format!("/incident/{}", incident["id"].as_str().unwrap());

    let read = operator.get(&path).await;
    assert_eq!(
        (read.status, &read.body["data"], &read.etag),
        (200, incident, &created.etag)
    );
    assert_eq!(
        operator.get("/incident/list").await.body["data"],
        json!([incident])
    );

    let changed = operator
        .patch(
            &path,
            json!({"status": "RESOLVED", "occuredAt": "2026-01-31T09:30:00.1234Z"}),
        )
        .await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(
        changed.body["data"]["occuredAt"],
        "2026-01-31T09:30:00.123Z"
    );
    assert_eq!(
        changed.body["data"]["resolvedAt"],
        changed.body["data"]["updatedAt"]
    );
    assert_ne!(changed.etag, created.etag);
    let reopened = operator.patch(&path, json!({"status": "MONITORING"})).await;
    assert_eq!(reopened.body["data"]["resolvedAt"], json!(null));

    let deleted = operator.delete(&path).await;
    assert_eq!(
        (deleted.status, &deleted.body["data"]["id"]),
        (200, &incident["id"])
    );
    assert_eq!(operator.get(&path).await.status, 404);
    assert_eq!(operator.delete(&path).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn open_incident_can_be_sent_back_as_it_was_read() {
    let (_app, operator) = TestApp::with_operator().await;
    let path = open(&operator, json!([])).await;
    let read = operator.get(&path).await.body["data"].take();
    assert_eq!(read["resolvedAt"], Value::Null);
    let saved = operator.patch(&path, read.clone()).await;
    assert_eq!((saved.status, &saved.body["data"]), (200, &read));
    operator.create("/incident/create", read).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_incident_takes_the_defaults() {
    let (_app, operator) = TestApp::with_operator().await;
    let created = operator
        .post(
            "/incident/create",
            json!({"title": "Down", "description": "d"}),
        )
        .await;
    let incident = &created.body["data"];
    assert_eq!(incident["status"], "INVESTIGATING");
    assert_eq!(incident["occuredAt"], incident["createdAt"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_of_a_create_is_named_and_nothing_is_stored() {
    let (_app, operator) = TestApp::with_operator().await;
    let with =
        |components: Value| json!({"title": "t", "description": "d", "components": components});
    let rows = [
        (
            json!({"title": "  ", "description": null, "status": "OVER", "occuredAt": "yesterday"}),
            "title: Title is required; status: Select Any One; \
             description: Description is required; occuredAt: Invalid date format",
        ),
        (
            with(json!([{}, {"componentId": 7, "status": "FINE"}])),
            "components[0].componentId: Component is required; components[0].status: Select Any One; \
             components[1].componentId: Component is required; components[1].status: Select Any One",
        ),
        (with(json!(7)), "components: Must be a list of components"),
    ];
    operator
        .assert_invalid(Method::POST, "/incident/create", &rows)
        .await;
    assert_eq!(operator.get("/incident/list").await.body["data"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_edit_is_refused_with_the_messages_of_the_form() {
    let (_app, operator) = TestApp::with_operator().await;
    let path = open(&operator, json!([])).await;
    let rows = [
        (json!({"title": ""}), "title: Title is required"),
        (
            json!({"title": "", "status": "X", "occuredAt": "x"}),
            "title: Title is required; status: Select Any One; \
             occuredAt: Please enter a valid date and time",
        ),
        (
            json!({"description": null}),
            "description: Description is required",
        ),
        (json!({"status": 7}), "status: Select Any One"),
        (
            json!({"occuredAt": null}),
            "occuredAt: Please enter a valid date and time",
        ),
        (
            json!({"occuredAt": "2026-02-30T10:00"}),
            "occuredAt: Please enter a valid date and time",
        ),
    ];
    operator.assert_invalid(Method::PATCH, &path, &rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn viewers_follow_an_incident_from_its_opening_to_its_end() {
    let (_app, operator) = TestApp::with_operator().await;
    let api = operator.component("API").await;
    let since = operator.snapshot().await["revision"].as_i64().unwrap();
    let mut stream = Stream::open(&operator, &format!("?since={since}"), None).await;

    let path = open(
        &operator,
        json!([{"componentId": api, "status": "MAJOR_OUTAGE"}]),
    )
    .await;
    let (name, args, _) = stream.next().await;
    let shown = &args[0]["components"];
    assert_eq!(
        (name.as_str(), &shown[0]["component"]["name"]),
        ("new-incident", &json!("API"))
    );
    let (name, args, revision) = stream.next().await;
    assert_eq!(
        (name.as_str(), &args[0]["status"]),
        ("component-update", &json!("MAJOR_OUTAGE"))
    );
    assert_eq!(revision, Some(since + 1));

    operator
        .post(
            &format!("{path}/updates/create"),
            json!({"message": "Over", "status": "RESOLVED"}),
        )
        .await;
    let (name, entry, _) = stream.next().await;
    assert_eq!(
        (name.as_str(), &entry[0]["message"], entry[0].get("user")),
        ("timeline-updated", &json!("Over"), None)
    );
    let (name, args, _) = stream.next().await;
    assert_eq!(
        (name.as_str(), &args[0]["status"]),
        ("incident-updated", &json!("RESOLVED"))
    );
    assert_eq!(args[0]["IncidentTimeline"], entry);
    assert_eq!(args[0], operator.snapshot().await["incidents"][0]);
    let (name, args, _) = stream.next().await;
    assert_eq!(
        (name.as_str(), &args[0]["status"]),
        ("component-update", &json!("OPERATIONAL"))
    );

    let update = entry[0]["id"].clone();
    operator
        .post(
            &format!("{path}/updates/delete"),
            json!({"incidentUpdateIds": [update]}),
        )
        .await;
    let (name, args, _) = stream.next().await;
    assert_eq!(
        (name.as_str(), &args),
        (
            "incident-timeline-deleted",
            &json!([entry[0]["incidentId"], update])
        )
    );
    assert_eq!(stream.next().await.0, "incident-updated");
    operator.delete(&path).await;
    let (name, args, _) = stream.next().await;
    assert_eq!(
        (name.as_str(), args),
        ("incident-deleted", json!([entry[0]["incidentId"]]))
    );
    assert_eq!(operator.snapshot().await["incidents"], json!([]));
}
