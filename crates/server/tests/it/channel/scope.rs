use std::collections::BTreeSet;

use allclear_application::clock::Clock;
use allclear_application::subscriber::SubscriberStore;
use allclear_domain::subscriber::Subscriber;
use chrono::TimeDelta;
use serde_json::{Value, json};

use super::WebhookSetup;
use super::receiver::Received;

/// Paths of the webhooks that received the incident or maintenance with this name.
fn receivers<'a>(received: &'a [Received], name: &str) -> BTreeSet<&'a str> {
    let about = |received: &&Received| received.json()["incident"]["name"] == json!(name);
    received
        .iter()
        .filter(about)
        .map(|received| &*received.path)
        .collect()
}

async fn incident_on(setup: &WebhookSetup, title: &str, component: &str) -> String {
    let body = json!({"title": title, "description": "All of it", "status": "INVESTIGATING",
        "components": [{"componentId": component, "status": "MAJOR_OUTAGE"}]});
    setup.created("incident", body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_subscriber_receives_what_it_chose() {
    let mut setup = WebhookSetup::start().await;
    let group = setup
        .operator
        .create("/component-group/create", json!({"name": "Sites"}))
        .await;
    let group = &group["id"];
    let api = setup.operator.component("API").await;
    let web = setup
        .operator
        .create(
            "/component/create",
            json!({"name": "Web", "groupId": group}),
        )
        .await;
    let web = web["id"].as_str().unwrap().to_owned();
    let followed = incident_on(&setup, "Followed", &api).await;
    setup.hook("webhook", "/all").await;
    for (path, field, value) in [
        ("/api", "components", json!([api])),
        ("/sites", "groups", json!([group])),
        ("/follower", "incidentId", json!(followed)),
        ("/muted", "muteMaintenances", json!(true)),
    ] {
        let hook = setup
            .hook_of(path, json!({"channel": "webhook", field: value}))
            .await;
        let shown = setup.subscriber(&hook).await;
        assert_eq!(shown[field], value);
        let scope = match path {
            "/muted" => "ALL",
            "/follower" => "INCIDENT",
            _ => "COMPONENTS",
        };
        assert_eq!(shown["scope"], scope);
    }
    incident_on(&setup, "API down", &api).await;
    incident_on(&setup, "Web down", &web).await;
    setup.incident("Of nothing").await;
    setup
        .update(&followed, "IDENTIFIED", "A cable was cut")
        .await;
    let body = json!({"title": "Move", "description": "d", "startAt": "2999-01-01T00:00:00.000Z",
        "components": [web]});
    setup.created("maintenance", body).await;
    let (_site, received) = setup.restart_and_drain().await;
    for (name, expected) in [
        ("API down", ["/all", "/api", "/muted"].as_slice()),
        ("Web down", &["/all", "/muted", "/sites"]),
        ("Of nothing", &["/all", "/muted"]),
        ("Followed", &["/all", "/api", "/follower", "/muted"]),
        ("Move", &["/all", "/sites"]),
    ] {
        let receivers: Vec<_> = receivers(&received, name).into_iter().collect();
        assert_eq!(receivers, expected, "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_changes_the_scope_of_a_subscriber() {
    let mut setup = WebhookSetup::start().await;
    let (api, web) = (
        setup.operator.component("API").await,
        setup.operator.component("Web").await,
    );
    let hook = setup.hook("webhook", "/hook").await;
    let path = format!("/subscriber/{}", hook.id);
    for (body, expected) in [
        (json!({"components": []}), "components: Choose at least one"),
        (
            json!({"components": ["00000000-0000-7000-8000-000000000000"]}),
            "components[0]: Unknown component",
        ),
        (
            json!({"groups": ["00000000-0000-7000-8000-000000000000"]}),
            "groups[0]: Unknown group",
        ),
        (
            json!({"muteMaintenances": "no"}),
            "muteMaintenances: Must be true or false",
        ),
    ] {
        let response = setup.operator.patch(&path, body.clone()).await;
        assert_eq!(
            (response.status, &*response.invalid()),
            (422, expected),
            "{body}"
        );
    }
    let changed = setup
        .operator
        .patch(&path, json!({"components": [web]}))
        .await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(
        (
            &changed.body["data"]["scope"],
            &changed.body["data"]["components"],
            &changed.body["data"]["groups"]
        ),
        (&json!("COMPONENTS"), &json!([web]), &Value::Null)
    );
    incident_on(&setup, "API down", &api).await;
    incident_on(&setup, "Web down", &web).await;
    let (setup, received) = setup.restart_and_drain().await;
    assert!(receivers(&received, "API down").is_empty());
    assert_eq!(receivers(&received, "Web down").len(), 1);

    let everything = json!({"components": null, "groups": null});
    let changed = setup.operator.patch(&path, everything).await;
    assert_eq!(changed.body["data"]["scope"], "ALL");
    incident_on(&setup, "API down again", &api).await;
    let (_site, received) = setup.restart_and_drain().await;
    assert_eq!(receivers(&received, "API down again").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn followers_of_an_incident_are_removed_a_day_after_it_is_resolved() {
    let mut setup = WebhookSetup::start().await;
    let (over, open) = (setup.incident("Over").await, setup.incident("Open").await);
    for (path, incident) in [("/over", &over), ("/open", &open)] {
        let body = json!({"channel": "webhook", "incidentId": incident});
        setup.hook_of(path, body).await;
    }
    setup.update(&over, "RESOLVED", "It is mended").await;
    // Followers stay until their messages are sent.
    let (mut setup, _) = setup.restart_and_drain().await;
    let database = setup.app.database().await;
    let removed = async |setup: &WebhookSetup| {
        let resolved_before = Subscriber::followed_if_resolved_after(setup.clock.now());
        let removed = database.prune_followers(resolved_before, 10).await;
        removed.unwrap()
    };
    setup
        .clock
        .advance(TimeDelta::hours(24) - TimeDelta::minutes(5));
    assert_eq!(removed(&setup).await, 0);
    setup.clock.advance(TimeDelta::minutes(10));
    assert_eq!(removed(&setup).await, 1);
    setup.sign_in_again().await;
    let listed = setup.operator.get("/subscriber/list").await;
    let left = listed.body["data"].as_array().unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0]["incidentId"], open.as_str());
    let late =
        json!({"channel": "webhook", "target": setup.receiver.url("/late"), "incidentId": over});
    let response = setup.operator.post("/subscriber", late).await;
    assert_eq!(
        (response.status, &response.body["errors"][0]["field"]),
        (422, &json!("incidentId"))
    );
}
