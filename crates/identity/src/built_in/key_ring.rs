//! The signing keys in use. Each node reads them periodically, so that all nodes use a replaced
//! key's successor.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::caller::TokenError;
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::installation::{InstallationStore, SigningKey};
use allclear_application::secret::ShortLivedSigner;
use allclear_application::session::{Sessions, TokenClaims, TokenIssuer};
use arc_swap::ArcSwap;
use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Mutex;
use tokio::time::Instant;

use super::signing::Signer;

/// The newest key, which signs, and recently replaced keys.
pub struct KeyRing {
    store: Arc<dyn InstallationStore>,
    clock: Arc<dyn Clock>,
    public_url: String,
    signer: ArcSwap<Signer>,
    /// The last read because of a token with an unknown key.
    last_reload: Mutex<Option<LastReload>>,
}

struct LastReload {
    at: Instant,
    has_failed: bool,
}

impl KeyRing {
    /// Interval at which the keys are read again.
    pub const RELOAD_INTERVAL: Duration = Duration::from_secs(10);

    /// How long a replaced key is accepted: the lifetime of its last token, and the time until
    /// every node has read its successor.
    const RETIREMENT: TimeDelta = Sessions::TOKEN_LIFETIME
        .checked_add(&TimeDelta::minutes(1))
        .expect("a few minutes");
    /// After this time, every node has read a new key, also if clocks differ by some seconds.
    const DISTRIBUTION: TimeDelta = TimeDelta::seconds(30);
    /// Minimum time between reads because of tokens with unknown keys.
    const RETRY_DELAY: Duration = Duration::from_secs(1);

    /// A ring with these keys, newest first. Tokens name `public_url` as issuer and as
    /// authorised party.
    ///
    /// # Errors
    /// If a key cannot be read.
    pub fn new(
        store: Arc<dyn InstallationStore>,
        clock: Arc<dyn Clock>,
        keys: &[SigningKey],
        public_url: &str,
    ) -> Result<Self, Error> {
        let signer = Signer::new(counting(keys, clock.now()), public_url)?;
        Ok(Self {
            store,
            clock,
            public_url: public_url.to_owned(),
            signer: ArcSwap::from_pointee(signer),
            last_reload: Mutex::default(),
        })
    }

    /// Reads the keys again. Returns the name of the newest if it has changed.
    ///
    /// # Errors
    /// The store's error; the keys in use stay.
    pub async fn reload(&self) -> Result<Option<String>, Error> {
        let keys = self.store.signing_keys().await?;
        let signer = Signer::new(counting(&keys, self.clock.now()), &self.public_url)?;
        let newest = signer.key_name().to_owned();
        let is_new = self.signer.load().key_name() != newest;
        self.signer.store(Arc::new(signer));
        Ok(is_new.then_some(newest))
    }

    /// Returns the signer. It is read again if it does not know a key, which another node may
    /// have created.
    pub(crate) async fn signer_knowing(&self, key: &str) -> Result<Arc<Signer>, TokenError> {
        let signer = self.signer.load_full();
        if signer.verifying_key(key).is_ok() {
            return Ok(signer);
        }
        let mut last_reload = self.last_reload.lock().await;
        match &*last_reload {
            Some(last) if last.at.elapsed() < Self::RETRY_DELAY => {
                // Without the keys, nothing is known about the token.
                if last.has_failed {
                    let reason = "the signing keys could not be read a moment ago";
                    return Err(TokenError::Unavailable(reason.into()));
                }
            }
            _ => {
                let reloaded = self.reload().await;
                *last_reload = Some(LastReload {
                    at: Instant::now(),
                    has_failed: reloaded.is_err(),
                });
                reloaded.map_err(|error| TokenError::Unavailable(error.into()))?;
            }
        }
        Ok(self.signer.load_full())
    }

    /// The party that issues the tokens.
    pub(crate) fn issuer(&self) -> String {
        self.signer.load().issuer().to_owned()
    }
}

impl TokenIssuer for KeyRing {
    fn issue(&self, claims: &TokenClaims) -> Result<String, Error> {
        self.signer.load().issue(claims)
    }

    fn key_set(&self) -> Result<serde_json::Value, Error> {
        self.signer.load().key_set()
    }
}

impl ShortLivedSigner for KeyRing {
    fn sign(&self, purpose: &str, parts: &[&[u8]]) -> [u8; 32] {
        let signer = self.signer.load();
        let keys = signer.short_lived();
        let every_node_knows = self.clock.now() - Self::DISTRIBUTION;
        let known = keys.iter().find(|key| key.created_at <= every_node_knows);
        known.unwrap_or(&keys[0]).hmac_key.sign(purpose, parts)
    }

    fn verify(&self, purpose: &str, parts: &[&[u8]], signature: &[u8]) -> bool {
        let signer = self.signer.load();
        let mut keys = signer.short_lived().iter();
        keys.any(|key| key.hmac_key.verify(purpose, parts, signature))
    }
}

/// Returns the keys that are still accepted, newest first.
fn counting(keys: &[SigningKey], now: DateTime<Utc>) -> &[SigningKey] {
    let replaced_long_ago = |pair: &[SigningKey]| pair[0].created_at + KeyRing::RETIREMENT <= now;
    let count = keys.windows(2).position(replaced_long_ago);
    &keys[..count.map_or(keys.len(), |last| last + 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::Mutex as StdMutex;

    use allclear_application::installation::MockInstallationStore;

    use crate::built_in::fixture::{claims, signing_key};
    use crate::fixture::{URL, clock, now};

    fn key(seed: u8, seconds: i64) -> SigningKey {
        SigningKey {
            created_at: now() + TimeDelta::seconds(seconds),
            ..signing_key(seed)
        }
    }

    /// A ring that starts with the first of these lists and finds the next one at each read.
    fn ring(seconds: i64, mut lists: Vec<Vec<SigningKey>>) -> KeyRing {
        let first = lists.remove(0);
        let lists = StdMutex::new(lists.into_iter());
        let mut store = MockInstallationStore::new();
        store
            .expect_signing_keys()
            .returning(move || Ok(lists.lock().unwrap().next().expect("no further read")));
        KeyRing::new(Arc::new(store), clock(seconds), &first, URL).unwrap()
    }

    fn names(ring: &KeyRing) -> Vec<String> {
        let keys = ring.key_set().unwrap();
        let keys = keys["keys"].as_array().unwrap();
        keys.iter()
            .map(|key| key["kid"].as_str().unwrap().to_owned())
            .collect()
    }

    #[tokio::test]
    async fn a_replaced_key_counts_until_its_last_tokens_have_ended() {
        let (old, new) = (key(1, -900), key(2, 0));
        for (seconds, expected) in [(0, 2), (359, 2), (360, 1)] {
            let ring = ring(seconds, vec![vec![new.clone(), old.clone()]]);
            assert_eq!(names(&ring).len(), expected, "{seconds}");
            assert_eq!(names(&ring)[0], new.id);
        }
    }

    #[tokio::test]
    async fn a_replaced_key_signs_until_every_node_knows_its_successor_and_verifies_until_it_ends()
    {
        let (old, new) = (key(1, -900), key(2, 0));
        let signature = ring(0, vec![vec![old.clone()]]).sign("purpose", &[b"part"]);
        for (seconds, accepted, signs) in [
            (29, true, true),
            (30, true, false),
            (359, true, false),
            (360, false, false),
        ] {
            let ring = ring(seconds, vec![vec![new.clone(), old.clone()]]);
            let is_accepted = ring.verify("purpose", &[b"part"], &signature);
            assert_eq!(is_accepted, accepted, "{seconds}");
            let by_the_old = ring.sign("purpose", &[b"part"]) == signature;
            assert_eq!(by_the_old, signs, "{seconds}");
        }
    }

    #[tokio::test]
    async fn a_new_key_signs_once_it_is_read() {
        let (old, new) = (key(1, -900), key(2, 0));
        let lists = vec![
            vec![old.clone()],
            vec![old.clone()],
            vec![new.clone(), old.clone()],
        ];
        let ring = ring(0, lists);
        assert_eq!(ring.reload().await.unwrap(), None);
        let before = ring.issue(&claims()).unwrap();
        assert_eq!(ring.reload().await.unwrap(), Some(new.id.clone()));
        assert_ne!(ring.issue(&claims()).unwrap(), before);
        assert_eq!(names(&ring), [new.id, old.id]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_token_of_an_unknown_key_makes_a_node_read_the_keys_once_a_second() {
        let (old, new) = (key(1, -900), key(2, 0));
        let lists = vec![
            vec![old.clone()],
            vec![old.clone()],
            vec![new.clone(), old.clone()],
        ];
        let ring = ring(0, lists);
        for _ in 0..5 {
            let signer = ring.signer_knowing(&new.id).await.unwrap();
            assert!(signer.verifying_key(&new.id).is_err());
        }
        tokio::time::advance(KeyRing::RETRY_DELAY).await;
        let signer = ring.signer_knowing(&new.id).await.unwrap();
        assert!(signer.verifying_key(&new.id).is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn while_the_keys_cannot_be_read_no_token_of_an_unknown_key_is_refused() {
        let (old, new) = (key(1, -900), key(2, 0));
        let mut store = MockInstallationStore::new();
        let read = vec![new.clone(), old.clone()];
        store
            .expect_signing_keys()
            .times(1)
            .returning(|| Err(Error::Unavailable("the database is gone".into())));
        store
            .expect_signing_keys()
            .returning(move || Ok(read.clone()));
        let ring = KeyRing::new(Arc::new(store), clock(0), &[old], URL).unwrap();
        for _ in 0..3 {
            let known = ring.signer_knowing(&new.id).await;
            assert!(matches!(known, Err(TokenError::Unavailable(_))));
        }
        tokio::time::advance(KeyRing::RETRY_DELAY).await;
        let signer = ring.signer_knowing(&new.id).await.unwrap();
        assert!(signer.verifying_key(&new.id).is_ok());
    }
}
