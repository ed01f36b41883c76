use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::json;

use crate::app::{TestApp, assert_status, client, send};

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_names_the_scheme_and_no_other_scheme_works() {
    let app = TestApp::start().await;
    let request = || crate::app::client().get(app.call("/component/list"));
    for request in [request(), request().basic_auth("a", Some("b"))] {
        let response = send(request).await;
        assert_eq!(response.status, 401);
        assert_eq!(response.headers["www-authenticate"], "Bearer");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_is_not_a_json_object_is_refused_by_what_is_wrong_with_it() {
    let (_app, operator) = TestApp::with_operator().await;
    let post = |kind: &str, body: String| {
        send(
            operator
                .request(Method::POST, "/component/create")
                .header("content-type", kind)
                .body(body),
        )
    };
    assert_status(post("application/json", "{\"name\":".into()), 400).await;
    assert_eq!(post("application/json", String::new()).await.status, 400);
    assert_status(post("text/plain", "{\"name\": \"API\"}".into()), 415).await;
    let list = post("application/json", "[]".into()).await;
    assert_eq!((list.status, &list.body["errors"]), (422, &json!([])));
    let large = format!("{{\"name\": \"{}\"}}", "x".repeat(256 * 1024));
    assert_eq!(post("application/json", large).await.status, 413);
    assert_status(
        post(
            "application/json; charset=utf-8",
            "{\"name\": \"API\"}".into(),
        ),
        201,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_of_strangers_are_smaller() {
    let app = TestApp::start().await;
    for path in [
        "/identity/sign-in",
        "/identity/sign-up",
        "/subscriber/public",
        "/subscriber/verify",
    ] {
        let body = format!("{{\"email\": \"{}\"}}", "x".repeat(64 * 1024));
        let request = client().post(app.call(path));
        let request = request.header("content-type", "application/json");
        let refused = send(request.body(body)).await;
        let message = json!("The body is larger than 64 KiB");
        assert_eq!((refused.status, &refused.body["detail"]), (413, &message));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_addresses_are_not_found() {
    let (_app, operator) = TestApp::with_operator().await;
    assert_eq!(operator.get("/component/not-an-id").await.status, 404);
    assert_status(
        operator.get("/component/0190b6a0-0000-7000-8000-000000000000"),
        404,
    )
    .await;
    assert_eq!(operator.get("/nowhere").await.status, 404);
    assert_status(
        operator.get(&format!("/status/{}/nowhere", operator.organisation)),
        404,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unsupported_method_gets_the_list_of_supported_ones() {
    let app = TestApp::start().await;
    let client = crate::app::client();
    let tried = async |method: Method, path: &str| {
        let response = send(client.request(method, format!("{}{path}", app.url))).await;
        let allowed = response
            .headers
            .get("allow")
            .map_or("", |allowed| allowed.to_str().unwrap());
        (
            response.status,
            allowed
                .split(", ")
                .map(str::to_owned)
                .collect::<BTreeSet<_>>(),
        )
    };
    let document = send(client.get(app.call("/openapi.json"))).await.body;
    for (path, calls) in document["paths"].as_object().unwrap() {
        let mut methods: BTreeSet<_> = calls
            .as_object()
            .unwrap()
            .keys()
            .map(|method| method.to_uppercase())
            .collect();
        if methods.contains("GET") {
            methods.insert("HEAD".to_owned());
        }
        methods.insert("OPTIONS".to_owned());
        // Nothing below the periods of a component takes PATCH, but a period takes PUT.
        let untaken = if methods.contains("PUT") || path.contains("/history/") {
            Method::PATCH
        } else {
            Method::PUT
        };
        // Clerk is off: its calls are not there.
        let expected = if path.contains("/clerk/") {
            (404, BTreeSet::from([String::new()]))
        } else {
            (405, methods)
        };
        assert_eq!(tried(untaken, path).await, expected, "{path}");
    }
    let read = BTreeSet::from(["GET", "HEAD"].map(str::to_owned));
    for path in [
        "/",
        "/login",
        "/status/nobody",
        "/healthz",
        "/metrics",
        "/.well-known/jwks.json",
        "/theme.js",
    ] {
        assert_eq!(
            tried(Method::POST, path).await,
            (405, read.clone()),
            "{path}"
        );
    }
    let document = BTreeSet::from(["GET", "HEAD", "OPTIONS"].map(str::to_owned));
    assert_eq!(
        tried(Method::POST, "/api/v1/openapi.json").await,
        (405, document)
    );
    for path in [
        "/healthz",
        "/readyz",
        "/metrics",
        "/.well-known/jwks.json",
        "/api/v1/openapi.json",
    ] {
        assert_eq!(tried(Method::HEAD, path).await.0, 200, "{path}");
    }
    for path in [
        "/nowhere",
        "/api/v1/nowhere",
        "/api/nowhere",
        "/status.html",
    ] {
        assert_eq!(tried(Method::POST, path).await.0, 404, "{path}");
    }
}
