use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use super::receiver::{Received, Reply};
use super::{ALLOWED, Hook, WebhookSetup};

/// The first retry comes after 5 s, 20 % earlier or later, unless the receiver asks for more.
const FIRST_RETRY: Duration = Duration::from_secs(4);
const ASKED: Duration = Duration::from_secs(8);
/// Tolerance for a busy machine.
const LATE: Duration = Duration::from_secs(6);

fn assert_retried(first: &Received, second: &Received, secret: &str) {
    for received in [first, second] {
        received.assert_signed(secret);
    }
    assert_eq!(first.header("webhook-id"), second.header("webhook-id"));
    assert_eq!(first.text, second.text);
    let least = if first.path == "/503" {
        ASKED
    } else {
        FIRST_RETRY
    };
    let waited = second.at - first.at;
    assert!(
        least <= waited && waited < least + LATE,
        "{}: {waited:?}",
        first.path
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_message_is_sent_again_under_the_same_identifier() {
    let mut setup = WebhookSetup::start().await;
    let replies = [
        ("/500", Reply::Status(500, "")),
        ("/404", Reply::Status(404, "")),
        ("/429", Reply::Status(429, "retry-after: 1\r\n")),
        ("/503", Reply::Status(503, "retry-after: 8\r\n")),
        ("/302", Reply::Status(302, "location: /elsewhere\r\n")),
    ];
    let mut hooks = HashMap::new();
    for (path, reply) in replies {
        let hook = setup.hook("webhook", path).await;
        setup.receiver.reply(path, &[reply]);
        hooks.insert(path.to_owned(), hook);
    }
    let incident = setup.incident("Down").await;
    setup.update(&incident, "RESOLVED", "It is mended").await;
    let mut received: HashMap<String, Vec<Received>> = HashMap::new();
    for _ in 0..3 * hooks.len() {
        let next = setup.receiver.next().await;
        received.entry(next.path.clone()).or_default().push(next);
    }
    assert!(
        !received.contains_key("/elsewhere"),
        "a redirect is not followed"
    );
    for (path, hook) in &hooks {
        let [first, second, third] = &received[path][..] else {
            panic!("{path}: {received:?}")
        };
        assert_retried(first, second, &hook.secret);
        // The later message waits meanwhile.
        assert_eq!(third.json()["incident"]["status"], "resolved");
        assert_eq!(setup.subscriber(hook).await["failing"], Value::Null);
    }
    let (setup, rest) = setup.restart_and_drain().await;
    assert!(rest.is_empty(), "{rest:?}");
    let counts = setup.operator.get("/subscriber/deliveries").await;
    assert_eq!(counts.body["data"]["sent"], 3 * 5, "{counts:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_is_gone_ends_its_subscription() {
    let mut setup = WebhookSetup::start().await;
    let hook = setup.hook("webhook", "/hook").await;
    setup.receiver.reply("/hook", &[Reply::Status(410, "")]);
    let incident = setup.incident("Down").await;
    setup.update(&incident, "RESOLVED", "It is mended").await;
    setup.receiver.next_at("/hook").await;
    setup
        .subscriber_once(&hook, |found| found["status"] == "UNSUBSCRIBED")
        .await;
    let (setup, rest) = setup.restart_and_drain().await;
    assert!(rest.is_empty(), "what was queued is withdrawn: {rest:?}");
    let counts = setup.operator.get("/subscriber/deliveries").await;
    assert_eq!(counts.body["data"]["waiting"], 0);
}

fn test_of(hook: &Hook) -> String {
    format!("/subscriber/{}/test", hook.id)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_message_says_whether_it_has_arrived() {
    let mut setup = WebhookSetup::start().await;
    let hook = setup.hook("webhook", "/hook").await;
    let tested = setup.operator.post(&test_of(&hook), json!({})).await;
    assert_eq!(
        (tested.status, &tested.body["message"]),
        (200, &json!("The test message has arrived"))
    );
    let received = setup.receiver.next_at("/hook").await;
    received.assert_signed(&hook.secret);
    assert_eq!(
        received.json()["test"]["message"],
        "This is a test message from Acme."
    );
    for (reply, reason) in [
        (Reply::Status(500, ""), "The receiver responded with 500"),
        (
            Reply::Status(302, "location: /elsewhere\r\n"),
            "The response is a redirect, which is not followed",
        ),
        (
            Reply::Status(410, ""),
            "the receiver has ended the subscription",
        ),
    ] {
        setup.receiver.reply("/hook", &[reply]);
        let tested = setup.operator.post(&test_of(&hook), json!({})).await;
        let expected = format!("The test message did not arrive: {reason}");
        assert_eq!(
            (tested.status, &tested.body["message"]),
            (409, &json!(expected))
        );
        setup.receiver.next_at("/hook").await;
    }
    assert_eq!(setup.subscriber(&hook).await["status"], "UNSUBSCRIBED");
    let (_site, rest) = setup.restart_and_drain().await;
    assert!(rest.is_empty(), "a test is not sent again: {rest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_message_that_arrives_is_followed_by_the_waiting_messages() {
    let mut setup = WebhookSetup::start().await;
    let hook = setup.hook("webhook", "/hook").await;
    let overloaded = Reply::Status(503, "retry-after: 36000\r\n");
    setup.receiver.reply("/hook", &[overloaded]);
    let incident = setup.incident("Down").await;
    let failed = setup.receiver.next_at("/hook").await;
    // A server that stops has stored the results of its messages.
    setup = setup.restarted(&ALLOWED).await;
    let counts = setup.operator.get("/subscriber/deliveries").await;
    let retrying = json!([{"reason": "The receiver responded with 503", "count": 1}]);
    assert_eq!(counts.body["data"]["retrying"], retrying, "{counts:?}");
    setup.update(&incident, "RESOLVED", "It is mended").await;
    let tested = setup.operator.post(&test_of(&hook), json!({})).await;
    assert_eq!(tested.status, 200, "{tested:?}");
    let test = setup.receiver.next_at("/hook").await;
    assert!(test.json()["test"].is_object(), "{test:?}");
    let retried = setup.receiver.next_at("/hook").await;
    assert_eq!(retried.header("webhook-id"), failed.header("webhook-id"));
    assert_eq!(retried.text, failed.text);
    let update = setup.receiver.next_at("/hook").await;
    assert_eq!(update.json()["incident"]["status"], "resolved");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscriber_is_failing_until_a_message_arrives_again() {
    let mut setup = WebhookSetup::start().await;
    let hook = setup.hook("webhook", "/hook").await;
    // A permanent refusal is not retried.
    for arrives_by_test in [true, false] {
        setup = setup.restarted(&[]).await;
        setup.incident("Down").await;
        let found = setup
            .subscriber_once(&hook, |found| !found["failing"].is_null())
            .await;
        let failing = &found["failing"];
        assert_eq!(found["status"], "SUBSCRIBED");
        assert_eq!(failing["reason"], "Must begin with https://");
        assert!(failing["since"].as_str().unwrap().ends_with('Z'));
        let tested = setup.operator.post(&test_of(&hook), json!({})).await;
        assert_eq!(tested.status, 409, "{tested:?}");
        let counts = setup.operator.get("/subscriber/deliveries").await;
        assert_eq!(counts.body["data"]["waiting"], 0, "{counts:?}");

        setup = setup.restarted(&ALLOWED).await;
        assert_eq!(setup.subscriber(&hook).await["failing"], *failing);
        if arrives_by_test {
            let tested = setup.operator.post(&test_of(&hook), json!({})).await;
            assert_eq!(tested.body["data"]["failing"], Value::Null);
        } else {
            setup.incident("Down again").await;
        }
        setup.receiver.next_at("/hook").await;
        setup
            .subscriber_once(&hook, |found| found["failing"].is_null())
            .await;
    }
}
