use chrono::TimeDelta;
use serde_json::json;

use super::{ADDRESS, Site};
use crate::app::{TestResponse, assert_status};

fn retry_after(response: &TestResponse) -> u64 {
    response.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_subscribes_so_often_and_no_more() {
    let site = Site::start().await;
    let organisation = site.operator("Acme").await.organisation;
    for number in 0..10 {
        assert_status(
            site.subscribe(&format!("{number}@example.com"), &organisation),
            200,
        )
        .await;
    }
    let response = site.subscribe("10@example.com", &organisation).await;
    assert_eq!(response.status, 429);
    assert!((1..=121).contains(&retry_after(&response)), "{response:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn guessed_codes_are_throttled_and_the_right_one_is_not() {
    let site = Site::start().await;
    let organisation = site.operator("Acme").await.organisation;
    site.subscribe(ADDRESS, &organisation).await;
    let site = site.restart_and_drain().await;
    let link = site.links(ADDRESS, "verify").remove(0);
    for _ in 0..40 {
        assert_eq!(site.post("/verify", link.clone()).await.status, 200);
    }
    for number in 0..30 {
        let (path, field) = [
            ("/verify", "verificationCode"),
            ("/unsubscribe", "unsubscribeCode"),
        ][number % 2];
        let wrong = json!({"email": ADDRESS, "orgId": organisation, field: "wrong"});
        assert_eq!(site.post(path, wrong).await.status, 400);
    }
    let wrong = json!({"email": ADDRESS, "orgId": organisation, "verificationCode": "wrong"});
    let response = site.post("/verify", wrong).await;
    assert_eq!(response.status, 429);
    assert!(retry_after(&response) >= 1);
    let response = site
        .post("/unsubscribe", site.links(ADDRESS, "unsubscribe").remove(0))
        .await;
    assert_eq!(response.status, 429, "nothing can be guessed meanwhile");
}

#[tokio::test(flavor = "multi_thread")]
async fn address_is_mailed_three_times_and_then_once_an_hour() {
    let site = Site::start().await;
    let acme = site.operator("Acme").await;
    let mut others = Vec::new();
    for _ in 0..3 {
        others.push(site.operator("Other").await.organisation);
    }
    let unlimited = site.subscribe(ADDRESS, &acme.organisation).await;
    for other in &others {
        let response = site.subscribe(ADDRESS, other).await;
        assert_eq!((response.status, &response.body), (200, &unlimited.body));
    }
    let site = site.restart_and_drain().await;
    assert_eq!(site.links(ADDRESS, "verify").len(), 3);
    let again = site
        .at(&acme)
        .post("/subscriber", json!({"email": "ann@EXAMPLE.com"}))
        .await;
    assert_eq!(
        again.status, 201,
        "another mailbox, but the same address to the limit"
    );
    let site = site.restart_and_drain().await;
    assert_eq!(site.links("ann@EXAMPLE.com", "verify").len(), 0);
    site.clock.advance(TimeDelta::minutes(61));
    for _ in 0..2 {
        site.subscribe(ADDRESS, &others[2]).await;
    }
    let site = site.restart_and_drain().await;
    let links = site.links(ADDRESS, "verify");
    assert_eq!(links.len(), 4);
    assert_eq!(links[3]["orgId"], json!(others[2]));
}
