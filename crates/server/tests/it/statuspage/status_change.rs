//! A status of an incident that is set without an update.

use roxmltree::Document;
use serde_json::{Value, json};

use super::feed::{all, feed, text};
use super::{document, id_of};
use crate::app::{Operator, TestApp};

/// Title and guid of each item of the feed of updates, newest first.
async fn items(operator: &Operator) -> Vec<(String, String)> {
    let rss = feed(operator, "updates.rss").await;
    let parsed = Document::parse(&rss).unwrap();
    let item = |item| {
        (
            text(item, "title").to_owned(),
            text(item, "guid").to_owned(),
        )
    };
    all(&parsed, "item").into_iter().map(item).collect()
}

async fn newest_incident(operator: &Operator) -> Value {
    document(operator, "incidents").await["incidents"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn status_set_without_an_update_is_an_entry_of_api_and_feeds() {
    let (_app, operator) = TestApp::with_operator().await;
    let api = operator.component("API").await;
    let incident = json!({
        "title": "Down", "description": "All of it",
        "components": [{"componentId": api, "status": "MAJOR_OUTAGE"}],
    });
    let incident = operator.create("/incident/create", incident).await;
    let path = format!("/incident/{}", id_of(&incident));
    assert_eq!(items(&operator).await.len(), 1);

    operator.patch(&path, json!({"status": "IDENTIFIED"})).await;
    let shown = newest_incident(&operator).await;
    let identified = &shown["incident_updates"][0];
    assert_eq!(
        (&identified["status"], &identified["display_at"]),
        (&json!("identified"), &shown["updated_at"])
    );
    let change = |entry: &Value| {
        let affected = &entry["affected_components"][0];
        assert_eq!(affected["name"], "API");
        (
            affected["old_status"].clone(),
            affected["new_status"].clone(),
        )
    };
    let unchanged = (json!("major_outage"), json!("major_outage"));
    assert_eq!(change(identified), unchanged);

    operator.patch(&path, json!({"status": "RESOLVED"})).await;
    let shown = newest_incident(&operator).await;
    let entries = shown["incident_updates"].as_array().unwrap();
    assert_eq!(entries.len(), 2);
    let resolved = &entries[0];
    assert_eq!(
        (&resolved["status"], &resolved["body"]),
        (
            &json!("resolved"),
            &json!("This incident has been resolved.")
        )
    );
    for field in ["created_at", "updated_at", "display_at"] {
        assert_eq!(resolved[field], shown["resolved_at"], "{field}");
    }
    let mended = (json!("major_outage"), json!("operational"));
    assert_eq!(change(resolved), mended);
    let after = items(&operator).await;
    let titles: Vec<_> = after.iter().map(|(title, _)| title.as_str()).collect();
    assert_eq!(titles, ["[Resolved] Down", "[Investigating] Down"]);
    assert!(after[0].1.ends_with(resolved["id"].as_str().unwrap()));
    let history = feed(&operator, "history.atom").await;
    assert!(
        history.contains("This incident has been resolved."),
        "{history}"
    );

    operator.patch(&path, json!({"status": "MONITORING"})).await;
    let reopened = items(&operator).await;
    assert_eq!(reopened[0].0, "[Monitoring] Down");
    assert!(after.iter().all(|(_, guid)| *guid != reopened[0].1));
}
