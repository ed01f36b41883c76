//! Links in mails that a browser without scripts follows.

use reqwest::Method;
use serde_json::{Value, json};
use url::Url;

use super::{ADDRESS, SubscriberSetup};
use crate::app::{Operator, TestResponse, cookie_client, send};

/// An address that is not confirmed.
async fn pending() -> (SubscriberSetup, Operator) {
    let setup = SubscriberSetup::start().await;
    let operator = setup.operator("Acme").await;
    setup.subscribe(ADDRESS, &operator.organisation).await;
    (setup.restart_and_drain().await, operator)
}

/// Sends a request to the page at this path, with the parameters of a link.
async fn ask(setup: &SubscriberSetup, method: Method, path: &str, link: &Value) -> TestResponse {
    let fields = link
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| (name, value.as_str().unwrap()));
    let page = Url::parse_with_params(&format!("{}{path}", setup.url), fields).unwrap();
    send(cookie_client().request(method, page)).await
}

/// Presses the button of the form.
async fn press(setup: &SubscriberSetup, path: &str, link: &Value) -> TestResponse {
    ask(setup, Method::POST, path, link).await
}

fn html(response: &TestResponse) -> &str {
    response.body.as_str().unwrap()
}

/// Whether a page leads to the status page of the operator's organisation.
fn leads_back(page: &TestResponse, operator: &Operator) -> bool {
    let status_page = format!("href=\"/status/{}\"", operator.organisation);
    html(page).contains(&status_page)
}

#[tokio::test(flavor = "multi_thread")]
async fn form_verifies_and_unsubscribes_as_often_as_it_is_sent() {
    let (setup, operator) = pending().await;
    let unsubscribed = [
        "Successfully Unsubscribed",
        "Successfully unsubscribed!",
        "UNSUBSCRIBED",
    ];
    for (path, [title, message, status]) in [
        (
            "/verify",
            [
                "Email Verified!",
                "Email verified successfully!",
                "SUBSCRIBED",
            ],
        ),
        ("/unsubscribe", unsubscribed),
        ("/subscription", unsubscribed),
    ] {
        let link = setup.links(ADDRESS, &path[1..]).remove(0);
        for _ in 0..2 {
            let page = press(&setup, path, &link).await;
            assert_eq!(page.status, 200, "{page:?}");
            for part in [format!("<h1>{title}</h1>"), message.to_owned()] {
                assert!(html(&page).contains(&part), "{part}: {page:?}");
            }
            assert!(leads_back(&page, &operator), "{page:?}");
            assert!(!html(&page).contains("<script async"), "no script draws it");
            assert_eq!(page.headers["cache-control"], "no-store");
            assert_eq!(page.headers["referrer-policy"], "no-referrer");
            let policy = page.headers["content-security-policy"].to_str().unwrap();
            assert!(policy.contains("form-action 'self'"), "{policy}");
            assert!(!policy.contains("unsafe"), "{policy}");
            assert_eq!(setup.list(&operator).await[0]["status"], status);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_a_link_has_a_form_without_scripts_and_changes_nothing() {
    let (setup, operator) = pending().await;
    let form = "<form method=\"post\">";
    for (path, title, button) in [
        (
            "/verify",
            "Confirm your subscription",
            "Confirm Subscription</button>",
        ),
        ("/unsubscribe", "Unsubscribe", "Unsubscribe</button>"),
        (
            "/subscription",
            "Manage Subscription",
            "Unsubscribe</button>",
        ),
    ] {
        let link = setup.links(ADDRESS, &path[1..]).remove(0);
        let page = ask(&setup, Method::GET, path, &link).await;
        assert_eq!(page.status, 200, "{path}");
        let (head, rest) = html(&page).split_once("<noscript>").unwrap();
        let title = format!("<title>{title}</title>");
        assert!(head.contains(&title), "{head}");
        let (plain, app) = rest.split_once("</noscript>").unwrap();
        assert!(plain.contains(form) && plain.contains(button), "{plain}");
        assert!(!plain.contains("No more updates"), "{plain}");
        assert!(app.contains("<div id=\"root\"></div>"), "{app}");
    }
    let login = ask(&setup, Method::GET, "/login", &json!({})).await;
    assert!(!html(&login).contains(form), "{login:?}");
    assert_eq!(setup.list(&operator).await[0]["status"], "PENDING");
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_form_of_a_link_says_why() {
    let (setup, operator) = pending().await;
    let with = |path: &str, name: &str, value: &str| {
        let mut link = setup.links(ADDRESS, path).remove(0);
        link[name] = json!(value);
        link
    };
    let wrong = "This link is wrong or has expired";
    let rows = [
        (
            "/verify",
            with("verify", "verificationCode", "x"),
            400,
            wrong,
        ),
        (
            "/unsubscribe",
            with("unsubscribe", "unsubscribeCode", "x"),
            400,
            wrong,
        ),
        (
            "/subscription",
            with("subscription", "manageCode", "x"),
            400,
            wrong,
        ),
        (
            "/verify",
            with("verify", "orgId", "org_unknown"),
            404,
            "Organisation not found",
        ),
        ("/verify", json!({}), 422, "This link is not complete"),
        (
            "/unsubscribe",
            json!({"email": ADDRESS}),
            422,
            "This link is not complete",
        ),
    ];
    for (path, link, status, reason) in rows {
        let page = press(&setup, path, &link).await;
        assert_eq!(page.status, status, "{page:?}");
        let title = match path {
            "/verify" => "<h1>Verification Failed</h1>",
            _ => "<h1>Unsubscribe Failed</h1>",
        };
        for part in [title, reason, "Try Again</button>", "Go Back</a>"] {
            assert!(html(&page).contains(part), "{part}: {page:?}");
        }
        assert_eq!(leads_back(&page, &operator), status == 400, "{page:?}");
        assert!(!html(&page).contains("/status/org_unknown"), "{page:?}");
    }
    let twice = press(&setup, "/verify?orgId=a&orgId=b", &json!({})).await;
    assert_eq!(twice.status, 400);
    assert!(html(&twice).contains("The query is not well-formed"));

    let put = ask(&setup, Method::PUT, "/verify", &json!({})).await;
    assert_eq!(put.status, 405);
    assert_eq!(put.headers["allow"], "GET, HEAD, POST");
    let large = cookie_client().post(format!("{}/verify", setup.url));
    assert_eq!(send(large.body("x".repeat(5000))).await.status, 413);
    assert_eq!(setup.list(&operator).await[0]["status"], "PENDING");
}

#[tokio::test(flavor = "multi_thread")]
async fn form_of_a_link_shares_the_throttle_of_the_api_call() {
    let (setup, _) = pending().await;
    let right = setup.links(ADDRESS, "verify").remove(0);
    let mut wrong = right.clone();
    wrong["verificationCode"] = json!("wrong");
    for _ in 0..30 {
        assert_eq!(press(&setup, "/verify", &wrong).await.status, 400);
    }
    let refused = press(&setup, "/verify", &right).await;
    assert_eq!(refused.status, 429);
    let wait = refused.headers["retry-after"].to_str().unwrap();
    assert!(wait.parse::<u64>().unwrap() > 0);
    assert!(html(&refused).contains("Too many requests. Try again in"));
    assert_eq!(setup.post("/verify", right).await.status, 429);
}
