//! What each role may do: the role that each call of the OpenAPI document declares is the one that
//! the server requires.

use std::collections::BTreeSet;
use std::sync::Arc;

use allclear_application::clock::{Clock, TestClock};
use allclear_domain::api_key::KeyText;
use allclear_domain::membership::Role;
use chrono::TimeDelta;
use serde_json::{Value, json};
use strum::VariantArray;

use super::document::{Document, Guard};
use super::route::{ROUTES, Route};
use super::sample::SampleOrganisation;
use super::walk::Intruder;
use crate::app::{Operator, TestApp, assert_status, send};
use crate::built_in::Person;

/// The calls that need no permission. They cannot be derived: a handler that neither checks nor
/// declares anything would be one.
const OPEN: [(&str, &str); 24] = [
    ("post", "/clerk/webhooks"),
    ("get", "/configuration"),
    ("post", "/identity/invitations/inspect"),
    ("get", "/identity/oidc/callback"),
    ("post", "/identity/oidc/{provider}/start"),
    ("post", "/identity/password-reset"),
    ("post", "/identity/password-reset/confirm"),
    ("get", "/identity/session"),
    ("post", "/identity/sign-in"),
    ("post", "/identity/sign-in/code"),
    ("post", "/identity/sign-in/passkey"),
    ("post", "/identity/sign-in/passkey/options"),
    ("post", "/identity/sign-out"),
    ("post", "/identity/sign-up"),
    ("post", "/identity/sign-up/confirm"),
    ("get", "/status/{organisation}"),
    ("get", "/status/{organisation}/events"),
    ("post", "/subscriber/public"),
    ("post", "/subscriber/subscription"),
    ("patch", "/subscriber/subscription"),
    ("post", "/subscriber/unsubscribe"),
    ("get", "/subscriber/unsubscribe/one-click"),
    ("post", "/subscriber/unsubscribe/one-click"),
    ("post", "/subscriber/verify"),
];

/// The calls with a session that every member of the organisation may make.
const OF_MEMBERS: [(&str, &str); 2] = [
    ("get", "/identity/organisations/{id}/members"),
    ("get", "/identity/organisations/{id}/second-factor"),
];

/// What a call with a session must require. A declaration that is too weak would not be noticed
/// otherwise, because the other tests derive from it which calls they make.
fn expected_of_session(route: &Route) -> Guard {
    let path = route.path.strip_prefix("/identity/").unwrap();
    if OF_MEMBERS.contains(&(route.method, route.path)) {
        Guard::Member
    } else if path.starts_with("organisations/{id}") {
        Guard::Admin
    } else if path.starts_with("waitlist") {
        Guard::Administrator
    } else {
        Guard::Session
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_declares_what_it_requires() {
    let document = Document::of(&TestApp::start().await).await;
    let open = document.routes(&[Guard::Open]).into_iter();
    let open: BTreeSet<_> = open.map(|route| (route.method, route.path)).collect();
    assert_eq!(open, OPEN.into());
    for route in document.routes(&Guard::SESSION) {
        assert_eq!(
            document.guard(route),
            expected_of_session(route),
            "{route:?}"
        );
    }
    for route in document.routes(&[Guard::Token]) {
        let is_read = route.method == "get";
        assert!(is_read || document.role(route) > Role::Viewer, "{route:?}");
    }
    let expected = json!({
        "viewer": ["read"],
        "editor": ["read", "write"],
        "admin": ["read", "write", "administer"],
    });
    assert_eq!(document.permissions(), &expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_role_may_do_what_the_document_declares_and_nothing_else() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let document = Document::of(&app).await;
    let sample = SampleOrganisation::create(&app).await;
    let mut members = Vec::new();
    for role in Role::VARIANTS {
        members.push((*role, member(&app, &sample, *role).await));
    }
    let mut routes = document.routes(&[Guard::Token, Guard::Member, Guard::Admin]);
    routes.sort_by_key(|route| deletes_the_organisation(route));
    let before = sample.state(&app).await;
    let mut refused_count = 0;
    for (role, member) in &members {
        for route in routes.iter().filter(|route| document.role(route) > *role) {
            let response = member.tries(&app, route, &sample).await;
            assert_eq!(response.status, 403, "{role}: {route:?}: {response:?}");
            refused_count += 1;
        }
    }
    assert!(refused_count > 60, "{refused_count}");
    assert_eq!(sample.state(&app).await, before);
    for (role, member) in &members {
        for route in routes.iter().filter(|route| document.role(route) <= *role) {
            let response = member.tries(&app, route, &sample).await;
            let is_refused = [401, 403].contains(&response.status);
            assert!(!is_refused, "{role}: {route:?}: {response:?}");
        }
    }
}

/// What a caller may do is checked before anything else that it sends.
#[tokio::test(flavor = "multi_thread")]
async fn caller_is_refused_before_its_body() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let document = Document::of(&app).await;
    let sample = SampleOrganisation::create(&app).await;
    let viewer = member(&app, &sample, Role::Viewer).await;
    let stranger = Intruder::with_token("a stranger", "not.a.token");
    let routes = document.routes(&[Guard::Token]);
    let writes = routes.iter().filter(|route| route.has_body());
    let mut refused_count = 0;
    for route in writes.filter(|route| document.role(route) > Role::Viewer) {
        for (caller, status) in [(&viewer, 403), (&stranger, 401)] {
            let response = caller.sends(&app, route, &sample, "{").await;
            assert_eq!(response.status, status, "{route:?}: {response:?}");
            refused_count += 1;
        }
    }
    assert!(refused_count > 30, "{refused_count}");
    let path = app.call("/component/not-an-id");
    let delete = viewer
        .client
        .delete(path)
        .bearer_auth(viewer.token.unwrap());
    assert_status(send(delete), 403).await;
}

fn deletes_the_organisation(route: &Route) -> bool {
    (route.method, route.path) == ("delete", "/identity/organisations/{id}")
}

/// A member with this role, with a session and a token.
async fn member(app: &TestApp, sample: &SampleOrganisation, role: Role) -> Intruder {
    let email = format!("{role}@example.com");
    let organisation = &sample.organisation;
    let person = Person::member(app, &sample.admin, organisation, &email, role.as_ref()).await;
    Intruder {
        name: role.to_string(),
        token: Some(person.token(organisation).await),
        client: person.client,
    }
}

/// Creates a key with this role. Returns its identifier and a program with it.
async fn program(admin: &Operator, body: Value) -> (String, Intruder) {
    let key = admin.create("/api-key/create", body).await;
    let text = key["key"].as_str().unwrap();
    let id = key["id"].as_str().unwrap().to_owned();
    (id, Intruder::with_token("a key", text))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_key_may_do_what_its_role_may_and_nothing_of_an_admin() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let document = Document::of(&app).await;
    let sample = SampleOrganisation::create(&app).await;
    let admin = &sample.operator;
    let mut programs = Vec::new();
    for role in [Role::Viewer, Role::Editor] {
        let body = json!({"name": "A program", "role": role});
        programs.push((role, program(admin, body).await.1));
    }
    let before = sample.state(&app).await;
    let of_token = document.routes(&[Guard::Token]);
    let of_session = document.routes(&Guard::SESSION);
    for (role, program) in &programs {
        for route in of_token.iter().filter(|route| document.role(route) > *role) {
            let response = program.tries(&app, route, &sample).await;
            assert_eq!(response.status, 403, "{role}: {route:?}: {response:?}");
            assert!(response.headers.contains_key("ratelimit"), "{route:?}");
        }
        for route in &of_session {
            let response = program.tries(&app, route, &sample).await;
            assert_eq!(response.status, 401, "{role}: {route:?}: {response:?}");
        }
    }
    assert_eq!(without_uses(sample.state(&app).await), without_uses(before));
    for (role, program) in &programs {
        for route in &of_token {
            let takes_keys = document.takes_keys(route);
            assert_eq!(takes_keys, document.role(route) < Role::Admin, "{route:?}");
            if document.role(route) <= *role {
                let response = program.tries(&app, route, &sample).await;
                let is_refused = [401, 403].contains(&response.status);
                assert!(!is_refused, "{role}: {route:?}: {response:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn key_that_is_not_valid_is_refused_by_every_call() {
    let clock = TestClock::system();
    let app = TestApp::start_at(&SampleOrganisation::FLAGS, Arc::clone(&clock) as _).await;
    let sample = SampleOrganisation::create(&app).await;
    let admin = &sample.operator;
    let (revoked_id, revoked) = program(admin, json!({"name": "Revoked", "role": "editor"})).await;
    let revoked_path = format!("/api-key/{revoked_id}");
    assert_eq!(admin.delete(&revoked_path).await.status, 200);
    let expires_at = (clock.now() + TimeDelta::seconds(1)).to_rfc3339();
    let body = json!({"name": "Expired", "role": "editor", "expiresAt": expires_at});
    let (_, expired) = program(admin, body).await;
    clock.advance(TimeDelta::seconds(2));
    let unknown = KeyText::of([1; 32]);
    let malformed = format!("{}x", &unknown.reveal()[..52]);
    let before = sample.state(&app).await;
    let document = Document::of(&app).await;
    let guarded = ROUTES
        .iter()
        .filter(|route| document.guard(route) != Guard::Open);
    let guarded: Vec<_> = guarded.collect();
    for (what, program) in [
        ("revoked", revoked),
        ("expired", expired),
        ("unknown", Intruder::with_token("unknown", unknown.reveal())),
        ("malformed", Intruder::with_token("malformed", &malformed)),
    ] {
        for route in &guarded {
            let response = program.tries(&app, route, &sample).await;
            assert_eq!(response.status, 401, "{what}: {route:?}: {response:?}");
        }
    }
    assert_eq!(sample.state(&app).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn key_of_another_organisation_gets_404_and_changes_nothing() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let other = app.operator("Other").await;
    let (_, program) = program(&other, json!({"name": "Spy", "role": "editor"})).await;
    let before = sample.state(&app).await;
    let document = Document::of(&app).await;
    let mut routes = document.routes(&[Guard::Token]);
    routes.retain(|route| document.role(route) < Role::Admin);
    for route in routes {
        let response = program.tries(&app, route, &sample).await;
        if route.names_something() {
            assert_eq!(response.status, 404, "{route:?}: {response:?}");
        }
        let text = response.body.to_string();
        for id in sample.identifiers() {
            assert!(!text.contains(id), "{route:?} reveals {id}: {text}");
        }
    }
    assert_eq!(sample.state(&app).await, before);
}

/// The state without the times at which keys were used.
fn without_uses(mut state: Value) -> Value {
    for part in state.as_array_mut().unwrap() {
        let rows = part.get_mut("data").and_then(Value::as_array_mut);
        for row in rows.into_iter().flatten() {
            if let Some(row) = row.as_object_mut() {
                row.remove("lastUsedAt");
            }
        }
    }
    state
}
