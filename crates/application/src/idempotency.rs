//! Requests that a client may repeat: the response to the first one is stored in the transaction of
//! its change.
//!
//! A crash after the commit loses the response in transit, but not the stored one. A repeated
//! request returns the stored response and changes nothing.

mod cipher;

use std::any::Any;
use std::collections::HashSet;
use std::sync::Arc;

use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, TimeDelta, Utc};
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

use self::cipher::ResponseCipher;
use crate::clock::Clock;
use crate::error::Error;
use crate::retention::prune_in_batches;
use crate::secret::HmacKey;

tokio::task_local! {
    static CURRENT: Arc<CurrentRequest>;
}

/// A request with an `Idempotency-Key`.
#[derive(Debug, Clone, Copy)]
pub struct RepeatableRequest<'a> {
    /// The organisation that it changes.
    pub organisation: &'a OrganisationId,
    /// The caller: a person or an API key.
    pub caller: &'a str,
    /// The client's key.
    pub key: &'a str,
    /// Path of the request.
    pub path: &'a str,
    /// SHA-256 of the body.
    pub body: &'a [u8; 32],
}

/// A stored response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredResponse {
    /// Digest of the request, so that another request with the same key is recognised.
    pub request: String,
    /// The encrypted response.
    pub sealed: Vec<u8>,
}

/// Storage of responses. A write transaction stores the response of its [`CurrentRequest`] with
/// its change.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait IdempotencyStore: Send + Sync {
    /// The response that was stored under a name after the given time.
    async fn find(
        &self,
        organisation: &OrganisationId,
        name: &str,
        after: DateTime<Utc>,
    ) -> Result<Option<StoredResponse>, Error>;

    /// Deletes responses from before the given time, at most `limit`. Returns their number.
    async fn prune(&self, before: DateTime<Utc>, limit: u64) -> Result<u64, Error>;
}

/// Whether a request is the first one with its key.
pub enum KeyState {
    /// The request is the first one. [`FirstRequest::run`] runs its use case.
    First(FirstRequest),
    /// The request is a repeated one. Holds the response to the first one, as it was stored.
    Repeated(Vec<u8>),
    /// The key was used for another path or body.
    Mismatch,
    /// A request with the key is being handled.
    InProgress,
}

/// Repeatable requests.
pub struct Idempotency {
    store: Arc<dyn IdempotencyStore>,
    clock: Arc<dyn Clock>,
    hmac_key: HmacKey,
    /// Names of the requests that this node is handling. Between nodes, the database decides which
    /// request is the first.
    in_progress: Arc<Mutex<HashSet<String>>>,
}

impl Idempotency {
    /// How long responses are stored.
    pub const RETENTION: TimeDelta = TimeDelta::hours(24);
    /// How many responses are stored for an organisation.
    pub const MAX_RESPONSES: i64 = 100_000;
    /// How many bytes of responses are stored for an organisation.
    pub const MAX_BYTES: i64 = 64 * 1024 * 1024;
    const BATCH: u64 = 200;

    /// Repeatable requests over this storage. The HMAC key is the installation's.
    #[must_use]
    pub fn new(store: Arc<dyn IdempotencyStore>, clock: Arc<dyn Clock>, hmac_key: HmacKey) -> Self {
        Self {
            store,
            clock,
            hmac_key,
            in_progress: Arc::default(),
        }
    }

    /// Begins a request.
    pub async fn begin(&self, request: RepeatableRequest<'_>) -> Result<KeyState, Error> {
        let parts = [
            request.organisation.as_str().as_bytes(),
            request.caller.as_bytes(),
            request.key.as_bytes(),
        ];
        let name = URL_SAFE_NO_PAD.encode(self.hmac_key.sign("idempotency-name", &parts));
        let Some(in_progress) = InProgress::enter(&self.in_progress, &name) else {
            return Ok(KeyState::InProgress);
        };
        let cipher = ResponseCipher::new(self.hmac_key.sign("idempotency-seal", &parts));
        let digest = digest(request.path, request.body);
        let after = self.clock.now() - Self::RETENTION;
        let stored = self.store.find(request.organisation, &name, after).await?;
        let Some(stored) = stored else {
            return Ok(KeyState::First(FirstRequest {
                name,
                request: digest,
                cipher,
                in_progress,
            }));
        };
        if stored.request != digest {
            return Ok(KeyState::Mismatch);
        }
        let response = cipher.decrypt(name.as_bytes(), &stored.sealed)?;
        Ok(KeyState::Repeated(response))
    }

    /// Deletes responses older than [`Self::RETENTION`]. Every node may do so at any time.
    pub async fn prune(&self) -> Result<(), Error> {
        let before = self.clock.now() - Self::RETENTION;
        let pruned = prune_in_batches(Self::BATCH, |limit| self.store.prune(before, limit));
        pruned.await.map(drop)
    }
}

/// The first request with its key.
pub struct FirstRequest {
    name: String,
    request: String,
    cipher: ResponseCipher,
    in_progress: InProgress,
}

impl FirstRequest {
    /// Runs a use case. Its transaction also stores the response that `respond` makes of the
    /// created state, in any form; `None` if it cannot be stored. Then the transaction fails, as it
    /// does if it makes a state of another type.
    pub async fn run<T, F>(
        self,
        respond: impl Fn(&T) -> Option<Vec<u8>> + Send + Sync + 'static,
        work: F,
    ) -> F::Output
    where
        T: 'static,
        F: Future,
    {
        let Self {
            name,
            request,
            cipher,
            in_progress,
        } = self;
        let respond = Box::new(move |state: &dyn Any| {
            let state = state.downcast_ref::<T>();
            let state =
                state.ok_or_else(|| Error::internal("the created state has another type"))?;
            respond(state).ok_or_else(|| Error::internal("a response cannot be stored"))
        });
        let call = CurrentRequest {
            name,
            request,
            cipher,
            respond,
        };
        let outcome = CURRENT.scope(Arc::new(call), work).await;
        drop(in_progress);
        outcome
    }
}

/// Marks a name as in progress until it is dropped.
struct InProgress {
    names: Arc<Mutex<HashSet<String>>>,
    name: String,
}

impl InProgress {
    fn enter(names: &Arc<Mutex<HashSet<String>>>, name: &str) -> Option<Self> {
        let mut entered = names.lock();
        entered.insert(name.to_owned()).then(|| Self {
            names: Arc::clone(names),
            name: name.to_owned(),
        })
    }
}

impl Drop for InProgress {
    fn drop(&mut self) {
        let mut names = self.names.lock();
        names.remove(&self.name);
    }
}

/// Makes the response of a created state, in the form to be stored.
type Respond = Box<dyn Fn(&dyn Any) -> Result<Vec<u8>, Error> + Send + Sync>;

/// A repeatable request that is being handled. Its response is stored.
pub struct CurrentRequest {
    name: String,
    request: String,
    cipher: ResponseCipher,
    respond: Respond,
}

/// A response to be stored in the transaction of its change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewResponse {
    /// Its name in the organisation.
    pub name: String,
    /// The response.
    pub stored: StoredResponse,
}

impl CurrentRequest {
    /// The error for a key whose first request is being handled.
    #[must_use]
    pub fn in_progress() -> Error {
        Error::Conflict("A request with this Idempotency-Key is in progress".to_owned())
    }

    /// The request that is being handled; `None` if it is not repeatable.
    #[must_use]
    pub fn current() -> Option<Arc<Self>> {
        CURRENT.try_with(Arc::clone).ok()
    }

    /// Runs `work` as a part of the request, on any thread.
    pub async fn scope<F: Future>(request: Option<Arc<Self>>, work: F) -> F::Output {
        match request {
            Some(request) => CURRENT.scope(request, work).await,
            None => work.await,
        }
    }

    /// The response to store for a created state. [`Error::Internal`] if the request creates
    /// something else.
    pub fn response_to(&self, state: &dyn Any) -> Result<NewResponse, Error> {
        let response = (self.respond)(state)?;
        Ok(NewResponse {
            name: self.name.clone(),
            stored: StoredResponse {
                request: self.request.clone(),
                sealed: self.cipher.encrypt(self.name.as_bytes(), response)?,
            },
        })
    }
}

fn digest(path: &str, body: &[u8; 32]) -> String {
    let digest = Sha256::new()
        .chain_update((path.len() as u64).to_be_bytes())
        .chain_update(path)
        .chain_update(body);
    URL_SAFE_NO_PAD.encode(digest.finalize())
}

#[cfg(test)]
mod tests;
