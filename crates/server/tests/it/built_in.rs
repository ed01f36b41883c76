//! Routes of the built-in identity provider.

mod access;
mod account;
mod invitation;
pub(crate) mod passkey;
mod password;
mod same_origin;
mod second_factor;
mod security_log;
mod session_list;
mod throttle;

use std::path::{Path, PathBuf};

use reqwest::{Client, Method};
use serde_json::{Value, json};

use crate::app::{TestApp, TestResponse, cookie_client, send, token};

/// A person with a browser.
pub(crate) struct Person {
    pub(crate) client: Client,
    pub(crate) email: String,
    url: String,
}

impl Person {
    /// A person without an account.
    pub(crate) fn new(app: &TestApp, email: &str) -> Self {
        Self {
            client: cookie_client(),
            email: email.into(),
            url: app.url.clone(),
        }
    }

    /// A person with an account, signed in.
    pub(crate) async fn signed_up(app: &TestApp, email: &str) -> Self {
        Self {
            client: app.account(email).await.0,
            ..Self::new(app, email)
        }
    }

    pub(crate) async fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
    ) -> TestResponse {
        let mut request = self
            .client
            .request(method, format!("{}/api/v1/identity{path}", self.url));
        if let Some(body) = body {
            request = request.json(&body);
        }
        send(request).await
    }

    pub(crate) async fn get(&self, path: &str) -> TestResponse {
        self.call(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> TestResponse {
        self.call(Method::POST, path, Some(body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: Value) -> TestResponse {
        self.call(Method::PATCH, path, Some(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> TestResponse {
        self.call(Method::DELETE, path, None).await
    }

    pub(crate) async fn sign_up(&self, password: &str) -> TestResponse {
        self.post(
            "/sign-up",
            json!({"name": "Ada", "email": self.email, "password": password}),
        )
        .await
    }

    pub(crate) async fn sign_in(&self, password: &str) -> TestResponse {
        self.post(
            "/sign-in",
            json!({"email": self.email, "password": password}),
        )
        .await
    }

    pub(crate) async fn session(&self) -> Value {
        let response = self.get("/session").await;
        assert_eq!(response.status, 200, "{response:?}");
        response.body["data"].clone()
    }

    /// The person's identifier.
    pub(crate) async fn id(&self) -> String {
        self.session().await["user"]["id"]
            .as_str()
            .unwrap()
            .to_owned()
    }

    /// Creates an organisation and returns its identifier.
    pub(crate) async fn organisation(&self) -> String {
        let response = self.post("/organisations", json!({"name": "Acme"})).await;
        assert_eq!(response.status, 201, "{response:?}");
        response.body["data"]["id"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn token(&self, organisation: &str) -> String {
        token(&self.client, &self.url, organisation).await
    }

    /// Requests the components with a token; returns the status.
    pub(crate) async fn components(&self, token: &str) -> u16 {
        let request = self
            .client
            .get(format!("{}/api/v1/component/list", self.url))
            .bearer_auth(token);
        send(request).await.status
    }

    /// Invites an address into an organisation; returns the token of the mailed link.
    pub(crate) async fn invite(
        &self,
        app: &TestApp,
        organisation: &str,
        email: &str,
        role: &str,
    ) -> String {
        let path = format!("/organisations/{organisation}/invitations");
        let response = self
            .post(&path, json!({"email": email, "role": role}))
            .await;
        assert_eq!(response.status, 201, "{response:?}");
        mailed(app, email, "invitation=").pop().unwrap()
    }

    /// A person with an account who has accepted an invitation.
    pub(crate) async fn member(
        app: &TestApp,
        admin: &Self,
        organisation: &str,
        email: &str,
        role: &str,
    ) -> Self {
        let person = Self::signed_up(app, email).await;
        let link = admin.invite(app, organisation, email, role).await;
        let accepted = person
            .post("/invitations/accept", json!({"token": link}))
            .await;
        assert_eq!(
            accepted.body["data"]["organisation"]["id"], organisation,
            "{accepted:?}"
        );
        person
    }
}

/// The text after this word in the links of the mails to an address, oldest mail first.
pub(crate) fn mailed(app: &TestApp, to: &str, word: &str) -> Vec<String> {
    mailed_in(app.folder.path(), to, word)
}

/// Likewise, of a server in this folder.
pub(crate) fn mailed_in(folder: &Path, to: &str, word: &str) -> Vec<String> {
    let mails = mails_in(folder);
    let to_them = mails
        .iter()
        .filter(|mail| mail.contains(&format!("To: {to}\r\n")));
    to_them.flat_map(|mail| tokens(mail, word)).collect()
}

/// Every mail, oldest first, its quoted-printable lines joined.
pub(crate) fn mails(app: &TestApp) -> Vec<String> {
    mails_in(app.folder.path())
}

/// Every mail of a server in this folder, likewise.
pub(crate) fn mails_in(folder: &Path) -> Vec<String> {
    let folder = std::fs::read_dir(folder.join("data/mail")).unwrap();
    let mut files: Vec<PathBuf> = folder.map(|file| file.unwrap().path()).collect();
    files.sort();
    let read = |file: &PathBuf| {
        std::fs::read_to_string(file)
            .unwrap()
            .replace("=\r\n", "")
            .replace("=3D", "=")
    };
    files
        .iter()
        .filter(|file| file.extension().is_some_and(|kind| kind == "eml"))
        .map(read)
        .collect()
}

/// The tokens in the plain text of a mail.
fn tokens(mail: &str, word: &str) -> Vec<String> {
    let (text, _) = mail.split_once("text/html").unwrap();
    let after = text.split(word).skip(1);
    after
        .map(|rest| {
            rest.chars()
                .take_while(|letter| letter.is_ascii_alphanumeric() || "-_".contains(*letter))
                .collect()
        })
        .collect()
}
