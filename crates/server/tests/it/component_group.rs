use chrono::{DateTime, TimeDelta, Utc};
use reqwest::{Method, header};
use serde_json::{Value, json};

use crate::app::{Operator, TestApp, assert_status, client, send};

async fn group(operator: &Operator, name: &str) -> String {
    let created = operator
        .create("/component-group/create", json!({"name": name}))
        .await;
    created["id"].as_str().unwrap().to_owned()
}

#[expect(clippy::disallowed_methods, reason = "the real server's clock")]
fn now() -> DateTime<Utc> {
    Utc::now()
}

async fn order(operator: &Operator) -> Value {
    operator.get("/component/order").await.body["data"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn group_is_created_changed_and_deleted() {
    let (_app, operator) = TestApp::with_operator().await;
    let created = operator
        .post("/component-group/create", json!({"name": " Core "}))
        .await;
    assert_eq!(created.status, 201);
    let group = &created.body["data"];
    for (field, value) in [
        ("name", json!("Core")),
        ("display", json!("OPEN")),
        ("status", json!("OPERATIONAL")),
        ("position", json!(1)),
    ] {
        assert_eq!(group[field], value, "{field}");
    }
    let path = format!("/component-group/{}", group["id"].as_str().unwrap());
    let changed = operator.patch(&path, json!({"display": "CLOSED"})).await;
    assert_eq!(changed.body["data"]["display"], "CLOSED");
    assert_ne!(changed.etag, created.etag);
    let listed = operator.get("/component-group/list").await;
    assert_eq!(listed.body["data"][0], changed.body["data"]);
    assert_eq!(operator.delete(&path).await.status, 200);
    assert_eq!(operator.get(&path).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn uptime_of_a_group_is_the_mean_of_the_components_that_show_theirs() {
    let (_app, operator) = TestApp::with_operator().await;
    let core = group(&operator, "Core").await;
    let path = format!("/component-group/{core}/uptime");
    let empty = operator.get(&path).await.body["data"].take();
    assert_eq!(
        (&empty["percentage"], &empty["days"]),
        (&json!(null), &json!(0))
    );

    let (day, hour) = (TimeDelta::days(1), TimeDelta::hours(1));
    let start = now() - day * 3;
    let mut components = Vec::new();
    for shown in [true, true, false] {
        let input = json!({"name": "API", "groupId": core, "startDate": null, "showUptime": shown});
        let component = operator.create("/component/create", input).await;
        components.push(component["id"].as_str().unwrap().to_owned());
    }
    for id in [&components[0], &components[2]] {
        let period = json!({"status": "MAJOR_OUTAGE", "startAt": start, "endAt": start + hour});
        let added = operator
            .post(&format!("/component/{id}/history/create"), period)
            .await;
        assert_eq!(added.status, 201, "{added:?}");
    }
    let incident = json!({
        "title": "Down", "description": "d", "status": "RESOLVED", "occuredAt": start,
        "components": [{"componentId": components[1], "status": "DEGRADED"}],
    });
    let incident = operator.create("/incident/create", incident).await;
    let found = operator.get(&path).await.body["data"].take();
    // One of two components lost an hour of 90 days: the mean of 99.9537 and 100.
    assert_eq!(
        found,
        json!({
            "from": found["from"], "to": found["to"], "percentage": 99.97, "days": 90,
            "incidents": [{"id": incident["id"], "code": incident["code"], "title": "Down"}],
        })
    );
    let page = format!("{}/status/{}", operator.url, operator.organisation);
    let shown = send(client().get(page)).await;
    let shown = shown.body.as_str().unwrap();
    let uptime = "Core</h3><span class=\"quiet\">99.97 % uptime</span>";
    assert!(shown.contains(uptime), "{shown}");
    for query in [
        "?from=2026-02-02&to=2026-02-01",
        "?from=2024-01-01&to=2025-12-31",
        "?from=yesterday",
    ] {
        let response = operator.get(&format!("{path}{query}")).await;
        assert_eq!(response.status, 422, "{query}");
    }
    assert_eq!(
        operator
            .delete(&format!("/component-group/{core}"))
            .await
            .status,
        200
    );
    assert_eq!(operator.get(&path).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_fields_of_a_group_are_named() {
    let (app, operator) = TestApp::with_operator().await;
    let other = app.operator("Other").await;
    let rows = [
        (json!({}), "name: Name is required"),
        (json!({"name": "A"}), "name: Name is required"),
        (
            json!({"name": "Core", "display": "HIDDEN"}),
            "display: Select Any One",
        ),
        (
            json!({"display": "HIDDEN"}),
            "name: Name is required; display: Select Any One",
        ),
    ];
    operator
        .assert_invalid(Method::POST, "/component-group/create", &rows)
        .await;
    let own = format!("/component-group/{}", group(&operator, "Own").await);
    let both = (
        json!({"name": "", "display": "HIDDEN"}),
        "name: Name is required; display: Select Any One",
    );
    operator.assert_invalid(Method::PATCH, &own, &[both]).await;
    assert_status(operator.delete(&own), 200).await;
    let component = operator.component("API").await;
    let foreign = group(&other, "Core").await;
    for id in ["01a2052f-0c41-7000-8000-00015edd64ef", &foreign] {
        let message = "groupId: This group does not exist";
        let rows = [(json!({"name": "API", "groupId": id}), message)];
        for (method, path) in [
            (Method::POST, "/component/create"),
            (Method::PATCH, &format!("/component/{component}")),
        ] {
            operator.assert_invalid(method, path, &rows).await;
        }
    }
    let kept = json!({"groups": [{"id": null, "components": [component]}]});
    assert_eq!(order(&operator).await, kept);
    let kept = json!({"groups": [{"id": foreign, "components": []}]});
    assert_eq!(order(&other).await, kept);
}

#[tokio::test(flavor = "multi_thread")]
async fn moved_component_comes_first_in_its_new_group() {
    let (_app, operator) = TestApp::with_operator().await;
    let [alone, moved] = [
        operator.component("Alone").await,
        operator.component("Moved").await,
    ];
    let core = group(&operator, "Core").await;
    let body = json!({"name": "Grouped", "groupId": core});
    let grouped = operator.create("/component/create", body).await["id"].take();
    let path = format!("/component/{moved}");
    let into = operator.patch(&path, json!({"groupId": core})).await;
    assert_eq!(into.body["data"]["position"], 1, "{into:?}");
    let expected = json!({"groups": [
        {"id": core, "components": [moved, grouped]},
        {"id": null, "components": [alone]},
    ]});
    assert_eq!(order(&operator).await, expected);

    let path = format!("/component/{}", grouped.as_str().unwrap());
    let out = operator.patch(&path, json!({"groupId": null})).await;
    assert_eq!(out.body["data"]["position"], 2, "{out:?}");
    let expected = json!({"groups": [
        {"id": core, "components": [moved]},
        {"id": null, "components": [grouped, alone]},
    ]});
    assert_eq!(order(&operator).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn order_has_a_new_version_after_every_change_of_what_it_holds() {
    let (_app, operator) = TestApp::with_operator().await;
    let mut versions = Vec::new();
    let mut keep_version = async |change: &str| {
        let version = operator.get("/component/order").await.etag.unwrap();
        assert!(!versions.contains(&version), "{change}: {versions:?}");
        versions.push(version);
    };
    keep_version("nothing").await;
    let component = operator.component("API").await;
    keep_version("a created component").await;
    let core = group(&operator, "Core").await;
    keep_version("a created group").await;
    let path = format!("/component/{component}");
    assert_status(operator.patch(&path, json!({"groupId": core})), 200).await;
    keep_version("a moved component").await;
    assert_status(operator.delete(&path), 200).await;
    keep_version("a deleted component").await;
    assert_status(operator.delete(&format!("/component-group/{core}")), 200).await;
    keep_version("a deleted group").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn new_components_and_groups_come_first_and_a_deleted_group_leaves_its_components() {
    let (_app, operator) = TestApp::with_operator().await;
    let first = operator.component("First").await;
    let core = group(&operator, "Core").await;
    let created = operator
        .create(
            "/component/create",
            json!({"name": "Grouped", "groupId": core, "status": "DEGRADED"}),
        )
        .await;
    let grouped = created["id"].as_str().unwrap();
    assert_eq!(
        (&created["groupId"], &created["position"]),
        (&json!(core), &json!(1))
    );
    let second = operator.component("Second").await;
    let expected = json!({"groups": [
        {"id": core, "components": [grouped]},
        {"id": null, "components": [second, first]},
    ]});
    assert_eq!(order(&operator).await, expected);
    let snapshot = operator.snapshot().await;
    assert_eq!(snapshot["groups"][0]["status"], "DEGRADED");
    let names: Vec<_> = snapshot["components"]
        .as_array()
        .unwrap()
        .iter()
        .map(|component| component["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Grouped", "Second", "First"]);

    let path = format!("/component-group/{core}");
    operator.delete(&path).await;
    let expected = json!({"groups": [{"id": null, "components": [grouped, second, first]}]});
    assert_eq!(order(&operator).await, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn order_is_replaced_unless_somebody_else_changed_it() {
    let (_app, operator) = TestApp::with_operator().await;
    let (a, b) = (
        operator.component("A1").await,
        operator.component("B1").await,
    );
    let core = group(&operator, "Core").await;
    let read = operator.get("/component/order").await;
    let before = operator.get(&format!("/component/{b}")).await;
    let wanted =
        json!({"groups": [{"id": null, "components": [a]}, {"id": core, "components": [b]}]});
    let reorder = |etag: String, body: Value| {
        let request = operator.request(Method::POST, "/component/order");
        send(request.header(header::IF_MATCH, etag).json(&body))
    };
    let etag = read.etag.unwrap();
    let ordered = reorder(etag.clone(), wanted.clone()).await;
    assert_eq!((ordered.status, &ordered.body["data"]), (200, &wanted));
    assert_eq!(reorder(etag, wanted.clone()).await.status, 412);
    let moved = operator.get(&format!("/component/{b}")).await;
    assert_eq!(moved.body["data"]["groupId"], json!(core));
    let stale = operator.request(Method::PATCH, &format!("/component/{b}"));
    let stale = stale.header(header::IF_MATCH, before.etag.unwrap());
    assert_status(send(stale.json(&json!({"groupId": null}))), 412).await;

    let rows = [
        json!({"groups": [{"id": null, "components": [a]}]}),
        json!({"groups": [{"components": [a]}, {"id": core, "components": [b]}]}),
        json!({"groups": [{"id": core, "components": [a, b, b]}]}),
        json!({"groups": [{"id": core, "components": [a, b]}, {"id": "x", "components": []}]}),
    ];
    for row in rows {
        let response = operator.post("/component/order", row.clone()).await;
        assert_eq!(response.status, 422, "{row}");
    }
    let message = "groups: Must be the list of groups, each with its components";
    let rows = [
        (json!({}), message),
        (json!({"groups": 5}), message),
        (json!({"groups": ["x"]}), message),
    ];
    let path = "/component/order";
    operator.assert_invalid(Method::POST, path, &rows).await;
    assert_eq!(order(&operator).await, wanted);
}

#[tokio::test(flavor = "multi_thread")]
async fn order_with_an_empty_entry_is_returned_as_it_was_sent() {
    let (_app, operator) = TestApp::with_operator().await;
    let component = operator.component("API").await;
    let core = group(&operator, "Core").await;
    let grouped = json!({"id": core, "components": [component]});
    let sent = json!({"groups": [grouped, {"id": null, "components": []}]});
    let ordered = operator.post("/component/order", sent.clone()).await;
    assert_eq!((ordered.status, &ordered.body["data"]), (200, &sent));
    assert_eq!(order(&operator).await, json!({"groups": [grouped]}));
}
