use futures_util::future::join_all;
use serde_json::{Value, json};

use super::{Person, mailed};
use crate::app::{PASSWORD, TestApp, assert_status, client, mailed_token, send};
use crate::process::{Process, command};

const ADDRESS: &str = "ann@example.com";
const NEW: &str = "a brand new password";

/// Requests a reset; returns the tokens of the mailed links. The server is stopped and started in
/// between, which waits for the mail.
async fn reset_links(app: TestApp, email: &str) -> (TestApp, Vec<String>) {
    let response = Person::new(&app, email)
        .post("/password-reset", json!({"email": email}))
        .await;
    assert_eq!(response.status, 200, "{response:?}");
    let app = TestApp::start_in(app.stop().await, &[]).await;
    let links = mailed(&app, ADDRESS, "reset=");
    (app, links)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_link_sets_the_password_once_and_signs_everybody_out() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let acme = ann.organisation().await;
    let (app, links) = reset_links(app, ADDRESS).await;
    let ann = Person {
        url: app.url.clone(),
        ..ann
    };
    let token = ann.token(&acme).await;
    assert_eq!(ann.components(&token).await, 200);
    assert_ne!(ann.session().await, Value::Null);
    let [link] = &links[..] else {
        panic!("{links:?}")
    };
    let there = Person::new(&app, ADDRESS);
    let confirm = |token: &str, password: &str| json!({"token": token, "password": password});
    assert_status(
        there.post("/password-reset/confirm", confirm(link, "short")),
        422,
    )
    .await;
    assert_status(
        there.post("/password-reset/confirm", confirm("wrong", NEW)),
        400,
    )
    .await;
    assert_status(
        there.post("/password-reset/confirm", confirm(link, NEW)),
        200,
    )
    .await;
    assert_status(
        there.post("/password-reset/confirm", confirm(link, NEW)),
        400,
    )
    .await;
    assert_eq!(ann.session().await, Value::Null);
    assert_eq!(ann.components(&token).await, 401);
    assert_eq!(there.sign_in(PASSWORD).await.status, 401);
    assert_eq!(there.sign_in(NEW).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn reset_of_an_unknown_address_gets_the_same_response_and_no_mail() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let known = ann.post("/password-reset", json!({"email": ADDRESS})).await;
    let unknown = ann
        .post("/password-reset", json!({"email": "nobody@example.com"}))
        .await;
    assert_eq!((known.status, &known.body), (unknown.status, &unknown.body));
    assert_status(ann.post("/password-reset", json!({"email": "nobody"})), 422).await;
    let folder = app.stop().await;
    assert_eq!(
        std::fs::read_dir(folder.path().join("data/mail"))
            .unwrap()
            .count(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_password_ends_the_other_sessions_only() {
    let app = TestApp::start().await;
    let here = Person::signed_up(&app, ADDRESS).await;
    let there = Person::new(&app, ADDRESS);
    there.sign_in(PASSWORD).await;
    let acme = here.organisation().await;
    let token = there.token(&acme).await;
    let wrong = here
        .post(
            "/user/password",
            json!({"currentPassword": "wrong", "newPassword": NEW}),
        )
        .await;
    assert_eq!(
        (wrong.status, &wrong.body["errors"][0]["field"]),
        (422, &json!("currentPassword"))
    );
    let changed = here
        .post(
            "/user/password",
            json!({"currentPassword": PASSWORD, "newPassword": NEW}),
        )
        .await;
    assert_eq!(changed.status, 200, "{changed:?}");
    assert_ne!(here.session().await, Value::Null);
    assert_eq!(there.session().await, Value::Null);
    assert_eq!(there.components(&token).await, 401);
    assert_eq!(there.sign_in(NEW).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_ends_the_known_devices_except_the_one_it_was_changed_on() {
    let app = TestApp::start().await;
    let here = Person::signed_up(&app, ADDRESS).await;
    let there = Person::new(&app, ADDRESS);
    for _ in 0..2 {
        assert_status(here.sign_in(PASSWORD), 200).await;
        assert_status(there.sign_in(PASSWORD), 200).await;
    }
    let change = json!({"currentPassword": PASSWORD, "newPassword": NEW});
    assert_status(here.post("/user/password", change), 200).await;
    for _ in 0..2 {
        assert_status(here.sign_in(NEW), 200).await;
        assert_status(there.sign_in(NEW), 200).await;
    }
    let request = here.post("/password-reset", json!({"email": ADDRESS}));
    assert_status(request, 200).await;
    let link = mailed_token(app.folder.path(), ADDRESS, "reset=").await;
    let newest = "another few words";
    let reset = json!({"token": link, "password": newest});
    assert_status(here.post("/password-reset/confirm", reset), 200).await;
    assert_status(here.sign_in(newest), 200).await;
    let folder = app.stop().await;
    let subject = "Subject: New sign-in to your account";
    let mails = super::mails_in(folder.path());
    let count = mails.iter().filter(|mail| mail.contains(subject)).count();
    assert_eq!(count, 4, "both; the other one; the one of the reset");
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn hashes_of_many_sign_ups_leave_no_memory_behind() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::serve(command(&folder.path().join("data"), &["--log", "off"])).await;
    let before = process.peak_memory();
    let sign_ups = (0..40).map(|number| {
        let body = json!({
            "name": "Eve",
            "email": format!("eve{number}@example.com"),
            "password": PASSWORD,
        });
        send(
            client()
                .post(format!("{}/api/v1/identity/sign-up", process.url))
                .json(&body),
        )
    });
    for response in join_all(sign_ups).await {
        assert!((201..=202).contains(&response.status), "{response:?}");
    }
    let processors = std::thread::available_parallelism().unwrap().get() as u64;
    let growth = process.peak_memory() - before;
    assert!(
        growth < (processors * 24 + 64) * 1024,
        "{growth} KiB: one hash a processor takes 19 MiB"
    );
}
