//! Sign-ins whose password was right and whose second factor is awaited.

use std::sync::Arc;

use allclear_domain::id::UserId;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};

use crate::account::Credentials;
use crate::secret::{Digest, SecretToken, ShortLivedSigner};

const PURPOSE: &str = "pending sign-in";

/// Issues and reads the tokens of pending sign-ins. A token is `USER.EXPIRY.STATE.SIGNATURE`;
/// nothing is stored, so every node can read it. The state is that of the account's password: a
/// changed password ends pending sign-ins.
#[derive(Clone)]
pub struct PendingSignIns {
    signer: Arc<dyn ShortLivedSigner>,
}

impl PendingSignIns {
    /// Lifetime of a pending sign-in.
    pub const LIFETIME: TimeDelta = TimeDelta::minutes(5);

    /// Tokens with this signer's signatures.
    #[must_use]
    pub fn new(signer: Arc<dyn ShortLivedSigner>) -> Self {
        Self { signer }
    }

    /// The token of a pending sign-in to an account.
    pub(crate) fn issue(&self, account: &Credentials, now: DateTime<Utc>) -> SecretToken {
        let end = (now + Self::LIFETIME).timestamp();
        let state = state(account);
        let content = format!("{}.{end}.{}", account.user.id, state.as_str());
        let signature = self.signer.sign(PURPOSE, &[content.as_bytes()]);
        let signature = URL_SAFE_NO_PAD.encode(signature);
        SecretToken::presented(format!("{content}.{signature}"))
    }

    /// The account of a token; `None` if the token is wrong or has expired.
    pub(crate) fn user(&self, token: &SecretToken, now: DateTime<Utc>) -> Option<UserId> {
        let (content, signature) = token.reveal().rsplit_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        let parts = [content.as_bytes()];
        if !self.signer.verify(PURPOSE, &parts, &signature) {
            return None;
        }
        let mut parts = content.split('.');
        let user = parts.next()?.parse().ok()?;
        let end: i64 = parts.next()?.parse().ok()?;
        (now.timestamp() < end).then_some(user)
    }

    /// Whether the account still has the password that was entered.
    pub(crate) fn is_of(token: &SecretToken, account: &Credentials) -> bool {
        token.reveal().split('.').nth(2) == Some(state(account).as_str())
    }
}

/// What changes with the password of an account.
fn state(account: &Credentials) -> Digest {
    Digest::of(account.password.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{credentials, hmac_key, now};
    use crate::secret::HmacKey;

    fn pending() -> PendingSignIns {
        PendingSignIns::new(Arc::new(hmac_key()))
    }

    #[test]
    fn a_token_names_its_account_for_five_minutes() {
        let ann = credentials(1, "ann@example.com", "hash");
        let token = pending().issue(&ann, now());
        let after = |seconds| pending().user(&token, now() + TimeDelta::seconds(seconds));
        assert_eq!(after(0), Some(ann.user.id));
        assert_eq!(after(299), Some(ann.user.id));
        assert_eq!(after(300), None);
    }

    #[test]
    fn a_changed_token_and_one_of_another_key_are_refused() {
        let ann = credentials(1, "ann@example.com", "hash");
        let bob = credentials(2, "bob@example.com", "hash");
        let token = pending().issue(&ann, now());
        let text = token.reveal().to_owned();
        let changed = text.replace(&ann.user.id.to_string(), &bob.user.id.to_string());
        let other_key = HmacKey::new("another secret").unwrap();
        let other_key = PendingSignIns::new(Arc::new(other_key));
        for wrong in [changed.as_str(), "", "...", &text[1..]] {
            let wrong = SecretToken::presented(wrong.to_owned());
            assert_eq!(pending().user(&wrong, now()), None);
        }
        assert_eq!(other_key.user(&token, now()), None);
    }

    #[test]
    fn a_changed_password_ends_a_pending_sign_in() {
        let ann = credentials(1, "ann@example.com", "hash");
        let token = pending().issue(&ann, now());
        assert!(PendingSignIns::is_of(&token, &ann));
        let changed = credentials(1, "ann@example.com", "other hash");
        assert!(!PendingSignIns::is_of(&token, &changed));
    }
}
