//! The provider of `apps/web/e2e/openid-provider.mjs`, which other people wrote.

use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use url::Url;

use super::{Browser, flags};
use crate::app::TestApp;
use crate::process::lasting_port;

/// A provider in a process of its own, which ends with the test.
pub(super) struct RealProvider {
    pub(super) issuer: String,
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl RealProvider {
    /// A provider for a server at this address.
    async fn start(url: &str) -> Self {
        let program =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../apps/web/e2e/openid-provider.mjs");
        let mut command = Command::new("node");
        command
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        let mut child = command.spawn().expect("the provider needs Node");
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut provider = Self {
            issuer: String::new(),
            input: child.stdin.take().unwrap(),
            lines,
            child,
        };
        let client = json!({
            "id": "allclear", "secret": "secret-of-the-client",
            "redirectUri": format!("{url}/api/v1/identity/oidc/callback"),
            "signedOutUri": format!("{url}/login"),
        });
        let listening = provider.send(&json!({"clients": [client]})).await;
        provider.issuer = format!("http://127.0.0.1:{}", listening["listening"]);
        provider
    }

    /// Sends a line and returns the response.
    pub(super) async fn send(&mut self, message: &Value) -> Value {
        let line = format!("{message}\n");
        self.input.write_all(line.as_bytes()).await.unwrap();
        loop {
            let line = self.lines.next_line().await.unwrap();
            let line = line.expect("the provider has ended");
            if line.starts_with('{') {
                return serde_json::from_str(&line).unwrap();
            }
        }
    }

    pub(super) async fn stop(mut self) {
        self.child.kill().await.unwrap();
    }
}

/// A server with a real provider.
pub(super) struct Setup {
    pub(super) app: TestApp,
    pub(super) provider: RealProvider,
}

impl Setup {
    pub(super) async fn new() -> Self {
        Self::with(&[]).await
    }

    /// A server whose provider has these further settings.
    pub(super) async fn with(settings: &[&str]) -> Self {
        let port = lasting_port();
        let (listen, url) = (
            format!("127.0.0.1:{port}"),
            format!("http://127.0.0.1:{port}"),
        );
        let provider = RealProvider::start(&url).await;
        let mut flags = flags(
            "real",
            &provider.issuer,
            &[&["name=Real"], settings].concat(),
        );
        for (flag, value) in [
            ("--oidc-providers", "real"),
            ("--listen", &listen),
            ("--public-url", &url),
        ] {
            flags.extend([flag.to_owned(), value.to_owned()]);
        }
        let flags: Vec<_> = flags.iter().map(String::as_str).collect();
        Self {
            app: TestApp::start_with(&flags).await,
            provider,
        }
    }
}

impl Browser {
    /// Signs a person in at the provider's own pages; returns the address of the callback.
    pub(super) async fn sign_in_at(&self, provider_url: &Url, login: &str) -> String {
        let mut at = provider_url.clone();
        let mut form: Option<Vec<(String, String)>> = None;
        for _ in 0..12 {
            if at.path().ends_with("/oidc/callback") {
                return at.to_string();
            }
            let request = match form.take() {
                Some(fields) => {
                    let encoded = url::form_urlencoded::Serializer::new(String::new())
                        .extend_pairs(fields)
                        .finish();
                    let kind = "application/x-www-form-urlencoded";
                    self.client
                        .post(at.clone())
                        .header("content-type", kind)
                        .body(encoded)
                }
                None => self.client.get(at.clone()),
            };
            let response = request.send().await.unwrap();
            if response.status().is_redirection() {
                at = at.join(&super::location(&response)).unwrap();
                continue;
            }
            let (status, page) = (response.status(), response.text().await.unwrap());
            if page.contains("name=\"login\"") {
                let fields = [("prompt", "login"), ("login", login), ("password", "any")];
                form = Some(
                    fields
                        .map(|(name, value)| (name.into(), value.into()))
                        .into(),
                );
            } else {
                // A form that a script submits: another person's session at the provider ends.
                assert!(page.contains("forms[0].submit()"), "{status} {at}: {page}");
                at = between(&page, "action=\"", "\"").parse().unwrap();
                form = Some(hidden_fields(&page));
            }
        }
        panic!("the provider leads nowhere: {at}");
    }
}

/// The names and values of the hidden fields of a page.
fn hidden_fields(page: &str) -> Vec<(String, String)> {
    let inputs = page.split("<input type=\"hidden\"").skip(1);
    let fields = inputs.map(|input| {
        let name = between(input, "name=\"", "\"").to_owned();
        (name, between(input, "value=\"", "\"").to_owned())
    });
    fields.collect()
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> &'a str {
    let (_, rest) = text.split_once(start).unwrap();
    rest.split_once(end).unwrap().0
}
