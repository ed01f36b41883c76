//! The binary on a database that a released version has left behind.

use serde_json::json;
use tokio::process::Command;

use super::postgres;
use crate::app::{Operator, PASSWORD, cookie_client, send, token};
use crate::process::{Process, command};

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/schemas");

/// The files of PostgreSQL stand for both: psql reads them, and it is there wherever PostgreSQL is.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_signed_up_at_a_released_version_goes_on_at_this_one() {
    for entry in std::fs::read_dir(KEPT).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_str().unwrap().ends_with(".postgresql.sql") {
            continue;
        }
        let Some(database) = postgres().await else {
            return;
        };
        let mut psql = Command::new("psql");
        let filled = psql
            .args([&database, "-qv", "ON_ERROR_STOP=1", "-o", "/dev/null", "-f"])
            .arg(&path);
        assert!(
            filled.status().await.unwrap().success(),
            "{}",
            path.display()
        );
        let folder = tempfile::tempdir().unwrap();
        let own = [
            "--database-url",
            &database,
            "--public-url",
            "http://kept.example",
            "--log",
            "error",
        ];
        let process = Process::serve(command(&folder.path().join("data"), &own)).await;

        let client = cookie_client();
        let identity = format!("{}/api/v1/identity", process.url);
        let ada = json!({"email": "ada@example.com", "password": PASSWORD});
        assert_eq!(
            send(client.post(format!("{identity}/sign-in")).json(&ada))
                .await
                .status,
            200
        );
        let session = send(client.get(format!("{identity}/session"))).await.body["data"].clone();
        let organisation = session["organisations"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        let token = token(&client, &process.url, &organisation).await;
        let operator = Operator {
            url: process.url.clone(),
            organisation,
            token,
            client,
        };
        assert_eq!(
            operator.get("/incident/list").await.body["data"][0]["title"],
            "Down"
        );
        operator.component("New").await;
        let components = operator.snapshot().await["components"].clone();
        assert_eq!(
            (&components[0]["name"], &components[1]["name"]),
            (&json!("New"), &json!("API"))
        );
    }
}
