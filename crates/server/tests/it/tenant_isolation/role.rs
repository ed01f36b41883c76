//! What each role may do: the role that each call of the OpenAPI document declares is the one that the server requires.

use std::sync::Arc;

use allclear_application::clock::{Clock, TestClock};
use allclear_domain::api_key::KeyText;
use allclear_domain::membership::Role;
use chrono::TimeDelta;
use serde_json::{Value, json};
use strum::VariantArray;

use super::route::{Guard, ROUTES, Route};
use super::walk::Intruder;
use super::world::{World, operator};
use crate::app::{Operator, TestApp, cookie_client, send};
use crate::identity::Person;

/// The document of a server.
pub(super) struct Document(Value);

impl Document {
    pub(super) async fn of(app: &TestApp) -> Self {
        Self(
            send(cookie_client().get(app.call("/openapi.json")))
                .await
                .body,
        )
    }

    fn security(&self, route: &Route) -> &Value {
        &self.0["paths"][format!("/api/v1{}", route.path)][route.method]["security"]
    }

    /// The words that a call declares for a way to authenticate; `None` if it does not take it.
    fn declared(&self, route: &Route, scheme: &str) -> Option<Vec<String>> {
        let mut requirements = self.security(route).as_array()?.iter();
        let words = requirements.find_map(|requirement| requirement.get(scheme))?;
        let words = words.as_array().unwrap().iter();
        Some(
            words
                .map(|word| word.as_str().unwrap().to_owned())
                .collect(),
        )
    }

    /// The role that a call requires of a token.
    pub(super) fn role(&self, route: &Route) -> Role {
        let declared = self.declared(route, "bearer");
        let Some([role]) = declared.as_deref() else {
            panic!("{route:?} declares {declared:?}");
        };
        role.parse().unwrap()
    }

    /// What a call requires, by its declaration.
    fn guard(&self, route: &Route) -> Guard {
        if let Some(words) = self.declared(route, "bearer") {
            assert_eq!(words.len(), 1, "{route:?} declares one role");
            return Guard::Token;
        }
        let Some(words) = self.declared(route, "session") else {
            return Guard::Open;
        };
        match words.first().map(String::as_str) {
            None => Guard::Session,
            Some("viewer") => Guard::Member,
            Some("admin") => Guard::Admin,
            Some("administrator") => Guard::Administrator,
            Some(other) => panic!("{route:?} declares {other}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_declares_what_it_requires() {
    let document = Document::of(&TestApp::start().await).await;
    for route in ROUTES {
        assert_eq!(document.guard(route), route.guard, "{route:?}");
    }
    let permissions = &document.0["components"]["schemas"]["Role"]["x-permissions"];
    let expected = json!({
        "viewer": ["read"],
        "editor": ["read", "write"],
        "admin": ["read", "write", "administer"],
    });
    assert_eq!(permissions, &expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_role_may_do_what_the_document_declares_and_nothing_else() {
    let app = TestApp::start_with(&World::FLAGS).await;
    let document = Document::of(&app).await;
    let world = World::made(&app).await;
    let mut bearers = Vec::new();
    for role in Role::VARIANTS {
        bearers.push((*role, bearer(&app, &world, *role).await));
    }
    let before = world.state(&app).await;
    let mut refused = 0;
    for (role, bearer) in &bearers {
        for route in token_routes().filter(|route| document.role(route) > *role) {
            let response = bearer.tries(&app, route, &world).await;
            assert_eq!(response.status, 403, "{role}: {route:?}: {response:?}");
            refused += 1;
        }
    }
    assert!(refused > 40, "{refused}");
    assert_eq!(world.state(&app).await, before);
    for (role, bearer) in &bearers {
        for route in token_routes().filter(|route| document.role(route) <= *role) {
            let response = bearer.tries(&app, route, &world).await;
            let is_refused = [401, 403].contains(&response.status);
            assert!(!is_refused, "{role}: {route:?}: {response:?}");
        }
    }
}

/// The calls that take a token.
pub(super) fn token_routes() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().filter(|route| route.guard == Guard::Token)
}

/// A member with this role, with a token.
async fn bearer(app: &TestApp, world: &World, role: Role) -> Intruder {
    let email = format!("{role}@example.com");
    let organisation = &world.organisation;
    let person = Person::member(app, &world.admin, organisation, &email, role.as_ref()).await;
    let token = operator(app, &person, organisation).await.token;
    Intruder::with_token(role.as_ref(), &token)
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
    let app = TestApp::start_with(&World::FLAGS).await;
    let document = Document::of(&app).await;
    let world = World::made(&app).await;
    let admin = &world.operator;
    let mut programs = Vec::new();
    for role in [Role::Viewer, Role::Editor] {
        let body = json!({"name": "A program", "role": role});
        programs.push((role, program(admin, body).await.1));
    }
    let before = world.state(&app).await;
    for (role, program) in &programs {
        for route in token_routes().filter(|route| document.role(route) > *role) {
            let response = program.tries(&app, route, &world).await;
            assert_eq!(response.status, 403, "{role}: {route:?}: {response:?}");
            assert!(response.headers.contains_key("ratelimit"), "{route:?}");
        }
        for route in ROUTES.iter().filter(|route| is_of_session(route)) {
            let response = program.tries(&app, route, &world).await;
            assert_eq!(response.status, 401, "{role}: {route:?}: {response:?}");
        }
    }
    assert_eq!(without_uses(world.state(&app).await), without_uses(before));
    for (role, program) in &programs {
        for route in token_routes() {
            let takes_keys = document.declared(route, "apiKey").is_some();
            assert_eq!(takes_keys, document.role(route) < Role::Admin, "{route:?}");
            if document.role(route) <= *role {
                let response = program.tries(&app, route, &world).await;
                let is_refused = [401, 403].contains(&response.status);
                assert!(!is_refused, "{role}: {route:?}: {response:?}");
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn key_that_is_not_valid_is_refused_by_every_call() {
    let clock = TestClock::system();
    let app = TestApp::start_at(&World::FLAGS, Arc::clone(&clock) as _).await;
    let world = World::made(&app).await;
    let admin = &world.operator;
    let (revoked_id, revoked) = program(admin, json!({"name": "Revoked", "role": "editor"})).await;
    let revoked_path = format!("/api-key/{revoked_id}");
    assert_eq!(admin.delete(&revoked_path).await.status, 200);
    let expires_at = (clock.now() + TimeDelta::seconds(1)).to_rfc3339();
    let body = json!({"name": "Expired", "role": "editor", "expiresAt": expires_at});
    let (_, expired) = program(admin, body).await;
    clock.advance(TimeDelta::seconds(2));
    let unknown = KeyText::of([1; 32]);
    let malformed = format!("{}x", &unknown.reveal()[..52]);
    let before = world.state(&app).await;
    for (what, program) in [
        ("revoked", revoked),
        ("expired", expired),
        ("unknown", Intruder::with_token("unknown", unknown.reveal())),
        ("malformed", Intruder::with_token("malformed", &malformed)),
    ] {
        for route in ROUTES.iter().filter(|route| route.guard != Guard::Open) {
            let response = program.tries(&app, route, &world).await;
            assert_eq!(response.status, 401, "{what}: {route:?}: {response:?}");
        }
    }
    assert_eq!(world.state(&app).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn key_of_another_organisation_finds_and_changes_nothing() {
    let app = TestApp::start_with(&World::FLAGS).await;
    let world = World::made(&app).await;
    let other = app.operator("Other").await;
    let (_, program) = program(&other, json!({"name": "Spy", "role": "editor"})).await;
    let before = world.state(&app).await;
    let document = Document::of(&app).await;
    for route in token_routes().filter(|route| document.role(route) < Role::Admin) {
        let response = program.tries(&app, route, &world).await;
        if route.names_something() {
            assert_eq!(response.status, 404, "{route:?}: {response:?}");
        }
        let text = response.body.to_string();
        for id in world.identifiers() {
            assert!(!text.contains(id), "{route:?} tells of {id}: {text}");
        }
    }
    assert_eq!(world.state(&app).await, before);
}

/// Whether a call needs the session cookie.
fn is_of_session(route: &Route) -> bool {
    ![Guard::Open, Guard::Token].contains(&route.guard)
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
