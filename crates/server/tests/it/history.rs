//! The pages of the public history.

mod entry;
mod uptime;

use chrono::{Datelike, Months, Utc};
use serde_json::json;

use crate::app::{Operator, TestApp, TestResponse, client, send};

pub(super) async fn page(operator: &Operator, path: &str) -> TestResponse {
    let url = format!("{}/status/{}{path}", operator.url, operator.organisation);
    send(client().get(url)).await
}

pub(super) fn html(response: &TestResponse) -> &str {
    assert_eq!(
        response.headers["content-type"], "text/html; charset=utf-8",
        "{response:?}"
    );
    response.body.as_str().unwrap()
}

/// Creates an incident that is over, and returns its code.
pub(super) async fn incident(operator: &Operator, title: &str, occured_at: &str) -> String {
    let body = json!({
        "title": title, "description": "Cards are declined.", "status": "RESOLVED", "occuredAt": occured_at,
    });
    let incident = operator.create("/incident/create", body).await;
    incident["code"].as_str().unwrap().to_owned()
}

/// The first moment of the month so many months ago. It is never in the future, which a resolved
/// incident may not be.
#[expect(clippy::disallowed_methods, reason = "the real server's clock")]
fn months_ago(months: u32) -> String {
    let first = Utc::now().date_naive().with_day(1).unwrap();
    let month = first.checked_sub_months(Months::new(months)).unwrap();
    format!("{month}T00:00:00.000Z")
}

#[tokio::test(flavor = "multi_thread")]
async fn history_shows_three_months_a_page_newest_first() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    for (title, ago) in [("Recent", 0), ("Before", 2), ("Long ago", 3)] {
        incident(&acme, title, &months_ago(ago)).await;
    }
    let start = months_ago(1);
    let maintenance =
        json!({"title": "Upgrade", "description": "d", "startAt": start, "endAt": start});
    acme.create("/maintenance/create", maintenance).await;

    let first = page(&acme, "/history").await;
    let first = html(&first);
    let places: Vec<_> = ["Recent", "Upgrade", "Before"]
        .map(|title| first.find(&format!(">{title}</a>")).unwrap())
        .into();
    assert!(places.is_sorted(), "{places:?}");
    assert!(!first.contains("Long ago") && first.contains("?page=2"));
    assert!(
        first.contains("<title>History - Acme</title>") && first.contains("All times are in UTC<")
    );

    let second = page(&acme, "/history?page=2").await;
    let second = html(&second);
    assert!(second.contains(">Long ago</a>") && !second.contains(">Before</a>"));
    assert!(second.contains("rel=\"prev\"") && !second.contains("rel=\"next\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn page_beyond_the_last_is_empty_and_a_page_without_number_is_unknown() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    incident(&acme, "Recent", &months_ago(0)).await;
    for beyond in ["2", "800", "801", "99999999999999"] {
        let empty = page(&acme, &format!("/history?page={beyond}")).await;
        assert_eq!(empty.status, 200, "{beyond}");
        assert!(!html(&empty).contains("Recent"), "{beyond}");
    }
    for wrong in [
        "page=0",
        "page=-1",
        "page=x",
        "component=x",
        "component=000000000000",
    ] {
        let unknown = page(&acme, &format!("/history?{wrong}")).await;
        assert_eq!(unknown.status, 404, "{wrong}");
        assert!(html(&unknown).contains("There is no such page"), "{wrong}");
    }
    let nobody = send(client().get(format!("{}/status/nobody/history", app.url))).await;
    assert_eq!(nobody.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn history_is_filtered_by_component() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    let component = acme.component("API <b>").await;
    let code = acme.snapshot().await["components"][0]["code"].clone();
    let code = code.as_str().unwrap();
    let affecting = json!({
        "title": "API down", "description": "d", "status": "INVESTIGATING", "occuredAt": months_ago(0),
        "components": [{"componentId": component, "status": "MAJOR_OUTAGE"}],
    });
    acme.create("/incident/create", affecting).await;
    incident(&acme, "Something else", &months_ago(0)).await;

    let all = page(&acme, "/history?component=").await;
    let all = html(&all);
    assert!(all.contains("API down") && all.contains("Something else"));
    assert!(all.contains("API &lt;b&gt;</option>"));
    let filtered = page(&acme, &format!("/history?component={code}")).await;
    let filtered = html(&filtered);
    assert!(filtered.contains("API down") && !filtered.contains("Something else"));

    let other = app.operator("Other").await;
    let foreign = page(&other, &format!("/history?component={code}")).await;
    assert_eq!(foreign.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_page_leads_to_support_and_to_the_subscription() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    let code = incident(&acme, "Down", &months_ago(0)).await;
    let settings = json!({"supportUrl": "mailto:help@acme.example"});
    let changed = acme.patch("/organisation", settings).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let status_page = format!("/status/{}", acme.organisation);
    let links = [
        "href=\"mailto:help@acme.example\"".to_owned(),
        format!("href=\"{status_page}#subscribe\""),
        format!("href=\"{status_page}/subscribe\""),
    ];
    let entry = format!("/incidents/{code}");
    for path in ["/history", "/uptime", &entry] {
        let shown = page(&acme, path).await;
        for link in &links {
            assert!(html(&shown).contains(link), "{path}: {link}");
        }
    }
    let pressed = page(&acme, "").await;
    assert!(html(&pressed).contains("<button id=\"subscribe\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn history_has_a_tag_that_changes_with_its_content_and_is_publicly_cacheable() {
    let app = TestApp::start().await;
    let acme = app.operator("Acme").await;
    let url = format!("{}/status/{}/history", app.url, acme.organisation);
    let first = send(client().get(&url)).await;
    let tag = first.etag.clone().unwrap();
    let status_page = page(&acme, "").await;
    for name in ["cache-control", "vary", "x-content-type-options"] {
        assert_eq!(first.headers[name], status_page.headers[name], "{name}");
    }
    let feed = format!(
        r#"/status/{}/history.atom" title="Acme Status History - Atom Feed">"#,
        acme.organisation
    );
    assert!(html(&first).contains(&feed), "{first:?}");
    let policy = first.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.contains("script-src 'self' 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe-inline"), "{policy}");

    let head = send(client().head(&url)).await;
    assert_eq!((head.status, &head.etag), (200, &first.etag));
    let known = send(client().get(&url).header("if-none-match", &tag)).await;
    assert_eq!((known.status, &known.etag), (304, &first.etag));
    let posted = send(client().post(&url)).await;
    assert_eq!(posted.status, 405);

    incident(&acme, "News", &months_ago(0)).await;
    let changed = send(client().get(&url).header("if-none-match", &tag)).await;
    assert_eq!(changed.status, 200);
    assert!(html(&changed).contains("News"), "a write shows at once");
}
