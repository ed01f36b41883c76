//! `allclear user …` while the server is running.

use allclear_application::clock::Clock;
use allclear_server::clock::SystemClock;
use serde_json::{Value, json};
use tempfile::TempDir;
use totp_rs::{Builder, Secret};

use crate::app::{
    Operator, PASSWORD, TestResponse, assert_status, cookie_client, founder, operator_of, send,
    sign_up,
};
use crate::built_in::mails_in;
use crate::process::{Process, command, run};

/// A running server, of whose organisation Acme Ada is the admin; Bob has another one.
struct Installation<'a> {
    database: &'a [&'a str],
    folder: TempDir,
    process: Process,
    ada: Operator,
    bob: Operator,
}

impl<'a> Installation<'a> {
    /// Starts it on the database that these flags name.
    async fn start(database: &'a [&'a str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        let process = Process::serve(command(&data, database)).await;
        let ada = operator_of(&process.url, "ada@example.com", "Acme").await;
        let client = cookie_client();
        let (url, address) = (&process.url, "bob@example.com");
        let joined = sign_up(&client, url, folder.path(), "Bob", address).await;
        assert_eq!(joined.status, 201, "{joined:?}");
        let bob = founder(client, url, "Beta").await;
        Self {
            database,
            folder,
            process,
            ada,
            bob,
        }
    }

    /// Runs `allclear user` with these arguments. Returns the exit code, the output, and the last
    /// line of the errors.
    async fn user(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let arguments = [&["user"], arguments, self.database].concat();
        let data = self.folder.path().join("data");
        let (code, said, stderr) = run(command(&data, &arguments)).await;
        let last = stderr.lines().last().unwrap_or_default().to_owned();
        (code, said.trim().to_owned(), last)
    }

    async fn make_admin(&self, address: &str, organisation: &str) -> (Option<i32>, String, String) {
        self.user(&["make-admin", address, organisation]).await
    }

    /// The only item of an action in Acme's audit log, as one of its admins reads it.
    async fn audited(&self, admin: &Operator, action: &str) -> Value {
        let identity = format!("{}/api/v1/identity/token", self.process.url);
        let switched = admin.client.post(identity);
        let switched = switched.json(&json!({"organisationId": self.ada.organisation}));
        let token = send(switched).await.body["data"]["token"].clone();
        let audit = format!("{}/api/v1/audit?action={action}", self.process.url);
        let found = admin.client.get(audit).bearer_auth(token.as_str().unwrap());
        let found = send(found).await;
        assert_eq!(found.status, 200, "an admin reads the audit log: {found:?}");
        let items = found.body["data"].as_array().unwrap();
        assert_eq!(items.len(), 1, "{items:?}");
        let actor = json!({"type": "PROVIDER", "id": null, "name": "Command line"});
        assert_eq!(items[0]["actor"], actor);
        assert_eq!(items[0]["address"], json!(null));
        items[0].clone()
    }

    /// Sends a request about Ada's account.
    async fn ada(&self, path: &str, body: Value) -> TestResponse {
        let url = format!("{}/api/v1/identity{path}", self.process.url);
        send(self.ada.client.post(url).json(&body)).await
    }
}

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

async fn make_an_admin(database: &[&str]) {
    let installation = Installation::start(database).await;
    let acme = &*installation.ada.organisation;
    let (code, listed, error) = installation.user(&["list"]).await;
    assert_eq!(code, Some(0), "{error}");
    let lines: Vec<Vec<_>> = listed
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(lines.len(), 2, "{listed}");
    assert_eq!((lines[0][0], lines[0][2]), ("ada@example.com", "admin"));
    assert_eq!((lines[0][3], lines[0][4]), ("Acme", acme));
    assert_eq!((lines[1][0], lines[1][3]), ("bob@example.com", "Beta"));

    for (address, organisation, message) in [
        (
            "nobody@example.com",
            acme,
            "allclear: no account has the address nobody@example.com",
        ),
        (
            "bob@example.com",
            "elsewhere",
            "allclear: there is no organisation elsewhere",
        ),
    ] {
        let (code, _, error) = installation.make_admin(address, organisation).await;
        assert_eq!((code, &*error), (Some(1), message));
    }
    for (address, state) in [("BOB@example.com", "now"), ("bob@example.com", "already")] {
        let (code, said, error) = installation.make_admin(address, acme).await;
        assert_eq!(code, Some(0), "{error}");
        assert_eq!(said, format!("{address} is an admin of {acme} {state}."));
        let is_logged = error.contains("event=\"role-changed\"") && error.contains(acme);
        assert_eq!(is_logged, state == "now", "{error}");
    }
    let item = installation
        .audited(&installation.bob, "member.added")
        .await;
    assert_eq!(item["before"], json!(null));
    assert_eq!(item["after"]["role"], "admin");
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_resets_factors_beside_a_running_server_on_sqlite() {
    reset_factors(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_resets_factors_beside_a_running_server_on_postgresql() {
    let Some(url) = allclear_test_support::postgres() else {
        return;
    };
    reset_factors(&["--database-url", &url]).await;
}

async fn reset_factors(database: &[&str]) {
    let installation = Installation::start(database).await;
    let acme = &*installation.ada.organisation;
    installation.make_admin("bob@example.com", acme).await;
    let began = installation.ada("/user/totp", json!({})).await;
    let secret = began.body["data"]["secret"].as_str().unwrap();
    let secret = Secret::try_from_base32(secret).unwrap();
    let totp = Builder::new().with_secret(secret).build().unwrap();
    let now = u64::try_from(SystemClock.now().timestamp()).unwrap();
    let code = json!({"code": totp.generate(now).to_string()});
    let confirmed = installation.ada("/user/totp/confirm", code).await;
    assert_eq!(confirmed.status, 200, "{confirmed:?}");
    let password = json!({"email": "ada@example.com", "password": PASSWORD});
    let response = installation.ada("/sign-in", password.clone()).await;
    assert_eq!(response.status, 202, "{response:?}");

    let (code, _, error) = installation.user(&["reset-factors", "x@example.com"]).await;
    let message = "allclear: no account has the address x@example.com";
    assert_eq!((code, &*error), (Some(1), message));
    let reset = ["reset-factors", "Ada@example.com"];
    let (code, said, error) = installation.user(&reset).await;
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(
        said,
        "ada@example.com signs in without a second factor now."
    );

    let token = installation.ada("/token", json!({})).await;
    assert_eq!(token.status, 401, "the session has ended: {token:?}");
    let item = installation
        .audited(&installation.bob, "factor.deleted")
        .await;
    assert_eq!(item["target"]["name"], "Ada");
    assert_eq!(item["before"], json!({"factors": [{"type": "TOTP"}]}));
    assert_eq!(item["after"], json!(null));
    let mails = mails_in(installation.folder.path());
    let mail = mails.iter().find(|mail| {
        mail.contains("Subject: The second factors of your account were removed\r\n")
            && mail.contains("To: ada@example.com\r\n")
    });
    let mail = mail.expect("the owner is mailed");
    assert!(mail.contains("An operator of this installation"), "{mail}");
    let signed_in = installation.ada("/sign-in", password).await;
    assert_eq!(signed_in.status, 200, "{signed_in:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_deletes_an_account_beside_a_running_server_on_sqlite() {
    delete_an_account(&[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn operator_deletes_an_account_beside_a_running_server_on_postgresql() {
    let Some(url) = allclear_test_support::postgres() else {
        return;
    };
    delete_an_account(&["--database-url", &url]).await;
}

async fn delete_an_account(database: &[&str]) {
    let installation = Installation::start(database).await;
    let (ada, bob) = (&installation.ada, &installation.bob);
    let acme = &*ada.organisation;
    installation.make_admin("bob@example.com", acme).await;
    // Ada is a member, and Bob the last admin.
    let identity = format!("{}/api/v1/identity", installation.process.url);
    let session = send(ada.client.get(format!("{identity}/session"))).await;
    let id = session.body["data"]["user"]["id"].as_str().unwrap();
    let member = format!("{identity}/organisations/{acme}/members/{id}");
    let demoted = bob.client.patch(member).json(&json!({"role": "viewer"}));
    assert_status(send(demoted), 200).await;
    for (address, message) in [
        (
            "nobody@example.com",
            "allclear: no account has the address nobody@example.com",
        ),
        (
            "ada@example.com",
            "allclear: ada@example.com administers the installation and can only be deleted when it is the last account",
        ),
        (
            "bob@example.com",
            "allclear: bob@example.com is the last admin of Acme: make another person an admin first, with allclear user make-admin",
        ),
    ] {
        let (code, _, error) = installation.user(&["delete", address]).await;
        assert_eq!((code, &*error), (Some(1), message));
    }

    installation.make_admin("ada@example.com", acme).await;
    let (code, said, error) = installation.user(&["delete", "Bob@example.com"]).await;
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(said, "The account of Bob@example.com is deleted.");
    assert!(error.contains("event=\"account-deleted\""), "{error}");
    let token = bob.client.post(format!("{identity}/token"));
    let token = send(token.json(&json!({}))).await;
    assert_eq!(token.status, 401, "the session has ended: {token:?}");
    let item = installation.audited(ada, "member.removed").await;
    assert_eq!(item["target"]["name"], "Deleted account");
    assert_eq!(item["before"]["role"], "admin");
    let (_, listed, _) = installation.user(&["list"]).await;
    let accounts: Vec<_> = listed.lines().collect();
    assert!(
        accounts.len() == 1 && accounts[0].starts_with("ada@example.com\t"),
        "{listed}"
    );
}
