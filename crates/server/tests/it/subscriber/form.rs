//! Subscribing by the plain form of the public page.

use reqwest::{Response, StatusCode};

use super::{ADDRESS, SubscriberSetup};
use crate::app::cookie_client;

const FORM: &str = "application/x-www-form-urlencoded";

async fn send(
    setup: &SubscriberSetup,
    organisation: &str,
    kind: &str,
    body: impl Into<String>,
) -> Response {
    cookie_client()
        .post(format!("{}/status/{organisation}/subscribe", setup.url))
        .header("content-type", kind)
        .body(body.into())
        .send()
        .await
        .unwrap()
}

async fn typed(setup: &SubscriberSetup, organisation: &str, email: &str) -> (StatusCode, String) {
    let response = send(setup, organisation, FORM, format!("email={email}")).await;
    (response.status(), response.text().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn form_subscribes_and_responds_the_same_for_a_known_address() {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    let organisation = operator.organisation.clone();
    let path = format!("/status/{organisation}");
    for (page, control) in [
        (path.clone(), "href"),
        (format!("{path}/subscribe"), "action"),
    ] {
        let page = reqwest::get(format!("{}{page}", setup.url)).await.unwrap();
        let html = page.text().await.unwrap();
        let target = format!("{control}=\"{path}/subscribe\"");
        assert!(html.contains(&target), "{html}");
        assert!(!html.contains("JavaScript"), "{html}");
    }

    let (status, first) = typed(&setup, &organisation, "Ann%40example.com").await;
    assert_eq!(status, 200, "{first}");
    assert!(first.contains("Verification email sent successfully"));
    assert!(!first.contains("<script async"), "no script draws it");
    let (status, again) = typed(&setup, &organisation, "Ann%40example.com").await;
    assert_eq!((status, again), (StatusCode::OK, first));

    let setup = setup.restart_and_drain().await;
    assert_eq!(setup.list(&operator).await[0]["email"], ADDRESS);
    assert!(!setup.links(ADDRESS, "verify").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_form_keeps_the_typed_address_and_says_why() {
    let setup = SubscriberSetup::start().await;
    let organisation = setup.operator("Acme").await.organisation;
    let (status, html) = typed(&setup, &organisation, "%22%3E%3Cb%3Eann").await;
    assert_eq!(status, 422);
    assert!(html.contains("Invalid email address"), "{html}");
    assert!(html.contains("value=\"&quot;&gt;&lt;b&gt;ann\""), "{html}");
    assert!(html.contains("aria-invalid=\"true\""), "{html}");
    let (status, _) = typed(&setup, &organisation, "").await;
    assert_eq!(status, 422);

    for kind in ["application/json", "text/plain", "multipart/form-data"] {
        let response = send(&setup, &organisation, kind, "email=a%40example.com").await;
        assert_eq!(response.status(), 415, "{kind}");
    }
    let large = format!("email={}%40example.com", "a".repeat(5000));
    assert_eq!(send(&setup, &organisation, FORM, large).await.status(), 413);
    let (status, _) = typed(&setup, "nobody", "ann%40example.com").await;
    assert_eq!(status, 404);

    let address = format!("{}/status/{organisation}/subscribe", setup.url);
    let put = cookie_client().put(&address).send().await.unwrap();
    assert_eq!(put.status(), 405);
    assert_eq!(put.headers()["allow"], "GET, HEAD, POST");
    let foreign = cookie_client()
        .post(&address)
        .header("sec-fetch-site", "cross-site")
        .header("content-type", FORM)
        .body("email=ann%40example.com")
        .send()
        .await
        .unwrap();
    assert_eq!(foreign.status(), 403);
    let empty = reqwest::get(&address).await.unwrap();
    assert_eq!(empty.status(), 200);
    assert_eq!(empty.headers()["cache-control"], "no-store");
}

#[tokio::test(flavor = "multi_thread")]
async fn form_shares_the_throttle_of_the_api_call_and_says_when_to_try_again() {
    let setup = SubscriberSetup::start().await;
    let organisation = setup.operator("Acme").await.organisation;
    for number in 0..10 {
        let response = setup
            .subscribe(&format!("ann{number}@example.com"), &organisation)
            .await;
        assert_eq!(response.status, 200);
    }
    let response = send(&setup, &organisation, FORM, "email=ann%40example.com").await;
    assert_eq!(response.status(), 429);
    let wait = response.headers()["retry-after"].to_str().unwrap();
    assert!(wait.parse::<u64>().unwrap() > 0);
    let html = response.text().await.unwrap();
    assert!(html.contains("Too many requests. Try again in"), "{html}");
    assert!(html.contains("value=\"ann@example.com\""), "{html}");
}
