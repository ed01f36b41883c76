//! Past incidents and the display times of updates, as clients make them.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use serde_json::{Value, json};

use crate::app::{Operator, TestApp};
use crate::events::Stream;

/// A time so many hours from now, as clients write it.
#[expect(clippy::disallowed_methods, reason = "the real server's clock")]
fn hours(from_now: i64) -> String {
    let time: DateTime<Utc> = Utc::now() + TimeDelta::hours(from_now);
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// The first field that an error response names.
fn refused_field(body: &Value) -> &str {
    body["errors"][0]["field"].as_str().unwrap()
}

/// A past incident; returns its path.
async fn past(operator: &Operator, components: Value) -> String {
    let input = json!({"title": "Down", "description": "d", "status": "RESOLVED", "occuredAt": hours(-9),
        "resolvedAt": hours(-3), "components": components});
    let created = operator.post("/incident/create", input).await;
    assert_eq!(created.status, 201, "{created:?}");
    format!("/incident/{}", created.body["data"]["id"].as_str().unwrap())
}

/// An open incident that occurred at this time; returns its path.
async fn of(operator: &Operator, occured_at: &str) -> String {
    let input = json!({"title": "Down", "description": "d", "occuredAt": occured_at});
    let created = operator.create("/incident/create", input).await;
    format!("/incident/{}", created["id"].as_str().unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn time_of_resolution_is_taken_with_the_status_and_within_its_limits() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let began = hours(-9);
    let body = |status: &str, resolved_at: Value| {
        json!({"title": "Down", "description": "d", "status": status,
        "occuredAt": began, "resolvedAt": resolved_at})
    };
    let created = operator
        .post("/incident/create", body("RESOLVED", json!(began)))
        .await;
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(created.body["data"]["resolvedAt"], began);
    let path = format!("/incident/{}", created.body["data"]["id"].as_str().unwrap());
    for (status, resolved_at) in [
        ("MONITORING", json!(hours(-3))),
        ("RESOLVED", json!(hours(-10))),
        ("RESOLVED", json!(hours(1))),
        ("RESOLVED", json!(null)),
        ("RESOLVED", json!("soon")),
    ] {
        let body = body(status, resolved_at);
        for response in [
            operator.post("/incident/create", body.clone()).await,
            operator.patch(&path, body).await,
        ] {
            assert_eq!(response.status, 422, "{response:?}");
            assert_eq!(refused_field(&response.body), "resolvedAt");
        }
    }
    let alone = operator
        .patch(&path, json!({"resolvedAt": hours(-3)}))
        .await;
    assert_eq!(
        alone.invalid(),
        "resolvedAt: Send it together with the status RESOLVED"
    );
    let later = hours(-2);
    let edited = operator
        .patch(&path, json!({"status": "RESOLVED", "resolvedAt": later}))
        .await;
    assert_eq!(
        (edited.status, &edited.body["data"]["resolvedAt"]),
        (200, &json!(later))
    );
    assert_eq!(
        operator.get("/incident/list").await.body["data"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn past_incident_is_in_the_history_of_its_component_and_moves_nothing() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let component = operator.component("API").await;
    let since = operator.snapshot().await["revision"].as_i64();
    let since = format!("?since={}", since.unwrap());
    let mut stream = Stream::open(&operator, &since, None).await;
    past(
        &operator,
        json!([{"componentId": component, "status": "MAJOR_OUTAGE"}]),
    )
    .await;
    assert_eq!(stream.next().await.0, "new-incident");
    let history = operator
        .get(&format!("/component/{component}/history"))
        .await;
    let period = &history.body["data"][0];
    assert_eq!(
        (
            &period["status"],
            &period["cause"]["type"],
            &period["cause"]["name"]
        ),
        (&json!("MAJOR_OUTAGE"), &json!("INCIDENT"), &json!("Down"))
    );
    let read = operator.get(&format!("/component/{component}")).await;
    assert_eq!(read.body["data"]["status"], "OPERATIONAL");
    let renamed = operator
        .patch(
            &format!("/component/{component}"),
            json!({"name": "The API"}),
        )
        .await;
    assert_eq!(renamed.status, 200);
    assert_eq!(stream.next().await.0, "component-update");
}

#[tokio::test(flavor = "multi_thread")]
async fn resolution_in_the_past_and_its_correction_show_what_the_incident_hid() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let component = operator.component("API").await;
    let occurred = async |status: &str, occured_at: &str| {
        let input = json!({"title": "Down", "description": "d", "occuredAt": occured_at,
            "components": [{"componentId": component, "status": status}]});
        let created = operator.create("/incident/create", input).await;
        format!("/incident/{}", created["id"].as_str().unwrap())
    };
    let [first, second] = [-9, -7].map(hours);
    occurred("DEGRADED", &first).await;
    let outage = occurred("MAJOR_OUTAGE", &second).await;
    for resolved_at in [hours(-3), hours(-5)] {
        let body = json!({"status": "RESOLVED", "resolvedAt": resolved_at});
        let resolved = operator.patch(&outage, body).await;
        assert_eq!(resolved.status, 200, "{resolved:?}");
        let history = operator
            .get(&format!("/component/{component}/history"))
            .await;
        let periods = history.body["data"].as_array().unwrap().iter();
        let periods: Vec<_> = periods
            .map(|period| json!([period["status"], period["startAt"], period["endAt"]]))
            .collect();
        assert_eq!(
            periods,
            [
                json!(["DEGRADED", resolved_at, null]),
                json!(["MAJOR_OUTAGE", second, resolved_at]),
                json!(["DEGRADED", first, second])
            ]
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn timeline_of_a_past_incident_is_completed_in_the_order_of_display() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = past(&operator, json!([])).await;
    let create = format!("{path}/updates/create");
    for (message, display_at) in [("second", hours(-5)), ("first", hours(-8))] {
        let body = json!({"message": message, "status": "IDENTIFIED", "displayAt": display_at});
        let recorded = operator.post(&create, body).await;
        assert_eq!(recorded.status, 201, "{recorded:?}");
        assert_eq!(recorded.body["data"]["displayAt"], display_at);
    }
    for display_at in [json!(hours(-1)), json!(null)] {
        let late = json!({"message": "late", "displayAt": display_at});
        assert_eq!(operator.post(&create, late).await.status, 409);
    }
    for display_at in [json!(hours(1)), json!("soon"), json!(7)] {
        let bad = json!({"message": "bad", "displayAt": display_at});
        let response = operator.post(&create, bad).await;
        assert_eq!(response.status, 422, "{response:?}");
        assert_eq!(refused_field(&response.body), "displayAt");
    }
    let listed = operator.get(&format!("{path}/updates/list")).await.body["data"].take();
    let incident = operator.get(&path).await.body["data"].take();
    let public = operator.snapshot().await["incidents"][0].take();
    for timeline in [
        &listed,
        &incident["IncidentTimeline"],
        &public["IncidentTimeline"],
    ] {
        assert_eq!(
            (&timeline[0]["message"], &timeline[1]["message"]),
            (&json!("second"), &json!("first"))
        );
        assert_eq!(timeline[0]["displayAt"], listed[0]["displayAt"]);
    }
    assert_eq!(incident["status"], "RESOLVED");
    // An edit with null displays the update when it was recorded.
    let one = format!("{path}/updates/{}", listed[1]["id"].as_str().unwrap());
    let edited = operator.patch(&one, json!({"displayAt": null})).await;
    assert_eq!(
        edited.body["data"]["displayAt"],
        edited.body["data"]["createdAt"]
    );
    assert_eq!(operator.get(&path).await.body["data"]["status"], "RESOLVED");
}

#[tokio::test(flavor = "multi_thread")]
async fn update_displayed_last_sets_the_status_and_the_resolution() {
    let app = TestApp::start().await;
    let operator = app.operator("Acme").await;
    let path = of(&operator, &hours(-9)).await;
    let create = format!("{path}/updates/create");
    let record = async |status: &str, display_at: &str| {
        let body = json!({"message": "m", "status": status, "displayAt": display_at});
        assert_eq!(operator.post(&create, body).await.status, 201);
        operator.get(&path).await.body["data"].take()
    };
    let (early, late) = (hours(-2), hours(-1));
    assert_eq!(record("MONITORING", &early).await["status"], "MONITORING");
    assert_eq!(
        record("IDENTIFIED", &hours(-3)).await["status"],
        "MONITORING"
    );
    let resolved = record("RESOLVED", &late).await;
    assert_eq!(
        (&resolved["status"], &resolved["resolvedAt"]),
        (&json!("RESOLVED"), &json!(late))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn updates_do_not_resolve_an_incident_before_it_occurred() {
    let (_app, operator) = TestApp::with_operator().await;
    let path = of(&operator, &hours(-4)).await;
    let updates = format!("{path}/updates");
    let create = format!("{updates}/create");
    let body = |status: &str, displayed: i64| json!({"message": "m", "status": status, "displayAt": hours(displayed)});
    let refused = operator.post(&create, body("RESOLVED", -5)).await;
    assert_eq!(
        refused.invalid(),
        "displayAt: Resolution must not be before the incident"
    );
    let watched = operator.create(&create, body("MONITORING", -3)).await;
    let watched = watched["id"].as_str().unwrap();
    operator.create(&create, body("RESOLVED", -5)).await;
    let edit = json!({"displayAt": hours(-6)});
    let refused = operator.patch(&format!("{updates}/{watched}"), edit).await;
    assert_eq!(
        refused.invalid(),
        "displayAt: Resolution must not be before the incident"
    );
    let deletion = json!({"incidentUpdateIds": [watched]});
    let refused = operator.post(&format!("{updates}/delete"), deletion).await;
    assert_eq!(
        (refused.status, &refused.body["message"]),
        (
            409,
            &json!("The newest remaining update would resolve the incident before it occurred")
        )
    );
    assert_eq!(
        operator.get(&path).await.body["data"]["status"],
        "MONITORING"
    );

    let path = of(&operator, &hours(2)).await;
    let resolution = json!({"message": "m", "status": "RESOLVED"});
    let create = format!("{path}/updates/create");
    let refused = operator.post(&create, resolution).await;
    assert_eq!(
        refused.invalid(),
        "status: Resolution must not be before the incident"
    );
}
