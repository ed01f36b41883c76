use std::collections::BTreeSet;

use allclear_transport::socket::events;
use serde_json::{Value, json};

use super::forged::Forger;
use super::sample::SampleOrganisation;
use crate::app::{TestApp, assert_status};
use crate::socket::Client;

/// The requests of a socket, and the field of the public snapshot that a visitor may get by each.
const ROWS: [(&str, Option<&str>); 5] = [
    ("join", None),
    ("get-components", Some("components")),
    ("get-incidents", Some("incidents")),
    ("get-maintenances", Some("maintenances")),
    ("authenticate", None),
];

#[test]
fn every_event_has_its_row() {
    let rows: BTreeSet<_> = ROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(rows, events().collect());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forged_token_gets_no_socket_and_no_more_on_one() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    for (name, token) in Forger::of(&app).await.forged(&sample.operator.token) {
        let error = Client::connect(&app.url, json!({"token": token}), &[])
            .await
            .err();
        assert_eq!(
            error,
            Some(json!({"message": "Please sign in again"})),
            "{name}"
        );
        let header = format!("Bearer {token}");
        let error = Client::connect(&app.url, json!({}), &[("authorization", &header)])
            .await
            .err();
        assert_eq!(
            error,
            Some(json!({"message": "Please sign in again"})),
            "{name}, in the header"
        );
        let mut visitor = Client::anonymous(&app.url).await;
        assert_eq!(
            visitor.ask("authenticate", &token).await,
            json!({"message": "Please sign in again"}),
            "{name}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn non_members_get_only_public_data_by_every_event() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let outside = sample
        .admin
        .post("/organisations", json!({"name": "Other"}))
        .await;
    let outside = outside.body["data"]["id"].as_str().unwrap().to_owned();
    let elsewhere = sample.member.post("/token", json!({})).await.body["data"]["token"]
        .as_str()
        .unwrap()
        .to_owned();
    let other = sample.admin.token(&outside).await;
    for (who, auth) in [
        ("nobody", json!({})),
        ("a token without organisation", json!({"token": elsewhere})),
        ("another organisation's admin", json!({"token": other})),
    ] {
        let public = sample.operator.snapshot().await;
        let mut socket = Client::connect(&app.url, auth, &[]).await.unwrap();
        for (event, field) in ROWS {
            let response = socket.ask(event, &sample.organisation).await;
            match field {
                Some(field) => assert_eq!(response, public[field], "{who}: {event}"),
                None if event == "join" => {
                    assert_eq!(response, json!({"revision": public["revision"]}), "{who}");
                }
                None => assert_eq!(
                    response,
                    json!({"message": "Please sign in again"}),
                    "{who}: {event}"
                ),
            }
            assert!(!private(&response, &sample), "{who}: {event}: {response}");
        }
        sample.operator.component("Another").await;
        let (name, args) = socket.event().await;
        assert_eq!(name, "new-component", "{who}");
        assert!(!private(&args, &sample), "{who}: {args}");
        let components = sample.operator.get("/component/list").await;
        let another = components.body["data"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        assert_status(
            sample.operator.delete(&format!("/component/{another}")),
            200,
        )
        .await;
    }
}

/// Whether the response contains data for members only.
fn private(response: &Value, sample: &SampleOrganisation) -> bool {
    let text = response.to_string();
    let secrets = [
        sample.subscriber.as_str(),
        sample.member_id.as_str(),
        "reader@example.com",
        "Ada",
    ];
    secrets.iter().any(|secret| text.contains(secret))
}
