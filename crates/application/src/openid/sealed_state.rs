//! The state of a sign-in that has begun, sealed in a cookie, so that every node can complete it.

use allclear_domain::id::SessionId;
use allclear_domain::openid::{ProviderId, ReturnPath};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq;
use uuid::Uuid;

use super::SignInSecrets;
use crate::secret::{Digest, HmacKey, SecretToken};

const PURPOSE: &str = "openid sign-in";

/// Why a person is redirected to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) enum Purpose {
    /// To begin a session.
    #[default]
    SignIn,
    /// To authenticate within a session.
    Reauthenticate,
}

/// A sign-in that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SignInState {
    pub(super) provider: ProviderId,
    pub(super) purpose: Purpose,
    pub(super) return_to: ReturnPath,
    /// The session that the browser had.
    pub(super) before: Option<SessionId>,
    /// Device marks of the browser, because the provider's redirect carries no such cookie.
    pub(super) marks: Vec<String>,
    pub(super) expires_at: DateTime<Utc>,
    /// 256 random bits. The provider sends it back.
    token: SecretToken,
}

/// The state as JSON.
#[derive(Serialize, Deserialize)]
struct Stored {
    provider: String,
    #[serde(default)]
    purpose: Purpose,
    return_to: String,
    before: Option<Uuid>,
    #[serde(default)]
    marks: Vec<String>,
    /// In seconds.
    expires_at: i64,
    token: String,
}

impl SignInState {
    /// How long a person may take to sign in at the provider.
    pub(super) const LIFETIME: TimeDelta = TimeDelta::minutes(10);

    /// A sign-in that begins now.
    pub(super) fn begin(
        provider: ProviderId,
        purpose: Purpose,
        return_to: ReturnPath,
        before: Option<SessionId>,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            provider,
            purpose,
            return_to,
            before,
            marks: Vec::new(),
            expires_at: now + Self::LIFETIME,
            token: SecretToken::generate(),
        }
    }

    /// This state with the device marks of the browser.
    pub(super) fn of_browser(self, marks: Vec<String>) -> Self {
        Self { marks, ..self }
    }

    /// When it began.
    pub(super) fn begun_at(&self) -> DateTime<Utc> {
        self.expires_at - Self::LIFETIME
    }

    /// Whether this is the state that a response carries.
    pub(super) fn is_of(&self, state: Option<&str>) -> bool {
        let own = self.token.reveal().as_bytes();
        state.is_some_and(|state| own.ct_eq(state.as_bytes()).into())
    }

    /// Digest of the state, which is used once.
    pub(super) fn digest(&self) -> Digest {
        self.token.digest()
    }

    /// The secrets of the sign-in. Nonce and verifier follow from the state, but only for a holder
    /// of the key.
    pub(super) fn secrets(&self, key: &HmacKey) -> SignInSecrets {
        let derived = |purpose: &str| {
            URL_SAFE_NO_PAD.encode(key.sign(purpose, &[self.token.reveal().as_bytes()]))
        };
        SignInSecrets {
            state: self.token.reveal().to_owned(),
            nonce: derived("openid nonce"),
            code_verifier: derived("openid code verifier"),
        }
    }

    /// The state with its signature, for the cookie.
    pub(super) fn seal(&self, key: &HmacKey) -> SecretToken {
        let stored = Stored {
            provider: self.provider.as_str().to_owned(),
            purpose: self.purpose,
            return_to: self.return_to.as_str().to_owned(),
            before: self.before.map(|session| session.0),
            marks: self.marks.clone(),
            expires_at: self.expires_at.timestamp(),
            token: self.token.reveal().to_owned(),
        };
        key.seal(PURPOSE, &stored)
    }

    /// Opens the state in a cookie. `None` if this installation did not seal it or it has expired.
    pub(super) fn open(cookie: &SecretToken, key: &HmacKey, now: DateTime<Utc>) -> Option<Self> {
        let stored: Stored = key.open(PURPOSE, cookie)?;
        let expires_at = DateTime::from_timestamp(stored.expires_at, 0)?;
        let state = Self {
            provider: stored.provider.parse().ok()?,
            purpose: stored.purpose,
            return_to: ReturnPath::parse(&stored.return_to)?,
            before: stored.before.map(SessionId),
            marks: stored.marks,
            expires_at,
            token: SecretToken::presented(stored.token),
        };
        (now < expires_at).then_some(state)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::fixture::now;

    fn key(text: &str) -> HmacKey {
        HmacKey::new(text).unwrap()
    }

    fn state() -> SignInState {
        let return_to = ReturnPath::parse("/components?a=b").unwrap();
        let before = Some(SessionId(Uuid::from_u128(1)));
        let (provider, purpose) = ("okta".parse().unwrap(), Purpose::Reauthenticate);
        let state = SignInState::begin(provider, purpose, return_to, before, now());
        state.of_browser(vec!["mark".to_owned()])
    }

    #[test]
    fn a_sealed_state_is_opened_for_ten_minutes_by_the_installation_that_sealed_it() {
        let state = state();
        let cookie = state.seal(&key("a"));
        let opened = SignInState::open(&cookie, &key("a"), now()).unwrap();
        assert_eq!(opened.provider, state.provider);
        assert_eq!(opened.return_to, state.return_to);
        assert_eq!(opened.before, state.before);
        assert_eq!(opened.purpose, state.purpose);
        assert_eq!(opened.begun_at(), now());
        assert_eq!(opened.marks, state.marks);
        assert!(opened.is_of(Some(state.token.reveal())));
        assert!(!opened.is_of(Some("other")) && !opened.is_of(None));
        assert_eq!(opened.digest(), state.digest());
        let last = now() + SignInState::LIFETIME - TimeDelta::seconds(1);
        assert!(SignInState::open(&cookie, &key("a"), last).is_some());
        assert!(SignInState::open(&cookie, &key("a"), now() + SignInState::LIFETIME).is_none());
        assert!(SignInState::open(&cookie, &key("b"), now()).is_none());
    }

    #[test]
    fn a_changed_state_is_refused() {
        let cookie = state().seal(&key("a"));
        let (json, signature) = cookie.reveal().split_once('.').unwrap();
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(json).unwrap()).unwrap();
        let changed = URL_SAFE_NO_PAD.encode(text.replace("okta", "evil"));
        for forged in [
            format!("{changed}.{signature}"),
            format!("{json}."),
            json.to_owned(),
            String::new(),
        ] {
            let forged = SecretToken::presented(forged);
            assert_eq!(SignInState::open(&forged, &key("a"), now()), None);
        }
    }

    #[test]
    fn secrets_differ_from_each_other_and_between_sign_ins_and_installations() {
        let state = state();
        let own = state.secrets(&key("a"));
        let again = state.secrets(&key("a"));
        assert_eq!(
            (&own.nonce, &own.code_verifier),
            (&again.nonce, &again.code_verifier)
        );
        let other = state.secrets(&key("b"));
        assert_ne!(own.nonce, own.code_verifier);
        assert_ne!(own.code_verifier, other.code_verifier);
        assert_eq!(own.code_verifier.len(), 43);
        assert!(!format!("{own:?}").contains(&own.nonce));
    }
}
