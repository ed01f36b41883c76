//! Fixtures of this crate's tests.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use allclear_application::clock::{Clock, TestClock};
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, EncodingKey};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

pub(crate) const URL: &str = "https://status.example.com";

pub(crate) fn now() -> DateTime<Utc> {
    TestClock::START
}

/// A clock the given seconds after [`now`].
pub(crate) fn clock(seconds: i64) -> Arc<dyn Clock> {
    let clock = TestClock::stopped();
    clock.advance(TimeDelta::seconds(seconds));
    clock
}

/// RSA keys for these tests, in PKCS #8.
pub(crate) const KEYS: [&str; 2] = [
    include_str!("fixture/one.pem"),
    include_str!("fixture/other.pem"),
];

/// One of [`KEYS`] as it is published, and its name.
pub(crate) fn published(which: usize) -> Value {
    let mut key = Jwk::from_encoding_key(&signing(which), Algorithm::RS256).unwrap();
    key.common.key_id = Some(name(which));
    key.common.public_key_use = Some(PublicKeyUse::Signature);
    serde_json::to_value(key).unwrap()
}

pub(crate) fn name(which: usize) -> String {
    format!("ins_{which}")
}

pub(crate) fn signing(which: usize) -> EncodingKey {
    EncodingKey::from_rsa_pem(KEYS[which].as_bytes()).unwrap()
}

/// Responses: a status and a body for each path.
type Responses = Arc<Mutex<HashMap<String, (u16, String)>>>;

/// A fake identity provider: a server with plain HTTP on this machine. It ends with the test's
/// runtime.
pub(crate) struct FakeProvider {
    pub(crate) address: Url,
    responses: Responses,
    /// The heads of all requests.
    pub(crate) requests: Arc<Mutex<Vec<String>>>,
}

impl FakeProvider {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = Url::parse(&format!("http://{}", listener.local_addr().unwrap())).unwrap();
        let (responses, requests) = (Responses::default(), Arc::new(Mutex::new(Vec::new())));
        let (known, recorded) = (Arc::clone(&responses), Arc::clone(&requests));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(respond(stream, Arc::clone(&known), Arc::clone(&recorded)));
            }
        });
        Self {
            address,
            responses,
            requests,
        }
    }

    pub(crate) fn at(&self, path: &str) -> Url {
        self.address.join(path).unwrap()
    }

    /// Sets the response of a path.
    pub(crate) fn set(&self, path: &str, status: u16, body: &Value) {
        self.responses
            .lock()
            .unwrap()
            .insert(path.to_owned(), (status, body.to_string()));
    }

    /// Publishes the given ones of [`KEYS`].
    pub(crate) fn publish(&self, which: &[usize]) {
        let keys: Vec<_> = which.iter().map(|which| published(*which)).collect();
        self.set("/.well-known/jwks.json", 200, &json!({"keys": keys}));
    }

    pub(crate) fn count(&self) -> usize {
        self.requests.lock().unwrap().len()
    }
}

async fn respond(mut stream: TcpStream, responses: Responses, requests: Arc<Mutex<Vec<String>>>) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    let head = String::from_utf8(head).unwrap();
    let path = head.split(' ').nth(1).unwrap().to_owned();
    requests.lock().unwrap().push(head);
    let found = responses.lock().unwrap().get(&path).cloned();
    let (status, body) = found.unwrap_or((404, "{}".to_owned()));
    let length = body.len();
    let text = format!(
        "HTTP/1.1 {status} Any\r\ncontent-length: {length}\r\nconnection: close\r\nlocation: /elsewhere\r\n\r\n{body}"
    );
    let _ = stream.write_all(text.as_bytes()).await;
}
