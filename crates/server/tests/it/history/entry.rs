//! The page of an incident and of a maintenance.

use reqwest::Method;
use serde_json::json;

use super::{html, incident, page};
use crate::app::{TestApp, send};

const HOSTILE: &str = "<img src=x onerror=alert(1)></script>";

#[tokio::test(flavor = "multi_thread")]
async fn incident_has_a_page_with_everything_that_belongs_to_it() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    let component = acme.component(HOSTILE).await;
    let body = json!({
        "title": HOSTILE, "description": "See https://x.example/a?b=1&c=2.", "status": "INVESTIGATING",
        "occuredAt": "2026-03-01T21:05:09.000Z",
        "components": [{"componentId": component, "status": "PARTIAL_OUTAGE"}],
    });
    let stored = acme.create("/incident/create", body).await;
    let (id, code) = (
        stored["id"].as_str().unwrap(),
        stored["code"].as_str().unwrap(),
    );
    for message in ["first", HOSTILE] {
        let update = json!({"status": "IDENTIFIED", "message": message});
        acme.create(&format!("/incident/{id}/updates/create"), update)
            .await;
    }
    let path = format!("/incidents/{code}");
    let open = page(&acme, &path).await;
    let open = html(&open);
    assert!(
        !open.contains("<img") && open.matches("</script>").count() == 3,
        "{open}"
    );
    let escaped = "&lt;img src=x onerror=alert(1)&gt;&lt;/script&gt;";
    assert!(open.contains(&format!("<title>{escaped} - Acme</title>")));
    assert!(open.contains("href=\"https://x.example/a?b=1&amp;c=2\" rel=\"nofollow noopener\""));
    assert!(
        open.contains(
            "<time datetime=\"2026-03-01T21:05:09.000Z\">Mar 01, 2026 09:05:09 PM</time>"
        )
    );
    assert!(open.contains("Partial Outage") && open.contains("Not yet"));
    assert!(open.find(">first</p>").unwrap() > open.find(">Identified<").unwrap());
    let address = format!("/status/{}{path}\">", acme.organisation);
    for tag in [
        "link rel=\"canonical\" href",
        "meta property=\"og:url\" content",
    ] {
        let (_, rest) = open.split_once(&format!("<{tag}=\"http://")).unwrap();
        let (_, rest) = rest.split_once('/').unwrap();
        assert!(rest.starts_with(&address[1..]), "{tag}: {rest}");
    }
    assert!(open.contains("\"@type\":\"Article\"") && open.contains("<html lang=\"en\""));

    let resolved = acme
        .patch(&format!("/incident/{id}"), json!({"status": "RESOLVED"}))
        .await;
    assert_eq!(resolved.status, 200, "{resolved:?}");
    let over = page(&acme, &path).await;
    assert!(html(&over).contains("Duration") && !html(&over).contains("Not yet"));

    assert_eq!(acme.delete(&format!("/incident/{id}")).await.status, 200);
    assert_eq!(page(&acme, &path).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn published_review_is_on_the_page_of_its_incident_and_a_draft_is_nowhere() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    let body = json!({"title": "Down", "description": "d", "status": "RESOLVED"});
    let stored = acme.create("/incident/create", body).await;
    let path = format!("/incidents/{}", stored["code"].as_str().unwrap());
    let review = format!("/incident/{}/review", stored["id"].as_str().unwrap());
    let write = async |text: &str| {
        let request = acme.request(Method::PUT, &review);
        let written = send(request.json(&json!({"body": text}))).await;
        assert_eq!(written.status, 200, "{written:?}");
    };
    let text = format!(
        "# Cause\n\nA *bad* deploy. {HOSTILE}\n\n[x](javascript:alert(1)) <p onclick=f()>y</p>"
    );
    write(&text).await;
    for public in ["", "/history", &path] {
        let shown = page(&acme, public).await;
        assert!(!html(&shown).contains("deploy"), "{public}");
    }

    let published = acme
        .post(&format!("{review}/publish"), json!({"notify": false}))
        .await;
    assert_eq!(published.status, 200, "{published:?}");
    let shown = page(&acme, &path).await;
    let tag = shown.etag.clone();
    let shown = html(&shown);
    for part in [
        ">Review</h2>",
        "<h3>Cause</h3>",
        "A <em>bad</em> deploy.",
        "\"headline\":\"Review of Down\"",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    for part in ["<img", "javascript:", "onclick"] {
        assert!(!shown.contains(part), "{part}: {shown}");
    }
    assert_eq!(shown.matches("<h1").count(), 1);
    assert_eq!(shown.matches("</script>").count(), 3);

    write("Other").await;
    let edited = page(&acme, &path).await;
    assert_ne!(edited.etag, tag);
    assert!(html(&edited).contains("<p>Other</p>") && !html(&edited).contains("deploy"));
    assert_eq!(acme.delete(&review).await.status, 200);
    let deleted = page(&acme, &path).await;
    assert!(!html(&deleted).contains("Review"));
}

#[tokio::test(flavor = "multi_thread")]
async fn longest_review_makes_a_page_of_bounded_size() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    let body = json!({"title": "Down", "description": "d", "status": "RESOLVED"});
    let stored = acme.create("/incident/create", body).await;
    let path = format!("/incidents/{}", stored["code"].as_str().unwrap());
    let review = format!("/incident/{}/review", stored["id"].as_str().unwrap());
    let request = acme.request(Method::PUT, &review);
    let text = "- ".repeat(24_999) + "x";
    let written = send(request.json(&json!({"body": text}))).await;
    assert_eq!(written.status, 200, "{written:?}");
    acme.post(&format!("{review}/publish"), json!({})).await;
    let shown = page(&acme, &path).await;
    assert!(html(&shown).contains("<ul>") && html(&shown).len() < 1024 * 1024);
}

#[tokio::test(flavor = "multi_thread")]
async fn maintenance_has_a_page_of_its_own() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    let body = json!({
        "title": "Upgrade", "description": "Writes pause.",
        "startAt": "2126-03-01T01:00:00.000Z", "endAt": "2126-03-01T03:30:00.000Z",
    });
    let stored = acme.create("/maintenance/create", body).await;
    let (id, code) = (
        stored["id"].as_str().unwrap(),
        stored["code"].as_str().unwrap(),
    );
    let update = json!({"status": "MONITORING", "message": "Ready."});
    acme.create(&format!("/maintenance/{id}/updates/create"), update)
        .await;
    let path = format!("/maintenances/{code}");
    let shown = page(&acme, &path).await;
    let shown = html(&shown);
    for text in [
        "<title>Upgrade - Acme</title>",
        "Scheduled",
        "Mar 01, 2126 01:00:00 AM",
        "2 hours 30 minutes",
        "data-until=\"2126-03-01T01:00:00.000Z\"",
        "Ready.",
        "\"@type\":\"Event\"",
    ] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    let cancelled = acme
        .patch(
            &format!("/maintenance/{id}"),
            json!({"status": "CANCELLED"}),
        )
        .await;
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
    let shown = page(&acme, &path).await;
    assert!(html(&shown).contains("Cancelled") && html(&shown).contains("EventCancelled"));
}

#[tokio::test(flavor = "multi_thread")]
async fn code_of_another_organisation_or_kind_is_unknown() {
    let app = TestApp::start().await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    let code = incident(&acme, "Secret", "2026-03-01T12:00:00.000Z").await;
    assert_eq!(page(&acme, &format!("/incidents/{code}")).await.status, 200);
    let unknown = [
        page(&other, &format!("/incidents/{code}")).await,
        page(&acme, &format!("/maintenances/{code}")).await,
        page(&acme, "/incidents/000000000000").await,
        page(&acme, &format!("/incidents/{}", code.to_uppercase())).await,
        page(&acme, &format!("/incidents/{code}0")).await,
    ];
    for response in unknown {
        assert_eq!(response.status, 404);
        let page = html(&response);
        assert!(!page.contains("Secret") && page.contains("There is no such page"));
    }
}
