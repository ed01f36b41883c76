//! The maintenance calls, as clients make them. Updates and what the clock alone changes are tested
//! in files of their own.

mod component;
pub(crate) mod derived_status;
mod update;

use std::sync::Arc;

use allclear_application::clock::{Clock, TestClock};
use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{Operator, TestApp, assert_status, send};
use crate::events::Stream;
use derived_status::{drive, start_stopped};

#[expect(clippy::disallowed_methods, reason = "the real server's clock")]
fn now() -> DateTime<Utc> {
    Utc::now()
}

/// A time, as clients write it.
pub(crate) fn text(moment: DateTime<Utc>) -> String {
    moment.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// A time so many milliseconds from now, as clients write it.
fn later(milliseconds: i64) -> String {
    text(now() + TimeDelta::milliseconds(milliseconds))
}

const HOUR: i64 = 3_600_000;

/// Plans a maintenance; returns its path.
async fn plan(operator: &Operator, start: &str, end: Option<&str>) -> String {
    let input =
        json!({"title": "Move", "description": "To the new racks", "startAt": start, "endAt": end});
    let created = operator.create("/maintenance/create", input).await;
    format!("/maintenance/{}", created["id"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_maintenance_is_created_read_changed_and_deleted() {
    let (_app, operator) = TestApp::with_operator().await;
    let input = json!({"title": " Move ", "description": "To the new racks", "status": "SCHEDULED",
        "startAt": "2098-01-31T09:30", "endAt": "2098-01-31T11:30:00+01:00"});
    let created = operator.post("/maintenance/create", input).await;
    assert_eq!(created.status, 201, "{created:?}");
    let maintenance = &created.body["data"];
    assert_eq!(
        (&maintenance["title"], &maintenance["status"]),
        (&json!("Move"), &json!("SCHEDULED"))
    );
    assert_eq!(maintenance["startAt"], "2098-01-31T09:30:00.000Z");
    assert_eq!(
        (&maintenance["endAt"], &maintenance["timeline"]),
        (&json!("2098-01-31T10:30:00.000Z"), &json!([]))
    );
    let path = format!("/maintenance/{}", maintenance["id"].as_str().unwrap());

    let read = operator.get(&path).await;
    assert_eq!(
        (read.status, &read.body["data"], &read.etag),
        (200, maintenance, &created.etag)
    );
    assert_eq!(
        operator.get("/maintenance/list").await.body["data"],
        json!([maintenance])
    );

    let changed = operator
        .patch(&path, json!({"title": "Stay", "endAt": null}))
        .await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_eq!(
        (
            &changed.body["data"]["title"],
            &changed.body["data"]["endAt"]
        ),
        (&json!("Stay"), &json!(null))
    );
    assert_eq!(changed.body["data"]["description"], "To the new racks");
    assert_ne!(changed.etag, created.etag);

    let deleted = operator.delete(&path).await;
    assert_eq!(
        (deleted.status, &deleted.body["data"]["id"]),
        (200, &maintenance["id"])
    );
    assert_eq!(operator.get(&path).await.status, 404);
    assert_eq!(operator.delete(&path).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_fields_are_named_with_the_messages_of_the_form() {
    let (_app, operator) = TestApp::with_operator().await;
    let all = (
        json!({"endAt": "soon", "status": "LATE"}),
        "title: Title is required; startAt: Invalid date format; endAt: Invalid date format; \
         status: Select Any One; description: Description is required",
    );
    operator
        .assert_invalid(Method::POST, "/maintenance/create", &[all])
        .await;
    let list = operator.get("/maintenance/list").await;
    assert_eq!(list.body["data"], json!([]));

    let path = plan(&operator, "2098-01-31T09:30", None).await;
    let rows = [
        (
            json!({"startAt": null}),
            "startAt: Please enter a valid date and time",
        ),
        (
            json!({"endAt": "x", "title": "t"}),
            "endAt: Invalid date format",
        ),
        (
            json!({"endAt": "2098-01-31T09:29"}),
            "endAt: End must not be before start",
        ),
        (json!({"title": " "}), "title: Title is required"),
        (
            json!({"title": " ", "status": "DONE"}),
            "title: Title is required; status: Select Any One",
        ),
        (json!({"status": "DONE"}), "status: Select Any One"),
    ];
    operator.assert_invalid(Method::PATCH, &path, &rows).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn status_follows_from_the_times_and_only_a_cancellation_is_stored() {
    let (_app, operator) = TestApp::with_operator().await;
    let status = async |path: &str| operator.get(path).await.body["data"]["status"].clone();
    let running = plan(&operator, &later(-HOUR), None).await;
    assert_eq!(status(&running).await, "IN_PROGRESS");
    assert_eq!(
        status(&plan(&operator, &later(-HOUR), Some(&later(-1))).await).await,
        "COMPLETED"
    );

    let cancelled = operator
        .patch(&running, json!({"status": "CANCELLED"}))
        .await;
    assert_eq!(cancelled.body["data"]["status"], "CANCELLED");
    let kept = operator
        .patch(&running, json!({"status": "IN_PROGRESS", "title": "Other"}))
        .await;
    assert_eq!(kept.body["data"]["status"], "CANCELLED");
    let back = operator
        .patch(&running, json!({"status": "SCHEDULED"}))
        .await;
    assert_eq!(back.body["data"]["status"], "IN_PROGRESS");
}

#[tokio::test(flavor = "multi_thread")]
async fn end_alone_completes_only_a_running_maintenance() {
    let (_app, operator) = TestApp::with_operator().await;
    let running = plan(&operator, &later(-HOUR), Some(&later(HOUR))).await;
    let before = now();
    // The operator's clock may be a little ahead.
    let done = operator
        .patch(&running, json!({"endAt": later(50_000)}))
        .await;
    assert_eq!(
        (done.status, &done.body["data"]["status"]),
        (200, &json!("COMPLETED")),
        "{done:?}"
    );
    let end: DateTime<Utc> = done.body["data"]["endAt"]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!(
        end >= before - TimeDelta::milliseconds(2) && end < now(),
        "{end}"
    );

    let again = operator.patch(&running, json!({"endAt": later(0)})).await;
    assert_eq!(
        (again.status, &again.body["message"]),
        (409, &json!("This maintenance is already over"))
    );
    let planned = plan(&operator, &later(HOUR), None).await;
    let early = operator.patch(&planned, json!({"endAt": later(0)})).await;
    assert_eq!(
        (early.status, &early.body["message"]),
        (409, &json!("This maintenance has not begun yet"))
    );
    let moved = operator
        .patch(&planned, json!({"endAt": later(2 * HOUR)}))
        .await;
    assert_eq!(
        (moved.status, &moved.body["data"]["status"]),
        (200, &json!("SCHEDULED"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_version_that_is_gone_is_refused_and_the_clock_moves_no_version() {
    let (app, clock) = start_stopped().await;
    let (operator, other) = (app.operator("Acme").await, app.operator("Other").await);
    let start = clock.now() + TimeDelta::milliseconds(500);
    let path = plan(&operator, &text(start), None).await;
    let loaded = operator.get(&path).await.etag.unwrap();
    let mut stream = Stream::open(&operator, "?since=1", None).await;
    let driver = tokio::spawn(drive(clock, other));
    assert_eq!(stream.next().await.0, "maintenance-updated");
    driver.abort();
    assert_eq!(operator.get(&path).await.etag.as_ref(), Some(&loaded));
    let edit = |title: &str| {
        let request = operator
            .request(Method::PATCH, &path)
            .header("if-match", &loaded);
        send(request.json(&json!({"title": title})))
    };
    assert_eq!(edit("first").await.status, 200);
    assert_eq!(edit("second").await.status, 412);
    assert_eq!(operator.get(&path).await.body["data"]["title"], "first");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_fell_into_a_restart_is_published_after_it() {
    let clock = TestClock::system();
    let app = TestApp::start_at(&[], Arc::clone(&clock) as _).await;
    let operator = app.operator("Acme").await;
    let api = operator.component("API").await;
    let planned = json!({
        "title": "Move", "description": "d", "startAt": later(HOUR), "components": [api],
    });
    operator.create("/maintenance/create", planned).await;
    let folder = app.stop().await;
    clock.advance(TimeDelta::milliseconds(HOUR));
    let app = TestApp::start_in_at(folder, &[], clock).await;
    let operator = operator.at(&app.url);
    let mut stream = Stream::open(&operator, "?since=2", None).await;
    let (name, args, _) = stream.next().await;
    assert_eq!(
        (name.as_str(), &args[0]["status"]),
        ("maintenance-updated", &json!("IN_PROGRESS"))
    );
    let (name, args, revision) = stream.next().await;
    assert_eq!(
        (name.as_str(), &args[0]["underMaintenance"], revision),
        ("component-update", &json!(true), Some(3))
    );
}
