use reqwest::Method;
use serde_json::{Value, json};

use super::Setup;
use super::fake_clerk::{claims, now, signature, signed, token};
use crate::app::{TestApp, assert_status, cookie_client, send, until};
use crate::socket::{Client, End};

fn organisation(name: &str, updated_at: i64) -> Value {
    json!({"id": "org_1", "object": "organization", "name": name, "slug": "acme", "updated_at": updated_at * 1000})
}

fn deleted(id: &str) -> Value {
    json!({"id": id, "object": "any", "deleted": true})
}

fn membership(user: &str) -> Value {
    json!({
        "id": "orgmem_1", "object": "organization_membership", "role": "org:member",
        "organization": organisation("Acme", now()), "public_user_data": {"user_id": user, "identifier": "a@example.com"},
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn page_shows_the_latest_name_from_clerk() {
    let setup = Setup::start().await;
    for (id, kind, name, updated_at) in [
        ("msg_1", "organization.created", "Acme", now() - 20),
        ("msg_2", "organization.updated", "Acme Ltd", now() - 10),
        ("msg_3", "organization.updated", "Late", now() - 15),
    ] {
        assert_status(setup.notify(id, kind, organisation(name, updated_at)), 200).await;
    }
    assert_eq!(setup.name_of("org_1").await, "Acme Ltd");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_organisation_is_gone_and_does_not_come_back() {
    let setup = Setup::start().await;
    let ann = token("user_1", "org_1");
    setup
        .create(&ann, "/component/create", json!({"name": "API"}))
        .await;
    let member = Client::signed_in(&setup.app.url, &ann).await;
    let page = format!("{}/status/org_1", setup.app.url);
    assert_eq!(send(cookie_client().get(&page)).await.status, 200);

    assert_status(
        setup.notify("msg_1", "organization.deleted", deleted("org_1")),
        200,
    )
    .await;
    assert_eq!(member.end().await, End::Disconnected);
    assert_eq!(setup.components(&ann).await, 401);
    until(404, async || setup.status("org_1").await.status).await;
    until(404, async || send(cookie_client().get(&page)).await.status).await;
    // A late event, and a token that is still valid.
    assert_status(
        setup.notify("msg_2", "organization.updated", organisation("Acme", now())),
        200,
    )
    .await;
    assert_eq!(setup.components(&token("user_2", "org_1")).await, 401);
    assert_eq!(setup.status("org_1").await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_ends_takes_its_tokens_and_sockets_along() {
    let setup = Setup::start().await;
    for (number, kind) in ["session.ended", "session.removed", "session.revoked"]
        .iter()
        .enumerate()
    {
        let (user, other) = (format!("user_a{number}"), format!("user_b{number}"));
        let (token, staying) = (token(&user, "org_1"), token(&other, "org_1"));
        let ending = Client::signed_in(&setup.app.url, &token).await;
        let mut visitor = Client::anonymous(&setup.app.url).await;
        let mut member = Client::signed_in(&setup.app.url, &staying).await;
        let session = json!({"id": format!("sess_of_{user}"), "object": "session", "user_id": user, "status": "ended"});
        assert_status(setup.notify(&format!("msg_{number}"), kind, session), 200).await;
        assert_eq!(ending.end().await, End::Disconnected, "{kind}");
        assert_eq!(setup.components(&token).await, 401);
        assert_eq!(setup.components(&staying).await, 200);
        assert!(member.join("org_1").await["revision"].is_number());
        assert!(visitor.join("org_1").await["revision"].is_number());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn member_who_leaves_is_disconnected_and_may_rejoin() {
    let setup = Setup::start().await;
    let (here, elsewhere) = (token("user_1", "org_1"), token("user_1", "org_2"));
    let leaving = Client::signed_in(&setup.app.url, &here).await;
    assert_status(
        setup.notify(
            "msg_1",
            "organizationMembership.deleted",
            membership("user_1"),
        ),
        200,
    )
    .await;
    assert_eq!(leaving.end().await, End::Disconnected);
    assert_eq!(
        (
            setup.components(&here).await,
            setup.components(&elsewhere).await
        ),
        (401, 200)
    );
    let mut later = claims("user_1", "org_1");
    later["iat"] = json!(now() + 2);
    assert_eq!(
        setup.components(&signed(0, &later)).await,
        200,
        "a member again"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn members_are_in_the_audit_log_by_the_provider() {
    let setup = Setup::start().await;
    let ann = json!({"id": "user_1", "first_name": "Ann", "last_name": "Lee", "updated_at": now() * 1000});
    assert_status(setup.notify("msg_0", "user.created", ann), 200).await;
    let member = |role: &str| {
        let mut membership = membership("user_1");
        membership["role"] = json!(role);
        membership
    };
    for (id, kind, role) in [
        ("msg_1", "organizationMembership.created", "org:member"),
        ("msg_2", "organizationMembership.updated", "org:admin"),
        // Another field of the membership.
        ("msg_3", "organizationMembership.updated", "org:admin"),
        ("msg_4", "organizationMembership.deleted", "org:admin"),
    ] {
        assert_status(setup.notify(id, kind, member(role)), 200).await;
    }
    assert_eq!(setup.name_of("org_1").await, "Acme");
    let admin = token("user_2", "org_1");
    let audit = setup.request(Method::GET, "/audit?targetId=user_1", &admin);
    let found = send(audit).await;
    let items = found.body["data"].as_array().unwrap();
    let provider = json!({"type": "PROVIDER", "id": null, "name": "Identity provider"});
    for item in items {
        assert_eq!(item["actor"], provider, "{item}");
        assert_eq!(item["address"], "127.0.0.1", "{item}");
        let target = json!({"type": "USER", "id": "user_1", "name": "Ann Lee"});
        assert_eq!(item["target"], target, "{item}");
    }
    let state = |role: &str| json!({"id": "user_1", "role": role});
    let changes: Vec<_> = items
        .iter()
        .map(|item| {
            (
                item["action"].clone(),
                item["before"].clone(),
                item["after"].clone(),
            )
        })
        .collect();
    let expected = [
        (json!("member.removed"), state("admin"), Value::Null),
        (
            json!("member.role-changed"),
            state("editor"),
            state("admin"),
        ),
        (json!("member.added"), Value::Null, state("editor")),
    ];
    assert_eq!(changes, expected);
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_a_deleted_or_banned_user_are_refused() {
    let setup = Setup::start().await;
    let banned =
        json!({"id": "user_2", "username": "bob", "banned": true, "updated_at": now() * 1000});
    for (user, kind, data) in [
        ("user_1", "user.deleted", deleted("user_1")),
        ("user_2", "user.updated", banned),
    ] {
        let token = token(user, "org_1");
        assert_eq!(setup.components(&token).await, 200);
        assert_status(setup.notify(&format!("msg_{user}"), kind, data), 200).await;
        assert_eq!(setup.components(&token).await, 401, "{kind}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn message_is_handled_once() {
    let setup = Setup::start().await;
    let event = |name: &str, at: i64| {
        json!({"type": "organization.updated", "data": organisation(name, at), "timestamp": at * 1000}).to_string()
    };
    let (first, at) = (event("First", now()), now());
    assert_eq!(setup.deliver("msg_1", at, &first).await.status, 200);
    // Another message with the same identifier, validly signed, is ignored.
    assert_status(setup.deliver("msg_1", at, &event("Second", now() + 5)), 200).await;
    assert_eq!(setup.deliver("msg_1", at, &first).await.status, 200);
    assert_eq!(setup.name_of("org_1").await, "First");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_is_not_clerks_or_not_of_now_is_refused() {
    let setup = Setup::start().await;
    let body =
        json!({"type": "organization.created", "data": organisation("Evil", now())}).to_string();
    let at = now();
    let good = signature("msg_1", at, &body);
    for (id, at, signatures) in [
        ("msg_1", at, "v1,AAAA"),
        ("msg_2", at, good.as_str()),
        ("msg_1", at - 301, &signature("msg_1", at - 301, &body)),
    ] {
        let response = setup.deliver_signed(id, at, &body, signatures).await;
        assert_eq!(response.status, 400, "{id} {at} {signatures}: {response:?}");
    }
    let unsigned = crate::app::client()
        .post(setup.app.call("/clerk/webhooks"))
        .body(body.clone());
    assert_eq!(send(unsigned).await.status, 400);
    assert_eq!(
        setup.status("org_1").await.status,
        404,
        "nothing came of it"
    );
    let several = format!("v1,AAAA {good} v2,x");
    assert_status(setup.deliver_signed("msg_1", at, &body, &several), 200).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_clerk_there_are_no_webhooks() {
    let app = TestApp::start().await;
    assert_status(send(cookie_client().post(app.call("/clerk/webhooks"))), 404).await;
}
