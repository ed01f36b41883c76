use reqwest::Method;
use serde_json::{Value, json};

use super::{errors, open};
use crate::app::{Operator, TestApp, send};

/// Records an update and returns it.
async fn record(operator: &Operator, path: &str, status: &str) -> Value {
    let recorded = operator
        .post(
            &format!("{path}/updates/create"),
            json!({"message": " m ", "status": status}),
        )
        .await;
    assert_eq!(recorded.status, 201, "{recorded:?}");
    recorded.body["data"].clone()
}

async fn status(operator: &Operator, path: &str) -> Value {
    operator.get(path).await.body["data"]["status"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_is_recorded_read_changed_and_deleted() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
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
async fn an_edit_of_only_the_message_leaves_a_resolved_incident_resolved() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = open(&operator, json!([])).await;
    let update = record(&operator, &path, "MONITORING").await;
    let one = format!("{path}/updates/{}", update["id"].as_str().unwrap());
    let resolved = send(
        operator
            .request(Method::PATCH, &path)
            .json(&json!({"status": "RESOLVED"})),
    )
    .await;
    assert_eq!(resolved.status, 200);
    for body in [
        json!({"message": "Better"}),
        json!({"message": "Best", "status": "MONITORING"}),
    ] {
        let edited = send(operator.request(Method::PATCH, &one).json(&body)).await;
        assert_eq!(
            (edited.status, &edited.body["data"]["message"]),
            (200, &body["message"])
        );
        assert_eq!(status(&operator, &path).await, "RESOLVED");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resolved_incident_takes_no_update_until_it_is_reopened() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = open(&operator, json!([])).await;
    record(&operator, &path, "RESOLVED").await;
    let more = json!({"message": "More"});
    let refused = operator
        .post(&format!("{path}/updates/create"), more.clone())
        .await;
    assert_eq!(refused.status, 409);
    assert_eq!(
        refused.body["message"],
        "This incident is resolved. Reopen it to record another update"
    );
    operator.patch(&path, json!({"status": "MONITORING"})).await;
    assert_eq!(
        operator
            .post(&format!("{path}/updates/create"), more)
            .await
            .status,
        201
    );
    assert_eq!(status(&operator, &path).await, "INVESTIGATING");
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_the_newest_update_goes_back_to_the_one_before() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = open(&operator, json!([])).await;
    let first = record(&operator, &path, "IDENTIFIED").await;
    let last = record(&operator, &path, "RESOLVED").await;
    let timeline = operator.get(&path).await.body["data"]["IncidentTimeline"].clone();
    assert_eq!(
        (&timeline[0]["id"], &timeline[1]["id"]),
        (&last["id"], &first["id"])
    );
    assert_eq!(timeline[0].get("user"), None);
    operator
        .post(
            &format!("{path}/updates/delete"),
            json!({"incidentUpdateIds": [last["id"]]}),
        )
        .await;
    let incident = operator.get(&path).await.body["data"].clone();
    assert_eq!(
        (&incident["status"], &incident["resolvedAt"]),
        (&json!("IDENTIFIED"), &json!(null))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_fields_are_named_and_nothing_is_stored() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = open(&operator, json!([])).await;
    let rows = [
        (json!({}), vec![("message", "Message is required")]),
        (
            json!({"message": " ", "status": "OVER"}),
            vec![
                ("status", "Select Any One"),
                ("message", "Message is required"),
            ],
        ),
        (
            json!({"message": "x".repeat(10_001)}),
            vec![("message", "Must be at most 10000 characters")],
        ),
    ];
    for (body, expected) in rows {
        let refused = operator
            .post(&format!("{path}/updates/create"), body.clone())
            .await;
        assert_eq!(
            (refused.status, errors(&refused.body)),
            (422, expected),
            "{body}"
        );
    }
    assert_eq!(
        operator.get(&format!("{path}/updates/list")).await.body["data"],
        json!([])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_several_is_all_or_nothing() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
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
            ("incidentUpdateIds", "At least one update is required"),
        ),
        (
            json!({"incidentUpdateIds": []}),
            ("incidentUpdateIds", "At least one update is required"),
        ),
        (
            json!({"incidentUpdateIds": ["x"]}),
            ("incidentUpdateIds[0]", "Update is required"),
        ),
        (
            json!({"incidentUpdateIds": [ours["id"], ours["id"]]}),
            ("incidentUpdateIds[1]", "This update is chosen already"),
        ),
        (
            json!({"incidentUpdateIds": [ours["id"], foreign["id"]]}),
            ("incidentUpdateIds[1]", "This update does not exist"),
        ),
    ];
    for (body, expected) in rows {
        let refused = operator
            .post(&format!("{path}/updates/delete"), body.clone())
            .await;
        assert_eq!(
            (refused.status, errors(&refused.body)),
            (422, vec![expected]),
            "{body}"
        );
    }
    assert_eq!(
        operator.get(&format!("{path}/updates/list")).await.body["data"],
        json!([ours])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_updates_of_two_operators_are_both_stored_in_order() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = open(&operator, json!([])).await;
    let records = |who: &'static str| {
        let (operator, path) = (operator.clone(), path.clone());
        tokio::spawn(async move {
            for number in 0..10 {
                let body = json!({"message": format!("{who} {number}"), "status": "MONITORING"});
                assert_eq!(
                    operator
                        .post(&format!("{path}/updates/create"), body)
                        .await
                        .status,
                    201
                );
            }
        })
    };
    let (ada, bob) = (records("Ada"), records("Bob"));
    ada.await.unwrap();
    bob.await.unwrap();
    let listed = operator.get(&format!("{path}/updates/list")).await.body;
    let messages: Vec<_> = listed["data"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|update| update["message"].as_str().unwrap())
        .collect();
    assert_eq!(messages.len(), 20);
    for who in ["Ada", "Bob"] {
        let theirs: Vec<_> = messages
            .iter()
            .filter(|message| message.starts_with(who))
            .collect();
        assert_eq!(
            theirs,
            (0..10)
                .map(|number| format!("{who} {number}"))
                .collect::<Vec<_>>()
                .iter()
                .collect::<Vec<_>>()
        );
    }
    let timeline = operator.snapshot().await["incidents"][0]["IncidentTimeline"].clone();
    let shown: Vec<_> = timeline
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|entry| entry["message"].as_str().unwrap())
        .collect();
    assert_eq!(shown, messages);
}
