//! What a provider publishes: its metadata and its keys. Both are cached. While the provider is
//! unavailable, the last good ones are used.

use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::openid::ProviderError;
use arc_swap::ArcSwapOption;
use chrono::{DateTime, TimeDelta, Utc};
use openidconnect::core::{
    CoreAuthDisplay, CoreClaimName, CoreClaimType, CoreClientAuthMethod, CoreGrantType,
    CoreJsonWebKey, CoreJsonWebKeySet, CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm, CoreResponseMode, CoreResponseType, CoreSubjectIdentifierType,
};
use openidconnect::{
    AdditionalProviderMetadata, IssuerUrl, ProviderMetadata, TokenUrl, UserInfoUrl,
};
use serde::{Deserialize, Serialize};
use tokio::sync::Mutex;
use url::Url;

use super::http::{self, HttpClient};
use crate::http_client::causes;

/// Metadata beyond OpenID Connect Discovery 1.0.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FurtherMetadata {
    /// OpenID Connect RP-Initiated Logout 1.0, section 2.1.
    pub(super) end_session_endpoint: Option<Url>,
    /// RFC 9207, section 3.
    #[serde(default)]
    pub(super) authorization_response_iss_parameter_supported: bool,
}

impl AdditionalProviderMetadata for FurtherMetadata {}

pub(super) type Metadata = ProviderMetadata<
    FurtherMetadata,
    CoreAuthDisplay,
    CoreClientAuthMethod,
    CoreClaimName,
    CoreClaimType,
    CoreGrantType,
    CoreJweContentEncryptionAlgorithm,
    CoreJweKeyManagementAlgorithm,
    CoreJsonWebKey,
    CoreResponseMode,
    CoreResponseType,
    CoreSubjectIdentifierType,
>;

/// The documents of one provider.
pub(super) struct Documents {
    client: HttpClient,
    issuer: IssuerUrl,
    clock: Arc<dyn Clock>,
    cache: ArcSwapOption<Cached>,
    /// Locked during a fetch; other requests wait for its result.
    fetching: Mutex<Attempts>,
}

struct Cached {
    metadata: Metadata,
    fetched_at: DateTime<Utc>,
}

/// Times of the last fetches.
#[derive(Default)]
struct Attempts {
    failed_at: Option<DateTime<Utc>>,
    /// The last fetch because of a token with an unknown key.
    unknown_key_at: Option<DateTime<Utc>>,
}

impl Documents {
    /// Older documents are fetched again before use.
    const MAX_AGE: TimeDelta = TimeDelta::minutes(30);
    /// Minimum time between fetches caused by tokens with unknown keys.
    const UNKNOWN_KEY_DELAY: TimeDelta = TimeDelta::seconds(30);
    /// Minimum time between fetches after a failure.
    const FAILURE_DELAY: TimeDelta = TimeDelta::seconds(2);

    pub(super) fn new(client: HttpClient, issuer: IssuerUrl, clock: Arc<dyn Clock>) -> Self {
        Self {
            client,
            issuer,
            clock,
            cache: ArcSwapOption::empty(),
            fetching: Mutex::default(),
        }
    }

    /// The metadata with the keys. While the provider is unavailable, the last good ones are used.
    pub(super) async fn read(&self) -> Result<Metadata, ProviderError> {
        if let Some(metadata) = self.fresh() {
            return Ok(metadata);
        }
        let mut attempts = self.fetching.lock().await;
        // Another request may have fetched them in the meantime.
        if let Some(metadata) = self.fresh() {
            return Ok(metadata);
        }
        if !self.is_within(Self::FAILURE_DELAY, attempts.failed_at) {
            match self.fetch().await {
                Ok(metadata) => return Ok(metadata),
                Err(error) => {
                    attempts.failed_at = Some(self.clock.now());
                    tracing::warn!(issuer = %*self.issuer, %error, "the provider's documents could not be fetched");
                }
            }
        }
        let last = self.cache.load_full();
        last.map(|cached| cached.metadata.clone()).ok_or_else(|| {
            ProviderError::Unavailable("the provider's documents could not be fetched".to_owned())
        })
    }

    /// The metadata with newer keys, for a token whose key is unknown. `None` if the keys were
    /// fetched for that reason a moment ago.
    pub(super) async fn read_again(&self) -> Result<Option<Metadata>, ProviderError> {
        let mut attempts = self.fetching.lock().await;
        if self.is_within(Self::UNKNOWN_KEY_DELAY, attempts.unknown_key_at) {
            return Ok(None);
        }
        attempts.unknown_key_at = Some(self.clock.now());
        self.fetch().await.map(Some)
    }

    fn fresh(&self) -> Option<Metadata> {
        let cached = self.cache.load_full()?;
        let is_fresh = self.is_within(Self::MAX_AGE, Some(cached.fetched_at));
        is_fresh.then(|| cached.metadata.clone())
    }

    /// Whether a moment is less than this long ago. A clock that was set back does not prolong
    /// the wait.
    fn is_within(&self, delay: TimeDelta, moment: Option<DateTime<Utc>>) -> bool {
        moment.is_some_and(|moment| (self.clock.now() - moment).abs() < delay)
    }

    /// Fetches both documents. After a failure the previous ones stay.
    async fn fetch(&self) -> Result<Metadata, ProviderError> {
        let fetched = Metadata::discover_async(self.issuer.clone(), &self.client).await;
        let metadata = fetched.map_err(|error| ProviderError::Unavailable(causes(&error)))?;
        check(&metadata)?;
        self.cache.store(Some(Arc::new(Cached {
            metadata: metadata.clone(),
            fetched_at: self.clock.now(),
        })));
        Ok(metadata)
    }
}

/// Fails if a sign-in would be impossible, or if its requests would not be protected by TLS.
fn check(metadata: &Metadata) -> Result<(), ProviderError> {
    let further = metadata.additional_metadata();
    let endpoints = [
        Some(metadata.authorization_endpoint().url()),
        metadata.token_endpoint().map(TokenUrl::url),
        metadata.userinfo_endpoint().map(UserInfoUrl::url),
        further.end_session_endpoint.as_ref(),
    ];
    if metadata.token_endpoint().is_none() {
        return Err(ProviderError::Unavailable(
            "the provider has no token endpoint".to_owned(),
        ));
    }
    if let Some(insecure) = endpoints
        .into_iter()
        .flatten()
        .find(|url| !http::is_secure(url))
    {
        return Err(ProviderError::Unavailable(format!(
            "{insecure} is not an https address"
        )));
    }
    let keys: &CoreJsonWebKeySet = metadata.jwks();
    if keys.keys().is_empty() {
        return Err(ProviderError::Unavailable(
            "the provider publishes no usable key".to_owned(),
        ));
    }
    Ok(())
}
