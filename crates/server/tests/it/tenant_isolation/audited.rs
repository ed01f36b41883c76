//! Each call of the OpenAPI document that changes something leaves one item of the audit log, or is
//! an exception with its reason.

mod exception;
mod people;

use std::collections::BTreeSet;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use uuid::Uuid;

use super::document::{Document, Guard};
use super::route::{ROUTES, Route};
use super::sample::{SampleOrganisation, operator};
use crate::app::{Operator, TestApp, assert_status, cookie_client, send};
use crate::custom_domain;

/// Calls that come last, in this order, because they delete what others need.
const LAST: &[(&str, &str)] = &[
    ("post", "/organisation/domain/verify"),
    ("delete", "/organisation/domain"),
    ("post", "/incident/{id}/components/detach"),
    ("post", "/incident/{id}/updates/delete"),
    ("delete", "/component/{id}/history/{period_id}"),
    ("post", "/incident/{id}/review/publish"),
    ("delete", "/incident/{id}/review"),
    ("delete", "/incident/{id}"),
    ("post", "/maintenance/{id}/updates/delete"),
    ("delete", "/maintenance/{id}"),
    ("delete", "/component-group/{id}"),
    ("delete", "/component/{id}"),
    ("delete", "/subscriber/{id}"),
    (
        "delete",
        "/identity/organisations/{id}/invitations/{invitation_id}",
    ),
    ("patch", "/identity/organisations/{id}/members/{user_id}"),
    ("delete", "/identity/organisations/{id}/members/{user_id}"),
];

/// A call for an admin with a second factor.
const NEEDS_FACTOR: (&str, &str) = ("put", "/identity/organisations/{id}/second-factor");

impl Route {
    fn key(&self) -> (&'static str, &'static str) {
        (self.method, self.path)
    }
}

/// The calls with a permission in an organisation that change something, in an order in which
/// all succeed.
fn writing(document: &Document) -> Vec<&'static Route> {
    let mut routes = document.routes(&[Guard::Token, Guard::Member, Guard::Admin]);
    routes.retain(|route| {
        let is_exception = exception::is_exception(route.method, route.path);
        route.method != "get" && !is_exception && route.key() != NEEDS_FACTOR
    });
    let place = |route: &&Route| {
        let last = LAST.iter().position(|key| *key == route.key());
        last.map_or(0, |place| place + 1)
    };
    routes.sort_by_key(place);
    routes
}

/// Method and path of each call of the OpenAPI document that may change something.
fn mutating(document: &Document) -> BTreeSet<String> {
    let calls = document.calls().into_iter();
    let calls = calls.filter(|(method, _)| method != "get");
    calls
        .map(|(method, path)| format!("{method} {path}"))
        .collect()
}

async fn audit(operator: &Operator) -> Vec<Value> {
    let found = operator.get("/audit").await;
    assert_eq!(found.status, 200, "{found:?}");
    found.body["data"].as_array().unwrap().clone()
}

/// What a call needs before it succeeds.
async fn prepare(route: &Route, sample: &SampleOrganisation, operator: &Operator) {
    if route.key() == ("post", "/incident/{id}/review/publish") {
        let incident = format!("/incident/{}", sample.incident);
        let request = operator.request(Method::PATCH, &incident);
        assert_status(send(request.json(&json!({"status": "RESOLVED"}))), 200).await;
    }
}

/// Makes a call; the member of the sample organisation is the one that is changed and removed.
async fn call(
    app: &TestApp,
    route: &Route,
    sample: &SampleOrganisation,
    operator: &Operator,
) -> Value {
    let method = Method::from_bytes(route.method.to_uppercase().as_bytes()).unwrap();
    let path = route.path_in(sample);
    let path = path.replace(
        &format!("/members/{}", sample.admin_id),
        &format!("/members/{}", sample.member_id),
    );
    let query = if path.ends_with("/import") {
        "?dryRun=false"
    } else {
        ""
    };
    let url = app.call(&format!("{path}{query}"));
    let mut request = sample.admin.client.request(method, url);
    request = request.bearer_auth(&operator.token);
    if route.path.ends_with("/import") {
        request = request
            .header("content-type", "text/csv")
            .body("email\nimported@example.com\n");
    } else if matches!(route.method, "post" | "put" | "patch") {
        let body = match route.key() {
            ("patch", "/identity/organisations/{id}/members/{user_id}") => json!({"role": "admin"}),
            _ => route.body(sample),
        };
        request = request.json(&body);
    }
    let response = send(request).await;
    let status = StatusCode::from_u16(response.status).unwrap();
    assert!(status.is_success(), "{route:?}: {response:?}");
    let id = response.headers["x-request-id"].to_str().unwrap();
    json!({"id": id, "data": response.body["data"]})
}

/// Fields whose values the audit log shows in another way.
const SHOWN_OTHERWISE: &[&str] = &["user", "email", "target", "components", "cause", "domain"];

/// Asserts that a state has the values of a response about the same thing.
fn assert_like(state: &Value, data: &Value, context: &str) {
    let (Some(state), Some(data)) = (state.as_object(), data.as_object()) else {
        return;
    };
    if state.get("id") != data.get("id") {
        return;
    }
    for (field, value) in state {
        if let Some(shown) = data.get(field)
            && !SHOWN_OTHERWISE.contains(&field.as_str())
        {
            assert_eq!(value, shown, "{context}: {field}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_that_changes_something_leaves_one_item_with_its_states() {
    assert_every_call_leaves_one_item(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_that_changes_something_leaves_one_item_on_postgresql() {
    if let Some(url) = allclear_test_support::postgres() {
        assert_every_call_leaves_one_item(&["--database-url", &url]).await;
    }
}

/// Makes the calls on the database that these flags name.
async fn assert_every_call_leaves_one_item(database: &[&str]) {
    let flags = [&SampleOrganisation::FLAGS, database].concat();
    let app = custom_domain::start_with(tempfile::tempdir().unwrap(), &flags).await;
    let sample = SampleOrganisation::create(&app).await;
    let operator = operator(&app, &sample.admin, &sample.organisation).await;
    let mut actions = BTreeSet::new();
    for route in writing(&Document::of(&app).await) {
        prepare(route, &sample, &operator).await;
        let before = audit(&operator).await;
        let made = call(&app, route, &sample, &operator).await;
        let mut after = audit(&operator).await;
        let context = format!("{} {}", route.method, route.path);
        assert_eq!(after.len(), before.len() + 1, "{context}: {:?}", after[0]);
        let item = after.remove(0);
        assert_eq!(after, before, "{context}");
        assert_eq!(item["requestId"], made["id"], "{context}");
        assert_eq!(item["address"], "127.0.0.1", "{context}");
        assert_eq!(item["actor"]["type"], "USER", "{context}");
        assert_eq!(item["actor"]["id"], sample.admin_id, "{context}");
        assert!(item["target"]["id"].is_string(), "{context}: {item}");
        let action = item["action"].as_str().unwrap();
        let past = action.split_once('.').unwrap().1;
        match past {
            "created" | "imported" => {
                assert!(
                    item["before"].is_null() && !item["after"].is_null(),
                    "{context}: {item}"
                );
            }
            "deleted" | "removed" => {
                assert!(
                    !item["before"].is_null() && item["after"].is_null(),
                    "{context}: {item}"
                );
            }
            _ => {
                let (before, after) = (&item["before"], &item["after"]);
                assert!(before.is_object() && after.is_object(), "{context}: {item}");
                assert_ne!(before, after, "{context}");
            }
        }
        assert_like(&item["after"], &made["data"], &context);
        actions.insert(action.to_owned());
    }
    for action in [
        "component.created",
        "component.updated",
        "component.deleted",
        "component-group.created",
        "component-group.updated",
        "component-group.deleted",
        "component-order.updated",
        "component-history.created",
        "component-history.updated",
        "component-history.deleted",
        "incident.created",
        "incident.updated",
        "incident.deleted",
        "incident-update.created",
        "incident-update.updated",
        "incident-update.deleted",
        "incident-review.updated",
        "incident-review.published",
        "incident-review.deleted",
        "maintenance.created",
        "maintenance.updated",
        "maintenance.deleted",
        "maintenance-update.created",
        "maintenance-update.updated",
        "maintenance-update.deleted",
        "subscriber.created",
        "subscriber.updated",
        "subscriber.deleted",
        "subscriber.imported",
        "organisation.updated",
        "invitation.created",
        "invitation.deleted",
        "member.role-changed",
        "member.removed",
        "api-key.created",
        "api-key.deleted",
        "domain.verified",
    ] {
        assert!(
            actions.contains(action),
            "{action} is missing in {actions:?}"
        );
    }
}

#[test]
fn order_and_exceptions_name_calls_of_the_table_once() {
    let exceptions = exception::EXCEPTIONS.iter();
    let exceptions: Vec<_> = exceptions
        .map(|(method, path, _)| (*method, *path))
        .collect();
    for key in exceptions.iter().chain(LAST) {
        assert!(ROUTES.iter().any(|route| route.key() == *key), "{key:?}");
    }
    let different: BTreeSet<_> = exceptions.iter().collect();
    assert_eq!(different.len(), exceptions.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn filters_pages_and_files_have_the_same_items() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let operator = operator(&app, &sample.admin, &sample.organisation).await;
    // A name that a spreadsheet would run, and a cell with a line break.
    let formula = json!({"name": "=1+1", "description": "a\n\"b\""});
    operator.create("/component/create", formula).await;
    let all = audit(&operator).await;
    assert!(all.len() > 10, "{all:?}");
    files_have_the_items(&operator, &all).await;

    let first = operator.get("/audit?limit=2").await.body;
    let next = first["meta"]["next"].as_str().unwrap();
    let second = operator.get(&format!("/audit?limit=2&before={next}")).await;
    let mut paged = first["data"].as_array().unwrap().clone();
    paged.extend(second.body["data"].as_array().unwrap().clone());
    assert_eq!(paged, all[..4]);

    let found = operator
        .get(&format!("/audit?targetId={}", sample.incident))
        .await;
    let of_incident: Vec<_> = all
        .iter()
        .filter(|item| item["target"]["id"] == sample.incident)
        .collect();
    assert_eq!(found.body["data"], json!(of_incident));
    let query = format!(
        "/audit?action=component.created&actorId={}",
        sample.admin_id
    );
    let found = operator.get(&query).await;
    assert_eq!(found.body["data"].as_array().unwrap().len(), 3);
    let found = operator.get("/audit?to=2020-01-01").await;
    assert_eq!(found.body["data"], json!([]));

    for (query, field) in [
        ("action=component.exploded", "action"),
        ("from=yesterday", "from"),
        ("to=2026-13-01", "to"),
        ("limit=0", "limit"),
        ("before=x", "before"),
        ("format=xml", "format"),
    ] {
        let response = operator.get(&format!("/audit?{query}")).await;
        assert_eq!(
            (response.status, &response.body["errors"][0]["field"]),
            (422, &json!(field)),
            "{query}"
        );
    }
    let member = super::sample::operator(&app, &sample.member, &sample.organisation).await;
    assert_eq!(member.get("/audit").await.status, 403);
    let nobody = cookie_client().get(app.call("/audit"));
    assert_status(send(nobody), 401).await;
}

/// Asserts that the files have these items, in their order.
async fn files_have_the_items(operator: &Operator, all: &[Value]) {
    let file = |format: &'static str| {
        let request = operator.request(Method::GET, &format!("/audit?format={format}&limit=1"));
        async move { request.send().await.unwrap() }
    };
    let lines = file("jsonl").await;
    assert_eq!(lines.headers()["content-type"], "application/jsonl");
    let disposition = lines.headers()["content-disposition"].to_str().unwrap();
    assert_eq!(disposition, "attachment; filename=\"audit-log.jsonl\"");
    let lines = lines.text().await.unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines, all);

    let table = file("csv").await;
    let kind = table.headers()["content-type"].to_str().unwrap();
    assert_eq!(kind, "text/csv; charset=utf-8");
    let table = table.text().await.unwrap();
    assert!(table.starts_with("id,createdAt,actorType,"), "{table}");
    assert!(table.contains(",'=1+1,"), "{table}");
    // A cell may have line breaks; only a row begins with an identifier.
    let begins = table.lines().filter_map(|line| line.split_once(','));
    let ids: Vec<_> = begins
        .map(|(first, _)| first)
        .filter(|first| Uuid::parse_str(first).is_ok())
        .collect();
    let expected: Vec<_> = all
        .iter()
        .map(|item| item["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn files_have_every_item_of_a_log_that_is_read_in_several_parts() {
    let (_app, operator) = TestApp::with_operator().await;
    let formula = json!({"name": "=1+1", "description": "a\n\"b\""});
    operator.create("/component/create", formula).await;
    // A part has 100 items.
    for number in 0..210 {
        operator.component(&format!("Component {number}")).await;
    }
    let all = audit(&operator).await;
    assert!(all.len() > 210, "{}", all.len());
    files_have_the_items(&operator, &all).await;
}
