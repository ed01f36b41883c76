//! The mail server, and the mailer that is tested against it.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use allclear_application::clock::TestClock;
use allclear_application::mail::{Mail, MailContent, Mailer, SendError};
use allclear_mail::sender::Sender;
use allclear_mail::smtp::{Server, SmtpLimits, SmtpMailer};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Timeout of every wait. A test that reaches it has failed.
const TIMEOUT: Duration = Duration::from_mins(1);

/// A mail server in a process of its own, which ends with the test. `tests/smtp/server.mjs` says
/// what it does.
pub(crate) struct MailServer {
    pub(crate) port: u16,
    input: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
    _child: Child,
}

impl MailServer {
    pub(crate) async fn start() -> Self {
        Self::start_with(json!({})).await
    }

    pub(crate) async fn start_with(options: Value) -> Self {
        let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/smtp/server.mjs");
        let mut command = Command::new("node");
        command
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().expect("the mail server needs Node");
        let mut input = child.stdin.take().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        input
            .write_all(format!("{options}\n").as_bytes())
            .await
            .unwrap();
        let mut server = Self {
            port: 0,
            input,
            lines,
            _child: child,
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

    /// The next report of this kind from the server.
    pub(crate) async fn next(&mut self, kind: &str) -> Value {
        let reading = async {
            loop {
                let line = self.lines.next_line().await.unwrap();
                let line = line.expect(
                    "it runs: are the web app's packages installed (npm --prefix apps/web ci)?",
                );
                let line: Value = serde_json::from_str(&line).unwrap();
                if let Some(value) = line.get(kind) {
                    return value.clone();
                }
            }
        };
        tokio::time::timeout(TIMEOUT, reading)
            .await
            .unwrap_or_else(|_| panic!("its response contains no {kind}"))
    }

    pub(crate) async fn mail(&mut self) -> Value {
        self.next("mail").await
    }

    /// Closes every connection, and waits until it has.
    pub(crate) async fn close(&mut self) {
        self.input.write_all(b"close\n").await.unwrap();
        self.next("closed").await;
    }

    pub(crate) fn url(&self) -> String {
        format!("smtp://localhost:{}", self.port)
    }

    pub(crate) fn mailer(&self) -> SmtpMailer {
        mailer(&self.url(), SmtpLimits::default())
    }
}

pub(crate) fn mailer(url: &str, limits: SmtpLimits) -> SmtpMailer {
    SmtpMailer::new(
        Server::parse(url, None).unwrap(),
        limits,
        sender("Allclear <mail@example.com>"),
    )
}

/// Sends as this address, at 2023-11-14 22:13:20 UTC.
pub(crate) fn sender(from: &str) -> Sender {
    Sender::new(from, "https://status.example.com", TestClock::stopped()).unwrap()
}

/// Some mail to this address.
pub(crate) fn mail(to: &str) -> Mail {
    Mail::new(
        to.to_owned(),
        MailContent::KnownAddress {
            sign_in: "https://status.example.com/login".to_owned(),
            reset: "https://status.example.com/login?forgot".to_owned(),
        },
    )
}

/// Sends a mail, with a timeout.
pub(crate) async fn send(mailer: &SmtpMailer, mail: Mail) -> Result<(), SendError> {
    tokio::time::timeout(TIMEOUT, mailer.send(mail))
        .await
        .expect("a response within a minute")
}

/// A header's values in a mail that was received.
pub(crate) fn header<'a>(mail: &'a Value, name: &str) -> Vec<&'a str> {
    let headers = mail["headers"].as_array().unwrap().iter();
    headers
        .filter(|header| header[0] == name)
        .map(|header| header[1].as_str().unwrap())
        .collect()
}
