//! Mails to operators, from the setting to the mailbox.

use std::path::Path;

use sea_orm::ConnectionTrait;
use serde_json::json;

use crate::app::{TestApp, assert_status, mailed_token};

/// Runs a statement on the database of a server that is stopped.
async fn execute(folder: &Path, statement: &str) {
    let file = folder.join("data/allclear.db");
    let url = format!("sqlite:{}", file.display());
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let changed = connection.execute_unprepared(statement).await.unwrap();
    assert_eq!(changed.rows_affected(), 1);
    connection.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn operators_are_mailed_about_an_open_incident_without_updates() {
    let (app, operator) = TestApp::with_operator().await;
    let settings = operator.patch("/organisation", json!({"reminderHours": 2}));
    assert_status(settings, 200).await;
    let body = json!({"title": "Database down", "description": "d", "status": "INVESTIGATING"});
    let created = operator.post("/incident/create", body).await;
    let incident = created.body["data"]["id"].as_str().unwrap().to_owned();
    let path = format!("/identity/organisations/{}/members", operator.organisation);
    let members = operator.get(&path).await;
    let address = members.body["data"][0]["email"]
        .as_str()
        .unwrap()
        .to_owned();

    let folder = app.stop().await;
    let earlier = "UPDATE incidents SET created_at = '2026-01-01T00:00:00+00:00'";
    execute(folder.path(), earlier).await;
    let app = TestApp::start_in(folder, &[]).await;
    let linked = mailed_token(app.folder.path(), &address, "/incidents/incident/edit/").await;
    assert_eq!(linked, incident);
}
