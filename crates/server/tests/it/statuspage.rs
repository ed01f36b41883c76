//! The Statuspage API and the feeds, as programs read them.

mod affected;
mod feed;
mod form;
mod maintenance;
mod ordered;
mod status_change;

use reqwest::{Method, Response, StatusCode};
use serde_json::{Value, json};

use self::form::check;
use self::ordered::Ordered;
use crate::app::{Operator, TestApp, client};

/// The documents of the API.
pub(super) const DOCUMENTS: [&str; 8] = [
    "summary",
    "status",
    "components",
    "incidents",
    "incidents/unresolved",
    "scheduled-maintenances",
    "scheduled-maintenances/upcoming",
    "scheduled-maintenances/active",
];

pub(super) async fn fetch(operator: &Operator, method: Method, path: &str) -> Response {
    let url = format!("{}/status/{}{path}", operator.url, operator.organisation);
    client().request(method, url).send().await.unwrap()
}

/// A document, whose form is checked.
pub(super) async fn document(operator: &Operator, name: &str) -> Value {
    let path = format!("/api/v2/{name}.json");
    let response = fetch(operator, Method::GET, &path).await;
    assert_eq!(response.status(), StatusCode::OK, "{path}");
    let text = response.text().await.unwrap();
    let ordered: Ordered = serde_json::from_str(&text).unwrap();
    let value: Value = serde_json::from_str(&text).unwrap();
    check(name, &ordered, &value);
    value
}

pub(super) async fn zone(operator: &Operator, zone: &str) {
    let changed = operator.patch("/organisation", json!({"timeZone": zone}));
    assert_eq!(changed.await.status, 200);
}

/// The address of the status page.
pub(super) async fn address(operator: &Operator) -> String {
    let snapshot = operator.snapshot().await;
    snapshot["organisation"]["url"].as_str().unwrap().to_owned()
}

pub(super) fn id_of(created: &Value) -> &str {
    created["id"].as_str().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_page_has_all_documents() {
    let (_app, operator) = TestApp::with_operator().await;
    for name in DOCUMENTS {
        document(&operator, name).await;
    }
    let status = document(&operator, "status").await;
    assert_eq!(
        status["status"],
        json!({"indicator": "none", "description": "All Systems Operational"})
    );
    let code = operator.get("/organisation").await.body["data"]["code"].clone();
    let url = address(&operator).await;
    let page = &status["page"];
    assert_eq!(
        (&page["id"], &page["name"], &page["url"], &page["time_zone"]),
        (&code, &json!("Acme"), &json!(url), &json!("Etc/UTC"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_match_statuspage() {
    let (_app, operator) = TestApp::with_operator().await;
    operator.component("API").await;
    for name in DOCUMENTS {
        let path = format!("/api/v2/{name}.json");
        let got = fetch(&operator, Method::GET, &path).await;
        let head = fetch(&operator, Method::HEAD, &path).await;
        for response in [&got, &head] {
            let header = |name: &str| response.headers()[name].to_str().unwrap();
            assert_eq!(response.status(), StatusCode::OK);
            assert_eq!(header("content-type"), "application/json; charset=utf-8");
            assert_eq!(header("access-control-allow-origin"), "*");
            assert_eq!(
                header("cache-control"),
                "public, max-age=10, s-maxage=10, stale-while-revalidate=20, stale-if-error=3600"
            );
            assert_eq!(header("vary"), "Accept-Encoding");
            assert_eq!(header("x-content-type-options"), "nosniff");
        }
        assert_eq!(
            head.headers()["content-length"],
            got.headers()["content-length"]
        );
        let tag = got.headers()["etag"].clone();
        assert_eq!(head.headers()["etag"], tag);
        assert_eq!(head.bytes().await.unwrap().len(), 0);
        let url = got.url().clone();
        let weak = format!("W/{}", tag.to_str().unwrap());
        for known in [tag.to_str().unwrap(), &weak] {
            let request = client().get(url.clone()).header("if-none-match", known);
            let again = request.send().await.unwrap();
            assert_eq!(again.status(), StatusCode::NOT_MODIFIED, "{name}");
            assert_eq!(again.headers()["access-control-allow-origin"], "*");
        }
        let request = client().get(url).header("Accept-Encoding", "gzip");
        let packed = request.send().await.unwrap();
        assert_eq!(packed.headers()["content-encoding"], "gzip");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_paths_are_not_found_and_other_methods_are_refused() {
    let (app, operator) = TestApp::with_operator().await;
    for path in [
        "/api/v2/nothing.json",
        "/api/v2/summary",
        "/api/v2/incidents/resolved.json",
        "/api/v2/",
    ] {
        let response = fetch(&operator, Method::GET, path).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND, "{path}");
        assert_eq!(response.headers()["access-control-allow-origin"], "*");
    }
    let nobody = format!("{}/status/nobody/api/v2/summary.json", app.url);
    let response = client().get(nobody).send().await.unwrap();
    assert_eq!(response.status(), StatusCode::NOT_FOUND);
    let posted = fetch(&operator, Method::POST, "/api/v2/summary.json").await;
    assert_eq!(posted.status(), StatusCode::METHOD_NOT_ALLOWED);
    let options = fetch(&operator, Method::OPTIONS, "/api/v2/summary.json").await;
    assert_eq!(options.status(), StatusCode::NO_CONTENT);
    assert_eq!(options.headers()["allow"], "GET, HEAD, OPTIONS");
    assert_eq!(
        options.headers()["access-control-allow-methods"],
        "GET, HEAD"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn components_and_groups_are_in_one_list_by_position() {
    let (_app, operator) = TestApp::with_operator().await;
    let group = json!({"name": "Core", "description": ""});
    let group = operator.create("/component-group/create", group).await;
    let component = |name: &str, group: Value| {
        let body = json!({"name": name, "groupId": group, "description": "About"});
        let operator = operator.clone();
        async move { operator.create("/component/create", body).await }
    };
    let d = component("D component", group["id"].clone()).await;
    let c = component("C component", group["id"].clone()).await;
    let b = component("B component", json!(null)).await;
    let a = component("A component", json!(null)).await;
    let order = json!({"groups": [
        {"id": null, "components": [a["id"], b["id"]]},
        {"id": group["id"], "components": [c["id"], d["id"]]},
    ]});
    assert_eq!(operator.post("/component/order", order).await.status, 200);
    let path = format!("/component/{}", id_of(&d));
    let broken = json!({
        "status": "PARTIAL_OUTAGE", "showUptime": false, "onlyShowWhenAffected": true,
        "startDate": null, "description": "",
    });
    assert_eq!(operator.patch(&path, broken).await.status, 200);

    let components = document(&operator, "components").await["components"].clone();
    let components = components.as_array().unwrap();
    let rows: Vec<_> = components
        .iter()
        .map(|one| {
            (
                one["name"].as_str().unwrap(),
                one["position"].as_i64().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("A component", 1),
            ("C component", 1),
            ("B component", 2),
            ("D component", 2),
            ("Core", 3)
        ]
    );
    let core = &components[4];
    assert_eq!(core["components"], json!([c["code"], d["code"]]));
    assert_eq!(
        (&core["group"], &core["status"], &core["showcase"]),
        (&json!(true), &json!("partial_outage"), &json!(false))
    );
    assert_eq!(core["description"], json!(null));
    let d_shown = &components[3];
    assert_eq!(d_shown["group_id"], group["code"]);
    assert_eq!(
        (
            &d_shown["showcase"],
            &d_shown["only_show_if_degraded"],
            &d_shown["start_date"],
            &d_shown["description"]
        ),
        (&json!(false), &json!(true), &json!(null), &json!(null))
    );
    assert_eq!(components[0]["description"], "About");
    let summary = document(&operator, "summary").await;
    assert_eq!(summary["components"], json!(components));
    assert_eq!(
        summary["status"],
        json!({"indicator": "minor", "description": "Minor Service Outage"})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn times_have_the_offset_of_the_zone_at_their_instant() {
    let (_app, operator) = TestApp::with_operator().await;
    let past = |title: &str, at: &str| json!({"title": title, "description": "d", "status": "RESOLVED", "occuredAt": at, "resolvedAt": at});
    for (title, at) in [
        ("Winter", "2026-01-05T16:22:41.507Z"),
        ("Summer", "2026-07-05T16:22:41.507Z"),
    ] {
        operator.create("/incident/create", past(title, at)).await;
    }
    for (name, winter, summer) in [
        (
            "America/Denver",
            "2026-01-05T09:22:41.507-07:00",
            "2026-07-05T10:22:41.507-06:00",
        ),
        (
            "Europe/Zurich",
            "2026-01-05T17:22:41.507+01:00",
            "2026-07-05T18:22:41.507+02:00",
        ),
        (
            "UTC",
            "2026-01-05T16:22:41.507Z",
            "2026-07-05T16:22:41.507Z",
        ),
    ] {
        zone(&operator, name).await;
        let shown = document(&operator, "incidents").await;
        let shown_name = if name == "UTC" { "Etc/UTC" } else { name };
        assert_eq!(shown["page"]["time_zone"], shown_name);
        let of = |index: usize| {
            let incident = &shown["incidents"][index];
            (
                incident["started_at"].clone(),
                incident["resolved_at"].clone(),
            )
        };
        assert_eq!(of(1), (json!(winter), json!(winter)), "{name}");
        assert_eq!(of(0), (json!(summer), json!(summer)), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_of_the_past_have_the_newest_fifty() {
    let (_app, operator) = TestApp::with_operator().await;
    let mut codes = Vec::new();
    for number in 0..52 {
        let status = if number == 0 {
            "MONITORING"
        } else {
            "RESOLVED"
        };
        let incident =
            json!({"title": format!("Incident {number}"), "description": "d", "status": status});
        let created = operator.create("/incident/create", incident).await;
        codes.push(created["code"].clone());
    }
    let recent = document(&operator, "incidents").await["incidents"].clone();
    let listed: Vec<_> = recent
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["id"].clone())
        .collect();
    codes.reverse();
    assert_eq!(listed, codes[..50]);
    let open = document(&operator, "incidents/unresolved").await["incidents"].clone();
    assert_eq!(open.as_array().unwrap().len(), 1);
    assert_eq!(open[0]["name"], "Incident 0", "also an old one");
    assert_eq!(open[0]["monitoring_at"], open[0]["created_at"]);
    assert_eq!(document(&operator, "summary").await["incidents"], open);
}

#[tokio::test(flavor = "multi_thread")]
async fn incident_is_monitored_from_its_earliest_such_entry() {
    let (_app, operator) = TestApp::with_operator().await;
    let incident = json!({
        "title": "Down", "description": "All", "occuredAt": "2026-01-02T03:00:00Z", "status": "RESOLVED",
        "resolvedAt": "2026-01-02T06:00:00Z",
    });
    let incident = operator.create("/incident/create", incident).await;
    let updates = format!("/incident/{}/updates/create", id_of(&incident));
    for time in ["2026-01-02T05:00:00Z", "2026-01-02T04:00:00Z"] {
        let update = json!({"message": "Watching", "status": "MONITORING", "displayAt": time});
        operator.create(&updates, update).await;
    }
    let shown = document(&operator, "incidents").await["incidents"][0].clone();
    assert_eq!(shown["monitoring_at"], "2026-01-02T04:00:00.000Z");
}

#[tokio::test(flavor = "multi_thread")]
async fn entries_of_an_incident_are_its_review_updates_and_description() {
    let (_app, operator) = TestApp::with_operator().await;
    let incident = json!({
        "title": "Down", "description": "First <b>words</b>", "status": "IDENTIFIED", "occuredAt": "2026-01-02T03:04:05.678Z",
    });
    let incident = operator.create("/incident/create", incident).await;
    let path = format!("/incident/{}", id_of(&incident));
    let update = json!({"message": "Watching", "status": "MONITORING"});
    let update = operator
        .create(&format!("{path}/updates/create"), update)
        .await;
    operator.patch(&path, json!({"status": "RESOLVED"})).await;
    let shown = document(&operator, "incidents").await["incidents"][0].clone();
    assert_eq!(
        (&shown["id"], &shown["status"], &shown["impact"]),
        (&incident["code"], &json!("resolved"), &json!("none"))
    );
    let url = address(&operator).await;
    assert_eq!(
        shown["shortlink"],
        format!("{url}/incidents/{}", incident["code"].as_str().unwrap())
    );
    assert_eq!(shown["started_at"], "2026-01-02T03:04:05.678Z");
    assert_eq!(shown["created_at"], incident["createdAt"]);
    assert_eq!(shown["monitoring_at"], update["createdAt"]);
    let entries = shown["incident_updates"].as_array().unwrap();
    assert_eq!(entries.len(), 3);
    assert_eq!(
        (
            &entries[1]["id"],
            &entries[1]["body"],
            &entries[1]["status"]
        ),
        (&update["code"], &json!("Watching"), &json!("monitoring"))
    );
    let description = &entries[2];
    assert_eq!(
        (&description["body"], &description["status"]),
        (&json!("First <b>words</b>"), &json!("identified"))
    );
    assert_eq!(description["display_at"], shown["started_at"]);
    assert_eq!(description["created_at"], shown["created_at"]);
    assert_eq!(description["affected_components"], json!(null));

    let review = format!("{path}/review");
    let written = operator
        .request(Method::PUT, &review)
        .json(&json!({"body": "# Why"}));
    assert_eq!(written.send().await.unwrap().status(), StatusCode::OK);
    assert_eq!(
        document(&operator, "incidents").await["incidents"][0],
        shown
    );
    let published = operator.post(&format!("{review}/publish"), json!({})).await;
    let reviewed = document(&operator, "incidents").await["incidents"][0].clone();
    let newest = &reviewed["incident_updates"][0];
    assert_eq!(reviewed["status"], "postmortem");
    assert_eq!(
        (&newest["status"], &newest["body"], &newest["display_at"]),
        (
            &json!("postmortem"),
            &json!("# Why"),
            &published.body["data"]["publishedAt"]
        )
    );
    let reopened = operator.patch(&path, json!({"status": "IDENTIFIED"})).await;
    assert_eq!(reopened.status, 200);
    let open = document(&operator, "incidents/unresolved").await["incidents"][0].clone();
    assert_eq!(open["status"], "identified");
    assert_eq!(operator.delete(&review).await.status, 200);
    let kept = document(&operator, "incidents").await["incidents"][0].clone();
    assert_eq!(kept["status"], "identified");
    let kept = kept["incident_updates"].as_array().unwrap();
    assert_eq!(kept[0]["status"], "identified");
    assert_eq!(kept[1..], entries[1..]);
}
