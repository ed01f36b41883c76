use serde_json::{Value, json};

use super::Person;
use crate::app::{PASSWORD, TestApp, assert_status, cookie_client, send, until};
use crate::keys::key_of;

/// An organisation's admin, and its identifier.
async fn acme(app: &TestApp) -> (Person, String) {
    let ann = Person::signed_up(app, "ann@example.com").await;
    let organisation = ann.organisation().await;
    (ann, organisation)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_for_the_organisation_it_was_asked_for_and_remembers_it() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    let token = ann.token(&acme).await;
    assert_eq!(ann.components(&token).await, 200);
    assert_eq!(ann.session().await["activeOrganisationId"], json!(acme));
    let without = ann.post("/token", json!({})).await.body["data"]["token"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(ann.components(&without).await, 403);
    assert_status(
        ann.post("/token", json!({"organisationId": "org_unknown"})),
        403,
    )
    .await;
    assert_status(ann.post("/token", json!({"organisationId": 7})), 422).await;
    assert_status(
        Person::new(&app, "eve@example.com").post("/token", json!({})),
        401,
    )
    .await;
    assert_eq!(ann.components("nonsense").await, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signed_out_sessions_token_is_refused_at_once() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    let token = ann.token(&acme).await;
    let out = ann.post("/sign-out", json!({})).await;
    assert_eq!(out.status, 200);
    assert!(
        out.headers["set-cookie"]
            .to_str()
            .unwrap()
            .contains("Max-Age=0")
    );
    assert_eq!(ann.components(&token).await, 401);
    assert_eq!(ann.session().await, Value::Null);
    assert_eq!(ann.post("/sign-out", json!({})).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_in_ends_the_session_the_browser_had() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    let token = ann.token(&acme).await;
    assert_eq!(ann.sign_in(PASSWORD).await.status, 200);
    assert_eq!(ann.components(&token).await, 401);
    assert_eq!(ann.components(&ann.token(&acme).await).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_organisation_is_gone_for_its_members() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    let token = ann.token(&acme).await;
    assert_status(ann.delete(&format!("/organisations/{acme}")), 200).await;
    assert_eq!(ann.components(&token).await, 401);
    assert_status(ann.delete(&format!("/organisations/{acme}")), 404).await;
    assert_eq!(ann.session().await["organisations"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_a_deleted_organisation_is_gone_soon() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    let public = [
        format!("{}/status/{acme}", app.url),
        app.call(&format!("/status/{acme}")),
    ];
    let read = async |url| send(cookie_client().get(url)).await.status;
    for url in &public {
        assert_eq!(read(url).await, 200, "{url}");
    }
    assert_status(ann.delete(&format!("/organisations/{acme}")), 200).await;
    for url in &public {
        until(404, async || read(url).await).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_admin_can_neither_leave_nor_become_a_member() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    let bob = Person::member(&app, &ann, &acme, "bob@example.com", "member").await;
    let of = |id: &str| format!("/organisations/{acme}/members/{id}");
    let (ann_id, bob_id) = (ann.id().await, bob.id().await);
    assert_eq!(ann.delete(&of(&ann_id)).await.status, 409);
    assert_status(ann.patch(&of(&ann_id), json!({"role": "member"})), 409).await;
    assert_status(ann.patch(&of(&bob_id), json!({"role": "admin"})), 200).await;
    assert_status(ann.patch(&of(&ann_id), json!({"role": "member"})), 200).await;
    assert_eq!(bob.delete(&of(&bob_id)).await.status, 409);
    assert_eq!(ann.delete(&of(&ann_id)).await.status, 200);
    let members = bob
        .get(&format!("/organisations/{acme}/members"))
        .await
        .body["data"]
        .clone();
    assert_eq!(members.as_array().unwrap().len(), 1);
    assert_eq!(
        (&members[0]["userId"], &members[0]["role"]),
        (&json!(bob_id), &json!("admin"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn member_may_not_do_what_an_admin_may_and_other_users_find_nothing() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    let bob = Person::member(&app, &ann, &acme, "bob@example.com", "member").await;
    let eve = Person::signed_up(&app, "eve@example.com").await;
    let ann_id = ann.id().await;
    for (person, status) in [(&bob, 403), (&eve, 404)] {
        let at = format!("/organisations/{acme}");
        assert_status(person.patch(&at, json!({"name": "Evil"})), status).await;
        assert_eq!(person.delete(&at).await.status, status);
        let member = format!("{at}/members/{ann_id}");
        assert_status(person.patch(&member, json!({"role": "member"})), status).await;
        assert_eq!(person.delete(&member).await.status, status);
        assert_status(person.get(&format!("{at}/invitations")), status).await;
        let whom = json!({"email": "friend@example.com", "role": "admin"});
        assert_status(person.post(&format!("{at}/invitations"), whom), status).await;
    }
    assert_status(eve.get(&format!("/organisations/{acme}/members")), 404).await;
    assert_status(bob.get(&format!("/organisations/{acme}/members")), 200).await;
    assert_status(
        ann.patch(
            &format!("/organisations/{acme}/members/nobody"),
            json!({"role": "member"}),
        ),
        404,
    )
    .await;
    assert_status(
        ann.patch(
            &format!("/organisations/{acme}/members/{ann_id}"),
            json!({"role": "king"}),
        ),
        422,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_name_shows_on_the_public_page() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    let renamed = ann
        .patch(
            &format!("/organisations/{acme}"),
            json!({"name": "Acme Ltd"}),
        )
        .await;
    assert_eq!(
        renamed.body["data"],
        json!({"id": acme, "name": "Acme Ltd", "role": "admin"})
    );
    let page = send(cookie_client().get(app.call(&format!("/status/{acme}")))).await;
    assert_eq!(page.body["data"]["organisation"]["name"], "Acme Ltd");
    assert_status(ann.post("/organisations", json!({"name": "A"})), 422).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_published_keys_name_the_key_of_the_tokens_and_nothing_secret() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    let keys = send(cookie_client().get(format!("{}/.well-known/jwks.json", app.url)))
        .await
        .body;
    let key = keys["keys"][0].as_object().unwrap();
    let mut members: Vec<_> = key.keys().map(String::as_str).collect();
    members.sort_unstable();
    assert_eq!(members, ["alg", "crv", "kid", "kty", "use", "x"]);
    assert_eq!(key["kid"], key_of(&ann.token(&acme).await));
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_and_keys_outlive_a_restart() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    let token = ann.token(&acme).await;
    let address = app.url.strip_prefix("http://").unwrap().to_owned();
    let public = format!("http://localhost:{}", address.rsplit_once(':').unwrap().1);
    let folder = app.stop().await;
    let app = TestApp::start_in(folder, &["--public-url", &public]).await;
    let list = cookie_client()
        .get(app.call("/component/list"))
        .bearer_auth(&token);
    assert_eq!(send(list).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn members_are_listed_in_pages_of_at_most_500() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    let bob = Person::member(&app, &ann, &acme, "bob@example.com", "member").await;
    let (ann_id, bob_id) = (json!(ann.id().await), json!(bob.id().await));
    let list = async |query: &str| {
        let path = format!("/organisations/{acme}/members{query}");
        ann.get(&path).await
    };
    let all = list("").await.body;
    assert_eq!(all["data"].as_array().unwrap().len(), 2);
    assert_eq!(all["meta"], Value::Null);
    let first = list("?limit=1").await.body;
    assert_eq!(first["data"].as_array().unwrap().len(), 1);
    assert_eq!(first["data"][0]["userId"], bob_id);
    assert_eq!(first["meta"], json!({"next": bob_id}));
    let before = first["meta"]["next"].as_str().unwrap();
    let second = list(&format!("?limit=1&before={before}")).await.body;
    assert_eq!(second["data"].as_array().unwrap().len(), 1);
    assert_eq!(second["data"][0]["userId"], ann_id);
    assert_eq!(second["meta"], json!({"next": null}));
    let stranger = "?before=01890000-0000-7000-8000-000000000000";
    for refused in ["?limit=501", stranger] {
        assert_eq!(list(refused).await.status, 422, "{refused}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_identifier_of_a_member_or_an_invitation_names_nothing() {
    let app = TestApp::start().await;
    let (ann, acme) = acme(&app).await;
    for kind in ["members", "invitations"] {
        let path = format!("/organisations/{acme}/{kind}/nobody");
        let response = ann.delete(&path).await;
        assert_eq!(response.status, 404, "{response:?}");
        assert_eq!(response.body["message"], "There is nothing here");
    }
}
