use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use allclear_application::clock::Clock;
use allclear_server::clock::SystemClock;
use chrono::{DateTime, TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::app::{Operator, TestApp, TestResponse, send};

/// A clock that stands at noon until the test moves it.
struct NoonClock(AtomicI64);

impl Clock for NoonClock {
    fn now(&self) -> DateTime<Utc> {
        let noon: DateTime<Utc> = "2026-11-20T12:00:00Z".parse().unwrap();
        noon + TimeDelta::seconds(self.0.load(Ordering::SeqCst))
    }

    fn id(&self) -> Uuid {
        SystemClock.id()
    }
}

/// A server with a component whose history a test writes.
struct HistorySetup {
    clock: Arc<NoonClock>,
    app: TestApp,
    operator: Operator,
    /// Path of a component whose uptime counts from the beginning.
    path: String,
}

impl HistorySetup {
    async fn new() -> Self {
        Self::at(0).await
    }

    /// A server that starts so many seconds after noon.
    async fn at(seconds: i64) -> Self {
        let clock = Arc::new(NoonClock(AtomicI64::new(seconds)));
        let app = TestApp::start_at(&[], Arc::clone(&clock) as _).await;
        let operator = app.operator("Acme").await;
        let input = json!({"name": "API", "startDate": null});
        let created = operator.post("/component/create", input).await;
        let path = format!(
            "/component/{}",
            created.body["data"]["id"].as_str().unwrap()
        );
        Self {
            clock,
            app,
            operator,
            path,
        }
    }

    async fn call(&self, method: Method, path: &str, tag: &str, body: Value) -> TestResponse {
        let path = format!("{}{path}", self.path);
        let request = self.operator.request(method, &path);
        send(request.header("if-match", tag).json(&body)).await
    }

    async fn add(&self, body: Value) -> TestResponse {
        self.call(Method::POST, "/history/create", "*", body).await
    }

    async fn history(&self) -> TestResponse {
        self.operator.get(&format!("{}/history", self.path)).await
    }

    async fn uptime(&self, query: &str) -> Value {
        let path = format!("{}/uptime{query}", self.path);
        self.operator.get(&path).await.body["data"].take()
    }
}

fn period(status: &str, start_at: &str, end_at: &str) -> Value {
    json!({"status": status, "startAt": start_at, "endAt": end_at})
}

fn hour() -> Value {
    period(
        "MAJOR_OUTAGE",
        "2026-11-10T10:00:00.000Z",
        "2026-11-10T11:00:00.000Z",
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_follow_a_corrected_history_at_once() {
    let setup = HistorySetup::new().await;
    let added = setup.add(hour()).await;
    assert_eq!(added.status, 201, "{added:?}");
    assert_eq!(added.body["data"]["cause"]["type"], "CORRECTION");
    let history = setup.history().await;
    assert_eq!(history.body["data"], json!([added.body["data"]]));
    assert_eq!(history.etag, added.etag);

    let uptime = setup.uptime("").await;
    assert_eq!(uptime["percentage"], 99.95);
    assert_eq!(uptime["days"], 90);
    assert_eq!(
        (&uptime["from"], &uptime["to"]),
        (&json!("2026-08-23"), &json!("2026-11-20"))
    );
    assert_eq!(
        uptime["seconds"],
        json!({"DEGRADED": 0, "PARTIAL_OUTAGE": 0, "MAJOR_OUTAGE": 3600})
    );
    let shown = setup.operator.snapshot().await["components"][0]["uptime"].take();
    let day = json!({"date": "2026-11-10", "partial": 0, "major": 3600, "degraded": 0});
    assert_eq!(shown, json!({"percentage": 99.95, "days": [day]}));

    let id = added.body["data"]["id"].as_str().unwrap();
    let item = format!("/history/{id}");
    let tag = added.etag.unwrap();
    let mut partial = hour();
    partial["status"] = json!("PARTIAL_OUTAGE");
    let changed = setup.call(Method::PUT, &item, &tag, partial).await;
    assert_eq!(
        (changed.status, &changed.body["data"]["id"]),
        (200, &json!(id))
    );
    assert_eq!(setup.uptime("").await["percentage"], 99.98);
    let stale = setup.call(Method::DELETE, &item, &tag, json!({})).await;
    assert_eq!(stale.status, 412);
    let tag = changed.etag.unwrap();
    let gone = setup.call(Method::DELETE, &item, &tag, json!({})).await;
    assert_eq!((gone.status, &gone.body["data"]["id"]), (200, &json!(id)));
    assert_eq!(setup.uptime("").await["percentage"], 100.0);
    assert_eq!(setup.history().await.body["data"], json!([]));
    let again = setup.call(Method::DELETE, &item, "*", json!({})).await;
    assert_eq!(again.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_bad_period_is_refused_at_its_field_and_nothing_is_stored() {
    let setup = HistorySetup::new().await;
    assert_eq!(setup.add(hour()).await.status, 201);
    let (nine, ten, eleven) = (
        "2026-11-10T09:00:00Z",
        "2026-11-10T10:00:00Z",
        "2026-11-10T11:00:00Z",
    );
    let rows = [
        (period("OPERATIONAL", nine, ten), "status"),
        (period("FINE", nine, ten), "status"),
        (period("DEGRADED", ten, nine), "endAt"),
        (period("DEGRADED", nine, nine), "endAt"),
        (period("DEGRADED", nine, "2026-11-20T12:00:01Z"), "endAt"),
        (
            json!({"status": "DEGRADED", "startAt": nine, "endAt": null}),
            "endAt",
        ),
        (json!({"status": "DEGRADED", "startAt": nine}), "endAt"),
        (json!({"status": "DEGRADED", "endAt": ten}), "startAt"),
        (period("DEGRADED", "yesterday", ten), "startAt"),
        (period("DEGRADED", nine, eleven), "startAt"),
        (
            period(
                "DEGRADED",
                "2026-11-10T10:59:59.999Z",
                "2026-11-11T00:00:00Z",
            ),
            "startAt",
        ),
    ];
    for (body, field) in rows {
        let response = setup.add(body.clone()).await;
        assert_eq!(response.status, 422, "{body}");
        assert_eq!(response.body["errors"][0]["field"], field, "{body}");
    }
    assert_eq!(setup.add(period("DEGRADED", nine, ten)).await.status, 201);
    assert_eq!(
        setup.history().await.body["data"].as_array().unwrap().len(),
        2
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn outage_changes_the_uptime_without_a_revision_and_ends_with_the_status() {
    const BEFORE_MIDNIGHT: i64 = 12 * 3600 - 60;
    let setup = HistorySetup::at(BEFORE_MIDNIGHT).await;
    let down = json!({"status": "MAJOR_OUTAGE"});
    setup.operator.patch(&setup.path, down).await;
    let first = setup.operator.snapshot().await;
    let path = format!("/status/{}", setup.operator.organisation);
    let url = setup.app.call(&path);
    let tag = send(crate::app::client().get(&url)).await.etag.unwrap();
    setup.clock.0.store(BEFORE_MIDNIGHT + 61, Ordering::SeqCst);
    let again = crate::app::client().get(&url).header("if-none-match", tag);
    let later = send(again).await.body["data"].take();
    assert_eq!(later["revision"], first["revision"]);
    let days = later["components"][0]["uptime"]["days"].as_array().unwrap();
    let seconds: Vec<_> = days
        .iter()
        .map(|day| (&day["date"], &day["major"]))
        .collect();
    let expected = [
        (&json!("2026-11-20"), &json!(60)),
        (&json!("2026-11-21"), &json!(1)),
    ];
    assert_eq!(seconds, expected);

    let uptime = setup.uptime("").await;
    assert_eq!(uptime["to"], "2026-11-21");
    assert_eq!(uptime["seconds"]["MAJOR_OUTAGE"], 61);
    let lasts = setup.history().await.body["data"][0].take();
    assert_eq!(lasts["endAt"], json!(null));
    assert_eq!(lasts["cause"]["type"], "OPERATOR");
    let up = json!({"status": "OPERATIONAL"});
    setup.operator.patch(&setup.path, up).await;
    let ended = setup.history().await.body["data"][0].take();
    assert_eq!(
        (&ended["id"], &ended["endAt"]),
        (&lasts["id"], &json!("2026-11-21T00:00:01.000Z"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn status_follows_the_period_that_lasts() {
    let setup = HistorySetup::new().await;
    setup
        .operator
        .patch(&setup.path, json!({"status": "DEGRADED"}))
        .await;
    setup.clock.0.store(60, Ordering::SeqCst);
    let lasts = setup.history().await.body["data"][0].take();
    let item = format!("/history/{}", lasts["id"].as_str().unwrap());
    let earlier =
        json!({"status": "MAJOR_OUTAGE", "startAt": "2026-11-20T11:00:00Z", "endAt": null});
    let changed = setup.call(Method::PUT, &item, "*", earlier).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let component = setup.operator.get(&setup.path).await.body["data"].take();
    assert_eq!(component["status"], "MAJOR_OUTAGE");
    assert_eq!(setup.uptime("").await["seconds"]["MAJOR_OUTAGE"], 3660);
    let ended = period(
        "MAJOR_OUTAGE",
        "2026-11-20T11:00:00Z",
        "2026-11-20T12:00:30Z",
    );
    assert_eq!(setup.call(Method::PUT, &item, "*", ended).await.status, 200);
    let component = setup.operator.get(&setup.path).await.body["data"].take();
    assert_eq!(component["status"], "OPERATIONAL");
}

#[tokio::test(flavor = "multi_thread")]
async fn uptime_counts_the_requested_days_from_the_start_date_on() {
    let setup = HistorySetup::new().await;
    setup.add(hour()).await;
    let days = setup.uptime("?from=2026-11-10&to=2026-11-11").await;
    assert_eq!(
        (&days["percentage"], &days["days"]),
        (&json!(97.91), &json!(2))
    );
    let dated = json!({"startDate": "2026-11-11"});
    assert_eq!(setup.operator.patch(&setup.path, dated).await.status, 200);
    let days = setup.uptime("?from=2026-11-10&to=2026-11-11").await;
    assert_eq!(
        (&days["percentage"], &days["days"]),
        (&json!(100.0), &json!(1))
    );
    let before = setup.uptime("?from=2026-11-09&to=2026-11-10").await;
    assert_eq!(
        (&before["percentage"], &before["days"]),
        (&json!(null), &json!(0))
    );
    for bad in [
        "?from=2026-11-11&to=2026-11-10",
        "?from=2025-11-19",
        "?from=x",
        "?to=2026-02-30",
    ] {
        let path = format!("{}/uptime{bad}", setup.path);
        assert_eq!(setup.operator.get(&path).await.status, 422, "{bad}");
    }
    let days = format!("{}/history?from=2026-11-10&to=2026-11-10", setup.path);
    let found = setup.operator.get(&days).await;
    assert_eq!(found.body["data"].as_array().unwrap().len(), 1);
    let other = format!("{}/history?from=2026-11-11", setup.path);
    assert_eq!(setup.operator.get(&other).await.body["data"], json!([]));
    let times = format!(
        "{}/history?from=2026-11-10T00:00:00Z&to=2026-11-10T23:59:59Z",
        setup.path
    );
    let found = setup.operator.get(&times).await;
    assert_eq!(found.body["data"].as_array().unwrap().len(), 1);
    let wrong = format!("{}/history?from=soon", setup.path);
    assert_eq!(setup.operator.get(&wrong).await.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn component_keeps_its_uptime_when_the_zone_puts_its_start_into_the_future() {
    let setup = HistorySetup::new().await;
    let zone = json!({"timeZone": "Pacific/Kiritimati"});
    let operator = &setup.operator;
    assert_eq!(operator.patch("/organisation", zone).await.status, 200);
    let created = operator
        .create("/component/create", json!({"name": "Web"}))
        .await;
    assert_eq!(created["startDate"], "2026-11-21");
    let zone = json!({"timeZone": "Etc/UTC"});
    assert_eq!(operator.patch("/organisation", zone).await.status, 200);

    let path = format!("/component/{}", created["id"].as_str().unwrap());
    let uptime = operator.get(&format!("{path}/uptime")).await;
    let uptime = &uptime.body["data"];
    assert_eq!(
        (&uptime["percentage"], &uptime["days"]),
        (&json!(100.0), &json!(1))
    );
    let kept = json!({"name": "The web", "startDate": "2026-11-21"});
    assert_eq!(operator.patch(&path, kept).await.status, 200);
    let later = (
        json!({"startDate": "2026-11-22"}),
        "startDate: Must not be in the future",
    );
    operator
        .assert_invalid(Method::PATCH, &path, &[later])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn incidents_of_a_component_come_with_its_uptime_and_cause_its_periods() {
    let setup = HistorySetup::new().await;
    let id = setup.path.rsplit('/').next().unwrap();
    let incident = json!({
        "title": "Down", "description": "All of it",
        "components": [{"componentId": id, "status": "PARTIAL_OUTAGE"}],
    });
    let created = setup.operator.post("/incident/create", incident).await;
    let uptime = setup.uptime("").await;
    assert_eq!(uptime["incidents"][0]["id"], created.body["data"]["id"]);
    assert_eq!(uptime["incidents"][0]["title"], "Down");
    let ahead = setup.uptime("?from=2027-01-01&to=2027-01-02").await;
    assert_eq!(ahead["incidents"], json!([]));
    let cause = setup.history().await.body["data"][0]["cause"].take();
    assert_eq!(
        cause,
        json!({"type": "INCIDENT", "id": created.body["data"]["id"], "name": "Down"})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn options_of_the_page_are_read_changed_and_checked() {
    let setup = HistorySetup::new().await;
    let created = setup
        .operator
        .post("/component/create", json!({"name": "Web"}))
        .await;
    let component = &created.body["data"];
    assert_eq!(component["showUptime"], true);
    assert_eq!(component["startDate"], "2026-11-20");
    assert_eq!(component["onlyShowWhenAffected"], false);
    let hidden = json!({"showUptime": false, "onlyShowWhenAffected": true});
    let changed = setup.operator.patch(&setup.path, hidden).await;
    assert_eq!(changed.body["data"]["showUptime"], false);
    let snapshot = setup.operator.snapshot().await;
    assert_eq!(snapshot["components"][1]["uptime"], json!(null));
    assert_eq!(snapshot["components"][1]["onlyShowWhenAffected"], true);
    for (bad, field) in [
        (json!({"startDate": "2026-11-21"}), "startDate"),
        (json!({"startDate": "soon"}), "startDate"),
        (json!({"showUptime": null}), "showUptime"),
        (
            json!({"onlyShowWhenAffected": "yes"}),
            "onlyShowWhenAffected",
        ),
    ] {
        let response = setup.operator.patch(&setup.path, bad.clone()).await;
        assert_eq!(
            (response.status, &response.body["errors"][0]["field"]),
            (422, &json!(field)),
            "{bad}"
        );
    }
}
