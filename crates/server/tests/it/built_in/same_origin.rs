use reqwest::Method;
use serde_json::json;

use super::Person;
use crate::app::{PASSWORD, TestApp, assert_status, send};

/// Signs in with these headers; returns the status.
async fn sign_in(app: &TestApp, person: &Person, headers: &[(&str, &str)]) -> u16 {
    let body = json!({"email": person.email, "password": PASSWORD});
    let mut request = person
        .client
        .request(Method::POST, app.call("/identity/sign-in"))
        .json(&body);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    send(request).await.status
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_of_pages_of_other_sites_are_refused() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    assert_eq!(
        sign_in(&app, &ann, &[("sec-fetch-site", "cross-site")]).await,
        403
    );
    assert_eq!(
        sign_in(&app, &ann, &[("sec-fetch-site", "same-site")]).await,
        403
    );
    assert_eq!(
        sign_in(&app, &ann, &[("origin", "https://evil.example")]).await,
        403
    );
    assert_eq!(sign_in(&app, &ann, &[("origin", "null")]).await, 403);
    assert_eq!(
        sign_in(
            &app,
            &ann,
            &[("sec-fetch-site", "same-origin"), ("origin", &app.url)]
        )
        .await,
        200
    );
    assert_eq!(sign_in(&app, &ann, &[("origin", &app.url)]).await, 200);
    let acme = ann.organisation().await;
    let delete = ann
        .client
        .delete(app.call(&format!("/identity/organisations/{acme}")));
    assert_status(send(delete.header("origin", "https://evil.example")), 403).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_a_form_can_send_are_refused() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    let organisations = app.call("/identity/organisations");
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
    ] {
        let request = ann
            .client
            .post(&organisations)
            .header("content-type", kind)
            .body(r#"{"name":"Evil"}"#);
        assert_eq!(send(request).await.status, 415, "{kind}");
    }
    assert_eq!(ann.session().await["organisations"], json!([]));
}
