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
    /// The last successful fetch because of a token with an unknown key.
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
        let fetched = self.attempt(&mut attempts).await;
        fetched.or_else(|error| self.cached().ok_or(error))
    }

    /// The metadata with the newest known keys, for a token whose key is unknown. They are fetched
    /// again, unless they were fetched for that reason a moment ago.
    pub(super) async fn read_again(&self) -> Result<Metadata, ProviderError> {
        let mut attempts = self.fetching.lock().await;
        if self.is_within(Self::UNKNOWN_KEY_DELAY, attempts.unknown_key_at)
            && let Some(metadata) = self.cached()
        {
            return Ok(metadata);
        }
        let metadata = self.attempt(&mut attempts).await?;
        attempts.unknown_key_at = Some(self.clock.now());
        Ok(metadata)
    }

    fn cached(&self) -> Option<Metadata> {
        let cached = self.cache.load_full()?;
        Some(cached.metadata.clone())
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

    /// Fetches both documents, unless a fetch failed a moment ago.
    async fn attempt(&self, attempts: &mut Attempts) -> Result<Metadata, ProviderError> {
        if self.is_within(Self::FAILURE_DELAY, attempts.failed_at) {
            let reason = "the provider's documents could not be fetched a moment ago";
            return Err(ProviderError::Unavailable(reason.to_owned()));
        }
        let fetched = self.fetch().await;
        if let Err(error) = &fetched {
            attempts.failed_at = Some(self.clock.now());
            tracing::warn!(issuer = %*self.issuer, %error, "the provider's documents could not be fetched");
        }
        fetched
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

#[cfg(test)]
mod tests {
    use super::*;

    use allclear_application::clock::TestClock;
    use serde_json::json;

    use crate::fixture::FakeProvider;

    const METADATA: &str = "/.well-known/openid-configuration";

    async fn start() -> (FakeProvider, Documents, Arc<TestClock>) {
        let provider = FakeProvider::start().await;
        let issuer = provider.address.as_str();
        let metadata = json!({
            "issuer": issuer,
            "authorization_endpoint": provider.at("/auth"),
            "token_endpoint": provider.at("/token"),
            "jwks_uri": provider.at("/.well-known/jwks.json"),
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        });
        provider.set(METADATA, 200, &metadata);
        provider.publish(&[0]);
        let clock = TestClock::stopped();
        let client = http::client(&provider.address).unwrap();
        let issuer = IssuerUrl::new(issuer.to_owned()).unwrap();
        let documents = Documents::new(client, issuer, Arc::clone(&clock) as _);
        (provider, documents, clock)
    }

    fn keys(read: Result<Metadata, ProviderError>) -> usize {
        read.unwrap().jwks().keys().len()
    }

    fn is_unavailable(read: &Result<Metadata, ProviderError>) -> bool {
        matches!(read, Err(ProviderError::Unavailable(_)))
    }

    #[tokio::test]
    async fn sign_ins_during_a_rotation_share_the_newer_keys() {
        let (provider, documents, clock) = start().await;
        assert_eq!(keys(documents.read().await), 1);
        provider.publish(&[0, 1]);
        assert_eq!(keys(documents.read().await), 1);
        assert_eq!(keys(documents.read_again().await), 2);
        let requests = provider.count();
        assert_eq!(keys(documents.read_again().await), 2);
        assert_eq!(provider.count(), requests);
        clock.advance(TimeDelta::seconds(31));
        assert_eq!(keys(documents.read_again().await), 2);
        assert_eq!(provider.count(), requests + 2);
    }

    #[tokio::test]
    async fn after_a_failed_fetch_the_provider_is_unavailable_until_the_next_one() {
        let (provider, documents, clock) = start().await;
        assert_eq!(keys(documents.read().await), 1);
        let jwks = "/.well-known/jwks.json";
        provider.set(jwks, 500, &json!({}));
        assert!(is_unavailable(&documents.read_again().await));
        provider.publish(&[0, 1]);
        let requests = provider.count();
        assert!(is_unavailable(&documents.read_again().await));
        assert_eq!(provider.count(), requests);
        clock.advance(TimeDelta::seconds(3));
        assert_eq!(keys(documents.read_again().await), 2);
    }
}
