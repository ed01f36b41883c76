//! WebAuthn (Level 3): challenges for authenticators, and the verification of their responses,
//! by `webauthn-rs`.

use allclear_application::error::Error;
use allclear_application::passkey::{
    Challenge, ClaimedCredential, CredentialId, NewCredential, PasskeyVerifier, VerificationError,
    VerifiedCredential,
};
use allclear_domain::account::User;
use allclear_domain::id::UserId;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;
use webauthn_rs::prelude::{
    Credential, DiscoverableAuthentication, Passkey, PasskeyRegistration, PublicKeyCredential,
    RegisterPublicKeyCredential, WebauthnError,
};
use webauthn_rs::{Webauthn, WebauthnBuilder};

/// Name of the relying party, which authenticators show.
const NAME: &str = "Allclear";
/// Maximum length of a credential's identifier, in bytes (WebAuthn Level 3, section 7.1).
const MAX_ID_LENGTH: usize = 1023;
/// Place and bit of the flag "backup eligible" in the authenticator data (section 6.1).
const BACKUP_ELIGIBLE: (usize, u8) = (32, 0b1000);

/// Verifies passkeys of one relying party: the host of the public URL.
pub struct WebauthnVerifier(Webauthn);

impl WebauthnVerifier {
    /// Verifies passkeys of the installation with this public URL. `None` if its host is an
    /// address: browsers accept only names.
    #[must_use]
    pub fn new(public_url: &str) -> Option<Self> {
        let origin = Url::parse(public_url).ok()?;
        let host = origin.domain()?;
        let webauthn = WebauthnBuilder::new(host, &origin).ok()?.rp_name(NAME);
        webauthn.build().ok().map(Self)
    }
}

impl PasskeyVerifier for WebauthnVerifier {
    fn begin_registration(&self, user: &User, known: &[CredentialId]) -> Result<Challenge, Error> {
        let begun = self
            .0
            .start_passkey_registration(user.id.0, &user.email, &user.name, None);
        let (creation, state) = begun.map_err(Error::internal)?;
        let mut options = json(&creation.public_key)?;
        options["excludeCredentials"] = descriptors(known);
        // Only such a passkey can sign in without an address.
        options["authenticatorSelection"]["residentKey"] = json!("required");
        options["authenticatorSelection"]["requireResidentKey"] = json!(true);
        challenge(options, &state)
    }

    fn register(&self, state: &str, response: &Value) -> Result<NewCredential, VerificationError> {
        let state: PasskeyRegistration = read(state)?;
        let response: RegisterPublicKeyCredential = parse(response)?;
        let passkey = self.0.finish_passkey_registration(&response, &state);
        let passkey = passkey.map_err(refused)?;
        let id = passkey.cred_id();
        if id.len() > MAX_ID_LENGTH {
            return Err(invalid("the identifier is too long"));
        }
        Ok(NewCredential {
            id: CredentialId(URL_SAFE_NO_PAD.encode(id)),
            credential: text(&passkey)?,
            sign_count: Credential::from(passkey).counter,
        })
    }

    fn begin_authentication(&self, allowed: &[CredentialId]) -> Result<Challenge, Error> {
        let begun = self.0.start_discoverable_authentication();
        let (request, state) = begun.map_err(Error::internal)?;
        let mut options = json(&request.public_key)?;
        options["allowCredentials"] = descriptors(allowed);
        challenge(options, &state)
    }

    fn claimed(&self, response: &Value) -> Option<ClaimedCredential> {
        let response: PublicKeyCredential = parse(response).ok()?;
        let user = match response.get_user_unique_id() {
            None | Some([]) => None,
            Some(handle) => Some(UserId(Uuid::from_slice(handle).ok()?)),
        };
        Some(ClaimedCredential {
            id: CredentialId(URL_SAFE_NO_PAD.encode(response.get_credential_id())),
            user,
        })
    }

    fn authenticate(
        &self,
        state: &str,
        response: &Value,
        credential: Option<String>,
    ) -> Result<VerifiedCredential, VerificationError> {
        let state: DiscoverableAuthentication = read(state)?;
        let response: PublicKeyCredential = parse(response)?;
        let mut passkey: Passkey = match &credential {
            Some(stored) => read(stored)?,
            None => decoy(&response)?,
        };
        let verified = self
            .0
            .finish_discoverable_authentication_v2(&response, state, &passkey)
            .map_err(refused)?;
        // A decoy is refused whatever its signature is.
        if credential.is_none() || !verified.user_verified() {
            return Err(invalid("unknown credential"));
        }
        passkey.update_credential(&verified);
        Ok(VerifiedCredential {
            credential: text(&passkey)?,
            sign_count: verified.counter(),
        })
    }
}

/// A credential with the identifier of a response, and a public key that belongs to no
/// authenticator.
fn decoy(response: &PublicKeyCredential) -> Result<Passkey, VerificationError> {
    // The generator of P-256. Its private key is 1, which everybody knows: `authenticate` accepts
    // no decoy.
    const X: &str = "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY";
    const Y: &str = "T-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU";
    let (place, bit) = BACKUP_ELIGIBLE;
    let data = &response.response.authenticator_data;
    let eligible = data.get(place).is_some_and(|flags| flags & bit != 0);
    let decoy = json!({"cred": {
        "cred_id": URL_SAFE_NO_PAD.encode(response.get_credential_id()),
        "cred": {"type_": "ES256", "key": {"EC_EC2": {"curve": "SECP256R1", "x": X, "y": Y}}},
        "counter": 0,
        "transports": null,
        "user_verified": true,
        "backup_eligible": eligible,
        "backup_state": false,
        "registration_policy": "required",
        "extensions": {},
        "attestation": {"data": "None", "metadata": "None"},
        "attestation_format": "none",
    }});
    serde_json::from_value(decoy).map_err(|error| invalid(&error.to_string()))
}

fn descriptors(credentials: &[CredentialId]) -> Value {
    credentials
        .iter()
        .map(|CredentialId(id)| json!({"type": "public-key", "id": id}))
        .collect()
}

fn challenge(options: Value, state: &impl Serialize) -> Result<Challenge, Error> {
    let state = serde_json::to_string(state).map_err(Error::internal)?;
    Ok(Challenge { options, state })
}

fn json(value: &impl Serialize) -> Result<Value, Error> {
    serde_json::to_value(value).map_err(Error::internal)
}

fn text(value: &impl Serialize) -> Result<String, VerificationError> {
    serde_json::to_string(value).map_err(|error| invalid(&error.to_string()))
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, VerificationError> {
    serde_json::from_str(text).map_err(|error| invalid(&error.to_string()))
}

fn parse<T: DeserializeOwned>(response: &Value) -> Result<T, VerificationError> {
    T::deserialize(response).map_err(|error| invalid(&error.to_string()))
}

fn invalid(reason: &str) -> VerificationError {
    VerificationError::Invalid(reason.to_owned())
}

fn refused(error: WebauthnError) -> VerificationError {
    match error {
        WebauthnError::CredentialPossibleCompromise => VerificationError::CounterWentBack,
        error => invalid(&error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    /// A response that is correct except for its signature.
    fn response(challenge: &Challenge, flags: u8) -> Value {
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let client_data = json!({
            "type": "webauthn.get",
            "challenge": challenge.options["challenge"],
            "origin": "https://status.example.com",
        });
        let mut data = Sha256::digest(b"status.example.com").to_vec();
        data.extend([flags, 0, 0, 0, 0]);
        json!({
            "id": encode(b"an unknown one"),
            "rawId": encode(b"an unknown one"),
            "type": "public-key",
            "response": {
                "clientDataJSON": encode(client_data.to_string().as_bytes()),
                "authenticatorData": encode(&data),
                "signature": encode(b"\x30\x06\x02\x01\x01\x02\x01\x01"),
                "userHandle": encode(&[7; 16]),
            },
        })
    }

    #[test]
    fn an_unknown_credential_is_refused_by_its_signature_like_a_stored_one() {
        let verifier = WebauthnVerifier::new("https://status.example.com").unwrap();
        let challenge = verifier.begin_authentication(&[]).unwrap();
        let signature = invalid(&WebauthnError::AuthenticationFailure.to_string());
        let (present_and_verified, also_synchronised) = (0b101, 0b1101);
        for flags in [present_and_verified, also_synchronised] {
            let response = response(&challenge, flags);
            let refused = verifier.authenticate(&challenge.state, &response, None);
            assert_eq!(refused, Err(signature.clone()));
        }
        let not_verified = response(&challenge, 1);
        let refused = verifier.authenticate(&challenge.state, &not_verified, None);
        assert!(refused.is_err_and(|error| error != signature));
    }

    #[test]
    fn a_claim_names_the_credential_and_the_account() {
        let verifier = WebauthnVerifier::new("https://status.example.com").unwrap();
        let challenge = verifier.begin_authentication(&[]).unwrap();
        let mut response = response(&challenge, 0b101);
        let claimed = verifier.claimed(&response).unwrap();
        assert_eq!(claimed.id.0, response["rawId"]);
        assert_eq!(claimed.user, Some(UserId(Uuid::from_bytes([7; 16]))));
        response["response"]["userHandle"] = Value::Null;
        assert_eq!(verifier.claimed(&response).unwrap().user, None);
        response["response"]["userHandle"] = json!("AAAA");
        assert_eq!(verifier.claimed(&response), None, "not an account");
        assert_eq!(verifier.claimed(&json!({})), None);
    }

    #[test]
    fn only_a_host_with_a_name_has_passkeys() {
        for url in ["http://localhost:8080", "https://status.example.com"] {
            assert!(WebauthnVerifier::new(url).is_some(), "{url}");
        }
        for url in ["http://127.0.0.1:8080", "http://[::1]", "not an address"] {
            assert!(WebauthnVerifier::new(url).is_none(), "{url}");
        }
    }
}
