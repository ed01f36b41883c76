//! Calls that need a recent authentication: those that the OpenAPI document names, and no others.

use std::sync::Arc;

use allclear_application::clock::TestClock;
use chrono::TimeDelta;

use super::document::{Document, Guard};
use super::route::{ROUTES, Route};
use super::walk::{Intruder, second_admin};
use super::world::World;
use crate::app::{TestApp, TestResponse};

/// Whether a response asks for an authentication.
fn asks_for_authentication(response: &TestResponse) -> bool {
    let kind = response.body["type"].as_str();
    let is_asked = kind.is_some_and(|kind| kind.ends_with("/re-authentication-required"));
    response.status == 403 && is_asked
}

/// Whether the call authenticates the caller.
fn authenticates(route: &Route) -> bool {
    route.path.contains("/re-authenticate")
}

#[tokio::test(flavor = "multi_thread")]
async fn sensitive_calls_of_the_document_need_a_recent_authentication_and_no_others() {
    let clock = TestClock::system();
    let app = TestApp::start_at(&World::FLAGS, Arc::clone(&clock) as _).await;
    let world = World::made(&app).await;
    let bob = second_admin(&app, &world).await;
    let document = Document::of(&app).await;
    clock.advance(TimeDelta::minutes(11));
    let admin = Intruder {
        name: "an admin".to_owned(),
        token: Some(bob.token(&world.organisation).await),
        client: bob.client,
    };
    let routes = ROUTES.iter();
    let routes = routes.filter(|route| document.guard(route) != Guard::Open);
    let (sensitive, mut others): (Vec<&Route>, Vec<&Route>) =
        routes.partition(|route| document.needs_recent_authentication(route));
    let before = world.state(&app).await;
    for route in &sensitive {
        let response = admin.tries(&app, route, &world).await;
        assert!(
            asks_for_authentication(&response),
            "{route:?}: {response:?}"
        );
    }
    assert!(sensitive.len() > 20, "{sensitive:?}");
    assert_eq!(world.state(&app).await, before);
    others.sort_by_key(|route| authenticates(route));
    for route in &others {
        let response = admin.tries(&app, route, &world).await;
        assert!(
            !asks_for_authentication(&response),
            "{route:?}: {response:?}"
        );
    }
}
