//! A challenge that has been given to a browser, sealed in a cookie, so that every node can verify
//! the response.

use allclear_domain::id::UserId;
use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::UsedChallenge;
use crate::secret::{Digest, HmacKey, SecretToken};

const PURPOSE: &str = "passkey ceremony";

/// What a response is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum CeremonyKind {
    Registration,
    SignIn,
    Reauthentication,
}

/// A challenge that awaits its response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ceremony {
    pub(super) kind: CeremonyKind,
    /// The account whose passkey must respond; `None` if any may.
    pub(super) user: Option<UserId>,
    /// What the verification needs. It contains the random challenge.
    pub(super) state: String,
    expires_at: DateTime<Utc>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    kind: CeremonyKind,
    user: Option<Uuid>,
    state: String,
    /// In seconds.
    expires_at: i64,
}

impl Ceremony {
    /// How long a person may take.
    pub(super) const LIFETIME: TimeDelta = TimeDelta::minutes(5);

    /// A ceremony that begins now.
    pub(super) fn begin(
        kind: CeremonyKind,
        user: Option<UserId>,
        state: String,
        now: DateTime<Utc>,
    ) -> Self {
        Self {
            kind,
            user,
            state,
            expires_at: now + Self::LIFETIME,
        }
    }

    /// The mark that the challenge is used.
    pub(super) fn used(&self) -> UsedChallenge {
        UsedChallenge {
            digest: Digest::of(&self.state),
            expires_at: self.expires_at,
        }
    }

    /// The ceremony with its signature, for the cookie.
    pub(super) fn seal(&self, key: &HmacKey) -> SecretToken {
        let stored = Stored {
            kind: self.kind,
            user: self.user.map(|user| user.0),
            state: self.state.clone(),
            expires_at: self.expires_at.timestamp(),
        };
        key.seal(PURPOSE, &stored)
    }

    /// Opens the ceremony in a cookie. `None` if this installation did not seal it, it is of
    /// another kind, or it has expired.
    pub(super) fn open(
        cookie: &SecretToken,
        kind: CeremonyKind,
        key: &HmacKey,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        let stored: Stored = key.open(PURPOSE, cookie)?;
        let ceremony = Self {
            kind: stored.kind,
            user: stored.user.map(UserId),
            state: stored.state,
            expires_at: DateTime::from_timestamp(stored.expires_at, 0)?,
        };
        (ceremony.kind == kind && now < ceremony.expires_at).then_some(ceremony)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use base64::Engine;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;

    use crate::fixture::{hmac_key, now};

    fn ceremony() -> Ceremony {
        let user = Some(UserId(Uuid::from_u128(1)));
        Ceremony::begin(CeremonyKind::SignIn, user, "state".into(), now())
    }

    fn opened(cookie: &SecretToken, kind: CeremonyKind, after: TimeDelta) -> Option<Ceremony> {
        Ceremony::open(cookie, kind, &hmac_key(), now() + after)
    }

    #[test]
    fn a_sealed_ceremony_is_opened_for_five_minutes_and_for_its_kind() {
        let cookie = ceremony().seal(&hmac_key());
        let last = TimeDelta::seconds(299);
        let sign_in = CeremonyKind::SignIn;
        assert_eq!(opened(&cookie, sign_in, last), Some(ceremony()));
        assert_eq!(opened(&cookie, sign_in, TimeDelta::seconds(300)), None);
        for other in [CeremonyKind::Registration, CeremonyKind::Reauthentication] {
            assert_eq!(opened(&cookie, other, TimeDelta::zero()), None);
        }
    }

    #[test]
    fn a_changed_ceremony_and_one_of_another_installation_are_refused() {
        let cookie = ceremony().seal(&hmac_key());
        let (json, signature) = cookie.reveal().split_once('.').unwrap();
        let text = String::from_utf8(URL_SAFE_NO_PAD.decode(json).unwrap()).unwrap();
        let changed = URL_SAFE_NO_PAD.encode(text.replace("state\":\"state", "state\":\"other"));
        let other = HmacKey::new("another secret").unwrap();
        let foreign = ceremony().seal(&other);
        for forged in [
            &format!("{changed}.{signature}"),
            &format!("{json}."),
            json,
            "",
            foreign.reveal(),
        ] {
            let forged = SecretToken::presented(forged.to_owned());
            let found = opened(&forged, CeremonyKind::SignIn, TimeDelta::zero());
            assert_eq!(found, None);
        }
    }

    #[test]
    fn challenges_are_distinguished_by_their_state() {
        let other = Ceremony {
            state: "other".into(),
            ..ceremony()
        };
        assert_eq!(ceremony().used(), ceremony().used());
        assert_ne!(ceremony().used().digest, other.used().digest);
    }
}
