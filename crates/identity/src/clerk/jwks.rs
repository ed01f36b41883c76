//! The keys that verify Clerk's tokens.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use allclear_application::caller::TokenError;
use allclear_application::clock::Clock;
use allclear_application::error::Error;
use arc_swap::ArcSwapOption;
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::DecodingKey;
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, KeyAlgorithm, PublicKeyUse};
use reqwest::Client;
use serde::Deserialize;
use tokio::sync::Mutex;
use url::Url;

use super::http;
use crate::http_client;
use crate::jwt::bad;

/// Source of the keys that tokens name.
pub enum Keys {
    /// A configured key for all tokens.
    Configured(Arc<DecodingKey>),
    /// The keys that Clerk publishes.
    Published(Arc<PublishedKeys>),
}

impl Keys {
    /// The key of a PEM document (RFC 7468, section 13), `-----BEGIN PUBLIC KEY-----`, in which
    /// line breaks may be written `\n`, as environment files have them.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn configured(pem: &str) -> Result<Self, &'static str> {
        let pem = pem.trim().replace("\\n", "\n");
        let key = DecodingKey::from_rsa_pem(pem.as_bytes());
        key.map(|key| Self::Configured(Arc::new(key)))
            .map_err(|_| "it is not an RSA public key in PEM form")
    }

    /// The keys published at this address (RFC 7517, section 5).
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn published(address: Url, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let client = http_client::client(&address)?;
        let (cache, fetching) = (ArcSwapOption::empty(), Mutex::default());
        Ok(Self::Published(Arc::new(PublishedKeys {
            client,
            address,
            clock,
            cache,
            failing: AtomicBool::new(false),
            fetching,
        })))
    }

    /// The key with this identifier (`kid`).
    pub(crate) async fn find(&self, key_id: &str) -> Result<Arc<DecodingKey>, TokenError> {
        match self {
            Self::Configured(key) => Ok(Arc::clone(key)),
            Self::Published(keys) => keys.find(key_id).await,
        }
    }
}

/// The keys that Clerk publishes, as they were when they were last fetched.
pub struct PublishedKeys {
    client: Client,
    address: Url,
    clock: Arc<dyn Clock>,
    cache: ArcSwapOption<CachedKeys>,
    /// Whether the last attempt to fetch failed.
    failing: AtomicBool,
    /// Locked during a fetch; other requests wait for its result.
    fetching: Mutex<Option<Attempt>>,
}

struct CachedKeys {
    keys: HashMap<String, Arc<DecodingKey>>,
    fetched_at: DateTime<Utc>,
}

/// Time of the last attempt.
#[derive(Clone, Copy)]
struct Attempt {
    at: DateTime<Utc>,
    succeeded: bool,
}

#[derive(Deserialize)]
struct Document {
    keys: Vec<serde_json::Value>,
}

impl PublishedKeys {
    /// Older keys are fetched again in the background.
    const FRESH: TimeDelta = TimeDelta::minutes(4);
    /// Older keys are fetched again before use, so a withdrawn key is accepted at most this long
    /// while Clerk responds.
    const MAX_AGE: TimeDelta = TimeDelta::minutes(5);
    /// Minimum time between fetches caused by tokens with unknown keys.
    const RETRY_DELAY: TimeDelta = TimeDelta::seconds(30);
    /// Minimum time between fetches after a failure.
    const FAILURE_RETRY_DELAY: TimeDelta = TimeDelta::seconds(2);

    async fn find(self: &Arc<Self>, key_id: &str) -> Result<Arc<DecodingKey>, TokenError> {
        if let Some(key) = self.usable(key_id) {
            if self.is_older_than(Self::FRESH) {
                self.refresh();
            }
            return Ok(key);
        }
        let mut last = self.fetching.lock().await;
        // Another request may have fetched it in the meantime.
        if let Some(key) = self.usable(key_id) {
            return Ok(key);
        }
        if !last.is_some_and(|last| self.is_too_soon(last)) {
            *last = Some(self.attempt().await);
        }
        match (self.cached(key_id), *last) {
            (Some(key), _) => Ok(key),
            (
                None,
                Some(Attempt {
                    succeeded: true, ..
                }),
            ) => Err(bad("signed with a key that is not Clerk's")),
            // The key may be new: a failure to fetch it must not sign the bearer out.
            (None, _) => Err(TokenError::Unavailable(
                format!("{} does not respond", self.address).into(),
            )),
        }
    }

    fn cached(&self, key_id: &str) -> Option<Arc<DecodingKey>> {
        self.cache.load().as_ref()?.keys.get(key_id).cloned()
    }

    /// A known key that may be used without a fetch. While Clerk does not respond, old keys are.
    fn usable(&self, key_id: &str) -> Option<Arc<DecodingKey>> {
        let counts = !self.is_older_than(Self::MAX_AGE) || self.failing.load(Ordering::Relaxed);
        self.cached(key_id).filter(|_| counts)
    }

    fn is_older_than(&self, age: TimeDelta) -> bool {
        self.cache
            .load()
            .as_ref()
            .is_none_or(|cache| self.since(cache.fetched_at) >= age)
    }

    fn is_too_soon(&self, last: Attempt) -> bool {
        self.since(last.at)
            < if last.succeeded {
                Self::RETRY_DELAY
            } else {
                Self::FAILURE_RETRY_DELAY
            }
    }

    /// A clock that was set back does not prolong the wait.
    fn since(&self, moment: DateTime<Utc>) -> TimeDelta {
        (self.clock.now() - moment).abs()
    }

    /// Fetches old keys again in the background, unless a fetch is running or just ended.
    fn refresh(self: &Arc<Self>) {
        let keys = Arc::clone(self);
        tokio::spawn(async move {
            if let Ok(mut last) = keys.fetching.try_lock()
                && keys.is_older_than(Self::FRESH)
                && !last.is_some_and(|last| keys.is_too_soon(last))
            {
                *last = Some(keys.attempt().await);
            }
        });
    }

    /// Fetches the keys. After a failure, the previous keys stay.
    async fn attempt(&self) -> Attempt {
        let outcome = self.fetch().await;
        let at = self.clock.now();
        self.failing.store(outcome.is_err(), Ordering::Relaxed);
        match outcome {
            Ok(keys) => {
                self.cache.store(Some(Arc::new(CachedKeys {
                    keys,
                    fetched_at: at,
                })));
                Attempt {
                    at,
                    succeeded: true,
                }
            }
            Err(error) => {
                let cause = std::error::Error::source(&error);
                tracing::warn!(address = %self.address, error = cause, "Clerk's keys could not be fetched");
                Attempt {
                    at,
                    succeeded: false,
                }
            }
        }
    }

    async fn fetch(&self) -> Result<HashMap<String, Arc<DecodingKey>>, Error> {
        let response = self
            .client
            .get(self.address.clone())
            .send()
            .await
            .map_err(http::unavailable)?;
        if !response.status().is_success() {
            return Err(Error::Unavailable(
                format!("it responds with {}", response.status()).into(),
            ));
        }
        let document: Document = serde_json::from_slice(&http::body(response).await?)
            .map_err(|error| Error::Unavailable(error.into()))?;
        let keys: HashMap<_, _> = document.keys.into_iter().filter_map(named_key).collect();
        if keys.is_empty() {
            Err(Error::Unavailable("there is no usable key in it".into()))
        } else {
            Ok(keys)
        }
    }
}

/// A key for RS256 with its name; `None` for keys of other algorithms.
fn named_key(key: serde_json::Value) -> Option<(String, Arc<DecodingKey>)> {
    let key: Jwk = serde_json::from_value(key).ok()?;
    let signs = key
        .common
        .public_key_use
        .as_ref()
        .is_none_or(|purpose| *purpose == PublicKeyUse::Signature);
    let fits = key
        .common
        .key_algorithm
        .as_ref()
        .is_none_or(|algorithm| *algorithm == KeyAlgorithm::RS256);
    let is_rsa = matches!(key.algorithm, AlgorithmParameters::RSA(_));
    let key_id = key.common.key_id.clone()?;
    (signs && fits && is_rsa)
        .then(|| DecodingKey::from_jwk(&key).ok())?
        .map(|key| (key_id, Arc::new(key)))
}

#[cfg(test)]
mod tests;
