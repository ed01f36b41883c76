use serde_json::{Value, json};

use super::{Person, mails};
use crate::app::{PASSWORD, TestApp, cookie_client, send};

const ADDRESS: &str = "ann@example.com";

#[tokio::test(flavor = "multi_thread")]
async fn who_signs_up_is_signed_in_and_the_first_administers_the_installation() {
    let app = TestApp::start().await;
    let first = |answer: &crate::app::Answer| answer.body["data"]["firstAccount"].clone();
    assert_eq!(
        first(&send(cookie_client().get(app.call("/configuration"))).await),
        true
    );
    let ann = Person::new(&app, ADDRESS);
    let made = ann.sign_up(PASSWORD).await;
    assert_eq!(made.status, 201);
    let user = &made.body["data"]["user"];
    assert_eq!(
        (&user["name"], &user["email"], &user["administrator"]),
        (&json!("Ada"), &json!(ADDRESS), &json!(true))
    );
    assert_eq!(
        ann.session().await,
        json!({"user": user, "organisations": [], "activeOrganisationId": null})
    );
    let bob = Person::signed_up(&app, "bob@example.com").await;
    assert_eq!(bob.session().await["user"]["administrator"], false);
    assert_eq!(
        first(&send(cookie_client().get(app.call("/configuration"))).await),
        false
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_session_cookie_is_out_of_reach_of_scripts_and_other_sites() {
    let app = TestApp::start().await;
    let answer = Person::new(&app, ADDRESS).sign_up(PASSWORD).await;
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    assert_eq!(
        pair.strip_prefix("allclear_session=").map(str::len),
        Some(43)
    );
    let mut attributes: Vec<_> = attributes.split("; ").collect();
    attributes.sort_unstable();
    assert_eq!(
        attributes,
        [
            "HttpOnly",
            "Max-Age=2592000",
            "Path=/api/v1/identity",
            "SameSite=Strict"
        ]
    );
    assert_eq!(answer.headers["cache-control"], "no-store");

    let app = TestApp::start_with(&["--public-url", "https://status.example.com"]).await;
    let answer = Person::new(&app, ADDRESS).sign_up(PASSWORD).await;
    assert!(
        answer.headers["set-cookie"]
            .to_str()
            .unwrap()
            .contains("; Secure")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_bad_field_of_a_sign_up_is_named() {
    let app = TestApp::start().await;
    let ann = Person::new(&app, ADDRESS);
    let errors = |answer: crate::app::Answer| {
        assert_eq!(answer.status, 422, "{answer:?}");
        let errors = answer.body["errors"].as_array().unwrap().clone();
        let shown = |error: &Value| {
            format!(
                "{}: {}",
                error["field"].as_str().unwrap(),
                error["message"].as_str().unwrap()
            )
        };
        errors.iter().map(shown).collect::<Vec<_>>()
    };
    let short = ann
        .post(
            "/sign-up",
            json!({"name": " ", "email": "ann", "password": "short"}),
        )
        .await;
    let wanted = [
        "email: Invalid email address",
        "name: Name is required",
        "password: Must be at least 12 characters",
    ];
    assert_eq!(errors(short), wanted);
    let wrong = ann
        .post(
            "/sign-up",
            json!({"name": 1, "email": null, "password": ["x"]}),
        )
        .await;
    assert_eq!(
        errors(wrong),
        [
            "name: Name is required",
            "email: Invalid email address",
            "password: Must be a text"
        ]
    );
    let long = json!({"name": "Ann", "email": ADDRESS, "password": "x".repeat(129)});
    assert_eq!(
        errors(ann.post("/sign-up", long).await),
        ["password: Must be at most 128 characters"]
    );
    assert_eq!(ann.session().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_password_and_an_unknown_address_are_answered_alike() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let wrong = Person::new(&app, ADDRESS).sign_in("another password").await;
    let unknown = Person::new(&app, "nobody@example.com")
        .sign_in(PASSWORD)
        .await;
    assert_eq!(
        (wrong.status, &wrong.body["message"]),
        (401, &json!("Wrong email or password"))
    );
    assert_eq!((wrong.status, &wrong.body), (unknown.status, &unknown.body));
    let there = Person::new(&app, "ANN@example.com");
    let entered = there.sign_in(PASSWORD).await;
    assert_eq!(
        (entered.status, &entered.body["data"]["user"]["id"]),
        (200, &json!(ann.id().await))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_has_as_many_accounts_as_passwords_and_an_answer_tells_of_none() {
    let app = TestApp::start().await;
    let first = Person::signed_up(&app, ADDRESS).await;
    let second = Person::new(&app, ADDRESS);
    let (known, fresh) = (
        second.sign_up("another password").await,
        Person::new(&app, "bob@example.com").sign_up(PASSWORD).await,
    );
    assert_eq!(known.status, fresh.status);
    let keys = |answer: &crate::app::Answer| {
        let user = answer.body["data"]["user"].as_object().unwrap();
        user.keys().cloned().collect::<Vec<_>>()
    };
    assert_eq!(keys(&known), keys(&fresh));
    assert_ne!(first.id().await, second.id().await);
    for (password, person) in [(PASSWORD, &first), ("another password", &second)] {
        let there = Person::new(&app, ADDRESS);
        there.sign_in(password).await;
        assert_eq!(there.id().await, person.id().await);
    }
    let again = Person::new(&app, ADDRESS);
    assert_eq!(again.sign_up(PASSWORD).await.status, 201);
    assert_eq!(again.id().await, first.id().await);
    let app_folder = app.stop().await;
    let told = std::fs::read_dir(app_folder.path().join("data/mail"))
        .unwrap()
        .count();
    assert_eq!(
        told, 1,
        "one mail, to the address that has an account already"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_changed() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let renamed = ann.patch("/user", json!({"name": "  Ann  "})).await;
    assert_eq!(
        (renamed.status, &renamed.body["data"]["user"]["name"]),
        (200, &json!("Ann"))
    );
    assert_eq!(ann.session().await["user"]["name"], "Ann");
    assert_eq!(ann.patch("/user", json!({"name": ""})).await.status, 422);
    assert_eq!(
        Person::new(&app, ADDRESS)
            .patch("/user", json!({"name": "Eve"}))
            .await
            .status,
        401
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_installation_lets_in_the_first_and_the_invited() {
    let app = TestApp::start_with(&["--sign-up", "closed"]).await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let bob = Person::new(&app, "bob@example.com");
    assert_eq!(bob.sign_up(PASSWORD).await.status, 403);
    assert_eq!(
        Person::new(&app, ADDRESS).sign_up(PASSWORD).await.status,
        403
    );
    let organisation = ann.organisation().await;
    let link = ann.invite(&app, &organisation, &bob.email, "member").await;
    let body =
        json!({"name": "Bob", "email": bob.email, "password": PASSWORD, "invitationToken": link});
    assert_eq!(bob.post("/sign-up", body.clone()).await.status, 201);
    assert_eq!(
        bob.session().await["organisations"],
        json!([{"id": organisation, "name": "Acme", "role": "member"}])
    );
    let used = Person::new(&app, "eve@example.com");
    assert_eq!(used.post("/sign-up", body).await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_list_is_the_administrators_to_let_in_from() {
    let app = TestApp::start_with(&["--sign-up", "waitlist"]).await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let (bob, eve) = (
        Person::new(&app, "bob@example.com"),
        Person::new(&app, "eve@example.com"),
    );
    for person in [&bob, &eve, &bob, &Person::new(&app, ADDRESS)] {
        let waits = person.sign_up(PASSWORD).await;
        assert_eq!(
            (waits.status, &waits.body["data"]),
            (202, &json!({"waitlisted": true}))
        );
        assert!(!waits.headers.contains_key("set-cookie"));
    }
    let waiting = ann.get("/waitlist").await.body["data"].clone();
    let entry = |email: &str| {
        let found = waiting
            .as_array()
            .unwrap()
            .iter()
            .find(|entry| entry["email"] == email)
            .unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(waiting.as_array().unwrap().len(), 3);
    assert_eq!(
        ann.post(
            &format!("/waitlist/{}/invite", entry(&bob.email)),
            json!({})
        )
        .await
        .status,
        200
    );
    assert_eq!(
        ann.delete(&format!("/waitlist/{}", entry(&eve.email)))
            .await
            .status,
        200
    );
    assert_eq!(
        ann.delete(&format!("/waitlist/{}", entry(&eve.email)))
            .await
            .status,
        404
    );
    assert_eq!(
        ann.get("/waitlist").await.body["data"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let link = super::mailed(&app, &bob.email, "invitation=")
        .pop()
        .unwrap();
    let inspected = bob
        .post("/invitations/inspect", json!({"token": link}))
        .await;
    assert_eq!(
        inspected.body["data"],
        json!({"organisation": null, "email": bob.email, "role": "member"})
    );
    let body =
        json!({"name": "Bob", "email": bob.email, "password": PASSWORD, "invitationToken": link});
    assert_eq!(bob.post("/sign-up", body).await.status, 201);
    assert_eq!(bob.get("/waitlist").await.status, 403);
    assert_eq!(mails(&app).len(), 1);
}
