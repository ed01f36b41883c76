//! Secrets that the server issues, keeps or is configured with are in no item of the audit log, no
//! line of the log at any level, and no error.

use std::fs::read_to_string;

use allclear_application::clock::Clock;
use allclear_server::clock::SystemClock;
use reqwest::Method;
use sea_orm::{ConnectionTrait, Statement};
use serde_json::{Value, json};
use totp_rs::{Builder, Secret};
use url::Url;

use super::assert_hidden;
use crate::app::{
    Operator, PASSWORD, TestResponse, client, client_builder, cookie_client, operator_of, send,
};
use crate::built_in::passkey::authenticator::Authenticator;
use crate::channel::receiver::Receiver;
use crate::clerk::fake_clerk::signed;
use crate::delivery::mail_server::MailServer;
use crate::openid::lying_provider::LyingProvider;
use crate::openid::{flags, parameter};
use crate::process::{Process, command, lasting_port};
use crate::socket::Client;

const MAIL_PASSWORD: &str = "CanaryMail4c1d";
const PROVIDER_SECRET: &str = "secret-of-the-client";
const PROVIDER_CODE: &str = "CanaryCode6a3b";
const OTHER_PASSWORD: &str = "CanaryPassword7d4e";
const ADDRESS: &str = "ada@example.com";

/// A server with everything that has secrets, and what was collected of them.
struct SecretCollector {
    process: Process,
    ada: Operator,
    mail: MailServer,
    receiver: Receiver,
    /// Kind and text of each secret.
    secrets: Vec<(&'static str, String)>,
    errors: Vec<String>,
}

impl SecretCollector {
    fn call(&self, path: &str) -> String {
        format!("{}/api/v1{path}", self.process.url)
    }

    fn keep(&mut self, kind: &'static str, secret: &Value) {
        let secret = secret.as_str().unwrap();
        assert!(secret.len() >= 9, "{kind}: {secret}");
        self.secrets.push((kind, secret.to_owned()));
    }

    /// Keeps the values of the cookies that a response sets.
    fn keep_cookies(&mut self, kind: &'static str, response: &TestResponse) {
        let cookies = response.headers.get_all("set-cookie").iter();
        let values = cookies.filter_map(|cookie| {
            let (_, value) = cookie
                .to_str()
                .unwrap()
                .split_once(';')?
                .0
                .split_once('=')?;
            (!value.is_empty()).then(|| value.to_owned())
        });
        let values: Vec<_> = values.collect();
        assert!(!values.is_empty(), "{kind}");
        for value in values {
            self.keep(kind, &json!(value));
        }
    }

    async fn post(&self, by: &reqwest::Client, path: &str, body: Value) -> TestResponse {
        send(by.post(self.call(path)).json(&body)).await
    }

    /// Sends a request that must succeed; returns its data.
    async fn done(&self, by: &reqwest::Client, path: &str, body: Value) -> Value {
        let response = self.post(by, path, body).await;
        assert!(response.status < 300, "{path}: {response:?}");
        response.body["data"].clone()
    }

    /// Sends a request that must be refused, and keeps the error.
    async fn refused(&mut self, by: &reqwest::Client, path: &str, body: Value) {
        let response = self.post(by, path, body).await;
        assert!(response.status >= 400, "{path}: {response:?}");
        self.errors.push(response.body.to_string());
    }

    /// The text after this word in the next mail that contains the word.
    async fn mailed(&mut self, word: &str) -> String {
        loop {
            let mail = self.mail.mail().await;
            let text = mail["text"].as_str().unwrap();
            if let Some((_, rest)) = text.split_once(word) {
                let is_token =
                    |letter: &char| letter.is_ascii_alphanumeric() || "-_".contains(*letter);
                return rest.chars().take_while(is_token).collect();
            }
        }
    }

    async fn sessions_and_passwords(&mut self) {
        let there = cookie_client();
        let path = "/identity/sign-in";
        let credentials = json!({"email": ADDRESS, "password": PASSWORD});
        let signed_in = self.post(&there, path, credentials).await;
        assert_eq!(signed_in.status, 200, "{signed_in:?}");
        self.keep_cookies("session cookie", &signed_in);
        self.done(
            &there,
            "/identity/password-reset",
            json!({"email": ADDRESS}),
        )
        .await;
        let token = self.mailed("reset=").await;
        self.keep("reset token", &json!(token));
        let reset = json!({"token": token, "password": OTHER_PASSWORD});
        let path = "/identity/password-reset/confirm";
        self.done(&there, path, reset.clone()).await;
        self.refused(&there, path, reset).await;
        self.keep("new password", &json!(OTHER_PASSWORD));
        let by = self.ada.client.clone();
        let credentials = json!({"email": ADDRESS, "password": OTHER_PASSWORD});
        self.done(&by, "/identity/sign-in", credentials).await;
        let organisation = json!({"organisationId": self.ada.organisation});
        let token = self.done(&by, "/identity/token", organisation).await["token"].clone();
        self.keep("bearer token", &token);
        self.ada.token = token.as_str().unwrap().to_owned();
        let path = format!(
            "/identity/organisations/{}/invitations",
            self.ada.organisation
        );
        let invited = json!({"email": "bob@example.com", "role": "viewer"});
        self.done(&by, &path, invited).await;
        let invitation = self.mailed("invitation=").await;
        self.keep("invitation", &json!(invitation));
        let inspect = "/identity/invitations/inspect";
        self.done(&there, inspect, json!({"token": invitation}))
            .await;
    }

    async fn passkeys(&mut self) {
        let by = self.ada.client.clone();
        let mut phone = Authenticator::new(&self.process.url.replace("127.0.0.1", "localhost"));
        let path = "/identity/user/passkeys";
        let challenge = self.post(&by, &format!("{path}/options"), json!({})).await;
        self.keep_cookies("passkey ceremony", &challenge);
        let response = phone.create(&challenge.body["data"]);
        let attested = &response["response"]["attestationObject"];
        self.keep("passkey", attested);
        let added = json!({"name": "Phone", "response": response});
        let added = self.done(&by, path, added).await;
        let codes = added["recoveryCodes"].as_array().unwrap().clone();
        for code in &codes {
            self.keep("recovery code", code);
        }

        let there = cookie_client();
        let path = "/identity/sign-in/passkey";
        let options = json!({"afterPassword": false});
        let challenge = self.done(&there, &format!("{path}/options"), options).await;
        let response = phone.get(&challenge);
        self.keep("passkey", &response["response"]["signature"]);
        let response = json!({"response": response});
        self.done(&there, path, response.clone()).await;
        self.refused(&there, path, response).await;

        let there = cookie_client();
        let credentials = json!({"email": ADDRESS, "password": OTHER_PASSWORD});
        let first = self.post(&there, "/identity/sign-in", credentials).await;
        assert_eq!(first.status, 202, "{first:?}");
        self.keep_cookies("first step of a sign-in", &first);
        let code = json!({"code": codes[0]});
        self.done(&there, "/identity/sign-in/code", code.clone())
            .await;
        self.refused(&there, "/identity/sign-in/code", code).await;
    }

    async fn authenticator_app(&mut self) {
        let by = self.ada.client.clone();
        let path = "/identity/user/totp";
        let began = self.done(&by, path, json!({})).await;
        self.keep("TOTP secret", &began["secret"]);
        let secret = Secret::try_from_base32(began["secret"].as_str().unwrap()).unwrap();
        let totp = Builder::new().with_secret(secret).build().unwrap();
        let now = u64::try_from(SystemClock.now().timestamp()).unwrap();
        let confirm = format!("{path}/confirm");
        self.refused(&by, &confirm, json!({"code": OTHER_PASSWORD}))
            .await;
        let code = totp.generate(now).to_string();
        self.done(&by, &confirm, json!({"code": code})).await;
        let renewed = "/identity/user/recovery-codes";
        let renewed = self.done(&by, renewed, json!({})).await;
        for code in renewed["recoveryCodes"].as_array().unwrap() {
            self.keep("recovery code", code);
        }
    }

    async fn keys_and_webhooks(&mut self) {
        let made = self
            .ada
            .create("/api-key/create", json!({"name": "Deploys"}));
        let made = made.await;
        self.keep("API key", &made["key"]);
        let list = self.call("/component/list");
        let key = made["key"].as_str().unwrap();
        let with_key = || client().get(&list).bearer_auth(key);
        assert_eq!(send(with_key()).await.status, 200);
        self.sockets(key).await;
        let path = format!("/api-key/{}", made["id"].as_str().unwrap());
        assert_eq!(self.ada.delete(&path).await.status, 200);
        let revoked = send(with_key()).await;
        assert_eq!(revoked.status, 401);
        self.errors.push(revoked.body.to_string());
        let result = Client::connect(&self.process.url, json!({"token": key}), &[]).await;
        self.errors.push(result.err().unwrap().to_string());

        let target = self.receiver.url("/CanaryHook8f5a");
        self.keep("address of a chat", &json!("CanaryHook8f5a"));
        let hook = json!({"channel": "webhook", "target": target});
        let hook = self.ada.create("/subscriber", hook).await;
        self.keep("webhook secret", &hook["secret"]);
        let first = self.receiver.next().await;
        let link = first.json()["confirmation"]["url"].clone();
        let link: Url = link.as_str().unwrap().parse().unwrap();
        let verified: serde_json::Map<_, _> = link
            .query_pairs()
            .map(|(name, value)| (name.into_owned(), json!(value)))
            .collect();
        let verified = json!(verified);
        self.keep("verification code", &verified["verificationCode"]);
        self.done(&client(), "/subscriber/verify", verified).await;
        let path = format!("/subscriber/{}/rotate-secret", hook["id"].as_str().unwrap());
        let rotated = self.ada.create_at(&path).await;
        self.keep("webhook secret", &rotated["secret"]);
    }

    /// Handshakes with a key and with a token, in the header and in `auth`.
    async fn sockets(&self, key: &str) {
        let url = &self.process.url;
        for secret in [key, &self.ada.token] {
            Client::signed_in(url, secret).await;
            let bearer = format!("Bearer {secret}");
            let by_header = Client::connect(url, json!({}), &[("authorization", &bearer)]).await;
            assert!(by_header.is_ok());
        }
    }

    /// A link with which a mail program unsubscribes; its code is in the query.
    async fn one_click(&mut self) {
        let subscriber = json!({"email": "carl@example.com", "orgId": self.ada.organisation});
        self.done(&client(), "/subscriber/public", subscriber).await;
        let code = self.mailed("unsubscribeCode=").await;
        self.keep("one-click code", &json!(code));
        for (end, is_right) in [("x", false), ("", true)] {
            let fields = [
                ("email", "carl@example.com"),
                ("orgId", &self.ada.organisation),
                ("unsubscribeCode", &format!("{code}{end}")),
            ];
            let url = self.call("/subscriber/unsubscribe/one-click");
            let request = client()
                .post(Url::parse_with_params(&url, fields).unwrap())
                .header("content-type", "application/x-www-form-urlencoded")
                .body("List-Unsubscribe=One-Click");
            let response = send(request).await;
            assert_eq!(response.status < 300, is_right, "{response:?}");
            self.errors.push(response.body.to_string());
        }
    }

    async fn provider(&mut self, provider: &LyingProvider) {
        let browser = client_builder()
            .cookie_store(true)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .unwrap();
        let path = "/identity/oidc/liar/start";
        for is_good in [false, true] {
            let challenge = self.post(&browser, path, json!({"returnTo": "/"})).await;
            self.keep_cookies("OpenID Connect state", &challenge);
            let url: Url = challenge.body["data"]["url"]
                .as_str()
                .unwrap()
                .parse()
                .unwrap();
            let token = if is_good {
                signed(0, &provider.claims(&url))
            } else {
                "CanaryToken9a6b".to_owned()
            };
            self.keep("ID token", &json!(token));
            provider.set(|responses| responses.token = token);
            let mut callback: Url = self.call("/identity/oidc/callback").parse().unwrap();
            callback
                .query_pairs_mut()
                .append_pair("code", PROVIDER_CODE)
                .append_pair("state", &parameter(&url, "state"));
            let led = browser.get(callback).send().await.unwrap();
            assert_eq!(led.status(), 303);
            self.errors.push(led.text().await.unwrap());
        }
        self.keep("OpenID Connect client", &json!(PROVIDER_SECRET));
        self.keep("OpenID Connect code", &json!(PROVIDER_CODE));
    }

    /// The audit log in each form.
    async fn audit(&self) -> Vec<String> {
        let mut forms = Vec::new();
        for query in ["", "?format=csv", "?format=jsonl"] {
            let request = self.ada.request(Method::GET, &format!("/audit{query}"));
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), 200);
            forms.push(response.text().await.unwrap());
        }
        forms
    }
}

impl Operator {
    /// The data of the response to a request without a body.
    async fn create_at(&self, path: &str) -> Value {
        let response = self.post(path, json!({})).await;
        assert_eq!(response.status, 200, "{response:?}");
        response.body["data"].clone()
    }
}

/// The secrets of the installation: in its database, and in its data folder.
async fn installation(data: &std::path::Path) -> Vec<(&'static str, String)> {
    let url = format!("sqlite:{}?mode=ro", data.join("allclear.db").display());
    let database = sea_orm::Database::connect(url).await.unwrap();
    let select = "SELECT private_key FROM signing_keys UNION ALL SELECT salt FROM installation";
    let backend = database.get_database_backend();
    let rows = database.query_all_raw(Statement::from_string(backend, select));
    let rows = rows.await.unwrap();
    assert!(rows.len() >= 2);
    rows.iter()
        .map(|row| {
            let text: String = row.try_get_by_index(0).unwrap();
            // A key has several lines; the longest part is enough.
            let part = text.split_whitespace().max_by_key(|part| part.len());
            ("key of the installation", part.unwrap().to_owned())
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_issued_or_configured_secret_is_in_the_audit_log_the_log_or_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let account = json!({"port": lasting_port(), "user": "ann", "password": MAIL_PASSWORD});
    let mail = MailServer::start_with(&account).await;
    let provider = LyingProvider::start();
    let smtp = format!("smtp://ann:{MAIL_PASSWORD}@127.0.0.1:{}", mail.port);
    let openid = flags("liar", &provider.issuer, &[]);
    let mut arguments = vec![
        "--log",
        "trace",
        "--log-format",
        "json",
        "--smtp-url",
        &smtp,
    ];
    arguments.extend([
        "--webhook-allow",
        "127.0.0.1",
        "--oidc-providers",
        "liar",
        "--limit-sign-in",
        "1000/1000",
    ]);
    arguments.extend(openid.iter().map(String::as_str));
    let server = command(&data, &arguments);
    let process = Process::serve_with_json_log(server, &log).await;
    let ada = operator_of(&process.url, ADDRESS, "Acme").await;
    let mut collector = SecretCollector {
        process,
        ada,
        mail,
        receiver: Receiver::start().await,
        secrets: vec![("SMTP password", MAIL_PASSWORD.to_owned())],
        errors: Vec::new(),
    };
    collector.sessions_and_passwords().await;
    collector.keys_and_webhooks().await;
    collector.one_click().await;
    collector.provider(&provider).await;
    collector.passkeys().await;
    collector.authenticator_app().await;

    let mut texts = collector.audit().await;
    texts.append(&mut collector.errors);
    let secrets = [collector.secrets, installation(&data).await].concat();
    assert_eq!(collector.process.terminate().await, Some(0));
    let log = read_to_string(&log).unwrap();
    assert!(log.contains("\"level\":\"TRACE\""), "a log at each level");
    assert_hidden(
        &secrets,
        log.lines().chain(texts.iter().map(String::as_str)),
    );
}
