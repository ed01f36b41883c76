use allclear_application::clock::Clock;
use allclear_application::subscriber::SubscriberStore;
use allclear_domain::subscriber::Subscriber;
use chrono::TimeDelta;
use reqwest::header::HeaderName;
use serde_json::{Value, json};

use super::{ADDRESS, SubscriberSetup, carried};
use crate::app::TestResponse;
use crate::built_in::mails_in;

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
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    let before = operator.snapshot().await["revision"].clone();
    let response = setup.subscribe(ADDRESS, &operator.organisation).await;
    assert_eq!(
        (response.status, &response.body["message"]),
        (200, &json!("Verification email sent successfully"))
    );
    assert_eq!(
        states(&setup.list(&operator).await),
        state("PENDING", false)
    );

    let setup = setup.restart_and_drain().await;
    let link = setup.links(ADDRESS, "verify").pop().unwrap();
    assert_eq!(
        (&link["email"], &link["orgId"]),
        (&json!(ADDRESS), &json!(operator.organisation))
    );
    for _ in 0..2 {
        let verified = setup.post("/verify", link.clone()).await;
        assert_eq!(
            (verified.status, &verified.body["message"]),
            (200, &json!("Email verified successfully!"))
        );
        assert_eq!(
            states(&setup.list(&operator).await),
            state("SUBSCRIBED", true)
        );
    }
    let leave = setup.links(ADDRESS, "unsubscribe").pop().unwrap();
    for _ in 0..2 {
        let left = setup.post("/unsubscribe", leave.clone()).await;
        assert_eq!(
            (left.status, &left.body["message"]),
            (200, &json!("Successfully unsubscribed!"))
        );
        assert_eq!(
            states(&setup.list(&operator).await),
            state("UNSUBSCRIBED", true)
        );
    }
    // A link scanner that follows the old link later does not undo it.
    assert_eq!(setup.post("/verify", link).await.status, 400);
    assert_eq!(
        states(&setup.list(&operator).await),
        state("UNSUBSCRIBED", true)
    );
    assert_eq!(setup.at(&operator).snapshot().await["revision"], before);
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribing_again_mails_a_new_link() {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    let organisation = &operator.organisation;
    setup.subscribe(ADDRESS, organisation).await;
    setup.subscribe("Ann@EXAMPLE.com", organisation).await;
    let setup = setup.restart_and_drain().await;
    let links = setup.links(ADDRESS, "verify");
    assert_eq!(
        links.len(),
        2,
        "one subscriber, pending, and two mails to it"
    );
    // Either link works.
    assert_eq!(setup.post("/verify", links[0].clone()).await.status, 200);
    assert_eq!(
        states(&setup.list(&operator).await),
        state("SUBSCRIBED", true)
    );
    let leave = setup.links(ADDRESS, "unsubscribe").remove(0);
    assert_eq!(setup.post("/unsubscribe", leave).await.status, 200);
    setup.subscribe(ADDRESS, organisation).await;
    assert_eq!(
        states(&setup.list(&operator).await),
        state("PENDING", false)
    );

    let setup = setup.restart_and_drain().await;
    let links = setup.links(ADDRESS, "verify");
    assert_eq!(links.len(), 3);
    assert_eq!(setup.post("/verify", links[1].clone()).await.status, 400);
    assert_eq!(setup.post("/verify", links[2].clone()).await.status, 200);
    assert_eq!(
        states(&setup.list(&operator).await),
        state("SUBSCRIBED", true)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_one_subscriber_in_any_case() {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    setup.subscribe(ADDRESS, &operator.organisation).await;
    setup
        .subscribe("ANN@example.com", &operator.organisation)
        .await;
    let known = operator.post("/subscriber", json!({"email": "ann@example.com"}));
    assert_eq!(known.await.status, 409);
    assert_eq!(
        states(&setup.list(&operator).await),
        state("PENDING", false)
    );

    let setup = setup.restart_and_drain().await;
    let mut links = setup.links(ADDRESS, "verify");
    assert_eq!(links.len(), 2, "both mails go to the address as entered");
    let mut verify = links.remove(1);
    verify["email"] = json!("ann@example.com");
    assert_eq!(setup.post("/verify", verify).await.status, 200);
    let mut leave = setup.links(ADDRESS, "unsubscribe").remove(0);
    leave["email"] = json!("ANN@example.com");
    assert_eq!(setup.post("/unsubscribe", leave).await.status, 200);
    assert_eq!(
        states(&setup.list(&operator).await),
        state("UNSUBSCRIBED", true)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn subscribed_address_that_subscribes_again_is_mailed_that_it_is_subscribed_already() {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    let component = operator.component("API").await;
    setup.subscribe(ADDRESS, &operator.organisation).await;
    let setup = setup.restart_and_drain().await;
    let link = setup.links(ADDRESS, "verify").remove(0);
    assert_eq!(setup.post("/verify", link).await.status, 200);
    let before = setup.list(&operator).await;
    let narrow =
        json!({"email": ADDRESS, "orgId": operator.organisation, "components": [component]});
    let again = setup.post("/public", narrow).await;
    assert_eq!(
        (again.status, &again.body["message"]),
        (200, &json!("Verification email sent successfully"))
    );

    let setup = setup.restart_and_drain().await;
    assert_eq!(setup.list(&operator).await, before);
    assert_eq!(setup.links(ADDRESS, "verify").len(), 1);
    let mails = mails_in(setup.folder.path());
    let subject = "Subject: You are subscribed to Acme already";
    let told: Vec<_> = mails.iter().filter(|mail| mail.contains(subject)).collect();
    assert_eq!(told.len(), 1, "{mails:?}");
    assert!(told[0].contains("List-Unsubscribe:"), "{}", told[0]);
    let manage = carried(told[0], "subscription");
    let read = setup.post("/subscription", manage).await;
    assert_eq!(read.status, 200, "{read:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_narrows_a_subscription_that_is_not_confirmed_yet() {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    let component = operator.component("API").await;
    setup.subscribe(ADDRESS, &operator.organisation).await;
    let narrow = json!({"email": ADDRESS, "orgId": operator.organisation,
        "components": [component], "muteMaintenances": true});
    assert_eq!(setup.post("/public", narrow).await.status, 200);
    let setup = setup.restart_and_drain().await;
    let link = setup.links(ADDRESS, "verify").remove(0);
    assert_eq!(setup.post("/verify", link).await.status, 200);
    let listed = setup.list(&operator).await;
    assert_eq!(
        (&listed[0]["scope"], &listed[0]["muteMaintenances"]),
        (&json!("ALL"), &json!(false))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn known_and_unknown_addresses_get_the_same_response() {
    let setup = SubscriberSetup::start().await;
    let organisation = setup.operator("Acme").await.organisation;
    let unknown = setup.subscribe(ADDRESS, &organisation).await;
    let pending = setup.subscribe(ADDRESS, &organisation).await;
    let setup = setup.restart_and_drain().await;
    let link = setup.links(ADDRESS, "verify").remove(0);
    assert_eq!(setup.post("/verify", link).await.status, 200);
    let subscribed = setup.subscribe(ADDRESS, &organisation).await;
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
        let known = setup.post(path, wrong(ADDRESS, field)).await;
        let unknown = setup.post(path, wrong("nobody@example.com", field)).await;
        assert_eq!((known.status, &known.body), (400, &unknown.body));
        assert_eq!(known.body["message"], "This link is wrong or has expired");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verification_link_ends_after_seven_days_and_a_new_one_helps() {
    let setup = SubscriberSetup::start().await;
    let organisation = setup.operator("Acme").await.organisation;
    setup.subscribe(ADDRESS, &organisation).await;
    let setup = setup.restart_and_drain().await;
    let link = setup.links(ADDRESS, "verify").remove(0);
    setup
        .clock
        .advance(TimeDelta::days(7) + TimeDelta::minutes(1));
    let late = setup.post("/verify", link).await;
    let message = "This link has expired. Please subscribe again to get a new one";
    assert_eq!((late.status, &late.body["message"]), (400, &json!(message)));
    setup.subscribe(ADDRESS, &organisation).await;
    let setup = setup.restart_and_drain().await;
    let link = setup.links(ADDRESS, "verify").remove(1);
    assert_eq!(setup.post("/verify", link).await.status, 200);
    // An unsubscribe link does not expire.
    let leave = setup.links(ADDRESS, "unsubscribe").remove(0);
    assert_eq!(setup.post("/unsubscribe", leave).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn unconfirmed_subscriber_is_removed_two_weeks_after_the_last_request() {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    let subscribe =
        async |setup: &SubscriberSetup| setup.subscribe(ADDRESS, &operator.organisation).await;
    let database = setup.app.database().await;
    let removed = async |setup: &SubscriberSetup| {
        let before = Subscriber::removed_if_requested_before(setup.clock.now());
        database.prune_unconfirmed(before, 10).await.unwrap()
    };
    subscribe(&setup).await;
    setup.clock.advance(TimeDelta::days(6));
    subscribe(&setup).await;
    setup
        .clock
        .advance(TimeDelta::days(14) - TimeDelta::minutes(5));
    assert_eq!(removed(&setup).await, 0);
    setup.clock.advance(TimeDelta::minutes(10));
    assert_eq!(removed(&setup).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_is_of_one_organisation_and_an_unknown_one_is_not_found() {
    let setup = SubscriberSetup::start().await;
    let acme = setup.operator("Acme").await.organisation;
    let other = setup.operator("Acme").await;
    setup.subscribe(ADDRESS, &acme).await;
    setup.subscribe(ADDRESS, &other.organisation).await;
    let setup = setup.restart_and_drain().await;
    let calls = [
        ("/verify", setup.links(ADDRESS, "verify")),
        ("/unsubscribe", setup.links(ADDRESS, "unsubscribe")),
    ];
    for (path, links) in calls {
        let mut link = links
            .into_iter()
            .find(|link| link["orgId"] == json!(acme))
            .unwrap();
        link["orgId"] = json!(other.organisation);
        assert_eq!(setup.post(path, link.clone()).await.status, 400);
        for unknown in ["org_unknown", "no organisation's"] {
            link["orgId"] = json!(unknown);
            let response = setup.post(path, link.clone()).await;
            assert_eq!(
                (response.status, &response.body["message"]),
                (404, &json!("Organisation not found"))
            );
        }
    }
    assert_eq!(states(&setup.list(&other).await), state("PENDING", false));
    assert_eq!(setup.subscribe(ADDRESS, "org_unknown").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_wrong_field_of_a_visitors_call_is_named() {
    let setup = SubscriberSetup::start().await;
    for bad in [json!({}), json!({"email": "ann", "orgId": 7})] {
        let response = setup.post("/public", bad).await;
        let both = "email: Invalid email address; orgId: Must be a text";
        assert_eq!((response.status, &*response.invalid()), (422, both));
    }
    for (path, field) in [
        ("/verify", "verificationCode"),
        ("/unsubscribe", "unsubscribeCode"),
    ] {
        let response = setup
            .post(path, json!({"email": ADDRESS, "orgId": "org_1"}))
            .await;
        assert_eq!(
            (response.status, &response.body["errors"][0]["field"]),
            (422, &json!(field))
        );
    }
}
