use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use url::Url;

use super::{ADDRESS, SubscriberSetup};
use crate::app::{Operator, TestResponse, cookie_client, send};

const PATH: &str = "/api/v1/subscriber/unsubscribe/one-click";
const FORM: (&str, &str) = (
    "application/x-www-form-urlencoded",
    "List-Unsubscribe=One-Click",
);

impl SubscriberSetup {
    fn one_click_link(&self, link: &Value) -> Url {
        let fields = link
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (name, value.as_str().unwrap()));
        Url::parse_with_params(&format!("{}{PATH}", self.url), fields).unwrap()
    }

    /// Posts like a mail provider's server, without cookie and origin.
    async fn one_click(&self, link: &Value, (content_type, body): (&str, &str)) -> TestResponse {
        let request = cookie_client().post(self.one_click_link(link));
        send(
            request
                .header(CONTENT_TYPE, content_type)
                .body(body.to_owned()),
        )
        .await
    }
}

/// An address that is subscribed, and what its unsubscribe link carries.
async fn subscribed() -> (SubscriberSetup, Operator, Value) {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    setup.subscribe(ADDRESS, &operator.organisation).await;
    let setup = setup.restart_and_drain().await;
    let verify = setup.links(ADDRESS, "verify").remove(0);
    assert_eq!(setup.post("/verify", verify).await.status, 200);
    let link = setup.links(ADDRESS, "unsubscribe").remove(0);
    (setup, operator, link)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mail_program_unsubscribes_by_one_post_as_often_as_it_likes() {
    let (setup, operator, link) = subscribed().await;
    let multipart = "--x\r\nContent-Disposition: form-data; name=\"List-Unsubscribe\"\r\n\r\nOne-Click\r\n--x--\r\n";
    for body in [FORM, ("multipart/form-data; boundary=x", multipart)] {
        let left = setup.one_click(&link, body).await;
        assert_eq!(
            (left.status, &left.body["message"]),
            (200, &json!("Successfully unsubscribed!"))
        );
        assert!(left.headers.get("set-cookie").is_none());
        assert_eq!(
            setup.list(&operator).await[0]["status"],
            json!("UNSUBSCRIBED")
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn opening_the_link_alone_changes_nothing() {
    let (setup, operator, link) = subscribed().await;
    let response = cookie_client()
        .get(setup.one_click_link(&link))
        .send()
        .await
        .unwrap();
    assert_eq!(
        (response.status().as_u16(), response.url().path()),
        (200, "/unsubscribe"),
        "the page, to which it leads"
    );
    for body in [
        ("application/x-www-form-urlencoded", ""),
        ("application/json", "{}"),
    ] {
        assert_eq!(setup.one_click(&link, body).await.status, 400);
    }
    assert_eq!(
        setup.list(&operator).await[0]["status"],
        json!("SUBSCRIBED")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_code_is_refused_and_guessing_is_throttled() {
    let (setup, operator, mut link) = subscribed().await;
    let right = link.clone();
    link["unsubscribeCode"] = json!("wrong");
    for _ in 0..30 {
        assert_eq!(setup.one_click(&link, FORM).await.status, 400);
    }
    assert_eq!(setup.one_click(&link, FORM).await.status, 429);
    assert_eq!(
        setup.one_click(&right, FORM).await.status,
        429,
        "nothing can be guessed meanwhile"
    );
    let missing = setup.one_click(&json!({"email": ADDRESS}), FORM).await;
    assert_eq!(missing.status, 429);
    assert_eq!(
        setup.list(&operator).await[0]["status"],
        json!("SUBSCRIBED")
    );
}
