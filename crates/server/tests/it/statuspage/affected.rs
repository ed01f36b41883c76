//! The components of entries.

use serde_json::{Value, json};

use super::{document, id_of};
use crate::app::{Operator, TestApp};

/// Old and new status of each component in an entry, by name.
fn moves(entry: &Value) -> Vec<(String, String)> {
    let affected = entry["affected_components"]
        .as_array()
        .into_iter()
        .flatten();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    affected
        .map(|one| {
            let change = format!("{} {}", text(&one["old_status"]), text(&one["new_status"]));
            (text(&one["name"]), change)
        })
        .collect()
}

fn row(name: &str, change: &str) -> (String, String) {
    (name.to_owned(), change.to_owned())
}

async fn entries(operator: &Operator) -> Vec<Value> {
    let shown = document(operator, "incidents").await;
    let entries = shown["incidents"][0]["incident_updates"].clone();
    entries.as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn past_incident_has_the_statuses_that_it_set() {
    let (_app, operator) = TestApp::with_operator().await;
    let api = operator
        .create("/component/create", json!({"name": "API"}))
        .await;
    let incident = json!({
        "title": "Down", "description": "d", "status": "RESOLVED",
        "occuredAt": "2026-01-02T10:00:00Z", "resolvedAt": "2026-01-02T11:00:00Z",
        "components": [{"componentId": api["id"], "status": "PARTIAL_OUTAGE"}],
    });
    operator.create("/incident/create", incident).await;
    let all = entries(&operator).await;
    let change = "operational partial_outage";
    assert_eq!(moves(&all[0]), [row("API", change)], "{all:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_keep_the_components_as_they_were() {
    let (_app, operator) = TestApp::with_operator().await;
    let group = operator
        .create("/component-group/create", json!({"name": "Core"}))
        .await;
    let api = json!({"name": "API", "groupId": group["id"]});
    let api = operator.create("/component/create", api).await;
    let web = operator
        .create("/component/create", json!({"name": "Web"}))
        .await;
    let incident = json!({
        "title": "Down", "description": "d",
        "components": [
            {"componentId": api["id"], "status": "MAJOR_OUTAGE"},
            {"componentId": web["id"], "status": "OPERATIONAL"},
        ],
    });
    let incident = operator.create("/incident/create", incident).await;
    let path = format!("/incident/{}", id_of(&incident));
    let update = format!("{path}/updates/create");
    let identified = json!({"message": "Found", "status": "IDENTIFIED"});
    operator.create(&update, identified).await;
    let renamed = json!({"name": "Public API"});
    operator
        .patch(&format!("/component/{}", id_of(&api)), renamed)
        .await;
    operator
        .create(&update, json!({"message": "Over", "status": "RESOLVED"}))
        .await;

    let shown = document(&operator, "incidents").await["incidents"][0].clone();
    assert_eq!(shown["impact"], "major", "it stays after resolving");
    assert_eq!(shown["components"].as_array().unwrap().len(), 2);
    assert_eq!(shown["components"][1]["name"], "Public API");
    let all = entries(&operator).await;
    assert_eq!(
        moves(&all[0]),
        [
            row("Core - Public API", "major_outage operational"),
            row("Web", "operational operational")
        ]
    );
    assert_eq!(
        moves(&all[1]),
        [
            row("Core - API", "major_outage major_outage"),
            row("Web", "operational operational")
        ]
    );
    assert_eq!(
        moves(&all[2]),
        [
            row("Core - API", "operational major_outage"),
            row("Web", "operational operational")
        ]
    );
    assert_eq!(all[2]["affected_components"][0]["code"], api["code"]);

    let gone = operator
        .delete(&format!("/component/{}", id_of(&api)))
        .await;
    assert_eq!(gone.status, 200);
    let shown = document(&operator, "incidents").await["incidents"][0].clone();
    let left: Vec<_> = shown["components"].as_array().unwrap().iter().collect();
    assert_eq!((left.len(), &left[0]["name"]), (1, &json!("Web")));
    assert_eq!(shown["impact"], "major");
    assert_eq!(moves(&shown["incident_updates"][2]), moves(&all[2]));
}

#[tokio::test(flavor = "multi_thread")]
async fn entry_without_components_has_null_and_a_later_one_those_of_its_time() {
    let (_app, operator) = TestApp::with_operator().await;
    let api = operator.component("API").await;
    let incident = json!({"title": "Down", "description": "d"});
    let incident = operator.create("/incident/create", incident).await;
    let path = format!("/incident/{}", id_of(&incident));
    let update = format!("{path}/updates/create");
    operator
        .create(&update, json!({"message": "One", "status": "IDENTIFIED"}))
        .await;
    let attached = json!({"components": [{"componentId": api, "status": "DEGRADED"}]});
    let attached = operator
        .post(&format!("{path}/components/attach"), attached)
        .await;
    assert!(attached.status < 300, "{attached:?}");
    operator
        .create(&update, json!({"message": "Two", "status": "MONITORING"}))
        .await;
    let all = entries(&operator).await;
    assert_eq!(all[2]["affected_components"], json!(null));
    assert_eq!(all[1]["affected_components"], json!(null));
    assert_eq!(
        moves(&all[0]),
        [row("API", "degraded_performance degraded_performance")]
    );
    let summary = document(&operator, "summary").await;
    assert_eq!(summary["incidents"][0]["impact"], "minor");
}

#[tokio::test(flavor = "multi_thread")]
async fn edit_of_an_update_that_resolves_is_a_move() {
    let (_app, operator) = TestApp::with_operator().await;
    let api = operator.component("API").await;
    let incident = json!({
        "title": "Down", "description": "d",
        "components": [{"componentId": api, "status": "PARTIAL_OUTAGE"}],
    });
    let incident = operator.create("/incident/create", incident).await;
    let path = format!("/incident/{}/updates", id_of(&incident));
    let update = json!({"message": "One", "status": "IDENTIFIED"});
    let update = operator.create(&format!("{path}/create"), update).await;
    let edit = json!({"status": "RESOLVED"});
    let edited = operator
        .patch(&format!("{path}/{}", id_of(&update)), edit)
        .await;
    assert_eq!(edited.status, 200, "{edited:?}");
    let all = entries(&operator).await;
    assert_eq!(moves(&all[0]), [row("API", "partial_outage operational")]);
    assert_ne!(all[0]["updated_at"], all[0]["created_at"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_descriptions_are_left_out_beyond_a_limit() {
    let (_app, operator) = TestApp::with_operator().await;
    // 40,000 bytes: 20 of them have less than 1 MB together, and 104 fit in the 4 MiB of incidents.
    let long = "😀".repeat(10_000);
    let mut attached = Vec::new();
    for number in 0..20 {
        let component = json!({"name": format!("API {number}"), "description": long});
        let component = operator.create("/component/create", component).await;
        attached.push(json!({"componentId": component["id"], "status": "DEGRADED"}));
    }
    for _ in 0..6 {
        let incident = json!({"title": "Down", "description": "d", "components": attached});
        operator.create("/incident/create", incident).await;
    }

    let summary = document(&operator, "summary").await;
    let all = summary["components"].as_array().unwrap();
    assert!(all.iter().all(|component| component["description"] == long));
    let incidents = summary["incidents"].as_array().unwrap();
    assert_eq!(incidents.len(), 6);
    for incident in &incidents[..5] {
        assert!(incident["components"] == summary["components"]);
    }
    let mut expected = all.clone();
    for component in &mut expected[4..] {
        component["description"] = json!(null);
    }
    assert!(incidents[5]["components"].as_array().unwrap() == &expected);
}
