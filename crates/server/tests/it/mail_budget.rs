//! Mail budgets: daily limits of mails to addresses that have not consented.

use std::path::Path;

use serde_json::json;
use tokio::task::JoinSet;

use crate::api_key::{key, program};
use crate::app::{
    Operator, PASSWORD, TestApp, TestResponse, assert_status, client, confirmation_link, founder,
    mailed_token, send,
};
use crate::built_in::{Person, mails_in};
use crate::subscriber::carried;

/// Every mail to a mailbox, its sub-addresses among them.
fn mails_to(folder: &Path, local: &str) -> Vec<String> {
    let (plain, tagged) = (format!("To: {local}@"), format!("To: {local}+"));
    mails_in(folder)
        .into_iter()
        .filter(|mail| mail.contains(&plain) || mail.contains(&tagged))
        .collect()
}

async fn invite(operator: &Operator, email: &str) -> TestResponse {
    let call = format!(
        "{}/api/v1/identity/organisations/{}/invitations",
        operator.url, operator.organisation
    );
    let body = json!({"email": email, "role": "member"});
    send(operator.client.post(call).json(&body)).await
}

/// An API call without a token.
async fn call(app: &TestApp, path: &str, body: serde_json::Value) -> TestResponse {
    send(client().post(app.call(path)).json(&body)).await
}

fn assert_used_up(response: &TestResponse, setting: &str) {
    assert_eq!(response.status, 429, "{response:?}");
    let detail = response.body["detail"].as_str().unwrap();
    assert!(detail.contains(setting), "{detail}");
    let wait: u64 = response.headers["retry-after"]
        .to_str()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..=86_401).contains(&wait), "{wait}");
}

#[tokio::test(flavor = "multi_thread")]
async fn invitations_to_a_mailbox_beyond_the_limit_are_not_sent_and_confirmed_notices_are() {
    let flags = [
        "--limit-mail-mailbox",
        "5",
        "--public-url",
        "http://status.example.com",
    ];
    let app = TestApp::start_with(&flags).await;
    let (acme, other) = (app.operator("Acme").await, app.operator("Other").await);
    let added = acme
        .post("/subscriber", json!({"email": "bob@example.com"}))
        .await;
    assert_eq!(added.status, 201);
    let mut requests = JoinSet::new();
    for number in 0..12 {
        let inviter = if number % 2 == 0 { &acme } else { &other }.clone();
        requests.spawn(async move { invite(&inviter, &format!("bob+{number}@example.com")).await });
    }
    let responses = requests.join_all().await;
    let (sent, refused): (Vec<_>, Vec<_>) = responses
        .iter()
        .partition(|response| response.status == 201);
    assert_eq!(sent.len(), 4, "{responses:?}");
    for response in refused {
        assert_used_up(response, "ALLCLEAR_LIMIT_MAIL_MAILBOX");
    }
    let mut stored = 0;
    for operator in [&acme, &other] {
        let path = format!(
            "/identity/organisations/{}/invitations",
            operator.organisation
        );
        let listed = send(operator.client.get(app.call(&path))).await;
        stored += listed.body["data"].as_array().unwrap().len();
    }
    assert_eq!(stored, 4, "a refused invitation is not stored");

    mailed_token(app.folder.path(), "bob@example.com", "verificationCode=").await;
    let mails = mails_to(app.folder.path(), "bob");
    let verification = mails.iter().find(|mail| mail.contains("/verify?")).unwrap();
    let verified = call(&app, "/subscriber/verify", carried(verification, "verify")).await;
    assert_eq!(verified.status, 200, "{verified:?}");
    for number in 0..7 {
        let body = json!({"title": format!("Down {number}"), "description": "All of it", "status": "INVESTIGATING"});
        assert_eq!(acme.post("/incident/create", body).await.status, 201);
    }
    let folder = app.stop().await;
    let mails = mails_to(folder.path(), "bob");
    let notices = mails.iter().filter(|mail| mail.contains("List-Id:"));
    assert_eq!((notices.count(), mails.len()), (7, 5 + 7));
}

#[tokio::test(flavor = "multi_thread")]
async fn public_requests_get_the_same_response_beyond_the_budget_and_send_nothing() {
    let app = TestApp::start_with(&["--limit-mail-mailbox", "1"]).await;
    let acme = app.operator("Acme").await;
    let sign_up = |email: &str| json!({"name": "Eve", "email": email, "password": PASSWORD});
    let subscription = |email: &str| json!({"email": email, "orgId": acme.organisation});
    let responses = async |email: &str| {
        [
            call(&app, "/identity/sign-up", sign_up(email)).await,
            call(&app, "/identity/password-reset", json!({"email": email})).await,
            call(&app, "/subscriber/public", subscription(email)).await,
        ]
        .map(|response| (response.status, response.body))
    };
    call(&app, "/identity/sign-up", sign_up("bob@example.com")).await;
    confirmation_link(app.folder.path(), "bob@example.com").await;
    let beyond = responses("bob+again@example.com").await;
    assert_eq!(beyond, responses("cid@example.com").await);
    let subscribers = acme.get("/subscriber/list").await.body["data"].to_string();
    assert!(!subscribers.contains("bob"), "{subscribers}");
    let folder = app.stop().await;
    assert_eq!(mails_to(folder.path(), "bob").len(), 1);
    assert!(mails_to(folder.path(), "cid").len() <= 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn account_organisation_and_installation_have_a_budget_each() {
    let flags = [
        "--limit-mail-account",
        "2",
        "--limit-mail-organisation",
        "4",
        "--limit-mail-installation",
        "5",
    ];
    let app = TestApp::start_with(&flags).await;
    let acme = app.operator("Acme").await;
    assert_eq!(invite(&acme, "a@example.com").await.status, 201);
    let added = acme
        .post("/subscriber", json!({"email": "b@example.com"}))
        .await;
    assert_eq!(added.status, 201);
    assert_used_up(
        &invite(&acme, "c@example.com").await,
        "ALLCLEAR_LIMIT_MAIL_ACCOUNT",
    );
    let subscription = |email: &str| json!({"email": email, "orgId": acme.organisation});
    let subscribe = async |email| call(&app, "/subscriber/public", subscription(email)).await;
    assert_eq!(subscribe("d@example.com").await.status, 200);
    // Of visitors: at most four fifths of the organisation's.
    for email in ["d@example.com", "e@example.com"] {
        assert_used_up(&subscribe(email).await, "ALLCLEAR_LIMIT_MAIL_ORGANISATION");
    }
    let subscribers = acme.get("/subscriber/list").await;
    let listed = subscribers.body["data"].as_array().unwrap().len();
    assert_eq!(listed, 2);
    let other = app.operator("Other").await;
    assert_status(invite(&other, "f@example.com"), 201).await;
    assert_used_up(
        &invite(&other, "g@example.com").await,
        "ALLCLEAR_LIMIT_MAIL_INSTALLATION",
    );
    let sign_up = json!({"name": "Hal", "email": "hal@example.com", "password": PASSWORD});
    assert_eq!(call(&app, "/identity/sign-up", sign_up).await.status, 202);
    // The reserved fifth.
    confirmation_link(app.folder.path(), "hal@example.com").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn confirmation_beyond_the_limit_of_an_address_uses_up_no_mail() {
    let flags = [
        "--limit-mail-account",
        "3",
        "--limit-verification-mail",
        "1/1",
    ];
    let app = TestApp::start_with(&flags).await;
    let acme = app.operator("Acme").await;
    let added = acme
        .create("/subscriber", json!({"email": "a@example.com"}))
        .await;
    mailed_token(app.folder.path(), "a@example.com", "verificationCode=").await;
    let path = format!("/subscriber/{}/verification", added["id"].as_str().unwrap());
    for _ in 0..3 {
        let refused = acme.post(&path, json!({})).await;
        assert_eq!(refused.status, 429, "{refused:?}");
        let detail = refused.body["detail"].as_str().unwrap();
        assert!(
            detail.contains("ALLCLEAR_LIMIT_VERIFICATION_MAIL"),
            "{detail}"
        );
    }
    for email in ["b@example.com", "c@example.com"] {
        assert_status(acme.post("/subscriber", json!({ "email": email })), 201).await;
    }
    let beyond = acme
        .post("/subscriber", json!({"email": "d@example.com"}))
        .await;
    assert_used_up(&beyond, "ALLCLEAR_LIMIT_MAIL_ACCOUNT");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_keys_of_all_organisations_of_an_account_share_a_budget() {
    let app = TestApp::start_with(&["--limit-mail-account", "2"]).await;
    let acme = app.operator("Acme").await;
    let second = founder(acme.client.clone(), &app.url, "Acme Labs").await;
    let add = async |caller: &Operator, email: &str| {
        let body = json!({"email": email});
        caller.post("/subscriber", body).await
    };
    for (admin, email) in [(&acme, "a@example.com"), (&second, "b@example.com")] {
        let caller = program(admin, &key(admin, "editor").await);
        assert_status(add(&caller, email), 201).await;
    }
    for admin in [&acme, &second] {
        let caller = program(admin, &key(admin, "editor").await);
        assert_used_up(
            &add(&caller, "c@example.com").await,
            "ALLCLEAR_LIMIT_MAIL_ACCOUNT",
        );
    }
    // The founder's own mails are counted apart.
    assert_status(add(&acme, "c@example.com"), 201).await;
    let other = app.operator("Other").await;
    let caller = program(&other, &key(&other, "editor").await);
    assert_status(add(&caller, "a@example.com"), 201).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_ins_with_a_stolen_password_keep_no_other_notice_from_the_owner() {
    let app = TestApp::start_with(&["--limit-mail-mailbox", "1"]).await;
    let owner = Person::signed_up(&app, "bob@example.com").await;
    for _ in 0..3 {
        let thief = Person::new(&app, &owner.email);
        assert_status(thief.sign_in(PASSWORD), 200).await;
    }
    let change =
        json!({"currentPassword": PASSWORD, "newPassword": "correct horse battery staple"});
    assert_status(owner.post("/user/password", change), 200).await;
    let address = "robert@new.example";
    let requested = owner.post("/user/address", json!({"email": address}));
    assert_status(requested, 202).await;
    let token = mailed_token(app.folder.path(), address, "address=").await;
    let confirmed = owner.post("/user/address/confirm", json!({"token": token}));
    assert_status(confirmed, 200).await;
    let folder = app.stop().await;
    let mails = mails_to(folder.path(), "bob");
    let count = |subject: &str| mails.iter().filter(|mail| mail.contains(subject)).count();
    assert_eq!(count("Subject: New sign-in to your account"), 1);
    assert_eq!(count("Subject: Your password was changed"), 1);
    assert_eq!(count("Subject: The address of your account was changed"), 1);
}
