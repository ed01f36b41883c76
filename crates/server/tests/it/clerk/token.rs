use serde_json::json;

use super::Setup;
use super::fake_clerk::{claims, first_claims, now, signed, token, with_header};
use crate::app::{cookie_client, send, until};

#[tokio::test(flavor = "multi_thread")]
async fn tokens_of_both_versions_open_their_organisation() {
    let setup = Setup::start().await;
    for claims in [claims("user_1", "org_1"), first_claims("user_1", "org_1")] {
        assert_eq!(setup.components(&signed(0, &claims)).await, 200);
    }
    let mut elsewhere = claims("user_1", "org_1");
    elsewhere["azp"] = json!("https://other.example.com");
    assert_eq!(
        setup.components(&signed(0, &elsewhere)).await,
        200,
        "an allowed origin's page"
    );
    let mut without = claims("user_1", "org_1");
    without.as_object_mut().unwrap().remove("o");
    assert_eq!(
        setup.components(&signed(0, &without)).await,
        403,
        "no organisation"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn organisation_sees_only_its_own_components() {
    let setup = Setup::start().await;
    let created = setup
        .create(
            &token("user_1", "org_1"),
            "/component/create",
            json!({"name": "API"}),
        )
        .await;
    let path = format!(
        "/component/{}",
        created.body["data"]["id"].as_str().unwrap()
    );
    let read = |token: String| send(setup.request(reqwest::Method::GET, &path, &token));
    assert_eq!(read(token("user_2", "org_1")).await.status, 200);
    assert_eq!(read(token("user_2", "org_2")).await.status, 404);
}

#[tokio::test(flavor = "multi_thread")]
async fn token_of_no_active_session_is_refused() {
    let setup = Setup::start().await;
    let good = claims("user_1", "org_1");
    for (claim, value) in [
        ("iss", json!("https://clerk.evil.example")),
        ("azp", json!("https://evil.example")),
        ("exp", json!(now() - 6)),
        ("sts", json!("pending")),
    ] {
        let mut claims = good.clone();
        claims[claim] = value;
        assert_eq!(setup.components(&signed(0, &claims)).await, 401, "{claim}");
    }
    let header = |alg: &str| json!({"alg": alg, "kid": "ins_0"});
    for (key, alg) in [(0, "none"), (0, "HS256"), (1, "RS256")] {
        let forged = with_header(key, &header(alg), &good);
        assert_eq!(setup.components(&forged).await, 401, "{alg}");
    }
    assert_eq!(setup.components(&signed(0, &good)).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn known_keys_stay_valid_while_keys_cannot_be_fetched() {
    let setup = Setup::start().await;
    setup.clerk.set("/.well-known/jwks.json", 500, json!({}));
    let list = setup.request(
        reqwest::Method::GET,
        "/component/list",
        &token("user_1", "org_1"),
    );
    let unavailable = send(list).await;
    assert_eq!(
        (
            unavailable.status,
            unavailable.headers.contains_key("retry-after")
        ),
        (503, true),
        "{unavailable:?}"
    );

    setup.clerk.publish(&[0]);
    let status = async || setup.components(&token("user_1", "org_1")).await;
    until(200, status).await;
    setup.clerk.set("/.well-known/jwks.json", 500, json!({}));
    assert_eq!(setup.components(&token("user_1", "org_1")).await, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn names_come_from_the_token_else_from_clerk_and_an_update_bears_its_authors() {
    let setup = Setup::start().await;
    setup.clerk.set(
        "/v1/users/user_1",
        200,
        json!({"id": "user_1", "first_name": "Ann", "last_name": "Lee"}),
    );
    setup.clerk.set(
        "/v1/organizations/org_1",
        200,
        json!({"id": "org_1", "name": "Acme", "slug": "acme"}),
    );
    let ann = token("user_1", "org_1");
    let input = json!({"title": "Down", "description": "All of it"});
    let incident = setup.create(&ann, "/incident/create", input).await.body["data"]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    assert_eq!(setup.name_of("org_1").await, "Acme");

    let mut named = claims("user_2", "org_1");
    named["name"] = json!("Bob");
    named["org_name"] = json!("Acme Ltd");
    // The token's data is newer than the event that Clerk sent before.
    named["iat"] = json!(now() + 2);
    named["act"] = json!({"sub": "user_9"});
    let bob = signed(0, &named);
    let path = format!("/incident/{incident}/updates/create");
    let mut authors = Vec::new();
    for token in [&ann, &bob] {
        let update = setup
            .create(
                token,
                &path,
                json!({"message": "Looking", "status": "IDENTIFIED"}),
            )
            .await;
        authors.push(update.body["data"]["user"].clone());
    }
    let expected = [
        json!({"id": "user_1", "name": "Ann Lee"}),
        json!({"id": "user_2", "name": "Bob (impersonated)"}),
    ];
    assert_eq!(authors, expected);
    assert_eq!(setup.name_of("org_1").await, "Acme Ltd");
}

#[tokio::test(flavor = "multi_thread")]
async fn organisation_without_a_known_name_has_a_page() {
    let setup = Setup::start().await;
    assert_eq!(
        setup.status("org_1").await.status,
        404,
        "nobody has seen it yet"
    );
    assert_eq!(setup.components(&token("user_1", "org_1")).await, 200);
    assert_eq!(setup.name_of("org_1").await, "acme", "its slug stands in");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_built_in_providers_calls_are_not_there() {
    let setup = Setup::start().await;
    let sign_up =
        json!({"name": "Ann", "email": "ann@example.com", "password": crate::app::PASSWORD});
    let signed_up = send(
        cookie_client()
            .post(setup.app.call("/identity/sign-up"))
            .json(&sign_up),
    )
    .await;
    assert_eq!(signed_up.status, 404, "{signed_up:?}");
    let session = send(cookie_client().get(setup.app.call("/identity/session"))).await;
    assert_eq!(session.status, 404, "{session:?}");
    let keys = send(cookie_client().get(format!("{}/.well-known/jwks.json", setup.app.url))).await;
    assert_eq!(keys.status, 404, "Clerk publishes its own");
}
