//! The binary on a database of a released version.

use reqwest::Client;
use serde_json::json;
use tokio::process::Command;

use crate::app::{
    Operator, PASSWORD, assert_status, cookie_client, mailed_token, send, sign_up, token,
};
use crate::process::{Process, command};
use allclear_test_support::postgres;

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../migrations/schemas");

/// The files of PostgreSQL stand for both: psql reads them, and it is there wherever PostgreSQL is.
#[tokio::test(flavor = "multi_thread")]
async fn account_of_a_released_version_works_in_this_one() {
    for entry in std::fs::read_dir(KEPT).unwrap() {
        let path = entry.unwrap().path();
        if !path.to_str().unwrap().ends_with(".postgresql.sql") {
            continue;
        }
        let Some(database) = postgres() else {
            return;
        };
        let mut psql = Command::new("psql");
        let filled = psql
            .args([&database, "-qv", "ON_ERROR_STOP=1", "-o", "/dev/null", "-f"])
            .arg(&path);
        assert!(
            filled.status().await.unwrap().success(),
            "{}",
            path.display()
        );
        let folder = tempfile::tempdir().unwrap();
        let own = [
            "--database-url",
            &database,
            "--public-url",
            "http://kept.example",
            "--log",
            "error",
        ];
        let process = Process::serve(command(&folder.path().join("data"), &own)).await;

        let client = cookie_client();
        let identity = format!("{}/api/v1/identity", process.url);
        let ada = json!({"email": "ada@example.com", "password": PASSWORD});
        assert_status(
            send(client.post(format!("{identity}/sign-in")).json(&ada)),
            200,
        )
        .await;
        let session = send(client.get(format!("{identity}/session"))).await.body["data"].clone();
        let organisation = session["organisations"][0]["id"]
            .as_str()
            .unwrap()
            .to_owned();
        let token = token(&client, &process.url, &organisation).await;
        let operator = Operator {
            url: process.url.clone(),
            organisation,
            token,
            client,
        };
        assert_eq!(
            operator.get("/incident/list").await.body["data"][0]["title"],
            "Down"
        );
        operator.component("New").await;
        let components = operator.snapshot().await["components"].clone();
        assert_eq!(
            (&components[0]["name"], &components[1]["name"]),
            (&json!("New"), &json!("API"))
        );
    }
}

/// An account that is not the oldest of its address keeps everything, and is usable once it has
/// proved another address.
#[tokio::test(flavor = "multi_thread")]
async fn an_account_whose_address_an_older_one_has_proves_another_one_first() {
    let Some(database) = postgres() else {
        return;
    };
    let older = "INSERT INTO public.users VALUES ('00000000-0000-7000-8000-000000000001', 'Eve', 'ada@example.com',
        'ada@example.com', '$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', false, now())";
    let mut psql = Command::new("psql");
    let filled = psql
        .args([&database, "-qv", "ON_ERROR_STOP=1", "-o", "/dev/null"])
        .args(["-f", &format!("{KEPT}/0.1.postgresql.sql"), "-c", older]);
    assert!(filled.status().await.unwrap().success());
    let folder = tempfile::tempdir().unwrap();
    let own = [
        "--database-url",
        &database,
        "--public-url",
        "http://kept.example",
    ];
    let process = Process::serve(command(&folder.path().join("data"), &own)).await;
    let client = cookie_client();
    let post_as = |client: &Client, call: &str, body: serde_json::Value| {
        let call = format!("{}/api/v1/identity{call}", process.url);
        send(client.post(call).json(&body))
    };
    let post = |call: &str, body| post_as(&client, call, body);
    let entered = post(
        "/sign-in",
        json!({"email": "ada@example.com", "password": PASSWORD}),
    )
    .await;
    assert_eq!(entered.status, 200, "{entered:?}");
    assert_eq!(entered.body["data"]["user"]["needsAddress"], true);
    assert_eq!(post("/token", json!({})).await.status, 403);
    let response = post("/user/address", json!({"email": "ada@new.example"})).await;
    assert_eq!(
        (response.status, &response.body["data"]),
        (202, &json!({"pending": true}))
    );
    let token = mailed_token(folder.path(), "ada@new.example", "address=").await;
    let confirm = json!({"token": token});
    let bob = cookie_client();
    sign_up(&bob, &process.url, folder.path(), "Bob", "bob@example.com").await;
    let refused = post_as(&bob, "/user/address/confirm", confirm.clone()).await;
    assert_eq!(
        (refused.status, &refused.body["message"]),
        (
            400,
            &json!("This link is wrong, has expired or belongs to another account")
        ),
        "{refused:?}"
    );
    let confirmed = post("/user/address/confirm", confirm.clone()).await;
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    assert_eq!(confirmed.body["data"]["user"]["needsAddress"], false);
    assert_eq!(post("/user/address/confirm", confirm).await.status, 400);
    assert_eq!(post("/token", json!({})).await.status, 200);
    let session = format!("{}/api/v1/identity/session", process.url);
    let session = send(client.get(session)).await.body["data"].clone();
    let acme = session["organisations"][0]["id"].as_str().unwrap();
    let bearer = crate::app::token(&client, &process.url, acme).await;
    let audit = format!("{}/api/v1/audit?action=account.updated", process.url);
    let audit = send(client.get(audit).bearer_auth(bearer)).await;
    let items = audit.body["data"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{audit:?}");
    assert_eq!(
        (
            &items[0]["before"]["needsAddress"],
            &items[0]["after"]["needsAddress"]
        ),
        (&json!(true), &json!(false))
    );
    let again = post(
        "/sign-in",
        json!({"email": "Ada@new.example", "password": PASSWORD}),
    )
    .await;
    assert_eq!(again.status, 200, "{again:?}");
}
