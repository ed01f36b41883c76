//! `allclear user …` while the server is running.

use serde_json::json;

use crate::app::{cookie_client, founder, operator_of, send, sign_up};
use crate::process::{Process, command, run};

#[tokio::test(flavor = "multi_thread")]
async fn operator_makes_an_admin_beside_a_running_server_on_sqlite() {
    make_an_admin(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_makes_an_admin_beside_a_running_server_on_postgresql() {
    let Some(url) = allclear_test_support::postgres() else {
        return;
    };
    make_an_admin(&["--database-url", &url]).await;
}

/// Makes an admin and resets factors in the database that these flags name.
async fn make_an_admin(database: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let with = |arguments: &[&str]| command(&data, &[arguments, database].concat());
    let process = Process::serve(with(&[])).await;
    let ada = operator_of(&process.url, "ada@example.com", "Acme").await;
    let client = cookie_client();
    let joined = sign_up(
        &client,
        &process.url,
        folder.path(),
        "Bob",
        "bob@example.com",
    )
    .await;
    assert_eq!(joined.status, 201, "{joined:?}");
    let bob = founder(client, &process.url, "Beta").await;
    let acme = &*ada.organisation;

    let (code, listed, stderr) = run(with(&["user", "list"])).await;
    assert_eq!(code, Some(0), "{stderr}");
    let lines: Vec<Vec<_>> = listed
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(lines.len(), 2, "{listed}");
    assert_eq!((lines[0][0], lines[0][2]), ("ada@example.com", "admin"));
    assert_eq!((lines[0][3], lines[0][4]), ("Acme", acme));
    assert_eq!((lines[1][0], lines[1][3]), ("bob@example.com", "Beta"));

    let make = |address: &'static str, organisation: &str| {
        run(with(&["user", "make-admin", address, organisation]))
    };
    let (code, _, stderr) = make("nobody@example.com", acme).await;
    assert_eq!(
        (code, stderr.lines().last()),
        (
            Some(1),
            Some("allclear: no account has the address nobody@example.com")
        )
    );
    let (code, _, stderr) = make("bob@example.com", "elsewhere").await;
    assert_eq!(
        (code, stderr.lines().last()),
        (
            Some(1),
            Some("allclear: there is no organisation elsewhere")
        )
    );

    let (code, said, stderr) = make("BOB@example.com", acme).await;
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(
        said.trim(),
        format!("BOB@example.com is an admin of {acme} now.")
    );
    let (code, said, _) = make("bob@example.com", acme).await;
    assert_eq!(
        (code, said.trim()),
        (
            Some(0),
            &*format!("bob@example.com is an admin of {acme} already.")
        )
    );

    let (code, said, stderr) = run(with(&["user", "reset-factors", "ada@example.com"])).await;
    assert_eq!(code, Some(0), "{stderr}");
    assert_eq!(
        said.trim(),
        "ada@example.com signs in without a second factor now."
    );
    let token = format!("{}/api/v1/identity/token", process.url);
    let switched = bob
        .client
        .post(token)
        .json(&json!({"organisationId": acme}));
    let token = send(switched).await.body["data"]["token"]
        .as_str()
        .unwrap()
        .to_owned();
    let audit = format!("{}/api/v1/audit?action=member.added", process.url);
    let found = send(bob.client.get(audit).bearer_auth(token)).await;
    assert_eq!(found.status, 200, "an admin reads the audit log: {found:?}");
    let items = found.body["data"].as_array().unwrap();
    assert_eq!(items.len(), 1, "{items:?}");
    assert_eq!(
        items[0]["actor"],
        json!({"type": "PROVIDER", "id": null, "name": "Command line"})
    );
    assert_eq!(items[0]["before"], json!(null));
    assert_eq!(items[0]["after"]["role"], "admin");
    assert_eq!(items[0]["address"], json!(null));
}
