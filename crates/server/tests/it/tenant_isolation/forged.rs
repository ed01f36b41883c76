//! Tokens that resemble a valid one and must be refused.

use std::sync::Arc;

use allclear_application::installation::SigningKey;
use allclear_identity::built_in::signing::ALGORITHM;
use allclear_identity::secrets;
use allclear_persistence::database::Database;
use allclear_server::clock::SystemClock;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};

use crate::app::TestApp;

/// The prefix of an Ed25519 key in PKCS #8 (RFC 8410, section 7).
const PKCS8: [u8; 16] = [
    0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20,
];

/// Forges tokens with this server's keys, so that only the claims are wrong.
pub(super) struct Forger {
    key: SigningKey,
    public: Vec<u8>,
}

impl Forger {
    /// Reads the server's keys from its database, and the published public key.
    pub(super) async fn of(app: &TestApp) -> Self {
        let file = app.folder.path().join("data/allclear.db");
        let database =
            Database::connect(&format!("sqlite:{}", file.display()), Arc::new(SystemClock))
                .await
                .unwrap();
        let mut secrets = secrets::load(&database, &SystemClock).await.unwrap();
        database.close().await.unwrap();
        let keys = crate::app::client()
            .get(format!("{}/.well-known/jwks.json", app.url))
            .send()
            .await
            .unwrap();
        let keys: Value = keys.json().await.unwrap();
        let public = URL_SAFE_NO_PAD
            .decode(keys["keys"][0]["x"].as_str().unwrap())
            .unwrap();
        Self {
            key: secrets.signing_keys.remove(0),
            public,
        }
    }

    /// Every way to make a valid token invalid, by name.
    pub(super) fn forged(&self, good: &str) -> Vec<(&'static str, String)> {
        let with = |changes: Value| self.signed(&changed(&claims(good), &changes));
        let now =
            chrono::DateTime::timestamp(&allclear_application::clock::Clock::now(&SystemClock));
        let mut tampered = good.to_owned();
        let last = tampered.pop().unwrap();
        // The last letter of a signature of 64 bytes has two bits that count.
        tampered.push(if last == 'A' { 'Q' } else { 'A' });
        let (head, rest) = good.split_once('.').unwrap();
        let signature = rest.split_once('.').unwrap().1;
        let other_claims = encoded(&changed(&claims(good), &json!({"name": "Mallory"})));
        vec![
            (
                "expired",
                with(json!({"exp": now - 60, "nbf": now - 360, "iat": now - 360})),
            ),
            ("not valid yet", with(json!({"nbf": now + 60}))),
            (
                "of another issuer",
                with(json!({"iss": "https://elsewhere.example"})),
            ),
            (
                "for another party",
                with(json!({"azp": "https://elsewhere.example"})),
            ),
            (
                "of a session that never was",
                with(json!({"sid": "00000000-0000-7000-8000-000000000000"})),
            ),
            (
                "of nobody",
                with(json!({"sub": "00000000-0000-7000-8000-000000000000"})),
            ),
            (
                "without an algorithm",
                format!(
                    "{}.{}.",
                    encoded(&json!({"alg": "none"})),
                    encoded(&claims(good))
                ),
            ),
            ("with the public key as a secret", self.shared_secret(good)),
            ("with a key of its own", self.own_key(good)),
            (
                "with another's signature",
                format!("{head}.{other_claims}.{signature}"),
            ),
            ("with a touched signature", tampered),
            (
                "without a signature",
                format!("{head}.{}.", encoded(&claims(good))),
            ),
            ("nonsense", "nonsense".to_owned()),
        ]
    }

    fn signed(&self, claims: &Value) -> String {
        let mut header = Header::new(ALGORITHM);
        header.kid = Some(self.key.id.clone());
        let seed = URL_SAFE_NO_PAD.decode(&self.key.private).unwrap();
        encode(
            &header,
            claims,
            &EncodingKey::from_ed_der(&[PKCS8.as_slice(), &seed].concat()),
        )
        .unwrap()
    }

    /// HS256 with the public key as its secret (RFC 8725, section 2.1).
    fn shared_secret(&self, good: &str) -> String {
        let mut header = Header::new(Algorithm::HS256);
        header.kid = Some(self.key.id.clone());
        encode(
            &header,
            &claims(good),
            &EncodingKey::from_secret(&self.public),
        )
        .unwrap()
    }

    /// The right algorithm and the right key's name, with a key of the forger's.
    fn own_key(&self, good: &str) -> String {
        let mut header = Header::new(ALGORITHM);
        header.kid = Some(self.key.id.clone());
        let der = [PKCS8.as_slice(), &[7; 32]].concat();
        encode(&header, &claims(good), &EncodingKey::from_ed_der(&der)).unwrap()
    }
}

fn claims(token: &str) -> Value {
    let payload = token.split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

fn changed(claims: &Value, changes: &Value) -> Value {
    let mut claims = claims.clone();
    for (name, value) in changes.as_object().unwrap() {
        claims[name] = value.clone();
    }
    claims
}

fn encoded(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}
