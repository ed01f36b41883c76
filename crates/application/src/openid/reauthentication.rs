//! Authentication at a provider within a session, before sensitive changes.

use allclear_domain::id::UserId;
use allclear_domain::openid::ProviderId;
use chrono::TimeDelta;

use super::sealed_state::{Purpose, SignInState};
use super::sign_in::{membership, proven_address};
use super::{
    AuthorizationRequest, OpenId, Prompt, Provider, ProviderPerson, ReauthenticatedByProvider,
    Reauthentication, ReauthenticationOutcome, SignInFailure,
};
use crate::error::Error;
use crate::secret::SecretToken;
use crate::session::Session;

/// Tolerated difference of the clocks of provider and installation. Providers give whole seconds.
const LEEWAY: TimeDelta = TimeDelta::seconds(5);

/// The ways in which the person of an account can sign in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignInMethods {
    /// Whether the account has a password that its person may know.
    pub password: bool,
    /// Providers that sign the person in.
    pub providers: Vec<LinkedProvider>,
}

/// A provider that signs a person in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedProvider {
    /// Its identifier.
    pub id: ProviderId,
    /// Its name, as people see it.
    pub name: String,
}

impl OpenId {
    /// Begins an authentication within a session. The provider must not rely on an earlier one.
    ///
    /// # Errors
    /// [`SignInFailure::UnknownProvider`], [`SignInFailure::ProviderUnavailable`].
    pub async fn begin_reauthentication(
        &self,
        provider: &str,
        return_to: Option<&str>,
        session: &Session,
    ) -> Result<AuthorizationRequest, SignInFailure> {
        let prompt = Prompt::Always {
            login_hint: session.user.email.clone(),
        };
        let provider = self.provider(provider)?;
        let purpose = Purpose::Reauthenticate;
        let state = self.state(provider, purpose, return_to, Some(session.id));
        self.authorization_request(provider, &state, prompt).await
    }

    /// The session gets another token (OWASP ASVS 5.0, 7.2.4).
    pub(super) async fn reauthenticate(
        &self,
        provider: &Provider,
        person: ProviderPerson,
        state: &SignInState,
    ) -> Result<ReauthenticatedByProvider, SignInFailure> {
        let session = state.before.ok_or(SignInFailure::Expired)?;
        let email = proven_address(provider, &person)?.to_owned();
        membership(provider, &person)?;
        let now = self.ports.clock.now();
        let authenticated_at = person
            .authenticated_at
            .filter(|at| *at >= state.begun_at() - LEEWAY && *at <= now + LEEWAY)
            .ok_or(SignInFailure::NotAuthenticatedNow)?;
        let token = SecretToken::generate();
        let reauthentication = Reauthentication {
            session,
            issuer: person.issuer,
            subject: person.subject,
            email,
            at: authenticated_at.min(now),
            second_factor: provider.second_factor.prove(&person.methods),
            digest: token.digest(),
        };
        let store = &self.ports.store;
        match store.reauthenticate(reauthentication, now).await? {
            ReauthenticationOutcome::Done { user, linked } => {
                if linked {
                    self.mail_link(&user, &provider.name);
                }
                Ok(ReauthenticatedByProvider {
                    user,
                    token,
                    provider: provider.id.clone(),
                    return_to: state.return_to.clone(),
                })
            }
            ReauthenticationOutcome::AnotherAccount => Err(SignInFailure::AnotherAccount),
            ReauthenticationOutcome::Ended => Err(SignInFailure::Expired),
        }
    }

    /// Returns the ways in which the person of an account can sign in. If there is neither a
    /// password nor a linked provider, these are all providers that may have the address: the first
    /// sign-in links the account.
    ///
    /// # Errors
    /// The store's error.
    pub async fn sign_in_methods(
        &self,
        user: UserId,
        email: &str,
        passwords: bool,
    ) -> Result<SignInMethods, Error> {
        let stored = self.ports.store.sign_in_methods(user).await?;
        let password = passwords && stored.password;
        let of = |may: &dyn Fn(&Provider) -> bool| -> Vec<_> {
            let providers = self.providers.iter().filter(|provider| may(provider));
            providers
                .map(|provider| LinkedProvider {
                    id: provider.id.clone(),
                    name: provider.name.clone(),
                })
                .collect()
        };
        let mut providers = of(&|provider| stored.issuers.contains(&provider.client.issuer()));
        if providers.is_empty() && !password {
            providers = of(&|provider| provider.domains.contains(email));
        }
        Ok(SignInMethods {
            password,
            providers,
        })
    }
}
