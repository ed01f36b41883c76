//! The mail server of `crates/mail/tests/smtp/server.mjs`, which reports each mail.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

use crate::process::lasting_port;

/// Timeout of every wait. A test that reaches it has failed.
const TIMEOUT: Duration = Duration::from_secs(90);

/// A mail server in a process of its own, which ends with the test.
pub(crate) struct MailServer {
    pub(crate) port: u16,
    child: Child,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl MailServer {
    pub(crate) async fn start() -> Self {
        Self::start_at(lasting_port()).await
    }

    /// At a port, where one was before.
    pub(crate) async fn start_at(port: u16) -> Self {
        Self::start_with(&json!({"port": port})).await
    }

    /// With a port, and the user and password that it takes.
    pub(crate) async fn start_with(options: &Value) -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("../mail/tests/smtp/server.mjs");
        let mut command = Command::new("node");
        command
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().expect("the mail server needs Node");
        let mut input = child.stdin.take().unwrap();
        input
            .write_all(format!("{options}\n").as_bytes())
            .await
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut server = Self {
            port: 0,
            child,
            input,
            lines,
        };
        server.port = server
            .next("listening")
            .await
            .as_u64()
            .unwrap()
            .try_into()
            .unwrap();
        server
    }

    /// Ends the server with all its connections; returns its port.
    pub(crate) async fn stop(mut self) -> u16 {
        self.child.kill().await.unwrap();
        self.port
    }

    /// The next mail it takes.
    pub(crate) async fn mail(&mut self) -> Value {
        self.next("mail").await
    }

    /// The next mail it takes, whenever that is; `None` once it has ended.
    pub(crate) async fn received(&mut self) -> Option<Value> {
        loop {
            let line = self.lines.next_line().await.ok()??;
            let line: Value = serde_json::from_str(&line).unwrap();
            if let Some(mail) = line.get("mail") {
                return Some(mail.clone());
            }
        }
    }

    /// Every mail it has taken before it closes all connections.
    pub(crate) async fn rest(&mut self) -> Vec<Value> {
        self.input.write_all(b"close\n").await.unwrap();
        let mut mails = Vec::new();
        loop {
            let line = self.line().await;
            if line.get("closed").is_some() {
                return mails;
            }
            mails.extend(line.get("mail").cloned());
        }
    }

    async fn next(&mut self, kind: &str) -> Value {
        loop {
            if let Some(value) = self.line().await.get(kind) {
                return value.clone();
            }
        }
    }

    async fn line(&mut self) -> Value {
        let line = tokio::time::timeout(TIMEOUT, self.lines.next_line())
            .await
            .expect("a report in time");
        let line = line
            .unwrap()
            .expect("it runs: are the web app's packages installed (npm --prefix apps/web ci)?");
        serde_json::from_str(&line).unwrap()
    }
}

/// A header of a mail that was received.
pub(crate) fn header<'a>(mail: &'a Value, name: &str) -> &'a str {
    let headers = mail["headers"].as_array().unwrap();
    let found = headers
        .iter()
        .find(|header| header[0].as_str().unwrap().eq_ignore_ascii_case(name));
    found.unwrap_or_else(|| panic!("no {name} in {headers:?}"))[1]
        .as_str()
        .unwrap()
}
