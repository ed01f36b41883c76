use serde_json::{Value, json};
use url::Url;

use super::WebhookSetup;
use super::receiver::Reply;
use crate::app::{client, send};

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_is_confirmed_by_the_link_in_its_first_message_and_has_a_secret() {
    let mut setup = WebhookSetup::start().await;
    let target = setup.receiver.url("/hooks/T1-abcdefgh");
    let body = json!({"channel": "webhook", "target": target});
    let added = setup.operator.post("/subscriber", body).await;
    assert_eq!(added.status, 201, "{added:?}");
    assert_eq!(
        added.body["message"],
        "Verification message sent successfully"
    );
    let added = &added.body["data"];
    assert_eq!(
        (
            &added["channel"],
            &added["status"],
            &added["isVerified"],
            &added["email"],
            &added["scope"]
        ),
        (
            &json!("webhook"),
            &json!("PENDING"),
            &json!(false),
            &Value::Null,
            &json!("ALL")
        )
    );
    // Anybody with the whole link can post into the channel.
    let port = setup.receiver.port;
    assert_eq!(added["target"], format!("http://127.0.0.1:{port}/…efgh"));
    let secret = added["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_"), "{secret}");

    let first = setup.receiver.next_at("/hooks/T1-abcdefgh").await;
    first.assert_signed(secret);
    assert_eq!(first.header("content-type"), "application/json");
    let body = first.json();
    let mut fields: Vec<_> = body.as_object().unwrap().keys().collect();
    fields.sort_unstable();
    assert_eq!(fields, ["confirmation", "meta", "page"]);
    let link = body["confirmation"]["url"].as_str().unwrap();
    assert!(
        link.starts_with("http://status.example.com/verify?"),
        "{link}"
    );
    let carried = first.link("verify");
    assert_eq!(carried["subscriberId"], added["id"]);
    assert_eq!(carried["orgId"], json!(setup.operator.organisation));
    assert_eq!(carried.as_object().unwrap().len(), 3, "{carried}");

    // A program that previews the link confirms nothing.
    let page = link.replace("http://status.example.com", &setup.app.url);
    assert_eq!(send(client().get(page)).await.status, 200);
    let mut wrong = carried.clone();
    wrong["verificationCode"] = json!("wrong");
    assert_eq!(setup.post("/verify", &wrong).await.status, 400);
    let listed = setup.operator.get("/subscriber/list").await;
    assert_eq!(listed.body["data"][0]["status"], "PENDING");
    assert_eq!(listed.body["data"][0].get("secret"), None);

    let verified = setup.post("/verify", &carried).await;
    assert_eq!(
        (
            verified.status,
            &verified.body["message"],
            &verified.body["data"]
        ),
        (
            200,
            &json!("Subscription confirmed successfully!"),
            &json!({"secret": secret})
        )
    );
    let again = setup.post("/verify", &carried).await;
    assert_eq!((again.status, &again.body["data"]), (200, &Value::Null));
    let listed = setup.operator.get("/subscriber/list").await;
    assert_eq!(
        (
            &listed.body["data"][0]["status"],
            &listed.body["data"][0]["isVerified"]
        ),
        (&json!("SUBSCRIBED"), &json!(true))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn form_of_the_link_confirms_a_webhook_and_shows_its_secret_once() {
    let mut setup = WebhookSetup::start().await;
    let body = json!({"channel": "webhook", "target": setup.receiver.url("/hook")});
    let added = setup.operator.create("/subscriber", body).await;
    let secret = added["secret"].as_str().unwrap();
    let link = setup.receiver.next_at("/hook").await.link("verify");
    let fields = link.as_object().unwrap().iter();
    let fields = fields.map(|(name, value)| (name, value.as_str().unwrap()));
    let page = Url::parse_with_params(&format!("{}/verify", setup.app.url), fields).unwrap();
    let press = async || {
        let confirmed = send(client().post(page.clone())).await;
        assert_eq!(confirmed.status, 200, "{confirmed:?}");
        let html = confirmed.body.as_str().unwrap();
        assert!(
            html.contains("Subscription confirmed successfully!"),
            "{html}"
        );
        html.to_owned()
    };
    let first = press().await;
    assert!(first.contains(&format!("value=\"{secret}\"")), "{first}");
    let again = press().await;
    assert!(!again.contains("whsec_"), "{again}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chat_is_confirmed_by_its_first_message_and_has_no_secret() {
    let mut setup = WebhookSetup::start().await;
    for channel in ["slack", "teams", "discord"] {
        let path = format!("/{channel}");
        let body = json!({"channel": channel, "target": setup.receiver.url(&path)});
        let added = setup.operator.create("/subscriber", body).await;
        assert_eq!(added.get("secret"), None);
        let first = setup.receiver.next_at(&path).await;
        assert!(!first.headers.contains_key("webhook-signature"));
        let verified = setup.post("/verify", &first.link("verify")).await;
        assert_eq!(
            (verified.status, &verified.body["data"]),
            (200, &Value::Null),
            "{channel}"
        );
    }
    let listed = setup.operator.get("/subscriber/list").await;
    let rows = listed.body["data"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["status"] == "SUBSCRIBED"));
    assert_eq!(rows.len(), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn confirmation_that_is_sent_again_says_whether_it_has_arrived() {
    let mut setup = WebhookSetup::start().await;
    let replies = [
        Reply::Status(503, "retry-after: 36000\r\n"),
        Reply::Status(404, ""),
    ];
    setup.receiver.reply("/hook", &replies);
    let body = json!({"channel": "webhook", "target": setup.receiver.url("/hook")});
    let added = setup.operator.create("/subscriber", body).await;
    setup.receiver.next_at("/hook").await;
    let id = added["id"].as_str().unwrap();
    let path = format!("/subscriber/{id}/verification");
    let failed = setup.operator.post(&path, json!({})).await;
    let reason = "The confirmation did not arrive: The receiver responded with 404";
    assert_eq!(
        (failed.status, &failed.body["message"]),
        (409, &json!(reason))
    );
    setup.receiver.next_at("/hook").await;
    let sent = setup.operator.post(&path, json!({})).await;
    assert_eq!(
        (sent.status, &sent.body["message"]),
        (200, &json!("Verification message sent successfully"))
    );
    assert_eq!(sent.body["data"].get("secret"), None);
    let link = setup.receiver.next_at("/hook").await.link("verify");
    let counts = setup.operator.get("/subscriber/deliveries").await;
    let waiting = &counts.body["data"]["waiting"];
    assert_eq!(waiting, 0, "the first link is not sent again");
    let verified = setup.post("/verify", &link).await;
    assert_eq!(verified.status, 200, "{verified:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_to_a_target_that_is_not_confirmed() {
    let mut setup = WebhookSetup::start().await;
    let body = json!({"channel": "webhook", "target": setup.receiver.url("/pending")});
    let added = setup.operator.create("/subscriber", body).await;
    setup.receiver.next_at("/pending").await;
    setup.incident("Down").await;
    let test = format!("/subscriber/{}/test", added["id"].as_str().unwrap());
    let tested = setup.operator.post(&test, json!({})).await;
    assert_eq!(
        (tested.status, &tested.body["message"]),
        (409, &json!("A test message needs a confirmed subscription"))
    );
    let (_site, rest) = setup.restart_and_drain().await;
    assert!(rest.is_empty(), "{rest:?}");
}
