//! `Idempotency-Key` on every create of the OpenAPI document.

use reqwest::Method;
use serde_json::{Value, json};

use super::route::{ROUTES, Route};
use super::sample::SampleOrganisation;
use crate::app::{Operator, TestApp, TestResponse, send};

fn creates() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(|route| {
        route.method == "post" && (route.path.ends_with("/create") || route.path == "/subscriber")
    })
}

async fn create(operator: &Operator, path: &str, key: &str, body: &Value) -> TestResponse {
    let request = operator.request(Method::POST, path);
    send(request.header("idempotency-key", key).json(body)).await
}

fn is_replayed(response: &TestResponse) -> bool {
    response.headers.contains_key("idempotency-replayed")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_create_of_the_document_can_be_repeated() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let other = app.operator("Other").await;
    for route in creates() {
        let (path, body) = (route.path_in(&sample), route.body(&sample));
        let first = create(&sample.operator, &path, route.path, &body).await;
        assert_eq!(first.status, 201, "{route:?}: {first:?}");
        assert!(!is_replayed(&first));
        let before = sample.state(&app).await;
        let again = create(&sample.operator, &path, route.path, &body).await;
        assert_eq!(again.headers["idempotency-replayed"], "true", "{route:?}");
        let visible = |response: &TestResponse| (response.status, response.body.clone());
        assert_eq!(visible(&again), visible(&first), "{route:?}");
        assert_eq!(again.etag, first.etag, "{route:?}");
        assert_eq!(sample.state(&app).await, before, "{route:?}");
        let another = create(
            &sample.operator,
            &path,
            route.path,
            &json!({"name": "Other"}),
        )
        .await;
        assert_eq!(another.status, 422, "{route:?}: {another:?}");
        assert!(!is_replayed(
            &create(&other, &path, route.path, &body).await
        ));
    }
    assert!(creates().count() >= 9);
}
