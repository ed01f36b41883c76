//! The socket over the network.

mod access;
mod client;

use serde_json::{Value, json};

use crate::app::{Operator, TestApp, TestResponse};
pub(crate) use client::{Client, End, Event};

/// The data of a response, and the snapshot after it.
async fn data_and_snapshot(operator: &Operator, response: TestResponse) -> (Value, Value) {
    assert!(response.status < 300, "{response:?}");
    (response.body["data"].clone(), operator.snapshot().await)
}

fn event(name: &str, args: Value) -> Event {
    (name.to_owned(), args)
}

/// The names of events, each once, in alphabetical order.
fn names(events: &[Event]) -> Vec<&str> {
    let mut names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Changes components, incidents and maintenances in every way; returns the expected events.
async fn everything(operator: &Operator) -> Vec<Event> {
    let (component, snapshot) = data_and_snapshot(
        operator,
        operator
            .post("/component/create", json!({"name": "API"}))
            .await,
    )
    .await;
    let path = format!("/component/{}", component["id"].as_str().unwrap());
    let mut events = vec![event("new-component", json!([snapshot["components"][0]]))];
    let (_, snapshot) = data_and_snapshot(
        operator,
        operator.patch(&path, json!({"status": "DEGRADED"})).await,
    )
    .await;
    events.push(event(
        "component-update",
        json!([snapshot["components"][0]]),
    ));
    data_and_snapshot(operator, operator.delete(&path).await).await;
    events.push(event("component-deleted", json!([component["id"]])));

    let input = json!({"title": "Down", "description": "All of it"});
    let (incident, snapshot) =
        data_and_snapshot(operator, operator.post("/incident/create", input).await).await;
    let path = format!("/incident/{}", incident["id"].as_str().unwrap());
    events.push(event("new-incident", json!([snapshot["incidents"][0]])));
    let (_, snapshot) = data_and_snapshot(
        operator,
        operator.patch(&path, json!({"title": "Up"})).await,
    )
    .await;
    events.push(event("incident-updated", json!([snapshot["incidents"][0]])));
    let timeline = timeline_events(
        operator,
        &path,
        ["incidents", "IncidentTimeline"],
        ["timeline-updated", "incident"],
    );
    events.extend(timeline.await);
    data_and_snapshot(operator, operator.delete(&path).await).await;
    events.push(event("incident-deleted", json!([incident["id"]])));

    let input =
        json!({"title": "Disks", "description": "New ones", "startAt": "2999-01-01T00:00:00Z"});
    let (maintenance, snapshot) =
        data_and_snapshot(operator, operator.post("/maintenance/create", input).await).await;
    let path = format!("/maintenance/{}", maintenance["id"].as_str().unwrap());
    events.push(event(
        "new-maintenance",
        json!([snapshot["maintenances"][0]]),
    ));
    let (_, snapshot) = data_and_snapshot(
        operator,
        operator.patch(&path, json!({"status": "CANCELLED"})).await,
    )
    .await;
    events.push(event(
        "maintenance-updated",
        json!([snapshot["maintenances"][0]]),
    ));
    let names = ["maintenance-timeline-updated", "maintenance"];
    events.extend(timeline_events(operator, &path, ["maintenances", "timeline"], names).await);
    data_and_snapshot(operator, operator.delete(&path).await).await;
    events.push(event("maintenance-deleted", json!([maintenance["id"]])));
    events
}

/// Changes groups, the order of the page and the settings; returns the expected events.
async fn structure_events(operator: &Operator) -> Vec<Event> {
    let (mut events, mut ids) = (Vec::new(), Vec::new());
    for name in ["Core", "Edge"] {
        let body = json!({"name": name});
        let created = operator.post("/component-group/create", body).await;
        let (group, snapshot) = data_and_snapshot(operator, created).await;
        events.push(event("new-component-group", json!([snapshot["groups"][0]])));
        ids.push(group["id"].as_str().unwrap().to_owned());
    }
    let edge = format!("/component-group/{}", ids[1]);
    let renamed = operator.patch(&edge, json!({"name": "Rim"})).await;
    let (_, snapshot) = data_and_snapshot(operator, renamed).await;
    assert_eq!(snapshot["groups"][0]["name"], "Rim");
    let group = json!([snapshot["groups"][0]]);
    events.push(event("component-group-update", group));

    let entries = ids.iter().map(|id| json!({"id": id, "components": []}));
    let order = json!({"groups": entries.collect::<Vec<_>>()});
    let ordered = operator.post("/component/order", order.clone()).await;
    data_and_snapshot(operator, ordered).await;
    let read = operator.get("/component/order").await.body["data"].take();
    assert_eq!(read, order);
    events.push(event("component-order-updated", json!([read])));

    data_and_snapshot(operator, operator.delete(&edge).await).await;
    events.push(event("component-group-deleted", json!([ids[1]])));
    let order = json!({"groups": [{"id": ids[0], "components": []}]});
    events.push(event("component-order-updated", json!([order])));
    let settings = json!({"pageTitle": "Acme Cloud"});
    let changed = operator.patch("/organisation", settings).await;
    let (_, snapshot) = data_and_snapshot(operator, changed).await;
    assert_eq!(snapshot["organisation"]["pageTitle"], "Acme Cloud");
    let organisation = json!([snapshot["organisation"]]);
    events.push(event("organisation-updated", organisation));
    events
}

/// Records an update and deletes it; returns the expected events.
async fn timeline_events(
    operator: &Operator,
    path: &str,
    at: [&str; 2],
    [updated, parent]: [&str; 2],
) -> Vec<Event> {
    let input = json!({"message": "Looking", "status": "IDENTIFIED"});
    let (entry, after) = data_and_snapshot(
        operator,
        operator
            .post(&format!("{path}/updates/create"), input)
            .await,
    )
    .await;
    let ids = json!({format!("{parent}UpdateIds"): [entry["id"]]});
    let (_, cleared) = data_and_snapshot(
        operator,
        operator.post(&format!("{path}/updates/delete"), ids).await,
    )
    .await;
    let thing = |snapshot: &Value| snapshot[at[0]][0].clone();
    vec![
        event(updated, json!([thing(&after)[at[1]][0]])),
        event(&format!("{parent}-updated"), json!([thing(&after)])),
        event(
            &format!("{parent}-timeline-deleted"),
            json!([thing(&cleared)["id"], entry["id"]]),
        ),
        event(&format!("{parent}-updated"), json!([thing(&cleared)])),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn room_members_receive_all_thirteen_events_in_order_and_other_sockets_none() {
    let app = TestApp::start().await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    let mut member = Client::signed_in(&app.url, &acme.token).await;
    let mut visitor = Client::anonymous(&app.url).await;
    let mut guest = Client::signed_in(&app.url, &other.token).await;
    let mut elsewhere = Client::signed_in(&app.url, &other.token).await;
    for client in [&mut member, &mut visitor, &mut guest] {
        assert_eq!(
            client.join(&acme.organisation).await,
            json!({"revision": 0})
        );
    }
    elsewhere.join(&other.organisation).await;

    let events = everything(&acme).await;
    assert_eq!(names(&events).len(), 13);
    for client in [&mut member, &mut visitor, &mut guest] {
        for expected in &events {
            assert_eq!(&client.event().await, expected);
        }
    }
    let id = other.component("Mine").await;
    assert_eq!(
        elsewhere.event().await.1[0]["id"],
        json!(id),
        "the first event of the other room"
    );
    assert_eq!(
        member.ask("get-components", &acme.organisation).await,
        json!([])
    );
    assert_eq!(
        member.received(),
        [],
        "and nothing of the other room came here"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn room_members_receive_the_events_of_groups_order_and_settings() {
    let (app, acme) = TestApp::with_operator().await;
    let mut member = Client::signed_in(&app.url, &acme.token).await;
    let mut visitor = Client::anonymous(&app.url).await;
    for client in [&mut member, &mut visitor] {
        client.join(&acme.organisation).await;
    }
    let events = structure_events(&acme).await;
    assert_eq!(
        names(&events),
        [
            "component-group-deleted",
            "component-group-update",
            "component-order-updated",
            "new-component-group",
            "organisation-updated",
        ]
    );
    for client in [&mut member, &mut visitor] {
        for expected in &events {
            assert_eq!(&client.event().await, expected);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_equal_the_snapshot_for_every_socket() {
    let (app, acme) = TestApp::with_operator().await;
    acme.component("API").await;
    acme.post(
        "/incident/create",
        json!({"title": "Down", "description": "d"}),
    )
    .await;
    acme.post(
        "/maintenance/create",
        json!({"title": "M", "description": "d", "startAt": "2999-01-01T00:00:00Z"}),
    )
    .await;
    let snapshot = acme.snapshot().await;
    let mut visitor = Client::anonymous(&app.url).await;
    for joined in [false, true] {
        if joined {
            assert_eq!(
                visitor.join(&acme.organisation).await,
                json!({"revision": snapshot["revision"]})
            );
        }
        for list in ["components", "incidents", "maintenances"] {
            assert_eq!(snapshot[list].as_array().unwrap().len(), 1);
            assert_eq!(
                visitor
                    .ask(&format!("get-{list}"), &acme.organisation)
                    .await,
                snapshot[list]
            );
        }
    }
    assert_eq!(visitor.received(), [], "no event is repeated");
}

#[tokio::test(flavor = "multi_thread")]
async fn acknowledgement_is_in_order_with_the_events() {
    let (app, acme) = TestApp::with_operator().await;
    let mut client = Client::anonymous(&app.url).await;
    client.join(&acme.organisation).await;
    let writing = tokio::spawn({
        let acme = acme.clone();
        async move {
            let mut ids = Vec::new();
            for number in 0..120 {
                ids.push(acme.component(&format!("Component {number}")).await);
            }
            ids
        }
    });
    // A page that puts new items on top and replaces its list by a read one shows no id twice and
    // misses none, at any time.
    let mut shown: Vec<String> = Vec::new();
    let id = |component: &Value| component["id"].as_str().unwrap().to_owned();
    while shown.len() < 120 {
        let list = client.ask("get-components", &acme.organisation).await;
        for (_, args) in client.received() {
            shown.insert(0, id(&args[0]));
        }
        let listed: Vec<_> = list.as_array().unwrap().iter().map(id).collect();
        assert_eq!(
            shown, listed,
            "the list is the result of the events before it"
        );
    }
    let mut written = writing.await.unwrap();
    written.reverse();
    assert_eq!(shown, written);
}

#[tokio::test(flavor = "multi_thread")]
async fn joining_under_load_loses_and_doubles_no_event() {
    let (app, acme) = TestApp::with_operator().await;
    let writing = tokio::spawn({
        let acme = acme.clone();
        async move {
            for number in 0..120 {
                acme.component(&format!("Component {number}")).await;
            }
        }
    });
    let ids = |components: &Value| -> Vec<String> {
        let id = |component: &Value| component["id"].as_str().unwrap().to_owned();
        components.as_array().unwrap().iter().map(id).collect()
    };
    let mut joined = Vec::new();
    while joined.len() < 20 && !writing.is_finished() {
        let mut client = Client::anonymous(&app.url).await;
        client.join(&acme.organisation).await;
        let list = client.ask("get-components", &acme.organisation).await;
        // These events came before the list, which contains them.
        client.received();
        joined.push((client, ids(&list)));
    }
    assert!(joined[0].1.len() < 120, "the first joins under load");
    writing.await.unwrap();
    let written = ids(&acme.snapshot().await["components"]);
    for (mut client, mut shown) in joined {
        while shown.len() < 120 {
            let (_, args) = client.event().await;
            shown.splice(0..0, ids(&args));
        }
        assert_eq!(shown, written);
        client.ask("get-components", &acme.organisation).await;
        assert_eq!(client.received(), [], "no event comes twice");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_item_gets_a_sentence() {
    let app = TestApp::start().await;
    let mut client = Client::anonymous(&app.url).await;
    let unknown = json!({"message": "Organisation not found"});
    for name in [
        "join",
        "get-components",
        "get-incidents",
        "get-maintenances",
    ] {
        for organisation in ["org_nobody", "", &"x".repeat(65)] {
            assert_eq!(
                client.ask(name, organisation).await,
                unknown,
                "{name} {organisation}"
            );
        }
    }
    assert_eq!(
        client.ask("get-secrets", "org").await,
        json!({"message": "There is no such event"})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_shutdown_closes_the_transport_so_that_clients_come_back() {
    let (app, acme) = TestApp::with_operator().await;
    let mut client = Client::signed_in(&app.url, &acme.token).await;
    client.join(&acme.organisation).await;
    let (end, _) = tokio::join!(client.end(), app.stop());
    assert_eq!(end, End::Closed);
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_connect_from_our_own_and_allowed_origins_only() {
    let flags = [
        "--allowed-origins",
        "https://a.example",
        "--public-url",
        "https://status.example",
    ];
    let app = TestApp::start_with(&flags).await;
    let url = format!("{}/socket.io/?EIO=4&transport=polling", app.url);
    let open = |origin: Option<&'static str>| {
        let request = crate::app::client().get(&url);
        if let Some(origin) = origin {
            request.header("origin", origin)
        } else {
            request
        }
        .send()
    };
    for origin in [
        None,
        Some("https://a.example"),
        Some("https://status.example"),
    ] {
        let opened = open(origin).await.unwrap();
        assert_eq!(opened.status(), 200, "{origin:?}");
        let allowed = opened
            .headers()
            .get("access-control-allow-origin")
            .map(|value| value.to_str().unwrap());
        assert_eq!(allowed, origin);
    }
    assert_eq!(
        open(Some("https://evil.example")).await.unwrap().status(),
        403
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn sockets_are_counted_and_send_their_settings() {
    let app = TestApp::start_with(&["--ping-interval", "7000", "--ping-timeout", "3000"]).await;
    let _client = Client::anonymous(&app.url).await;
    let metrics = crate::app::client()
        .get(format!("{}/metrics", app.url))
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    assert!(
        metrics.lines().any(|line| line == "allclear_sockets 1"),
        "{metrics}"
    );
    let opened = crate::app::client()
        .get(format!("{}/socket.io/?EIO=4&transport=polling", app.url))
        .send()
        .await
        .unwrap();
    let text = opened.text().await.unwrap();
    let open: Value = serde_json::from_str(text.strip_prefix('0').unwrap()).unwrap();
    assert_eq!(
        (&open["pingInterval"], &open["pingTimeout"]),
        (&json!(7000), &json!(3000))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn events_beyond_the_rate_wait_and_all_of_them_are_acknowledged() {
    let app = TestApp::start().await;
    let mut visitor = Client::anonymous(&app.url).await;
    let acknowledgements = visitor.ask_many("join", "org_unknown", 300).await;
    let is_refused = |acknowledgement: &Value| acknowledgement["message"].is_string();
    assert!(acknowledgements.iter().all(is_refused));
}
