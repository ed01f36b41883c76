use std::collections::BTreeSet;

use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;

use super::document::{Document, Guard};
use super::forged::Forger;
use super::route::{ROUTES, Route};
use super::sample::{SampleOrganisation, operator};
use crate::app::{PASSWORD, TestApp, TestResponse, assert_status, cookie_client, send};
use crate::built_in::Person;

/// A client that must be refused.
pub(super) struct Intruder {
    pub(super) name: String,
    pub(super) client: Client,
    pub(super) token: Option<String>,
}

impl Intruder {
    pub(super) fn with_token(name: &str, token: &str) -> Self {
        Self {
            name: name.to_owned(),
            client: cookie_client(),
            token: Some(token.to_owned()),
        }
    }

    pub(super) async fn tries(
        &self,
        app: &TestApp,
        route: &Route,
        sample: &SampleOrganisation,
    ) -> TestResponse {
        let mut request = self.request(app, route, sample);
        if route.has_body() {
            request = request.json(&route.body(sample));
        }
        send(request).await
    }

    /// Sends a body that need not be JSON.
    pub(super) async fn sends(
        &self,
        app: &TestApp,
        route: &Route,
        sample: &SampleOrganisation,
        body: &'static str,
    ) -> TestResponse {
        let request = self.request(app, route, sample).body(body);
        send(request.header(CONTENT_TYPE, "application/json")).await
    }

    fn request(&self, app: &TestApp, route: &Route, sample: &SampleOrganisation) -> RequestBuilder {
        let method = Method::from_bytes(route.method.to_uppercase().as_bytes()).unwrap();
        let request = self
            .client
            .request(method, app.call(&route.path_in(sample)));
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    /// Asserts that each of these routes responds with one of these statuses.
    async fn is_refused(
        &self,
        app: &TestApp,
        sample: &SampleOrganisation,
        routes: &[&Route],
        statuses: &[u16],
    ) {
        for route in routes {
            let response = self.tries(app, route, sample).await;
            let Route { method, path, .. } = route;
            assert!(
                statuses.contains(&response.status),
                "{}: {method} {path}: {response:?}",
                self.name
            );
            assert!(
                response.body["data"].is_null(),
                "{}: {method} {path}: {response:?}",
                self.name
            );
        }
    }
}

/// A new admin of the organisation who is not its founder.
pub(super) async fn second_admin(app: &TestApp, sample: &SampleOrganisation) -> Person {
    Person::member(
        app,
        &sample.admin,
        &sample.organisation,
        "bob@example.com",
        "admin",
    )
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_of_the_document_has_its_row() {
    let app = TestApp::start().await;
    let documented = Document::of(&app).await.calls();
    let documented = documented.into_iter();
    let documented: BTreeSet<_> = documented
        .map(|(method, path)| format!("{method} {path}"))
        .collect();
    let rows: BTreeSet<_> = ROUTES
        .iter()
        .map(|route| format!("{} {}", route.method, route.path))
        .collect();
    assert_eq!(rows, documented);
    assert_eq!(rows.len(), ROUTES.len(), "one row each");
}

#[tokio::test(flavor = "multi_thread")]
async fn request_without_credentials_is_refused() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let before = sample.state(&app).await;
    let nobody = Intruder {
        name: "nobody".to_owned(),
        client: cookie_client(),
        token: None,
    };
    let document = Document::of(&app).await;
    let (of_token, of_session) = (
        document.routes(&[Guard::Token]),
        document.routes(&Guard::SESSION),
    );
    nobody.is_refused(&app, &sample, &of_token, &[401]).await;
    nobody.is_refused(&app, &sample, &of_session, &[401]).await;

    for (name, token) in Forger::of(&app).await.forged(&sample.operator.token) {
        Intruder::with_token(name, &token)
            .is_refused(&app, &sample, &of_token, &[401])
            .await;
    }
    // A token is not a session: it must not work where the cookie is asked for.
    let token_alone =
        Intruder::with_token("a token in the place of a session", &sample.operator.token);
    token_alone
        .is_refused(&app, &sample, &of_session, &[401])
        .await;
    assert_eq!(sample.state(&app).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn cookie_and_token_of_an_ended_session_are_refused() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let bob = second_admin(&app, &sample).await;
    let token = bob.token(&sample.organisation).await;
    let elsewhere = Person::new(&app, &bob.email);
    assert_status(elsewhere.sign_in(PASSWORD), 200).await;
    assert_status(elsewhere.delete("/sessions"), 200).await;
    let before = sample.state(&app).await;
    let ended = Intruder {
        name: "an ended session".to_owned(),
        client: bob.client,
        token: Some(token),
    };
    let document = Document::of(&app).await;
    for guards in [&[Guard::Token][..], &Guard::SESSION] {
        let routes = document.routes(guards);
        ended.is_refused(&app, &sample, &routes, &[401]).await;
    }
    assert_eq!(sample.state(&app).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_without_an_organisation_works_in_none() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let before = sample.state(&app).await;
    let without = sample.admin.post("/token", serde_json::json!({})).await;
    let without = without.body["data"]["token"].as_str().unwrap();
    let of_token = Document::of(&app).await.routes(&[Guard::Token]);
    Intruder::with_token("without an organisation", without)
        .is_refused(&app, &sample, &of_token, &[403])
        .await;
    assert_eq!(sample.state(&app).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_member_is_refused_at_once() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let bob = second_admin(&app, &sample).await;
    let removed = Intruder {
        name: "removed".to_owned(),
        client: bob.client.clone(),
        token: Some(bob.token(&sample.organisation).await),
    };
    let gone = sample
        .admin
        .delete(&format!(
            "/organisations/{}/members/{}",
            sample.organisation,
            bob.id().await
        ))
        .await;
    assert_eq!(gone.status, 200, "{gone:?}");
    let before = sample.state(&app).await;
    let document = Document::of(&app).await;
    for (guards, statuses) in [
        (&[Guard::Token][..], &[401, 403][..]),
        (&[Guard::Member, Guard::Admin], &[403, 404]),
        (&[Guard::Administrator], &[403]),
    ] {
        let routes = document.routes(guards);
        removed.is_refused(&app, &sample, &routes, statuses).await;
    }
    assert_eq!(sample.state(&app).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_member_is_no_admin_and_an_admin_is_no_administrator() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let before = sample.state(&app).await;
    let member = Intruder {
        name: "a member".to_owned(),
        client: sample.member.client.clone(),
        token: None,
    };
    let document = Document::of(&app).await;
    let of_admins = document.routes(&[Guard::Admin, Guard::Administrator]);
    member.is_refused(&app, &sample, &of_admins, &[403]).await;
    assert_eq!(sample.state(&app).await, before);
    let bob = second_admin(&app, &sample).await;
    let admin = Intruder {
        name: "an admin".to_owned(),
        client: bob.client,
        token: None,
    };
    let of_administrator = document.routes(&[Guard::Administrator]);
    admin
        .is_refused(&app, &sample, &of_administrator, &[403])
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn admin_of_another_organisation_gets_404_and_changes_nothing() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let eve = Eve::create(&app, &sample).await;
    let before = sample.state(&app).await;
    let by_token = Intruder::with_token("another organisation's admin", &eve.token);
    let document = Document::of(&app).await;
    for route in document.routes(&[Guard::Token]) {
        let response = by_token.tries(&app, route, &sample).await;
        if route.names_something() {
            assert_eq!(response.status, 404, "{route:?}: {response:?}");
        }
        let text = response.body.to_string();
        for id in sample.identifiers() {
            assert!(!text.contains(id), "{route:?} reveals {id}: {text}");
        }
    }
    let by_session = Intruder {
        name: "likewise".to_owned(),
        client: eve.person.client.clone(),
        token: None,
    };
    let of_members = document.routes(&[Guard::Member, Guard::Admin]);
    by_session
        .is_refused(&app, &sample, &of_members, &[403, 404])
        .await;
    let own_path = format!("/organisations/{}", eve.organisation);
    let theirs = eve
        .person
        .delete(&format!("{own_path}/invitations/{}", sample.invitation))
        .await;
    assert_eq!(
        theirs.status, 404,
        "another's invitation below one's own organisation: {theirs:?}"
    );
    assert_status(
        eve.person
            .delete(&format!("{own_path}/members/{}", sample.member_id)),
        404,
    )
    .await;
    assert_eq!(sample.state(&app).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_of_the_table_succeed_with_permission() {
    let app = TestApp::start_with(&SampleOrganisation::FLAGS).await;
    let sample = SampleOrganisation::create(&app).await;
    let admin = Intruder {
        name: "the admin".to_owned(),
        client: sample.admin.client.clone(),
        token: Some(
            operator(&app, &sample.admin, &sample.organisation)
                .await
                .token,
        ),
    };
    // The same reads succeed with permission, so the refusals above are due to its absence.
    let guards = [
        Guard::Token,
        Guard::Member,
        Guard::Admin,
        Guard::Administrator,
    ];
    let routes = Document::of(&app).await.routes(&guards);
    for route in routes.iter().filter(|route| route.method == "get") {
        let response = admin.tries(&app, route, &sample).await;
        assert_eq!(response.status, 200, "{route:?}: {response:?}");
        let is_file = route.path.ends_with("/export");
        assert!(is_file || response.body["data"] != Value::Null, "{route:?}");
    }
    // Each write starts from a new organisation; deletions come last.
    let mut writing = routes;
    writing.retain(|route| route.method != "get" && !destroys(route));
    // The incident of the sample organisation is open, and only the review of a resolved one is
    // published. No host serves the token of the claim. The subscriber has a mail address and is
    // not confirmed; an import has another body.
    let needs_more = |route: &Route| {
        [
            "/publish",
            "/domain/verify",
            "/rotate-secret",
            "/test",
            "/import",
        ]
        .iter()
        .any(|end| route.path.ends_with(end))
    };
    writing.retain(|route| !needs_more(route));
    for route in writing {
        let response = admin.tries(&app, route, &sample).await;
        assert!(
            (200..300).contains(&response.status),
            "{route:?}: {response:?}"
        );
    }
}

/// Whether the route deletes data that later rows need.
fn destroys(route: &Route) -> bool {
    route.method == "delete"
        || route.path.ends_with("updates/delete")
        || route.path.ends_with("waitlist/{id}/invite")
}

/// An admin of another organisation.
struct Eve {
    person: Person,
    organisation: String,
    token: String,
}

impl Eve {
    async fn create(app: &TestApp, sample: &SampleOrganisation) -> Self {
        let person = Person::member(
            app,
            &sample.admin,
            &sample.organisation,
            "eve@example.com",
            "member",
        )
        .await;
        let id = person.id().await;
        let path = format!("/organisations/{}/members/{id}", sample.organisation);
        assert_eq!(
            sample.admin.delete(&path).await.status,
            200,
            "she was let in, and belongs to it no longer"
        );
        let organisation = person.organisation().await;
        let token = person.token(&organisation).await;
        Self {
            person,
            organisation,
            token,
        }
    }
}
