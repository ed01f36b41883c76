//! An authenticator in software: it makes and signs what a browser and an authenticator would
//! (WebAuthn Level 3, section 6).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};

const USER_PRESENT: u8 = 1;
const USER_VERIFIED: u8 = 1 << 2;
const HAS_CREDENTIAL: u8 = 1 << 6;

/// A credential, with what an attacker or a broken client would change.
#[derive(Clone)]
pub(crate) struct Authenticator {
    /// The origin that the browser reports.
    pub(super) origin: String,
    /// The relying party whose hash is signed; `None` is the one of the options.
    pub(super) relying_party: Option<String>,
    /// Whether it verifies its user.
    pub(super) verifies_user: bool,
    /// The signature counter; `None` if it has none.
    pub(super) counter: Option<u32>,
    /// Whether its signatures are right.
    pub(super) signs_correctly: bool,
    /// Whether the response names the account.
    pub(super) names_user: bool,
    key: Vec<u8>,
    id: Vec<u8>,
    user: Vec<u8>,
}

impl Authenticator {
    /// An authenticator in a browser on this origin.
    pub(crate) fn new(origin: &str) -> Self {
        let random = SystemRandom::new();
        let key = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        let mut id = vec![0; 32];
        random.fill(&mut id).unwrap();
        Self {
            origin: origin.to_owned(),
            relying_party: None,
            verifies_user: true,
            counter: Some(0),
            signs_correctly: true,
            names_user: true,
            key: key.as_ref().to_vec(),
            id,
            user: Vec::new(),
        }
    }

    pub(super) fn id(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.id)
    }

    /// Responds to `navigator.credentials.create()`.
    pub(crate) fn create(&mut self, options: &Value) -> Value {
        let user = options["user"]["id"].as_str().unwrap();
        self.user = URL_SAFE_NO_PAD.decode(user).unwrap();
        let relying_party = options["rp"]["id"].as_str().unwrap();
        let mut data = self.data(relying_party, HAS_CREDENTIAL);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        data.extend(self.public_key());
        let mut attestation = vec![0xA3];
        attestation.extend(b"\x63fmt\x64none\x67attStmt\xA0\x68authData\x58");
        attestation.push(u8::try_from(data.len()).unwrap());
        attestation.extend(data);
        json!({
            "id": self.id(),
            "rawId": self.id(),
            "type": "public-key",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": self.client_data("webauthn.create", options),
                "attestationObject": URL_SAFE_NO_PAD.encode(attestation),
                "transports": ["internal"],
            },
        })
    }

    /// Responds to `navigator.credentials.get()`, and counts.
    pub(crate) fn get(&mut self, options: &Value) -> Value {
        self.counter = self.counter.map(|counter| counter + 1);
        let data = self.data(options["rpId"].as_str().unwrap(), 0);
        let client_data = self.client_data("webauthn.get", options);
        let hashed = digest(&SHA256, &URL_SAFE_NO_PAD.decode(&client_data).unwrap());
        let mut signed = [&data, hashed.as_ref()].concat();
        if !self.signs_correctly {
            signed.push(0);
        }
        let signature = self.pair().sign(&SystemRandom::new(), &signed).unwrap();
        let user = self.names_user.then(|| URL_SAFE_NO_PAD.encode(&self.user));
        json!({
            "id": self.id(),
            "rawId": self.id(),
            "type": "public-key",
            "clientExtensionResults": {},
            "response": {
                "clientDataJSON": client_data,
                "authenticatorData": URL_SAFE_NO_PAD.encode(data),
                "signature": URL_SAFE_NO_PAD.encode(signature),
                "userHandle": user,
            },
        })
    }

    fn pair(&self) -> EcdsaKeyPair {
        let random = SystemRandom::new();
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &self.key, &random).unwrap()
    }

    /// The public key as COSE (RFC 9053, section 7.1.1).
    fn public_key(&self) -> Vec<u8> {
        let pair = self.pair();
        let (x, y) = pair.public_key().as_ref()[1..].split_at(32);
        let parts: [&[u8]; 4] = [
            b"\xA5\x01\x02\x03\x26\x20\x01\x21\x58\x20",
            x,
            b"\x22\x58\x20",
            y,
        ];
        parts.concat()
    }

    fn data(&self, relying_party: &str, flags: u8) -> Vec<u8> {
        let relying_party = self.relying_party.as_deref().unwrap_or(relying_party);
        let verified = if self.verifies_user { USER_VERIFIED } else { 0 };
        let mut data = digest(&SHA256, relying_party.as_bytes()).as_ref().to_vec();
        data.push(flags | USER_PRESENT | verified);
        data.extend(self.counter.unwrap_or_default().to_be_bytes());
        data
    }

    fn client_data(&self, kind: &str, options: &Value) -> String {
        let data = json!({
            "type": kind,
            "challenge": options["challenge"],
            "origin": self.origin,
            "crossOrigin": false,
        });
        URL_SAFE_NO_PAD.encode(data.to_string())
    }
}
