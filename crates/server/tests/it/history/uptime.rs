//! The page of the uptime by month.

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::json;

use super::{html, page};
use crate::app::{Operator, TestApp, client, send};

const HOSTILE: &str = "<img src=x onerror=alert(1)></script>";

#[expect(clippy::disallowed_methods, reason = "the real server's clock")]
fn now() -> DateTime<Utc> {
    Utc::now()
}

async fn component(operator: &Operator, input: serde_json::Value) -> (String, String) {
    let component = operator.create("/component/create", input).await;
    let text = |name: &str| component[name].as_str().unwrap().to_owned();
    (text("id"), text("code"))
}

#[tokio::test(flavor = "multi_thread")]
async fn uptime_page_shows_the_months_of_each_component_in_its_group() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    let group = acme
        .create("/component-group/create", json!({"name": HOSTILE}))
        .await;
    let input = json!({"name": HOSTILE, "groupId": group["id"], "startDate": null});
    let (id, code) = component(&acme, input).await;
    component(&acme, json!({"name": "Secret", "showUptime": false})).await;
    component(&acme, json!({"name": "Web"})).await;
    let day = now() - TimeDelta::days(1);
    let period =
        json!({"status": "MAJOR_OUTAGE", "startAt": day, "endAt": day + TimeDelta::minutes(90)});
    acme.create(&format!("/component/{id}/history/create"), period)
        .await;

    let shown = page(&acme, "/uptime").await;
    let shown = html(&shown);
    assert!(shown.contains("<title>Uptime - Acme</title>") && shown.contains("<html lang=\"en\""));
    assert!(!shown.contains("Secret") && !shown.contains("<img"));
    assert_eq!(shown.matches("<caption>").count(), 6);
    for part in [
        "outage (major)</li>",
        "&lt;/script&gt;</h2>",
        ">Other components</h2>",
        "\"@type\":\"CollectionPage\"",
        "data-until=\"",
    ] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let year = page(&acme, &format!("/uptime?component={code}")).await;
    assert_eq!(html(&year).matches("<caption>").count(), 12);
    assert!(!html(&year).contains(">Web</a>"));

    let other = app.operator("Other").await;
    let foreign = page(&other, &format!("/uptime?component={code}")).await;
    assert_eq!(foreign.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn uptime_page_follows_a_corrected_history_and_an_empty_organisation_has_one() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    let empty = page(&acme, "/uptime").await;
    assert!(html(&empty).contains("No component shows its uptime."));
    let (id, code) = component(&acme, json!({"name": "API", "startDate": null})).await;
    let path = format!("/uptime?component={code}");
    let before = page(&acme, &path).await;
    assert!(!html(&before).contains("degraded</li>"));
    let start_at = now() - TimeDelta::hours(1);
    let period = json!({"status": "DEGRADED", "startAt": start_at, "endAt": start_at + TimeDelta::minutes(1)});
    acme.create(&format!("/component/{id}/history/create"), period)
        .await;
    let after = page(&acme, &path).await;
    assert_ne!(before.etag, after.etag);
    assert!(html(&after).contains("degraded</li>"));
}

#[tokio::test(flavor = "multi_thread")]
async fn every_public_page_has_the_same_head_and_unknown_addresses_are_404() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    let incident = json!({"title": "Down", "description": "d", "status": "RESOLVED"});
    let incident = acme.create("/incident/create", incident).await;
    let start_at = now() - TimeDelta::hours(1);
    let maintenance = json!({"title": "Upgrade", "description": "d", "startAt": start_at});
    let maintenance = acme.create("/maintenance/create", maintenance).await;
    let (_, component) = component(&acme, json!({"name": "API"})).await;
    let code = |stored: &serde_json::Value| stored["code"].as_str().unwrap().to_owned();
    let (incident, maintenance) = (code(&incident), code(&maintenance));
    let base = format!("/status/{}", acme.organisation);
    for path in [
        String::new(),
        "/history".to_owned(),
        format!("/history?page=2&component={component}"),
        "/uptime".to_owned(),
        format!("/uptime?page=2&component={component}"),
        format!("/incidents/{incident}"),
        format!("/maintenances/{maintenance}"),
    ] {
        let shown = page(&acme, &path).await;
        assert_eq!(shown.status, 200, "{path}");
        let shown = html(&shown);
        let address = format!("{base}{path}").replace('&', "&amp;");
        for (before, after) in [
            ("<link rel=\"canonical\" href=\"http", address.as_str()),
            ("<meta property=\"og:url\" content=\"http", &address),
            ("<meta property=\"og:title\" content=\"", ""),
            ("<meta property=\"og:description\" content=\"", ""),
            ("<meta name=\"description\" content=\"", ""),
            ("<html lang=\"en\"", ""),
        ] {
            let tag = shown
                .split_once(before)
                .map(|(_, rest)| rest.split('>').next());
            let found = tag.flatten().is_some_and(|tag| tag.contains(after));
            assert!(found, "{path}: {before}");
        }
        assert_eq!(shown.matches("<h1").count(), 1, "{path}");
        // The status page has its data in another form.
        let data = shown.contains("\"@context\":\"https://schema.org\"");
        assert_eq!(data, !path.is_empty(), "{path}");
    }

    let other = app.operator("Other").await;
    for path in [
        format!("/history?component={component}"),
        format!("/uptime?component={component}"),
        format!("/incidents/{incident}"),
        format!("/maintenances/{maintenance}"),
    ] {
        let foreign = page(&other, &path).await;
        assert_eq!(foreign.status, 404, "{path}");
        let foreign = html(&foreign);
        assert!(foreign.contains("There is no such page"), "{path}");
        for secret in ["Down", "Upgrade", "API"] {
            assert!(!foreign.contains(secret), "{path}");
        }
    }
    for wrong in [
        "page=0",
        "page=-1",
        "page=1.5",
        "page=%00",
        "page=1&page=2",
        "component=x",
        "component=%3Cscript%3E",
        "component=000000000000",
    ] {
        for kind in ["history", "uptime"] {
            let unknown = page(&acme, &format!("/{kind}?{wrong}")).await;
            assert_eq!(unknown.status, 404, "{kind}?{wrong}");
            assert!(html(&unknown).contains("noindex"), "{kind}?{wrong}");
        }
    }
    for beyond in ["page=801", "page=99999999999999999999"] {
        for kind in ["history", "uptime"] {
            let empty = page(&acme, &format!("/{kind}?{beyond}")).await;
            assert_eq!(empty.status, 200, "{kind}?{beyond}");
        }
    }
    let posted = send(client().post(format!("{}{base}/uptime", acme.url))).await;
    assert_eq!(posted.status, 405);
}
