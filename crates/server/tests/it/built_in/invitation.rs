use serde_json::json;

use super::Person;
use crate::app::{TestApp, assert_status};

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_is_mailed_inspected_and_accepted_once() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    let bob = Person::signed_up(&app, "bob@example.com").await;
    let acme = ann.organisation().await;
    let link = ann.invite(&app, &acme, &bob.email, "admin").await;
    let inspected = bob
        .post("/invitations/inspect", json!({"token": link}))
        .await;
    let wanted =
        json!({"organisation": {"id": acme, "name": "Acme"}, "email": bob.email, "role": "admin"});
    assert_eq!(inspected.body["data"], wanted);
    assert_status(
        Person::new(&app, "eve@example.com").post("/invitations/accept", json!({"token": link})),
        401,
    )
    .await;
    let accepted = bob
        .post("/invitations/accept", json!({"token": link}))
        .await;
    assert_eq!(
        accepted.body["data"],
        json!({"organisation": {"id": acme, "name": "Acme"}})
    );
    assert_status(bob.post("/invitations/accept", json!({"token": link})), 400).await;
    assert_status(
        bob.post("/invitations/inspect", json!({"token": link})),
        400,
    )
    .await;
    assert_eq!(bob.session().await["organisations"][0]["role"], "admin");
    assert_eq!(
        ann.get(&format!("/organisations/{acme}/invitations"))
            .await
            .body["data"],
        json!([])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn admin_is_told_that_an_invitation_is_stored_whose_mail_failed() {
    let app = TestApp::start_with(&["--smtp-url", "smtp://127.0.0.1:1"]).await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    let acme = ann.organisation().await;
    let at = format!("/organisations/{acme}/invitations");
    let failed = ann.post(&at, json!({"email": "bob@example.com"})).await;
    assert_eq!(failed.status, 503, "{failed:?}");
    assert!(failed.headers.contains_key("retry-after"));
    let message = failed.body["message"].as_str().unwrap();
    let reason = message
        .strip_prefix("The invitation is stored, but its mail could not be sent: ")
        .unwrap_or_default();
    assert!(!reason.is_empty(), "{message}");
    let pending = ann.get(&at).await.body["data"].clone();
    assert_eq!(pending[0]["email"], "bob@example.com");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_invitation_and_a_replaced_one_work_no_longer() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    let acme = ann.organisation().await;
    let at = format!("/organisations/{acme}/invitations");
    let replaced = ann.invite(&app, &acme, "bob@example.com", "member").await;
    let link = ann.invite(&app, &acme, "bob@example.com", "admin").await;
    assert_ne!(replaced, link);
    let pending = ann.get(&at).await.body["data"].clone();
    assert_eq!(pending.as_array().unwrap().len(), 1);
    assert_eq!(
        (&pending[0]["email"], &pending[0]["role"]),
        (&json!("bob@example.com"), &json!("admin"))
    );
    assert_status(
        ann.post("/invitations/inspect", json!({"token": replaced})),
        400,
    )
    .await;
    let id = pending[0]["id"].as_str().unwrap();
    assert_eq!(ann.delete(&format!("{at}/{id}")).await.status, 200);
    assert_eq!(ann.delete(&format!("{at}/{id}")).await.status, 404);
    assert_status(
        ann.post("/invitations/inspect", json!({"token": link})),
        400,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invitations_are_listed_in_pages_of_at_most_500() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    let acme = ann.organisation().await;
    for email in ["bob@example.com", "cid@example.com"] {
        ann.invite(&app, &acme, email, "editor").await;
    }
    let at = format!("/organisations/{acme}/invitations");
    let first = ann.get(&format!("{at}?limit=1")).await.body;
    assert_eq!(first["data"].as_array().unwrap().len(), 1);
    assert_eq!(first["data"][0]["email"], "cid@example.com");
    let before = first["meta"]["next"].as_str().unwrap();
    let last = ann.get(&format!("{at}?limit=1&before={before}")).await.body;
    assert_eq!(last["data"].as_array().unwrap().len(), 1);
    assert_eq!(last["data"][0]["email"], "bob@example.com");
    assert_eq!(last["meta"], json!({"next": null}));
    assert_eq!(ann.get(&format!("{at}?limit=501")).await.status, 422);
}

#[tokio::test(flavor = "multi_thread")]
async fn invitation_needs_an_address_and_a_role() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    let at = format!("/organisations/{}/invitations", ann.organisation().await);
    let response = ann
        .post(
            &at,
            json!({"email": "bob\r\nBcc: eve@example.com", "role": "king"}),
        )
        .await;
    assert_eq!(response.status, 422);
    let fields: Vec<_> = response.body["errors"]
        .as_array()
        .unwrap()
        .iter()
        .map(|error| &error["field"])
        .collect();
    assert_eq!(fields, ["role", "email"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_ends_with_its_inviters_role() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, "ann@example.com").await;
    let acme = ann.organisation().await;
    let bob = Person::member(&app, &ann, &acme, "bob@example.com", "admin").await;
    let back_door = bob.invite(&app, &acme, "bob+2@example.com", "admin").await;
    let anns = ann.invite(&app, &acme, "cy@example.com", "member").await;
    let member = format!("/organisations/{acme}/members/{}", bob.id().await);
    assert_eq!(ann.delete(&member).await.status, 200);
    let accepted = bob
        .post("/invitations/accept", json!({"token": back_door}))
        .await;
    assert_eq!(accepted.status, 400, "{accepted:?}");
    let others = bob
        .post("/invitations/inspect", json!({"token": anns}))
        .await;
    assert_eq!(others.status, 200, "{others:?}");
}
