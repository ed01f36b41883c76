use reqwest::Method;
use serde_json::{Value, json};

use super::{Person, mails};
use crate::app::{
    PASSWORD, TestApp, assert_status, confirmation_link, cookie_client, mailed_token, send,
};

const ADDRESS: &str = "ann@example.com";

#[tokio::test(flavor = "multi_thread")]
async fn sign_up_signs_in_and_the_first_account_administers_the_installation() {
    let app = TestApp::start().await;
    let first = |response: &crate::app::TestResponse| response.body["data"]["firstAccount"].clone();
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
        json!({
            "user": user, "ways": {"password": true, "providers": []},
            "organisations": [], "activeOrganisationId": null,
        })
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
    let response = Person::new(&app, ADDRESS).sign_up(PASSWORD).await;
    let cookie = response.headers["set-cookie"].to_str().unwrap();
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
    assert_eq!(response.headers["cache-control"], "no-store");

    let app = TestApp::start_with(&["--public-url", "https://status.example.com"]).await;
    let response = Person::new(&app, ADDRESS).sign_up(PASSWORD).await;
    let cookie = response.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with("__Host-allclear_session="), "{cookie}");
    assert!(cookie.contains("; Secure"), "{cookie}");
    assert!(cookie.contains("; Path=/;"), "{cookie}");
    assert!(!cookie.contains("Domain"), "{cookie}");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_bad_field_of_a_sign_up_is_named() {
    let app = TestApp::start().await;
    let ann = Person::new(&app, ADDRESS);
    for (body, expected) in [
        (
            json!({"name": " ", "email": "ann", "password": "short"}),
            "name: Name is required; email: Invalid email address; \
             password: Must be at least 10 characters",
        ),
        (
            json!({"name": "Ann", "email": "ann@example.com", "password": "Qwertyuiop"}),
            "password: This is one of the most common passwords. Choose another one",
        ),
        (
            json!({"name": "Ann Lovelace", "email": "ann@example.com", "password": "lovelace 1843"}),
            "password: Must not contain your name or mail address",
        ),
        (
            json!({"name": 1, "email": null, "password": ["x"]}),
            "name: Name is required; email: Invalid email address; password: Must be a text",
        ),
    ] {
        let response = ann.post("/sign-up", body).await;
        assert_eq!((response.status, &*response.invalid()), (422, expected));
    }
    assert_eq!(ann.session().await, Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_password_and_unknown_address_get_the_same_response() {
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
async fn known_and_unknown_addresses_sign_up_alike_and_only_a_link_makes_an_account() {
    let app = TestApp::start().await;
    Person::signed_up(&app, ADDRESS).await;
    let (eve, bob) = (
        Person::new(&app, "ANN@example.com"),
        Person::new(&app, "bob@example.com"),
    );
    let (known, unknown) = (
        eve.sign_up("another password").await,
        bob.sign_up("another password").await,
    );
    assert_eq!(known.status, 202);
    assert_eq!(
        known.body,
        json!({"data": {"pending": true}, "message": "Check your mailbox to finish"})
    );
    assert_eq!((known.status, &known.body), (unknown.status, &unknown.body));
    for response in [&known, &unknown] {
        assert!(!response.headers.contains_key("set-cookie"));
    }
    assert_eq!(bob.sign_in("another password").await.status, 401);
    let token = confirmation_link(app.folder.path(), &bob.email).await;
    let followed = send(
        bob.client
            .get(format!("{}/login?confirmation={token}", app.url)),
    )
    .await;
    assert_eq!(followed.status, 200);
    assert_eq!(
        bob.sign_in("another password").await.status,
        401,
        "a GET changes nothing"
    );
    let confirm = json!({"token": token});
    let made = bob.post("/sign-up/confirm", confirm.clone()).await;
    assert_eq!(made.status, 201, "{made:?}");
    assert!(made.headers.contains_key("set-cookie"));
    assert_eq!(made.body["data"]["user"]["email"], "bob@example.com");
    assert_eq!(bob.session().await["user"]["name"], "Ada");
    for token in [token.as_str(), "wrong"] {
        let error_response = bob.post("/sign-up/confirm", json!({"token": token})).await;
        assert_eq!(error_response.status, 400);
    }
    let app = TestApp::start_in(app.stop().await, &[]).await;
    let mails = super::mails(&app);
    let mails: Vec<_> = mails
        .iter()
        .filter(|mail| mail.contains("To: ANN@example.com\r\n"))
        .collect();
    assert_eq!(mails.len(), 1);
    assert!(mails[0].contains("/login?forgot") && !mails[0].contains("confirmation="));
}

#[tokio::test(flavor = "multi_thread")]
async fn link_confirms_only_the_password_it_was_mailed_for() {
    let app = TestApp::start().await;
    Person::signed_up(&app, ADDRESS).await;
    let (bob, eve) = (
        Person::new(&app, "bob@example.com"),
        Person::new(&app, "Bob@example.com"),
    );
    bob.sign_up(PASSWORD).await;
    let own = confirmation_link(app.folder.path(), &bob.email).await;
    eve.sign_up("another person's password").await;
    let other_link = confirmation_link(app.folder.path(), &eve.email).await;
    let made = bob.post("/sign-up/confirm", json!({"token": own})).await;
    assert_eq!(made.status, 201, "{made:?}");
    let late = eve
        .post("/sign-up/confirm", json!({"token": other_link}))
        .await;
    assert_eq!(late.status, 400);
    assert_eq!(eve.sign_in("another person's password").await.status, 401);
    assert_eq!(eve.sign_in(PASSWORD).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_address_counts_from_its_link_on_and_the_former_one_is_mailed() {
    const NEW: &str = "ann@new.example";
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let there = Person::new(&app, ADDRESS);
    assert_status(there.sign_in(PASSWORD), 200).await;
    let reset = ann.post("/password-reset", json!({"email": ADDRESS}));
    assert_status(reset, 200).await;
    let reset = mailed_token(app.folder.path(), ADDRESS, "reset=").await;

    let same = json!({"email": "ANN@example.com"});
    let same = ann.post("/user/address", same).await;
    assert_eq!(
        (same.status, &*same.invalid()),
        (422, "email: This is the address of your account")
    );
    let requested = ann.post("/user/address", json!({"email": NEW})).await;
    assert_eq!(
        (requested.status, &requested.body["data"]),
        (202, &json!({"pending": true}))
    );
    assert_eq!(ann.session().await["user"]["email"], ADDRESS);
    assert_ne!(there.session().await, Value::Null);
    let token = mailed_token(app.folder.path(), NEW, "address=").await;
    let confirmed = ann
        .post("/user/address/confirm", json!({"token": token}))
        .await;
    assert_eq!(
        (confirmed.status, &confirmed.body["data"]["user"]["email"]),
        (200, &json!(NEW))
    );

    assert_eq!(ann.session().await["user"]["email"], NEW);
    assert_eq!(there.session().await, Value::Null);
    let reset = json!({"token": reset, "password": "a brand new password"});
    assert_status(there.post("/password-reset/confirm", reset), 400).await;
    assert_status(there.sign_in(PASSWORD), 401).await;
    assert_status(Person::new(&app, NEW).sign_in(PASSWORD), 200).await;
    let folder = app.stop().await;
    let mails = super::mails_in(folder.path());
    let subject = "Subject: The address of your account was changed";
    let told = mails.iter().find(|mail| mail.contains(subject)).unwrap();
    assert!(told.contains("To: ann@example.com\r\n"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_is_deleted_by_its_owner_and_its_updates_stay_without_its_name() {
    let app = TestApp::start().await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let acme = ann.organisation().await;
    let bob = Person::member(&app, &ann, &acme, "bob@example.com", "admin").await;
    let token = bob.token(&acme).await;
    let call = |path: &str, body: Value| {
        send(
            bob.client
                .post(app.call(path))
                .bearer_auth(&token)
                .json(&body),
        )
    };
    let incident = json!({"title": "Down", "description": "All of it"});
    let incident = call("/incident/create", incident).await.body["data"]["id"].clone();
    let incident = incident.as_str().unwrap();
    let updates = format!("/incident/{incident}/updates");
    let update = json!({"status": "IDENTIFIED", "message": "Found"});
    assert_eq!(call(&format!("{updates}/create"), update).await.status, 201);
    let degraded = json!({"name": "API", "status": "DEGRADED"});
    let api = call("/component/create", degraded).await.body["data"]["id"].clone();
    let history = format!("/component/{}/history", api.as_str().unwrap());
    let wrong = json!({"password": "a wrong password"});
    let wrong = bob.call(Method::DELETE, "/user", Some(wrong)).await;
    assert_eq!(
        (wrong.status, &wrong.body["errors"][0]["field"]),
        (422, &json!("password"))
    );
    let password = || Some(json!({"password": PASSWORD}));
    let deleted = bob.call(Method::DELETE, "/user", password()).await;
    assert_eq!(deleted.status, 200, "{deleted:?}");
    assert_eq!(bob.session().await, Value::Null);
    assert_eq!(bob.components(&token).await, 401);
    assert_eq!(bob.sign_in(PASSWORD).await.status, 401);
    let token = ann.token(&acme).await;
    let list = ann.client.get(app.call(&format!("{updates}/list")));
    let list = send(list.bearer_auth(&token)).await;
    assert_eq!(list.body["data"][0]["user"]["name"], "Deleted account");
    let periods = ann.client.get(app.call(&history)).bearer_auth(&token);
    let cause = send(periods).await.body["data"][0]["cause"].clone();
    assert_eq!(
        (&cause["type"], &cause["name"]),
        (&json!("OPERATOR"), &json!("Deleted account"))
    );
    let members = ann.get(&format!("/organisations/{acme}/members")).await;
    assert_eq!(members.body["data"].as_array().unwrap().len(), 1);

    let cy = Person::member(&app, &ann, &acme, "cy@example.com", "member").await;
    let response = ann.call(Method::DELETE, "/user", password()).await;
    assert_eq!(response.status, 409, "{response:?}");
    let deleted = cy.call(Method::DELETE, "/user", password()).await;
    assert_eq!(deleted.status, 200, "{deleted:?}");
    let deleted = ann.call(Method::DELETE, "/user", password()).await;
    assert_eq!(deleted.status, 200, "{deleted:?}");
    let page = send(cookie_client().get(app.call(&format!("/status/{acme}")))).await;
    assert_eq!(page.status, 404, "it had no other member");
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
    assert_status(
        Person::new(&app, ADDRESS).patch("/user", json!({"name": "Eve"})),
        401,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_installation_lets_in_the_first_and_the_invited() {
    let app = TestApp::start_with(&["--sign-up", "closed"]).await;
    let ann = Person::signed_up(&app, ADDRESS).await;
    let bob = Person::new(&app, "bob@example.com");
    assert_eq!(bob.sign_up(PASSWORD).await.status, 403);
    assert_status(Person::new(&app, ADDRESS).sign_up(PASSWORD), 403).await;
    let organisation = ann.organisation().await;
    let link = ann.invite(&app, &organisation, &bob.email, "member").await;
    let body =
        json!({"name": "Bob", "email": bob.email, "password": PASSWORD, "invitationToken": link});
    assert_eq!(bob.post("/sign-up", body.clone()).await.status, 201);
    assert_eq!(
        bob.session().await["organisations"],
        json!([{"id": organisation, "name": "Acme", "role": "editor"}])
    );
    let used = Person::new(&app, "eve@example.com");
    assert_eq!(used.post("/sign-up", body).await.status, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn administrator_invites_from_the_waitlist() {
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
    let part = ann.get("/waitlist?limit=1").await.body;
    assert_eq!(part["data"], json!([waiting[0]]));
    assert_eq!(part["meta"]["next"], waiting[0]["id"]);
    let before = format!(
        "/waitlist?before={}",
        part["meta"]["next"].as_str().unwrap()
    );
    let rest = ann.get(&before).await.body;
    assert_eq!(rest["data"], json!([waiting[1], waiting[2]]));
    assert_status(
        ann.post(
            &format!("/waitlist/{}/invite", entry(&bob.email)),
            json!({}),
        ),
        200,
    )
    .await;
    assert_status(ann.delete(&format!("/waitlist/{}", entry(&eve.email))), 200).await;
    assert_status(ann.delete(&format!("/waitlist/{}", entry(&eve.email))), 404).await;
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
        json!({"organisation": null, "email": bob.email, "role": "editor"})
    );
    let body =
        json!({"name": "Bob", "email": bob.email, "password": PASSWORD, "invitationToken": link});
    assert_eq!(bob.post("/sign-up", body).await.status, 201);
    assert_eq!(bob.get("/waitlist").await.status, 403);
    assert_eq!(mails(&app).len(), 1);
}
