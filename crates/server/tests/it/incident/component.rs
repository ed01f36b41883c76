use reqwest::Method;
use serde_json::{Value, json};

use super::open;
use crate::app::{Operator, TestApp, assert_status};

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
    let (_app, operator) = TestApp::with_operator().await;
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
    let shown = without_codes(&listed.body["data"]);
    assert_eq!(shown, json!([link]));
    let others = operator.get(&format!("{path}/components/unattached")).await;
    assert_eq!(
        without_codes(&others.body["data"]),
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

    let worse = json!({"components": [{"componentId": web, "status": "MAJOR_OUTAGE"}]});
    let changed = operator
        .patch(&format!("{path}/components"), worse.clone())
        .await;
    assert_eq!(
        (changed.status, &changed.body["data"][0]["status"]),
        (200, &json!("MAJOR_OUTAGE"))
    );
    assert_eq!(status(&operator, &web).await, "MAJOR_OUTAGE");

    let both = json!({"componentIds": [api, web]});
    let detached = operator
        .post(&format!("{path}/components/detach"), both.clone())
        .await;
    assert_eq!((detached.status, &detached.body["data"]), (200, &json!([])));
    assert_eq!(
        (status(&operator, &api).await, status(&operator, &web).await),
        (json!("OPERATIONAL"), json!("OPERATIONAL"))
    );
    assert_status(
        operator.post(&format!("{path}/components/detach"), both),
        422,
    )
    .await;
    assert_status(operator.patch(&format!("{path}/components"), worse), 422).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_rows_are_named_and_nothing_is_attached() {
    let (app, operator) = TestApp::with_operator().await;
    let other = app.operator("Other").await;
    let (api, theirs) = (
        operator.component("API").await,
        other.component("API").await,
    );
    let path = open(&operator, json!([])).await;
    let row = |id: &str| json!({"componentId": id, "status": "DEGRADED"});
    let none = (json!({}), "components: At least one component is required");
    let rows = [
        (
            json!([row(&api), row("")]),
            "components[1].componentId: Component is required",
        ),
        (
            json!([{"componentId": api}]),
            "components[0].status: Select Any One",
        ),
        (
            json!([row(&api), row(&api)]),
            "components[1].componentId: This component is chosen already",
        ),
        (
            json!([row(&api), row(&theirs)]),
            "components[1].componentId: This component does not exist",
        ),
    ];
    let rows = rows.map(|(components, expected)| {
        (
            json!({"title": "t", "description": "d", "components": components}),
            expected,
        )
    });
    let (attach, detach) = (
        format!("{path}/components/attach"),
        format!("{path}/components/detach"),
    );
    operator
        .assert_invalid(Method::POST, "/incident/create", &rows)
        .await;
    operator
        .assert_invalid(Method::POST, &attach, &[&[none][..], &rows].concat())
        .await;
    assert_eq!(status(&operator, &api).await, "OPERATIONAL");
    let rows = [
        (
            json!({}),
            "componentIds: At least one component is required",
        ),
        (
            json!({"componentIds": [7]}),
            "componentIds[0]: Component is required",
        ),
        (
            json!({"componentIds": [api, api]}),
            "componentIds[1]: This component is chosen already",
        ),
        (
            json!({"componentIds": [api]}),
            "componentIds[0]: This component is not attached",
        ),
    ];
    operator.assert_invalid(Method::POST, &detach, &rows).await;
}

/// A list of components without their public codes.
fn without_codes(listed: &Value) -> Value {
    let mut listed = listed.clone();
    for item in listed.as_array_mut().unwrap() {
        let nested = item.get("component").is_some();
        let component = if nested { &mut item["component"] } else { item };
        component.as_object_mut().unwrap().remove("code").unwrap();
    }
    listed
}
