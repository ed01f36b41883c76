use allclear_application::clock::{Clock, TestClock};
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::app::{Operator, TestApp, TestResponse, cookie_client, eventually};
use crate::built_in::Person;
use crate::maintenance::derived_status::{drive, start_stopped};
use crate::maintenance::text;

async fn dashboard(operator: &Operator) -> Value {
    let found = operator.get("/dashboard").await;
    assert_eq!(found.status, 200, "{found:?}");
    found.body["data"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn new_organisation_has_an_empty_dashboard() {
    let (_app, operator) = TestApp::with_operator().await;
    let mut found = dashboard(&operator).await;
    let changes = found["changes"].take();
    assert_eq!(changes.as_array().unwrap().len(), 1, "{changes}");
    assert_eq!(changes[0]["action"], "organisation.created");
    assert_eq!(
        found,
        json!({
            "banner": null,
            "incidents": [],
            "components": [],
            "impacts": [],
            "maintenances": [],
            "subscribers": {"total": 0, "subscribed": 0, "pending": 0, "failing": 0},
            "deliveries": {"waiting": 0, "failed": 0},
            "changes": null,
        })
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn dashboard_shows_what_is_wrong_and_who_changed_it() {
    let (app, operator) = TestApp::with_operator().await;
    let component = operator
        .create("/component/create", json!({"name": "API"}))
        .await;
    let affected = json!([{"componentId": component["id"], "status": "MAJOR_OUTAGE"}]);
    let body = json!({"title": "Down", "description": "All of it", "components": affected});
    let incident = operator.create("/incident/create", body).await;
    let path = format!(
        "/incident/{}/updates/create",
        incident["id"].as_str().unwrap()
    );
    let body = json!({"status": "IDENTIFIED", "message": "A cable"});
    let recorded = operator.post(&path, body).await;
    assert_eq!(recorded.status, 201, "{recorded:?}");
    operator
        .create("/subscriber", json!({"email": "ann@example.com"}))
        .await;

    let found = dashboard(&operator).await;
    assert_eq!(
        found["banner"],
        json!({"operational": false, "text": "Some systems are experiencing issues"})
    );
    assert_eq!(
        found["incidents"][0]["IncidentTimeline"][0]["message"],
        "A cable"
    );
    assert_eq!(found["components"][0]["status"], "MAJOR_OUTAGE");
    assert_eq!(
        found["impacts"],
        json!([{"componentId": component["id"], "incidentId": incident["id"]}])
    );
    assert_eq!(found["subscribers"]["total"], 1);
    let changes: Vec<_> = found["changes"].as_array().unwrap().iter().collect();
    let actions: Vec<_> = changes.iter().map(|change| &change["action"]).collect();
    assert_eq!(
        actions,
        [
            "subscriber.created",
            "incident-update.created",
            "incident.created",
            "component.created",
            "organisation.created"
        ]
    );
    let recorded_change = changes[1];
    assert_eq!(recorded_change["actor"]["type"], "USER");
    assert!(recorded_change["actor"]["id"].is_string());
    let author = &recorded.body["data"]["user"]["name"];
    assert_eq!(&recorded_change["actor"]["name"], author);
    assert_eq!(
        recorded_change["target"],
        json!({"type": "INCIDENT", "id": incident["id"], "name": "Down"})
    );
    assert!(
        recorded_change["requestId"].is_string(),
        "{recorded_change}"
    );
    for secret in ["before", "after", "address"] {
        assert!(recorded_change.get(secret).is_none(), "{secret}");
    }
    assert_eq!(changes[0]["target"]["name"], Value::Null);

    let other = app.operator("Other").await;
    let changes = dashboard(&other).await["changes"].clone();
    assert_eq!(changes.as_array().unwrap().len(), 1, "{changes}");
}

#[tokio::test(flavor = "multi_thread")]
async fn admins_see_all_changes_and_other_roles_only_those_of_content() {
    let app = TestApp::start_with(&["--limit-invite", "1000/1000"]).await;
    let ada = Person::signed_up(&app, "ada@example.com").await;
    let acme = ada.organisation().await;
    let mut shown = Vec::new();
    for role in ["admin", "editor", "viewer"] {
        let email = format!("{role}@example.com");
        shown.push((role, Person::member(&app, &ada, &acme, &email, role).await));
    }
    let by = |token: String| Operator {
        url: app.url.clone(),
        organisation: acme.clone(),
        token,
        client: cookie_client(),
    };
    let admin = by(ada.token(&acme).await);
    admin
        .create("/api-key/create", json!({"name": "Deploys"}))
        .await;
    admin.component("API").await;
    let of_content = json!(["component.created"]);
    for (role, person) in shown {
        let operator = by(person.token(&acme).await);
        let changes = dashboard(&operator).await["changes"].clone();
        let changes = changes.as_array().unwrap().iter();
        let actions: Vec<_> = changes.map(|change| change["action"].clone()).collect();
        if role == "admin" {
            let listed = operator.get("/audit?limit=20").await.body["data"].clone();
            let listed = listed.as_array().unwrap().iter();
            let listed: Vec<_> = listed.map(|item| item["action"].clone()).collect();
            assert_eq!(actions, listed);
            for action in ["api-key.created", "invitation.created", "member.added"] {
                assert!(actions.contains(&json!(action)), "{action}: {actions:?}");
            }
        } else {
            assert_eq!(json!(actions), of_content, "{role}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dashboard_shows_a_maintenance_that_the_scheduler_starts() {
    let (app, clock) = start_stopped().await;
    let (operator, other) = (app.operator("Acme").await, app.operator("Other").await);
    let start = text(clock.now() + TimeDelta::milliseconds(500));
    let body = json!({"title": "Move", "description": "d", "startAt": start});
    operator.create("/maintenance/create", body).await;
    let driver = tokio::spawn(drive(clock, other));
    let found = eventually("the maintenance starts", async || {
        let found = dashboard(&operator).await;
        let is_started = found["changes"][0]["action"] == "maintenance.started";
        is_started.then_some(found)
    });
    let found = found.await;
    driver.abort();
    assert_eq!(found["maintenances"][0]["status"], "IN_PROGRESS");
    assert_eq!(
        found["changes"][0]["actor"],
        json!({"type": "SCHEDULER", "id": null, "name": "Scheduler"})
    );
    assert_eq!(found["changes"][0].get("requestId"), Some(&Value::Null));
}

/// A server whose clock stands still on 2023-11-14.
async fn stopped() -> (TestApp, Operator) {
    let app = TestApp::start_at(&[], TestClock::stopped()).await;
    let operator = app.operator("Acme").await;
    (app, operator)
}

async fn metrics(operator: &Operator, query: &str) -> TestResponse {
    operator.get(&format!("/metrics{query}")).await
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_those_of_the_requested_days() {
    let (_app, operator) = stopped().await;
    let group = operator
        .create("/component-group/create", json!({"name": "Edge"}))
        .await;
    let body = json!({"name": "API", "startDate": null, "groupId": group["id"]});
    let component = operator.create("/component/create", body).await;
    let body = json!({
        "title": "Down", "description": "All of it", "status": "RESOLVED",
        "occuredAt": "2023-11-04T10:00:00Z", "resolvedAt": "2023-11-04T11:00:00Z",
        "components": [{"componentId": component["id"], "status": "MAJOR_OUTAGE"}],
    });
    let incident = operator.create("/incident/create", body).await;
    let path = format!(
        "/incident/{}/updates/create",
        incident["id"].as_str().unwrap()
    );
    let body =
        json!({"status": "IDENTIFIED", "message": "A cable", "displayAt": "2023-11-04T10:05:00Z"});
    assert_eq!(operator.post(&path, body).await.status, 201);

    let found = metrics(&operator, "?days=90").await;
    assert_eq!(found.status, 200, "{found:?}");
    let mut data = found.body["data"].clone();
    let weeks = data["incidentsByWeek"].take();
    let weeks = weeks.as_array().unwrap();
    assert_eq!(weeks.len(), 14);
    assert!(weeks.contains(&json!({"week": "2023-10-30", "count": 1})));
    let uptime =
        |thing: &Value, name: &str| json!([{"id": thing["id"], "name": name, "percentage": 99.95}]);
    assert_eq!(
        data,
        json!({
            "days": 90,
            "from": "2023-08-17",
            "to": "2023-11-14",
            "components": uptime(&component, "API"),
            "groups": uptime(&group, "Edge"),
            "incidentsByWeek": null,
            "incidentsByComponent": [{"id": component["id"], "name": "API", "count": 1}],
            "timeToFirstUpdate": {"median": 300, "longest": 300},
            "timeToResolve": {"median": 3600, "longest": 3600},
            "mails": {"sent": 0, "failed": 0},
        })
    );

    let standard = metrics(&operator, "").await.body["data"].clone();
    assert_eq!(
        (&standard["days"], &standard["from"]),
        (&json!(30), &json!("2023-10-16"))
    );
    let week = metrics(&operator, "?days=7").await.body["data"].clone();
    assert_eq!(week["components"][0]["percentage"], 100.0);
    assert_eq!(
        week["timeToResolve"],
        json!({"median": null, "longest": null})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn other_numbers_of_days_are_refused() {
    let (_app, operator) = stopped().await;
    for days in ["0", "8", "-7", "seven", ""] {
        let response = metrics(&operator, &format!("?days={days}")).await;
        assert_eq!(response.status, 422, "{days:?}");
        assert_eq!(response.body["errors"][0]["field"], "days", "{response:?}");
    }
}
