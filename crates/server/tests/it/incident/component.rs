use serde_json::{Value, json};

use super::{errors, open};
use crate::app::{Operator, TestApp};

async fn status(operator: &Operator, component: &str) -> Value {
    operator.get(&format!("/component/{component}")).await.body["data"]["status"].clone()
}

fn names(body: &Value) -> Vec<&str> {
    let items = body["data"].as_array().unwrap().iter();
    items
        .map(|item| {
            item["component"]["name"]
                .as_str()
                .or(item["name"].as_str())
                .unwrap()
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn components_are_attached_listed_and_detached() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let (api, web) = (
        operator.component("API").await,
        operator.component("Web").await,
    );
    let path = open(
        &operator,
        json!([{"componentId": api, "status": "DEGRADED"}]),
    )
    .await;
    let listed = operator.get(&format!("{path}/components/list")).await;
    let link = json!({"componentId": api, "status": "DEGRADED",
        "component": {"id": api, "name": "API", "status": "DEGRADED"}});
    assert_eq!(listed.body["data"], json!([link]));
    let others = operator.get(&format!("{path}/components/unattached")).await;
    assert_eq!(
        others.body["data"],
        json!([{"id": web, "name": "Web", "status": "OPERATIONAL"}])
    );

    let more = json!({"components": [{"componentId": web, "status": "PARTIAL_OUTAGE"}]});
    let attached = operator
        .post(&format!("{path}/components/attach"), more.clone())
        .await;
    assert_eq!(
        (attached.status, names(&attached.body)),
        (200, vec!["Web", "API"])
    );
    assert_eq!(status(&operator, &web).await, "PARTIAL_OUTAGE");
    assert_eq!(
        names(
            &operator
                .get(&format!("{path}/components/unattached"))
                .await
                .body
        ),
        [""; 0]
    );
    let again = operator
        .post(&format!("{path}/components/attach"), more)
        .await;
    assert_eq!(
        (again.status, &again.body["message"]),
        (
            409,
            &json!("A component is attached to this incident already")
        )
    );

    let both = json!({"componentIds": [api, web]});
    let detached = operator
        .post(&format!("{path}/components/detach"), both.clone())
        .await;
    assert_eq!((detached.status, &detached.body["data"]), (200, &json!([])));
    assert_eq!(
        (status(&operator, &api).await, status(&operator, &web).await),
        (json!("OPERATIONAL"), json!("OPERATIONAL"))
    );
    assert_eq!(
        operator
            .post(&format!("{path}/components/detach"), both)
            .await
            .status,
        422
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_components_come_in_parts_too() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    for name in ["one", "two", "three"] {
        operator.component(name).await;
    }
    let path = open(&operator, json!([])).await;
    let part = operator
        .get(&format!("{path}/components/unattached?limit=2"))
        .await
        .body;
    assert_eq!(names(&part), ["three", "two"]);
    let next = part["meta"]["next"].as_str().unwrap();
    let rest = operator
        .get(&format!("{path}/components/unattached?before={next}"))
        .await
        .body;
    assert_eq!(
        (names(&rest), &rest["meta"]["next"]),
        (vec!["one"], &json!(null))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_rows_are_named_and_nothing_is_attached() {
    let app = TestApp::start().await;
    let (operator, other) = (app.operator("Acme").await, app.operator("Other").await);
    let (api, theirs) = (
        operator.component("API").await,
        other.component("API").await,
    );
    let path = open(&operator, json!([])).await;
    let row = |id: &str| json!({"componentId": id, "status": "DEGRADED"});
    let rows = [
        (
            json!({}),
            ("components", "At least one component is required"),
        ),
        (
            json!({"components": []}),
            ("components", "At least one component is required"),
        ),
        (
            json!({"components": [row(&api), row("")]}),
            ("components[1].componentId", "Component is required"),
        ),
        (
            json!({"components": [{"componentId": api}]}),
            ("components[0].status", "Select Any One"),
        ),
        (
            json!({"components": [row(&api), row(&api)]}),
            (
                "components[1].componentId",
                "This component is chosen already",
            ),
        ),
        (
            json!({"components": [row(&api), row(&theirs)]}),
            ("components[1].componentId", "This component does not exist"),
        ),
    ];
    for (body, expected) in rows {
        let refused = operator
            .post(&format!("{path}/components/attach"), body.clone())
            .await;
        assert_eq!(
            (refused.status, errors(&refused.body)),
            (422, vec![expected]),
            "{body}"
        );
        let mut create = json!({"title": "t", "description": "d"});
        create["components"] = body["components"].clone();
        if body["components"]
            .as_array()
            .is_some_and(|rows| !rows.is_empty())
        {
            let refused = operator.post("/incident/create", create).await;
            assert_eq!(
                (refused.status, errors(&refused.body)),
                (422, vec![expected]),
                "{body}"
            );
        }
    }
    assert_eq!(status(&operator, &api).await, "OPERATIONAL");
    let rows = [
        (
            json!({}),
            ("componentIds", "At least one component is required"),
        ),
        (
            json!({"componentIds": []}),
            ("componentIds", "At least one component is required"),
        ),
        (
            json!({"componentIds": [7]}),
            ("componentIds[0]", "Component is required"),
        ),
        (
            json!({"componentIds": [api, api]}),
            ("componentIds[1]", "This component is chosen already"),
        ),
        (
            json!({"componentIds": [api]}),
            ("componentIds[0]", "This component is not attached"),
        ),
    ];
    for (body, expected) in rows {
        let refused = operator
            .post(&format!("{path}/components/detach"), body.clone())
            .await;
        assert_eq!(
            (refused.status, errors(&refused.body)),
            (422, vec![expected]),
            "{body}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_an_incident_returns_its_components() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let api = operator.component("API").await;
    let path = open(
        &operator,
        json!([{"componentId": api, "status": "MAJOR_OUTAGE"}]),
    )
    .await;
    assert_eq!(operator.snapshot().await["banner"]["operational"], false);
    operator.delete(&path).await;
    assert_eq!(operator.snapshot().await["banner"]["operational"], true);
}
