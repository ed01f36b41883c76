//! The client of one provider.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::clock::Clock;
use allclear_application::openid::{
    Prompt, ProviderClient, ProviderError, ProviderPerson, SignInSecrets, bounded,
};
use async_trait::async_trait;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::TimeDelta;
use http::header::{ACCEPT, AUTHORIZATION};
use openidconnect::core::{
    CoreAuthPrompt, CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod,
    CoreErrorResponseType, CoreIdToken, CoreJwsSigningAlgorithm, CoreRequestTokenError,
};
use openidconnect::{
    AccessToken, AuthType, AuthorizationCode, ClaimsVerificationError, ClientId, ClientSecret,
    CsrfToken, EndpointMaybeSet, EndpointNotSet, EndpointSet, IssuerUrl, LoginHint, Nonce,
    OAuth2TokenResponse, PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, RequestTokenError,
    Scope, SignatureVerificationError, StandardErrorResponse, TokenResponse,
};
use tokio::time::timeout;
use url::Url;

use super::documents::{Documents, Metadata};
use super::http::{self as requests, HttpClient};
use super::person::{ClaimNames, Claims, has_name};
use crate::http_client::causes;

/// Accepted signature algorithms. Those with a shared secret, and `none`, are refused.
const ALGORITHMS: [CoreJwsSigningAlgorithm; 9] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPssSha384,
    CoreJwsSigningAlgorithm::RsaSsaPssSha512,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];
/// Tolerated difference of clocks.
const LEEWAY: TimeDelta = TimeDelta::seconds(5);
/// Maximum length of an ID token that is kept for the sign-out, in bytes.
const MAX_HINT_LENGTH: usize = 16 * 1024;
/// Maximum length of a token endpoint's error in a reason, in characters.
const MAX_REFUSAL_LENGTH: usize = 250;

/// Time that a sign-out waits for the provider's metadata.
const SIGN_OUT_TIMEOUT: Duration = Duration::from_secs(2);

/// Settings of a provider.
#[derive(Clone)]
pub struct OpenIdClientSettings {
    /// Identifier of the provider.
    pub issuer: IssuerUrl,
    /// Identifier of Allclear at the provider.
    pub client_id: String,
    /// Secret of Allclear at the provider.
    pub client_secret: String,
    /// Scopes beside `openid`.
    pub scopes: Vec<String>,
    /// Name of the claim that says that the address is verified.
    pub email_verified_claim: String,
    /// Name of the claim that gives roles.
    pub role_claim: Option<String>,
    /// Public address of the installation.
    pub public_url: String,
}

/// Parses an issuer. Requests to it contain secrets, so an issuer on another machine needs TLS.
///
/// # Errors
/// What is wrong with it.
pub fn issuer(text: &str) -> Result<IssuerUrl, &'static str> {
    let issuer = IssuerUrl::new(text.to_owned()).map_err(|_| "it is not an address")?;
    let url = issuer.url();
    if !requests::is_secure(url) {
        return Err("it must begin with https://; http:// is only allowed for this machine");
    }
    let is_plain = url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if is_plain {
        Ok(issuer)
    } else {
        Err("it must not contain a user, a password, a query or a fragment")
    }
}

/// The client of one provider.
pub struct OpenIdClient {
    settings: OpenIdClientSettings,
    claims: ClaimNames,
    redirect_url: RedirectUrl,
    http: HttpClient,
    documents: Documents,
    clock: Arc<dyn Clock>,
}

type LibraryClient = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

impl OpenIdClient {
    /// Path of the route to which providers redirect browsers.
    const CALLBACK: &str = "/api/v1/identity/oidc/callback";

    /// A client with these settings. It sends no request yet.
    ///
    /// # Errors
    /// One line that says what is wrong.
    pub fn new(settings: OpenIdClientSettings, clock: Arc<dyn Clock>) -> Result<Self, String> {
        let http = requests::client(settings.issuer.url())?;
        let redirect_url = format!("{}{}", settings.public_url, Self::CALLBACK);
        Ok(Self {
            claims: ClaimNames {
                email_verified: settings.email_verified_claim.clone(),
                role: settings.role_claim.clone(),
            },
            redirect_url: RedirectUrl::new(redirect_url).map_err(|error| error.to_string())?,
            documents: Documents::new(http.clone(), settings.issuer.clone(), Arc::clone(&clock)),
            http,
            settings,
            clock,
        })
    }

    fn library(&self, metadata: Metadata) -> LibraryClient {
        let by_body = metadata
            .token_endpoint_auth_methods_supported()
            .is_some_and(|methods| !methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        let auth_type = if by_body {
            AuthType::RequestBody
        } else {
            AuthType::BasicAuth
        };
        let secret = ClientSecret::new(self.settings.client_secret.clone());
        CoreClient::from_provider_metadata(metadata, self.client_id(), Some(secret))
            .set_redirect_uri(self.redirect_url.clone())
            .set_auth_type(auth_type)
    }

    fn client_id(&self) -> ClientId {
        ClientId::new(self.settings.client_id.clone())
    }

    /// Verifies an ID token and returns its claims. If the token names an unknown key, newer keys
    /// are fetched first.
    async fn verify(
        &self,
        token: &CoreIdToken,
        nonce: &Nonce,
        metadata: Metadata,
    ) -> Result<Claims, ProviderError> {
        let mut verified = self.check(token, nonce, metadata);
        if matches!(&verified, Err(error) if is_unknown_key(error)) {
            let newer = self.documents.read_again().await?;
            verified = self.check(token, nonce, newer);
        }
        verified.map_err(|error| ProviderError::Invalid(causes(&error)))?;
        claims_of(token)
    }

    fn check(
        &self,
        token: &CoreIdToken,
        nonce: &Nonce,
        metadata: Metadata,
    ) -> Result<(), ClaimsVerificationError> {
        let library = self.library(metadata);
        let now = self.clock.now();
        let verifier = library
            .id_token_verifier()
            .set_allowed_algs(ALGORITHMS)
            .set_time_fn(move || now - LEEWAY)
            .set_issue_time_verifier_fn(move |issued_at| {
                if issued_at > now + LEEWAY {
                    Err("issued in the future".to_owned())
                } else {
                    Ok(())
                }
            });
        let claims = token.claims(&verifier, nonce)?;
        // Section 3.1.3.7 of OpenID Connect Core 1.0, step 5, which the library leaves to
        // its users.
        match claims.authorized_party() {
            Some(party) if *party != self.client_id() => Err(
                ClaimsVerificationError::InvalidAudience("issued to another party".to_owned()),
            ),
            _ => Ok(()),
        }
    }

    /// Adds the claims of the user information. The claims of the ID token have precedence.
    async fn add_user_info(
        &self,
        claims: &mut Claims,
        metadata: &Metadata,
        access_token: &AccessToken,
    ) -> Result<(), ProviderError> {
        let Some(endpoint) = metadata.userinfo_endpoint() else {
            return Ok(());
        };
        let request = http::Request::builder()
            .uri(endpoint.as_str())
            .header(ACCEPT, "application/json")
            .header(AUTHORIZATION, format!("Bearer {}", access_token.secret()))
            .body(Vec::new())
            .map_err(|error| ProviderError::Invalid(error.to_string()))?;
        let response = self
            .http
            .send(request)
            .await
            .map_err(|error| ProviderError::Unavailable(error.to_string()))?;
        if !response.status().is_success() {
            let status = response.status();
            let reason = format!("the user information endpoint responds with {status}");
            return Err(ProviderError::Unavailable(reason));
        }
        let further: Claims = serde_json::from_slice(response.body())
            .map_err(|_| ProviderError::Invalid("the user information is not JSON".to_owned()))?;
        // Otherwise the user information may be that of another person (OpenID Connect Core 1.0,
        // section 5.3.2).
        if further.get("sub") != claims.get("sub") {
            let reason = "the user information is another person's".to_owned();
            return Err(ProviderError::Invalid(reason));
        }
        self.claims.add_user_info(claims, further);
        Ok(())
    }
}

#[async_trait]
impl ProviderClient for OpenIdClient {
    fn issuer(&self) -> String {
        self.settings.issuer.as_str().to_owned()
    }

    async fn authorization_url(
        &self,
        secrets: &SignInSecrets,
        prompt: &Prompt,
    ) -> Result<String, ProviderError> {
        let library = self.library(self.documents.read().await?);
        let verifier = PkceCodeVerifier::new(secrets.code_verifier.clone());
        let (state, nonce) = (secrets.state.clone(), secrets.nonce.clone());
        let request = library.authorize_url(
            CoreAuthenticationFlow::AuthorizationCode,
            move || CsrfToken::new(state),
            move || Nonce::new(nonce),
        );
        let scopes = self.settings.scopes.iter().cloned().map(Scope::new);
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&verifier);
        let mut request = request.add_scopes(scopes).set_pkce_challenge(challenge);
        if let Prompt::Always { login_hint } = prompt {
            request = request
                .add_prompt(CoreAuthPrompt::Login)
                .set_max_age(Duration::ZERO)
                .set_login_hint(LoginHint::new(login_hint.clone()));
        }
        let (url, _, _) = request.url();
        Ok(url.to_string())
    }

    async fn names_issuer(&self) -> Result<bool, ProviderError> {
        let metadata = self.documents.read().await?;
        let further = metadata.additional_metadata();
        Ok(further.authorization_response_iss_parameter_supported)
    }

    async fn redeem(
        &self,
        code: String,
        secrets: &SignInSecrets,
    ) -> Result<ProviderPerson, ProviderError> {
        let metadata = self.documents.read().await?;
        let library = self.library(metadata.clone());
        let exchange = library
            .exchange_code(AuthorizationCode::new(code))
            .map_err(|error| ProviderError::Unavailable(error.to_string()))?
            .set_pkce_verifier(PkceCodeVerifier::new(secrets.code_verifier.clone()));
        let tokens = exchange.request_async(&self.http).await;
        let tokens = tokens.map_err(|error| exchange_error(&error))?;
        let id_token = tokens
            .id_token()
            .ok_or_else(|| ProviderError::Invalid("there is no ID token".to_owned()))?;
        let nonce = Nonce::new(secrets.nonce.clone());
        let mut claims = self.verify(id_token, &nonce, metadata.clone()).await?;
        let is_complete = self.claims.are_complete(&claims);
        if !is_complete || !has_name(&claims) {
            let access_token = tokens.access_token();
            let added = self
                .add_user_info(&mut claims, &metadata, access_token)
                .await;
            match added {
                // A sign-in needs no name.
                Err(error) if is_complete => {
                    tracing::warn!(issuer = %*self.settings.issuer, %error, "the user information could not be read");
                }
                added => added?,
            }
        }
        let person = self.claims.person(&claims, id_token.to_string());
        person.ok_or_else(|| ProviderError::Invalid("the subject is not one".to_owned()))
    }

    async fn sign_out_url(&self, id_token: &str) -> Option<String> {
        let read = timeout(SIGN_OUT_TIMEOUT, self.documents.read()).await;
        let metadata = read.ok()?.ok()?;
        let mut url: Url = metadata
            .additional_metadata()
            .end_session_endpoint
            .clone()?;
        let mut query = url.query_pairs_mut();
        query.append_pair("client_id", &self.settings.client_id);
        let back = format!("{}/login", self.settings.public_url);
        query.append_pair("post_logout_redirect_uri", &back);
        if id_token.len() <= MAX_HINT_LENGTH {
            query.append_pair("id_token_hint", id_token);
        }
        drop(query);
        Some(url.into())
    }
}

fn is_unknown_key(error: &ClaimsVerificationError) -> bool {
    matches!(
        error,
        ClaimsVerificationError::SignatureVerification(
            SignatureVerificationError::NoMatchingKey | SignatureVerificationError::CryptoError(_)
        )
    )
}

/// The claims of a verified token.
fn claims_of(token: &CoreIdToken) -> Result<Claims, ProviderError> {
    let text = token.to_string();
    let payload = text.split('.').nth(1).unwrap_or_default();
    let json = URL_SAFE_NO_PAD.decode(payload).unwrap_or_default();
    serde_json::from_slice(&json)
        .map_err(|_| ProviderError::Invalid("the ID token's claims cannot be read".to_owned()))
}

fn exchange_error<E>(error: &CoreRequestTokenError<E>) -> ProviderError
where
    E: std::error::Error + 'static,
{
    match error {
        RequestTokenError::Request(error) => ProviderError::Unavailable(causes(error)),
        RequestTokenError::ServerResponse(refusal) => refused_exchange(refusal),
        RequestTokenError::Parse(..) | RequestTokenError::Other(_) => {
            ProviderError::Invalid("the token endpoint's response cannot be read".to_owned())
        }
    }
}

/// The error of a token endpoint that refuses a code (RFC 6749, section 5.2).
fn refused_exchange(refusal: &StandardErrorResponse<CoreErrorResponseType>) -> ProviderError {
    let reason = bounded(&refusal.to_string(), MAX_REFUSAL_LENGTH);
    let reason = format!("the token endpoint responds with {reason}");
    match refusal.error() {
        // The settings are wrong: another attempt does not help the person.
        CoreErrorResponseType::InvalidClient | CoreErrorResponseType::UnauthorizedClient => {
            ProviderError::Unavailable(reason)
        }
        _ => ProviderError::Invalid(reason),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(code: CoreErrorResponseType, description: &str) -> ProviderError {
        let refusal = StandardErrorResponse::new(code, Some(description.to_owned()), None);
        exchange_error::<requests::RequestError>(&RequestTokenError::ServerResponse(refusal))
    }

    #[test]
    fn reason_of_a_refused_code_is_the_error_of_the_token_endpoint() {
        let refused = error_of(CoreErrorResponseType::InvalidGrant, "Code\u{1b}[1m expired");
        let reason = "the token endpoint responds with invalid_grant: Code[1m expired";
        assert_eq!(refused, ProviderError::Invalid(reason.to_owned()));
    }

    #[test]
    fn wrong_settings_of_the_client_make_the_provider_unavailable() {
        for code in [
            CoreErrorResponseType::InvalidClient,
            CoreErrorResponseType::UnauthorizedClient,
        ] {
            let name = code.to_string();
            let ProviderError::Unavailable(reason) = error_of(code, &"x".repeat(1000)) else {
                panic!("{name} is not the person's fault");
            };
            assert!(reason.contains(&name), "{reason}");
            assert!(reason.len() < 300, "{reason}");
        }
    }
}
