use serde_json::json;

use super::Setup;
use super::fake_clerk::{HOST, encoded, token};
use crate::app::{TestApp, cookie_client, send};

#[tokio::test(flavor = "multi_thread")]
async fn web_app_gets_the_key_of_the_clerk_application() {
    let setup = Setup::start().await;
    let found = send(cookie_client().get(setup.app.call("/configuration")))
        .await
        .body["data"]
        .clone();
    let key = format!("pk_test_{}", encoded(format!("{HOST}$").as_bytes()));
    assert_eq!(
        (&found["identityProvider"], &found["clerkPublishableKey"]),
        (&json!("clerk"), &json!(key))
    );
    assert_eq!(found["firstAccount"], false);
}

/// The content security policy of a page for a request with these cookies.
async fn policy(app: &TestApp, path: &str, cookie: &str) -> String {
    let page = cookie_client()
        .get(format!("{}{path}", app.url))
        .header("cookie", cookie)
        .header("accept", "text/html");
    send(page).await.headers["content-security-policy"]
        .to_str()
        .unwrap()
        .to_owned()
}

fn script_sources(policy: &str) -> &str {
    policy
        .split("; ")
        .find(|part| part.starts_with("script-src"))
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_may_load_clerks_scripts_where_they_need_them() {
    let setup = Setup::start().await;
    setup.components(&token("user_1", "org_1")).await;
    let plain = TestApp::start().await;
    let usual = policy(&plain, "/status/org_none", "__client_uat=1700000000").await;
    assert!(!usual.contains("clerk"), "{usual}");

    for path in ["/", "/login", "/dashboard", "/metrics", "/nowhere"] {
        let found = policy(&setup.app, path, "").await;
        assert!(
            found.contains("script-src 'self' https://clerk.example.com "),
            "{path}: {found}"
        );
        assert!(found.contains("https://img.clerk.com"), "{path}: {found}");
    }
    for path in ["/status/org_1", "/status/org_none"] {
        assert_eq!(policy(&setup.app, path, "").await, usual, "{path}");
        assert_eq!(
            policy(&setup.app, path, "__client_uat=0").await,
            usual,
            "{path}"
        );
        let signed_in = policy(&setup.app, path, "__client_uat=1700000000").await;
        let sources = script_sources(&signed_in);
        assert!(
            sources.starts_with("script-src 'self' 'sha256-")
                && sources.ends_with("' https://clerk.example.com"),
            "{path}: {sources}"
        );
        assert!(!signed_in.contains("unsafe-inline"), "{path}: {signed_in}");
    }
    let call = send(cookie_client().get(setup.app.call("/configuration"))).await;
    let usual = policy(&plain, "/", "").await;
    assert_eq!(call.headers["content-security-policy"], usual.as_str());
}
