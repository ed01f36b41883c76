use allclear_application::page::Page;
use allclear_application::subscriber::{SubscriberFilter, SubscriberStore};
use allclear_domain::id::OrganisationId;
use chrono::TimeDelta;
use reqwest::header::HeaderName;
use serde_json::{Value, json};

use super::{ADDRESS, Site};
use crate::app::{TestResponse, until};

fn states(list: &Value) -> Vec<(String, String, bool)> {
    let text = |item: &Value, field: &str| item[field].as_str().unwrap().to_owned();
    let state = |item: &Value| {
        (
            text(item, "email"),
            text(item, "status"),
            item["isVerified"].as_bool().unwrap(),
        )
    };
    list.as_array().unwrap().iter().map(state).collect()
}

fn state(status: &str, is_verified: bool) -> Vec<(String, String, bool)> {
    vec![(ADDRESS.to_owned(), status.to_owned(), is_verified)]
}

fn header_names(response: &TestResponse) -> Vec<&str> {
    let mut names: Vec<_> = response.headers.keys().map(HeaderName::as_str).collect();
    names.sort_unstable();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn the_links_in_the_mail_verify_and_unsubscribe_as_often_as_they_are_followed() {
    let site = Site::start().await;
    let operator = site.operator("Acme").await;
    let before = operator.snapshot().await["revision"].clone();
    let response = site.subscribe(ADDRESS, &operator.organisation).await;
    assert_eq!(
        (response.status, &response.body["message"]),
        (200, &json!("Verification email sent successfully"))
    );
    assert_eq!(states(&site.list(&operator).await), state("PENDING", false));

    let site = site.restart_and_drain().await;
    let link = site.links(ADDRESS, "verify").pop().unwrap();
    assert_eq!(
        (&link["email"], &link["orgId"]),
        (&json!(ADDRESS), &json!(operator.organisation))
    );
    for _ in 0..2 {
        let verified = site.post("/verify", link.clone()).await;
        assert_eq!(
            (verified.status, &verified.body["message"]),
            (200, &json!("Email verified successfully!"))
        );
        assert_eq!(
            states(&site.list(&operator).await),
            state("SUBSCRIBED", true)
        );
    }
    let leave = site.links(ADDRESS, "unsubscribe").pop().unwrap();
    for _ in 0..2 {
        let left = site.post("/unsubscribe", leave.clone()).await;
        assert_eq!(
            (left.status, &left.body["message"]),
            (200, &json!("Successfully unsubscribed!"))
        );
        assert_eq!(
            states(&site.list(&operator).await),
            state("UNSUBSCRIBED", true)
        );
    }
    // A link scanner that follows the old link later does not undo it.
    assert_eq!(site.post("/verify", link).await.status, 400);
    assert_eq!(
        states(&site.list(&operator).await),
        state("UNSUBSCRIBED", true)
    );
    assert_eq!(site.at(&operator).snapshot().await["revision"], before);
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribing_again_mails_a_new_link_unless_it_is_subscribed() {
    let site = Site::start().await;
    let operator = site.operator("Acme").await;
    let organisation = &operator.organisation;
    site.subscribe(ADDRESS, organisation).await;
    site.subscribe("Ann@EXAMPLE.com", organisation).await;
    let site = site.restart_and_drain().await;
    let links = site.links(ADDRESS, "verify");
    assert_eq!(
        links.len(),
        2,
        "one subscriber, pending, and two mails to it"
    );
    // Either link works.
    assert_eq!(site.post("/verify", links[0].clone()).await.status, 200);
    site.subscribe(ADDRESS, organisation).await;
    assert_eq!(
        states(&site.list(&operator).await),
        state("SUBSCRIBED", true)
    );

    let site = site.restart_and_drain().await;
    assert_eq!(
        site.links(ADDRESS, "verify").len(),
        2,
        "nothing is mailed to who is subscribed"
    );
    let leave = site.links(ADDRESS, "unsubscribe").remove(0);
    assert_eq!(site.post("/unsubscribe", leave).await.status, 200);
    site.subscribe(ADDRESS, organisation).await;
    assert_eq!(states(&site.list(&operator).await), state("PENDING", false));

    let site = site.restart_and_drain().await;
    let links = site.links(ADDRESS, "verify");
    assert_eq!(links.len(), 3);
    assert_eq!(site.post("/verify", links[1].clone()).await.status, 400);
    assert_eq!(site.post("/verify", links[2].clone()).await.status, 200);
    assert_eq!(
        states(&site.list(&operator).await),
        state("SUBSCRIBED", true)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn known_and_unknown_addresses_get_the_same_response() {
    let site = Site::start().await;
    let organisation = site.operator("Acme").await.organisation;
    let unknown = site.subscribe(ADDRESS, &organisation).await;
    let pending = site.subscribe(ADDRESS, &organisation).await;
    let site = site.restart_and_drain().await;
    let link = site.links(ADDRESS, "verify").remove(0);
    assert_eq!(site.post("/verify", link).await.status, 200);
    let subscribed = site.subscribe(ADDRESS, &organisation).await;
    for known in [pending, subscribed] {
        assert_eq!((known.status, &known.body), (unknown.status, &unknown.body));
        assert_eq!(header_names(&known), header_names(&unknown));
    }
    let wrong =
        |email: &str, field: &str| json!({"email": email, "orgId": organisation, field: "wrong"});
    for (path, field) in [
        ("/verify", "verificationCode"),
        ("/unsubscribe", "unsubscribeCode"),
    ] {
        let known = site.post(path, wrong(ADDRESS, field)).await;
        let unknown = site.post(path, wrong("nobody@example.com", field)).await;
        assert_eq!((known.status, &known.body), (400, &unknown.body));
        assert_eq!(known.body["message"], "This link is wrong or has expired");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verification_link_ends_after_seven_days_and_a_new_one_helps() {
    let site = Site::start().await;
    let organisation = site.operator("Acme").await.organisation;
    site.subscribe(ADDRESS, &organisation).await;
    let site = site.restart_and_drain().await;
    let link = site.links(ADDRESS, "verify").remove(0);
    site.clock
        .advance(TimeDelta::days(7) + TimeDelta::minutes(1));
    let late = site.post("/verify", link).await;
    let message = "This link has expired. Please subscribe again to get a new one";
    assert_eq!((late.status, &late.body["message"]), (400, &json!(message)));
    site.subscribe(ADDRESS, &organisation).await;
    let site = site.restart_and_drain().await;
    let link = site.links(ADDRESS, "verify").remove(1);
    assert_eq!(site.post("/verify", link).await.status, 200);
    // An unsubscribe link does not expire.
    let leave = site.links(ADDRESS, "unsubscribe").remove(0);
    assert_eq!(site.post("/unsubscribe", leave).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn unconfirmed_subscriber_is_removed_two_weeks_after_the_last_request() {
    let site = Site::start().await;
    let operator = site.operator("Acme").await;
    let subscribe = async |site: &Site| site.subscribe(ADDRESS, &operator.organisation).await;
    let count = async |site: &Site| {
        let database = site.app.database().await;
        let organisation = OrganisationId::parse(&operator.organisation).unwrap();
        let all = SubscriberFilter::default();
        let listed = database.list(&organisation, &all, Page::default()).await;
        listed.unwrap().items.len()
    };
    subscribe(&site).await;
    site.clock.advance(TimeDelta::days(6));
    subscribe(&site).await;
    site.clock
        .advance(TimeDelta::days(14) - TimeDelta::minutes(5));
    // A starting server removes such subscribers.
    let site = site.restart_and_drain().await;
    assert_eq!(count(&site).await, 1);
    site.clock.advance(TimeDelta::minutes(10));
    let site = site.restart_and_drain().await;
    until(0, async || count(&site).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_of_one_organisation_and_an_unknown_one_is_not_found() {
    let site = Site::start().await;
    let acme = site.operator("Acme").await.organisation;
    let other = site.operator("Acme").await;
    site.subscribe(ADDRESS, &acme).await;
    site.subscribe(ADDRESS, &other.organisation).await;
    let site = site.restart_and_drain().await;
    let calls = [
        ("/verify", site.links(ADDRESS, "verify")),
        ("/unsubscribe", site.links(ADDRESS, "unsubscribe")),
    ];
    for (path, links) in calls {
        let mut link = links
            .into_iter()
            .find(|link| link["orgId"] == json!(acme))
            .unwrap();
        link["orgId"] = json!(other.organisation);
        assert_eq!(site.post(path, link.clone()).await.status, 400);
        for unknown in ["org_unknown", "no organisation's"] {
            link["orgId"] = json!(unknown);
            let response = site.post(path, link.clone()).await;
            assert_eq!(
                (response.status, &response.body["message"]),
                (404, &json!("Organisation not found"))
            );
        }
    }
    assert_eq!(states(&site.list(&other).await), state("PENDING", false));
    assert_eq!(site.subscribe(ADDRESS, "org_unknown").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_of_a_visitors_call_is_named() {
    let site = Site::start().await;
    for bad in [json!({}), json!({"email": "ann", "orgId": 7})] {
        let response = site.post("/public", bad).await;
        let both = "email: Invalid email address; orgId: Must be a text";
        assert_eq!((response.status, &*response.invalid()), (422, both));
    }
    for (path, field) in [
        ("/verify", "verificationCode"),
        ("/unsubscribe", "unsubscribeCode"),
    ] {
        let response = site
            .post(path, json!({"email": ADDRESS, "orgId": "org_1"}))
            .await;
        assert_eq!(
            (response.status, &response.body["errors"][0]["field"]),
            (422, &json!(field))
        );
    }
}
