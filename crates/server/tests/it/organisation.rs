use reqwest::Method;
use serde_json::json;

use crate::app::TestApp;
use crate::statuspage::document;

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_changed_and_shown_on_the_page() {
    let (_app, operator) = TestApp::with_operator().await;
    let read = operator.get("/organisation").await;
    let settings = &read.body["data"];
    for (field, value) in [
        ("timeZone", json!("Etc/UTC")),
        ("domain", json!(null)),
        ("pageTitle", json!(null)),
        ("pageDescription", json!(null)),
        ("supportUrl", json!(null)),
        ("notifyByDefault", json!(true)),
    ] {
        assert_eq!(settings.get(field), Some(&value), "{field}");
    }
    let change = json!({
        "timeZone": "Europe/Zurich", "pageTitle": "Acme Cloud", "pageDescription": "Of all regions",
        "supportUrl": "mailto:help@acme.example",
    });
    let changed = operator.patch("/organisation", change).await;
    assert_eq!(changed.status, 200);
    assert_ne!(changed.etag, read.etag);
    let shown = operator.snapshot().await["organisation"].clone();
    assert_eq!(shown["timeZone"], "Europe/Zurich");
    assert_eq!(shown["pageTitle"], "Acme Cloud");
    assert_eq!(shown["pageDescription"], "Of all regions");
    assert_eq!(shown["supportUrl"], "mailto:help@acme.example");
    assert_eq!(changed.body["data"]["pageDescription"], "Of all regions");
    assert_eq!(shown["code"], settings["code"]);
    assert!(
        shown["url"]
            .as_str()
            .unwrap()
            .ends_with(&format!("/status/{}", settings["id"].as_str().unwrap()))
    );
    assert_eq!(shown["url"], settings["url"]);
    assert_eq!(shown.get("notifyByDefault"), None);

    let change = json!({"pageTitle": "", "pageDescription": null, "supportUrl": null});
    let emptied = operator.patch("/organisation", change).await;
    let shown = operator.snapshot().await["organisation"].clone();
    for field in ["pageTitle", "pageDescription", "supportUrl"] {
        assert_eq!(emptied.body["data"][field], json!(null), "{field}");
    }
    for field in ["pageDescription", "supportUrl"] {
        assert_eq!(shown.get(field), Some(&json!(null)), "{field}");
    }
    assert_eq!(shown["pageTitle"], shown["name"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_only_operators_see_leave_the_public_documents_as_they_are() {
    let (_app, operator) = TestApp::with_operator().await;
    let page = async || {
        let summary = document(&operator, "summary").await;
        let revision = operator.snapshot().await["revision"].clone();
        (summary["page"]["updated_at"].clone(), revision)
    };
    let before = page().await;
    let mut versions = vec![operator.get("/organisation").await.etag];
    for change in [
        json!({"notifyByDefault": false}),
        json!({"reminderHours": 4}),
        json!({"notifyByDefault": true}),
    ] {
        let changed = operator.patch("/organisation", change).await;
        assert_eq!(changed.status, 200, "{changed:?}");
        assert!(!versions.contains(&changed.etag), "{changed:?}");
        versions.push(changed.etag);
    }
    assert_eq!(page().await, before);
    let public = operator
        .patch("/organisation", json!({"pageTitle": "Acme Cloud"}))
        .await;
    assert!(!versions.contains(&public.etag), "{public:?}");
    assert_ne!(page().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_settings_are_named() {
    let (_app, operator) = TestApp::with_operator().await;
    let rows = [
        (
            json!({"timeZone": "Mars/Olympus"}),
            "timeZone: Unknown time zone",
        ),
        (json!({"timeZone": null}), "timeZone: Unknown time zone"),
        (json!({"name": ""}), "name: Name is required"),
        (
            json!({"supportUrl": "https:help.acme.example"}),
            "supportUrl: Must be an http, https or mailto URL",
        ),
        (
            json!({"supportUrl": "https://help.acme.example/\"><script>"}),
            "supportUrl: Must be an http, https or mailto URL",
        ),
        (
            json!({"notifyByDefault": "yes"}),
            "notifyByDefault: Must be true or false",
        ),
        (
            json!({"pageTitle": "x".repeat(201)}),
            "pageTitle: Must be at most 200 characters",
        ),
        (
            json!({"pageDescription": "x".repeat(10_001)}),
            "pageDescription: Must be at most 10000 characters",
        ),
    ];
    operator
        .assert_invalid(Method::PATCH, "/organisation", &rows)
        .await;
}
