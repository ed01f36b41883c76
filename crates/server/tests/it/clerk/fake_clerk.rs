//! A fake Clerk: its key set, the parts of its Backend API that the server reads, its tokens and
//! its signatures. Claims and payloads follow Clerk's page "Session tokens" and
//! `packages/backend/src/api/resources/JSON.ts` of clerk/javascript, signatures follow Svix's page
//! "Verifying Webhooks Manually".

use std::collections::HashMap;
use std::sync::Arc;

use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
use allclear_application::clock::Clock;
use allclear_server::clock::SystemClock;
use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use parking_lot::Mutex;
use ring::rand::SystemRandom;
use ring::rsa::{KeyPair, PublicKeyComponents};
use ring::{hmac, signature::RSA_PKCS1_SHA256};
use serde_json::{Value, json};

/// The Frontend API that the publishable key names.
pub(super) const HOST: &str = "clerk.example.com";
pub(super) const WEBHOOK_SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

const KEYS: [&str; 2] = [
    include_str!("../../../../identity/src/fixture/one.pem"),
    include_str!("../../../../identity/src/fixture/other.pem"),
];

/// The responses: a status and a body for each path.
type Responses = Arc<Mutex<HashMap<String, (u16, Value)>>>;

/// The fake Clerk. It ends with the test's runtime.
pub(super) struct FakeClerk {
    pub(super) url: String,
    responses: Responses,
}

impl FakeClerk {
    pub(super) fn start() -> Self {
        let responses = Responses::default();
        let known = web::Data::from(Arc::clone(&responses));
        let server = HttpServer::new(move || {
            App::new()
                .app_data(known.clone())
                .default_service(web::to(response))
        });
        let server = server
            .workers(1)
            .disable_signals()
            .bind("127.0.0.1:0")
            .unwrap();
        let url = format!("http://{}", server.addrs()[0]);
        tokio::spawn(server.run());
        let fake = Self { url, responses };
        fake.publish(&[0]);
        fake
    }

    /// Sets the response of a path.
    pub(super) fn set(&self, path: &str, status: u16, body: Value) {
        self.responses
            .lock()
            .insert(path.to_owned(), (status, body));
    }

    /// Publishes only these of the keys from now on.
    pub(super) fn publish(&self, which: &[usize]) {
        let keys: Vec<_> = which.iter().map(|which| published(*which)).collect();
        self.set("/.well-known/jwks.json", 200, json!({"keys": keys}));
    }
}

async fn response(
    request: HttpRequest,
    responses: web::Data<Mutex<HashMap<String, (u16, Value)>>>,
) -> HttpResponse {
    let found = responses.lock().get(request.path()).cloned();
    let (status, body) = found.unwrap_or((404, json!({"errors": []})));
    HttpResponse::build(status.try_into().unwrap()).json(body)
}

pub(super) fn encoded(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

/// Seconds since 1970.
pub(crate) fn now() -> i64 {
    SystemClock.now().timestamp()
}

fn key(which: usize) -> KeyPair {
    let lines: String = KEYS[which]
        .lines()
        .filter(|line| !line.starts_with('-'))
        .collect();
    KeyPair::from_pkcs8(&STANDARD.decode(lines).unwrap()).unwrap()
}

pub(crate) fn published(which: usize) -> Value {
    let public: PublicKeyComponents<Vec<u8>> = key(which).public().into();
    let text = |bytes: Vec<u8>| URL_SAFE_NO_PAD.encode(bytes);
    let name = format!("ins_{which}");
    json!({"kty": "RSA", "use": "sig", "alg": "RS256", "kid": name, "n": text(public.n), "e": text(public.e)})
}

/// A token with these claims, signed with one of the keys.
pub(crate) fn signed(which: usize, claims: &Value) -> String {
    with_header(
        which,
        &json!({"alg": "RS256", "typ": "JWT", "kid": format!("ins_{which}"), "cat": "cl_B7d4PD111AAA"}),
        claims,
    )
}

/// The same with another header.
pub(crate) fn with_header(which: usize, header: &Value, claims: &Value) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let text = format!("{}.{}", part(header), part(claims));
    let key = key(which);
    let mut signature = vec![0; key.public().modulus_len()];
    key.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        text.as_bytes(),
        &mut signature,
    )
    .unwrap();
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature))
}

/// The claims of version 2 of a user's session in an organisation.
pub(super) fn claims(user: &str, organisation: &str) -> Value {
    json!({
        "iss": format!("https://{HOST}"), "sub": user, "sid": format!("sess_of_{user}"), "azp": "https://status.example.com",
        "iat": now(), "nbf": now() - 10, "exp": now() + 60, "jti": "a", "fva": [7, -1], "sts": "active", "v": 2,
        "pla": "o:free", "fea": "o:pages",
        "o": {"id": organisation, "rol": "admin", "slg": "acme", "per": "read,manage", "fpm": "3"},
    })
}

/// The same of version 1.
pub(super) fn first_claims(user: &str, organisation: &str) -> Value {
    json!({
        "iss": format!("https://{HOST}"), "sub": user, "sid": format!("sess_of_{user}"), "azp": "https://status.example.com",
        "iat": now(), "nbf": now() - 10, "exp": now() + 60,
        "org_id": organisation, "org_role": "org:admin", "org_slug": "acme", "org_permissions": [],
    })
}

/// A token of a user's session in an organisation.
pub(super) fn token(user: &str, organisation: &str) -> String {
    signed(0, &claims(user, organisation))
}

/// The signature of a message.
pub(super) fn signature(id: &str, at: i64, body: &str) -> String {
    let key = STANDARD
        .decode(WEBHOOK_SECRET.strip_prefix("whsec_").unwrap())
        .unwrap();
    let key = hmac::Key::new(hmac::HMAC_SHA256, &key);
    format!(
        "v1,{}",
        STANDARD.encode(hmac::sign(&key, format!("{id}.{at}.{body}").as_bytes()))
    )
}
