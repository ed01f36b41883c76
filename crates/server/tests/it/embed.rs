//! The banner that other sites embed.

use serde_json::json;

use crate::app::{Operator, TestApp, TestResponse, client, send};

async fn get(operator: &Operator, path: &str) -> TestResponse {
    let url = format!("{}/status/{}{path}", operator.url, operator.organisation);
    send(client().get(url)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn banner_says_whether_something_is_wrong() {
    let (_app, operator) = TestApp::with_operator().await;
    let id = operator.component("API").await;
    let html = async || {
        let frame = get(&operator, "/embed").await;
        assert_eq!(frame.status, 200, "{frame:?}");
        frame.body.as_str().unwrap().to_owned()
    };
    let quiet = html().await;
    assert!(quiet.contains(r#"data-trouble="false""#), "{quiet}");
    assert!(quiet.contains("All Systems Operational"), "{quiet}");

    let outage = json!({"status": "MAJOR_OUTAGE"});
    operator.patch(&format!("/component/{id}"), outage).await;
    let broken = html().await;
    assert!(broken.contains(r#"data-trouble="true""#), "{broken}");
    assert!(broken.contains("Major System Outage"), "{broken}");
    operator
        .patch(
            &format!("/component/{id}"),
            json!({"status": "OPERATIONAL"}),
        )
        .await;

    let incident = json!({
        "title": "<i>Slow</i>", "description": "d", "status": "INVESTIGATING", "occuredAt": "2026-01-01T12:00:00.000Z",
    });
    assert_eq!(
        operator.post("/incident/create", incident).await.status,
        201
    );
    let open = html().await;
    assert!(open.contains(r#"data-trouble="true""#), "{open}");
    assert!(
        open.contains("Open Incident") && open.contains("&lt;i&gt;Slow&lt;/i&gt;"),
        "{open}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn banner_names_the_open_incident_with_the_worst_impact() {
    let (_app, operator) = TestApp::with_operator().await;
    let id = operator.component("API").await;
    let open = async |title: &str, status: &str| {
        let incident = json!({
            "title": title, "description": "d", "status": "INVESTIGATING", "occuredAt": "2026-01-01T12:00:00.000Z",
            "components": [{"componentId": id, "status": status}],
        });
        let created = operator.post("/incident/create", incident).await;
        assert_eq!(created.status, 201, "{created:?}");
        get(&operator, "/embed").await.body.to_string()
    };
    let only = open("Old outage", "MAJOR_OUTAGE").await;
    assert!(
        only.contains("Old outage") && !only.contains(" more<"),
        "{only}"
    );
    let tie = open("New outage", "MAJOR_OUTAGE").await;
    assert!(
        tie.contains("New outage") && tie.contains(" and 1 more<"),
        "{tie}"
    );
    let worst = open("Slow", "DEGRADED").await;
    assert!(
        worst.contains("New outage") && worst.contains(" and 2 more<"),
        "{worst}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_frame_of_the_banner_may_be_framed() {
    let (_app, operator) = TestApp::with_operator().await;
    operator.component("API").await;
    let frame = get(&operator, "/embed").await;
    let policy = frame.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.ends_with("frame-ancestors *"), "{policy}");
    assert!(policy.contains("script-src 'self' 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert!(!frame.headers.contains_key("x-frame-options"), "{frame:?}");

    // Twice: the second response comes from memory.
    for path in [
        "",
        "",
        "/history",
        "/uptime",
        "/badge.svg",
        "/embed.js",
        "/nowhere",
    ] {
        let response = get(&operator, path).await;
        assert_eq!(response.headers["x-frame-options"], "DENY", "{path}");
        let policy = response.headers["content-security-policy"]
            .to_str()
            .unwrap();
        assert!(
            policy.ends_with("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn script_and_frame_are_cached_like_the_page_and_set_no_cookie() {
    let (app, operator) = TestApp::with_operator().await;
    operator.component("API").await;
    let page = get(&operator, "").await;
    for path in ["/embed.js", "/embed"] {
        let response = get(&operator, path).await;
        for name in ["cache-control", "vary"] {
            assert_eq!(response.headers[name], page.headers[name], "{path}");
        }
        assert!(!response.headers.contains_key("set-cookie"), "{path}");
        let url = format!("{}/status/{}{path}", operator.url, operator.organisation);
        let tag = response.etag.unwrap();
        let known = send(client().get(&url).header("if-none-match", tag)).await;
        assert_eq!(known.status, 304, "{path}");
        let unknown = format!("{}/status/org_nobody{path}", app.url);
        assert_eq!(send(client().get(unknown)).await.status, 404, "{path}");
    }
    let script = get(&operator, "/embed.js").await;
    assert_eq!(
        script.headers["content-type"],
        "text/javascript; charset=utf-8"
    );
    assert!(script.body.as_str().unwrap().contains("iframe"));
    // A page that requires both of what it embeds shows the banner, too.
    let frame = get(&operator, "/embed").await;
    for response in [&script, &frame] {
        assert_eq!(
            response.headers["cross-origin-resource-policy"],
            "cross-origin"
        );
    }
    assert_eq!(
        frame.headers["cross-origin-embedder-policy"],
        "require-corp"
    );
}
