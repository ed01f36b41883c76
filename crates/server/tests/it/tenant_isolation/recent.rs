//! Calls that need a recent authentication: those that the OpenAPI document names, and no others.

use std::sync::Arc;

use allclear_application::clock::TestClock;
use chrono::TimeDelta;

use super::document::{Document, Guard};
use super::route::{ROUTES, Route};
use super::sample::SampleOrganisation;
use super::walk::{Intruder, second_admin};
use crate::app::TestApp;

/// Whether the call authenticates the caller.
fn authenticates(route: &Route) -> bool {
    route.path.contains("/re-authenticate")
}

#[tokio::test(flavor = "multi_thread")]
async fn sensitive_calls_of_the_document_need_a_recent_authentication_and_no_others() {
    let clock = TestClock::system();
    let app = TestApp::start_at(&SampleOrganisation::FLAGS, Arc::clone(&clock) as _).await;
    let sample = SampleOrganisation::create(&app).await;
    let bob = second_admin(&app, &sample).await;
    let document = Document::of(&app).await;
    clock.advance(TimeDelta::minutes(11));
    let admin = Intruder {
        name: "an admin".to_owned(),
        token: Some(bob.token(&sample.organisation).await),
        client: bob.client,
    };
    let routes = ROUTES.iter();
    let routes = routes.filter(|route| document.guard(route) != Guard::Open);
    let (sensitive, mut others): (Vec<&Route>, Vec<&Route>) =
        routes.partition(|route| document.needs_recent_authentication(route));
    let before = sample.state(&app).await;
    for route in &sensitive {
        let response = admin.tries(&app, route, &sample).await;
        assert!(response.needs_authentication(), "{route:?}: {response:?}");
    }
    assert!(sensitive.len() > 20, "{sensitive:?}");
    assert_eq!(sample.state(&app).await, before);
    others.sort_by_key(|route| authenticates(route));
    for route in &others {
        let response = admin.tries(&app, route, &sample).await;
        assert!(!response.needs_authentication(), "{route:?}: {response:?}");
    }
}
