use chrono::TimeDelta;
use serde_json::json;

use super::{ADDRESS, SubscriberSetup};
use crate::app::{TestResponse, assert_status};

fn retry_after(response: &TestResponse) -> u64 {
    response.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn subscriptions_of_a_client_beyond_the_limit_are_refused() {
    let setup = SubscriberSetup::start().await;
    let organisation = setup.operator("Acme").await.organisation;
    for number in 0..10 {
        assert_status(
            setup.subscribe(&format!("{number}@example.com"), &organisation),
            200,
        )
        .await;
    }
    let response = setup.subscribe("10@example.com", &organisation).await;
    assert_eq!(response.status, 429);
    assert!((1..=121).contains(&retry_after(&response)), "{response:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn guessed_codes_are_throttled_and_the_right_one_is_not() {
    let setup = SubscriberSetup::start().await;
    let organisation = setup.operator("Acme").await.organisation;
    setup.subscribe(ADDRESS, &organisation).await;
    let setup = setup.restart_and_drain().await;
    let link = setup.links(ADDRESS, "verify").remove(0);
    for _ in 0..40 {
        assert_eq!(setup.post("/verify", link.clone()).await.status, 200);
    }
    for number in 0..30 {
        let (path, field) = [
            ("/verify", "verificationCode"),
            ("/unsubscribe", "unsubscribeCode"),
        ][number % 2];
        let wrong = json!({"email": ADDRESS, "orgId": organisation, field: "wrong"});
        assert_eq!(setup.post(path, wrong).await.status, 400);
    }
    let wrong = json!({"email": ADDRESS, "orgId": organisation, "verificationCode": "wrong"});
    let response = setup.post("/verify", wrong).await;
    assert_eq!(response.status, 429);
    assert!(retry_after(&response) >= 1);
    let response = setup
        .post(
            "/unsubscribe",
            setup.links(ADDRESS, "unsubscribe").remove(0),
        )
        .await;
    assert_eq!(response.status, 429, "nothing can be guessed meanwhile");
}

#[tokio::test(flavor = "multi_thread")]
async fn address_is_mailed_three_times_and_then_once_an_hour() {
    let setup = SubscriberSetup::start().await;
    let acme = setup.operator("Acme").await;
    let last = setup.operator("Last").await;
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(setup.operator("Other").await.organisation);
    }
    let unlimited = setup.subscribe(ADDRESS, &acme.organisation).await;
    for other in &others {
        let response = setup.subscribe(ADDRESS, other).await;
        assert_eq!((response.status, &response.body), (200, &unlimited.body));
    }
    let setup = setup.restart_and_drain().await;
    assert_eq!(setup.links(ADDRESS, "verify").len(), 3);
    let again = setup
        .at(&last)
        .post("/subscriber", json!({"email": "ann@EXAMPLE.com"}))
        .await;
    assert_eq!(again.status, 201, "another organisation");
    let setup = setup.restart_and_drain().await;
    assert_eq!(setup.links("ann@EXAMPLE.com", "verify").len(), 0);
    setup.clock.advance(TimeDelta::minutes(61));
    for _ in 0..2 {
        setup.subscribe(ADDRESS, &others[2]).await;
    }
    let setup = setup.restart_and_drain().await;
    let links = setup.links(ADDRESS, "verify");
    assert_eq!(links.len(), 4);
    assert_eq!(links[3]["orgId"], json!(others[2]));
}
