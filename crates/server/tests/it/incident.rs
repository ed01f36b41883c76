//! The incident calls, as clients make them. Their updates and components are tested in files of their own.

mod component;
mod update;

use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{Operator, TestApp, send};
use crate::events::Stream;

/// Opens an incident with these impacts; returns its path.
async fn open(operator: &Operator, components: Value) -> String {
    let input = json!({"title": "Down", "description": "All of it", "components": components});
    let created = operator.post("/incident/create", input).await;
    assert_eq!(created.status, 201, "{created:?}");
    format!("/incident/{}", created.body["data"]["id"].as_str().unwrap())
}

/// The fields that an error response names, with its messages.
fn errors(body: &Value) -> Vec<(&str, &str)> {
    let rows = body["errors"].as_array().unwrap().iter();
    rows.map(|row| {
        (
            row["field"].as_str().unwrap(),
            row["message"].as_str().unwrap(),
        )
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_incident_is_created_read_changed_and_deleted() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
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
async fn a_new_incident_takes_the_defaults() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
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
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let rows = [
        (
            json!({}),
            vec![
                ("description", "Description is required"),
                ("title", "Title is required"),
            ],
        ),
        (
            json!({"title": "  ", "description": null, "status": "OVER", "occuredAt": "yesterday"}),
            vec![
                ("description", "Description is required"),
                ("status", "Select Any One"),
                ("occuredAt", "Invalid date format"),
                ("title", "Title is required"),
            ],
        ),
        (
            json!({"title": "x".repeat(201), "description": "x".repeat(10_001)}),
            vec![
                ("description", "Must be at most 10000 characters"),
                ("title", "Must be at most 200 characters"),
            ],
        ),
        (
            json!({"title": "t", "description": "d", "components": [{}, {"componentId": 7, "status": "FINE"}]}),
            vec![
                ("components[0].componentId", "Component is required"),
                ("components[0].status", "Select Any One"),
                ("components[1].componentId", "Component is required"),
                ("components[1].status", "Select Any One"),
            ],
        ),
        (
            json!({"title": "t", "description": "d", "components": 7}),
            vec![("components", "Must be a list of components")],
        ),
    ];
    for (input, expected) in rows {
        let refused = operator.post("/incident/create", input.clone()).await;
        assert_eq!(
            (refused.status, errors(&refused.body)),
            (422, expected),
            "{input}"
        );
    }
    assert_eq!(operator.get("/incident/list").await.body["data"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_refused_with_the_words_of_its_form() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = open(&operator, json!([])).await;
    let rows = [
        (json!({"title": ""}), ("title", "Title is required")),
        (
            json!({"description": null}),
            ("description", "Description is required"),
        ),
        (json!({"status": 7}), ("status", "Select Any One")),
        (
            json!({"occuredAt": null}),
            ("occuredAt", "Please enter a valid date and time"),
        ),
        (
            json!({"occuredAt": "2026-02-30T10:00"}),
            ("occuredAt", "Please enter a valid date and time"),
        ),
    ];
    for (input, expected) in rows {
        let refused = operator.patch(&path, input.clone()).await;
        assert_eq!(
            (refused.status, errors(&refused.body)),
            (422, vec![expected]),
            "{input}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_an_old_version_is_refused() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = open(&operator, json!([])).await;
    let loaded = operator.get(&path).await.etag.unwrap();
    let edit = |etag: &str, title: &str| {
        send(
            operator
                .request(Method::PATCH, &path)
                .header("if-match", etag)
                .json(&json!({"title": title})),
        )
    };
    assert_eq!(edit(&loaded, "First").await.status, 200);
    assert_eq!(edit(&loaded, "Second").await.status, 412);
    assert_eq!(operator.get(&path).await.body["data"]["title"], "First");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_organisations_incidents_are_not_found() {
    let app = TestApp::start().await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    let path = open(&acme, json!([])).await;
    let recorded = acme
        .post(&format!("{path}/updates/create"), json!({"message": "m"}))
        .await;
    let update = format!(
        "{path}/updates/{}",
        recorded.body["data"]["id"].as_str().unwrap()
    );
    let component = other.component("Theirs").await;
    for path in [
        &path,
        &update,
        &format!("{path}/updates/list"),
        &format!("{path}/components/list"),
    ] {
        assert_eq!(other.get(path).await.status, 404, "{path}");
    }
    assert_eq!(
        other
            .get(&format!("{path}/components/unattached"))
            .await
            .status,
        404
    );
    assert_eq!(
        other.patch(&path, json!({"title": "Taken"})).await.status,
        404
    );
    assert_eq!(
        other
            .patch(&update, json!({"message": "Taken"}))
            .await
            .status,
        404
    );
    assert_eq!(other.delete(&path).await.status, 404);
    let bodies = [
        ("updates/create", json!({"message": "m"})),
        (
            "updates/delete",
            json!({"incidentUpdateIds": [recorded.body["data"]["id"]]}),
        ),
        (
            "components/attach",
            json!({"components": [{"componentId": component, "status": "DEGRADED"}]}),
        ),
        ("components/detach", json!({"componentIds": [component]})),
    ];
    for (call, body) in bodies {
        assert_eq!(
            other.post(&format!("{path}/{call}"), body).await.status,
            404,
            "{call}"
        );
    }
    assert_eq!(other.get("/incident/list").await.body["data"], json!([]));
    assert_eq!(acme.get(&update).await.body["data"]["message"], "m");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_identifier_names_no_incident() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    for path in [
        "/incident/x",
        "/incident/x/updates/list",
        "/incident/x/components/unattached",
        "/incident/x/updates/y",
    ] {
        assert_eq!(operator.get(path).await.status, 404, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn viewers_follow_an_incident_from_its_opening_to_its_end() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
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
