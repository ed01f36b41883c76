//! Sign-in by OpenID Connect: accounts of people whose identity provider proves who they are.
//! `docs/decisions/openid-connect.md` has the reasons.

mod failure;
mod port;
mod reauthentication;
mod sealed_state;
mod sign_in;

use std::sync::Arc;

use allclear_domain::account::User;
use allclear_domain::id::{OrganisationId, SessionId};
use allclear_domain::openid::{FactorValues, MailDomains, ProviderId, ReturnPath, RoleMapping};

use crate::account::{AccountStore, Credentials};
use crate::background::Background;
use crate::clock::Clock;
use crate::error::Error;
use crate::link::Links;
use crate::mail::Mailer;
use crate::mail_budget::MailBudget;
use crate::password::PasswordHasher;
use crate::secret::{HmacKey, SecretToken};
use crate::session::{Client, Session, SessionOpener, Sessions};

pub use failure::{ProviderSignInFailed, SignInFailure};
pub use port::*;
pub use reauthentication::{LinkedProvider, SignInMethods};
use sealed_state::{Purpose, SignInState};

/// Maximum length of a provider's error in the log, in characters. It comes from the browser.
const MAX_ERROR_LENGTH: usize = 60;

/// A configured provider.
pub struct Provider {
    /// Its identifier.
    pub id: ProviderId,
    /// Its name, as people see it.
    pub name: String,
    /// Domains of the addresses that its people may have.
    pub domains: MailDomains,
    /// The organisation whose members its people become.
    pub organisation: Option<OrganisationId>,
    /// The roles that the claims give; `None` if roles are given in Allclear.
    pub roles: Option<RoleMapping>,
    /// Values of claims by which the provider says that it has checked a second factor.
    pub second_factor: FactorValues,
    /// The client that talks to it.
    pub client: Arc<dyn ProviderClient>,
}

/// Where a person is sent to authenticate (OpenID Connect Core 1.0, section 3.1.2.1).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationRequest {
    /// Address of the provider at which the person signs in.
    pub url: String,
    /// Value of the cookie that binds the sign-in to the browser.
    pub cookie: SecretToken,
}

/// What a provider's response has completed.
#[derive(Debug)]
pub enum Completed {
    /// A sign-in.
    SignIn(SignedInByProvider),
    /// An authentication within a session.
    Reauthentication(ReauthenticatedByProvider),
}

/// An authentication within a session that a provider has completed.
#[derive(Debug)]
pub struct ReauthenticatedByProvider {
    /// The account.
    pub user: User,
    /// The session's new secret, for the cookie.
    pub token: SecretToken,
    /// The provider.
    pub provider: ProviderId,
    /// Page to which the person returns.
    pub return_to: ReturnPath,
}

/// A sign-in that a provider has completed.
#[derive(Debug)]
pub struct SignedInByProvider {
    /// The account.
    pub user: User,
    /// The session's secret, for the cookie.
    pub token: SecretToken,
    /// The provider.
    pub provider: ProviderId,
    /// Page to which the person returns.
    pub return_to: ReturnPath,
    /// Device marks that the browser had.
    pub marks: Vec<String>,
    /// Mark for the browser, which makes it a known device.
    pub device_mark: String,
    /// Result for the membership.
    pub membership: MembershipOutcome,
    /// The organisation of the provider.
    pub organisation: Option<OrganisationId>,
}

/// Ports of [`OpenId`].
#[derive(Clone)]
pub struct OpenIdPorts {
    /// Storage of sign-ins.
    pub store: Arc<dyn OpenIdStore>,
    /// Storage of accounts.
    pub accounts: Arc<dyn AccountStore>,
    /// Mails people about sign-ins from unknown devices.
    pub opener: SessionOpener,
    /// Hashes passwords.
    pub hasher: Arc<dyn PasswordHasher>,
    /// Sends mail.
    pub mailer: Arc<dyn Mailer>,
    /// Mail budget.
    pub mail_budget: Arc<MailBudget>,
    /// Time and identifiers.
    pub clock: Arc<dyn Clock>,
}

/// The use cases of sign-in by OpenID Connect.
pub struct OpenId {
    providers: Vec<Provider>,
    ports: OpenIdPorts,
    hmac_key: HmacKey,
    background: Background,
    links: Links,
}

impl OpenId {
    /// The use cases over these providers and ports. The key signs the state of sign-ins.
    #[must_use]
    pub const fn new(
        providers: Vec<Provider>,
        ports: OpenIdPorts,
        hmac_key: HmacKey,
        background: Background,
        links: Links,
    ) -> Self {
        Self {
            providers,
            ports,
            hmac_key,
            background,
            links,
        }
    }

    /// Begins a sign-in. Its completion ends the session that the browser had before (OWASP ASVS
    /// 5.0, 7.2.4).
    ///
    /// # Errors
    /// [`SignInFailure::UnknownProvider`], [`SignInFailure::ProviderUnavailable`].
    pub async fn begin(
        &self,
        provider: &str,
        return_to: Option<&str>,
        before: Option<SessionId>,
        marks: Vec<String>,
    ) -> Result<AuthorizationRequest, SignInFailure> {
        let provider = self.provider(provider)?;
        let state = self.state(provider, Purpose::SignIn, return_to, before);
        self.authorization_request(provider, &state.of_browser(marks), Prompt::IfNeeded)
            .await
    }

    fn state(
        &self,
        provider: &Provider,
        purpose: Purpose,
        return_to: Option<&str>,
        session: Option<SessionId>,
    ) -> SignInState {
        let return_to = return_to.and_then(ReturnPath::parse).unwrap_or_default();
        let now = self.ports.clock.now();
        SignInState::begin(provider.id.clone(), purpose, return_to, session, now)
    }

    async fn authorization_request(
        &self,
        provider: &Provider,
        state: &SignInState,
        prompt: Prompt,
    ) -> Result<AuthorizationRequest, SignInFailure> {
        let secrets = state.secrets(&self.hmac_key);
        let url = provider.client.authorization_url(&secrets, &prompt).await?;
        Ok(AuthorizationRequest {
            url,
            cookie: state.seal(&self.hmac_key),
        })
    }

    /// Completes what has begun with the provider's response and the cookie of the browser.
    ///
    /// # Errors
    /// [`ProviderSignInFailed`], with the reason.
    pub async fn complete(
        &self,
        cookie: Option<&SecretToken>,
        response: AuthorizationResponse,
        client: &Client,
    ) -> Result<Completed, ProviderSignInFailed> {
        let now = self.ports.clock.now();
        let state = cookie.and_then(|cookie| SignInState::open(cookie, &self.hmac_key, now));
        let Some(state) = state.filter(|state| state.is_of(response.state.as_deref())) else {
            return Err(ProviderSignInFailed {
                provider: None,
                return_to: None,
                in_session: false,
                failure: SignInFailure::Expired,
            });
        };
        let completed = self.complete_in(&state, response, client).await;
        completed.map_err(|failure| ProviderSignInFailed {
            provider: Some(state.provider.clone()),
            return_to: Some(state.return_to.clone()),
            in_session: state.purpose == Purpose::Reauthenticate,
            failure,
        })
    }

    async fn complete_in(
        &self,
        state: &SignInState,
        response: AuthorizationResponse,
        client: &Client,
    ) -> Result<Completed, SignInFailure> {
        let provider = self.provider(state.provider.as_str())?;
        let person = self.person(provider, state, response).await?;
        match state.purpose {
            Purpose::SignIn => {
                let token = SecretToken::generate();
                let session = Sessions::fresh(self.ports.clock.as_ref(), &token, client);
                let linked = (person.issuer.clone(), person.subject.clone());
                let found = self
                    .link_or_create_account(provider, person, session, state.before)
                    .await;
                let signed_in = match found {
                    Ok(signed_in) => signed_in,
                    // A failure of the storage is no refused sign-in.
                    Err(failure @ SignInFailure::Storage(_)) => return Err(failure),
                    Err(failure) => {
                        self.record_refused_sign_in(&linked).await?;
                        return Err(failure);
                    }
                };
                let client = Client {
                    marks: state.marks.clone(),
                    ..client.clone()
                };
                let account = Credentials {
                    user: signed_in.user,
                    password: signed_in.password,
                };
                let opener = &self.ports.opener;
                // A new account has no owner to warn.
                if signed_in.account != AccountOrigin::Created {
                    opener.mail_unknown_device(&account, &client);
                }
                Ok(Completed::SignIn(SignedInByProvider {
                    device_mark: opener.device_mark(account.user.id, &account.password),
                    marks: client.marks,
                    user: account.user,
                    token,
                    provider: provider.id.clone(),
                    return_to: state.return_to.clone(),
                    membership: signed_in.membership,
                    organisation: provider.organisation.clone(),
                }))
            }
            Purpose::Reauthenticate => {
                let done = self.reauthenticate(provider, person, state).await?;
                Ok(Completed::Reauthentication(done))
            }
        }
    }

    /// The person of a provider's response. A response is accepted once.
    async fn person(
        &self,
        provider: &Provider,
        state: &SignInState,
        response: AuthorizationResponse,
    ) -> Result<ProviderPerson, SignInFailure> {
        let now = self.ports.clock.now();
        let digest = state.digest();
        let store = &self.ports.store;
        if !store.use_state(&digest, state.expires_at, now).await? {
            return Err(SignInFailure::Expired);
        }
        self.check_issuer(provider, response.issuer.as_deref())
            .await?;
        if let Some(error) = response.error {
            return Err(SignInFailure::Refused(bounded(&error, MAX_ERROR_LENGTH)));
        }
        let Some(code) = response.code else {
            return Err(SignInFailure::InvalidResponse("no code".to_owned()));
        };
        let secrets = state.secrets(&self.hmac_key);
        Ok(provider.client.redeem(code, &secrets).await?)
    }

    /// Refuses a response of another provider that pretends to be this one (RFC 9207, section 2.4).
    async fn check_issuer(
        &self,
        provider: &Provider,
        issuer: Option<&str>,
    ) -> Result<(), SignInFailure> {
        match issuer {
            Some(issuer) if issuer == provider.client.issuer() => Ok(()),
            None if !provider.client.names_issuer().await? => Ok(()),
            _ => {
                let reason = "the response is not the provider's".to_owned();
                Err(SignInFailure::InvalidResponse(reason))
            }
        }
    }

    /// Returns how a provider has opened a session; `None` if none has.
    pub async fn origin_of(&self, session: &Session) -> Result<Option<ProviderSession>, Error> {
        let store = &self.ports.store;
        store.session_origin(session.id, session.user.id).await
    }

    /// Returns the address at which the person of a session signs out of its provider; `None` if
    /// the provider offers none.
    pub async fn sign_out_url(&self, origin: &ProviderSession) -> Option<String> {
        let provider = self.provider(origin.provider.as_str()).ok()?;
        provider.client.sign_out_url(&origin.id_token).await
    }

    fn provider(&self, id: &str) -> Result<&Provider, SignInFailure> {
        let found = self
            .providers
            .iter()
            .find(|provider| provider.id.as_str() == id);
        found.ok_or(SignInFailure::UnknownProvider)
    }
}
