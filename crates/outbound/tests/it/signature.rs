//! The signature of a request as receivers verify it.

use std::path::Path;
use std::process::Stdio;

use allclear_application::clock::TestClock;
use allclear_application::message::{MessageKind, Messenger};
use allclear_domain::channel::Channel;
use allclear_outbound::client::OutboundSettings;
use allclear_outbound::messenger::HttpMessenger;
use allclear_outbound::target::AllowedTargets;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::process::Command;

use crate::content::{content, message, state};
use crate::receiver::{Receiver, Request};

/// Whether the package of Standard Webhooks for Node accepts a request.
async fn is_accepted(request: &Request, secret: [u8; 32]) -> bool {
    let headers = ["webhook-id", "webhook-timestamp", "webhook-signature"];
    let header = |name| (String::from(name), json!(request.header(name).unwrap()));
    let input = json!({
        "secret": format!("whsec_{}", BASE64_STANDARD.encode(secret)),
        "body": request.body,
        "headers": Value::Object(headers.into_iter().map(header).collect()),
    });
    let program = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/signature/verify.mjs");
    let mut child = Command::new("node")
        .arg(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the verification needs Node");
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(input.to_string().as_bytes()).await.unwrap();
    drop(stdin);
    let output = child.wait_with_output().await.unwrap();
    match String::from_utf8(output.stdout).unwrap().trim() {
        "accepted" => true,
        "refused" => false,
        other => {
            panic!("{other}: are the web app's packages installed (npm --prefix apps/web ci)?")
        }
    }
}

async fn received() -> Request {
    let mut receiver = Receiver::start(|mut stream| async move {
        let response = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
        stream.write_all(response).await.unwrap();
    })
    .await;
    let settings = OutboundSettings {
        allowed: AllowedTargets::parse(["127.0.0.1"]).unwrap(),
        allow_http: false,
    };
    let messenger = HttpMessenger::new(settings, TestClock::system());
    let content = content(state(), MessageKind::Test);
    let message = message(Channel::Webhook, &receiver.url, content);
    messenger.send(message).await.unwrap();
    receiver.requests().remove(0)
}

#[tokio::test]
async fn a_receiver_verifies_the_signature_with_either_secret() {
    let request = received().await;
    assert!(is_accepted(&request, [1; 32]).await);
    assert!(is_accepted(&request, [2; 32]).await);
    assert!(!is_accepted(&request, [3; 32]).await);
}

#[tokio::test]
async fn a_changed_body_is_not_accepted() {
    let mut request = received().await;
    request.body = request.body.replace("test message", "true message");
    assert!(!is_accepted(&request, [1; 32]).await);
}

#[tokio::test]
async fn a_request_names_its_sender_and_its_form() {
    let request = received().await;
    assert!(
        request
            .head
            .starts_with("POST /hook?key=secret HTTP/1.1\r\n")
    );
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("webhook-id"), Some("msg_1"));
    let agent = request.header("user-agent").unwrap();
    assert!(agent.starts_with("allclear/"), "{agent}");
    for absent in ["cookie", "referer", "authorization", "accept-encoding"] {
        assert_eq!(request.header(absent), None, "{absent}");
    }
}
