//! The identity provider: this server or Clerk. Each has its own routes; the verified token is
//! common to both.

use std::sync::Arc;

use actix_web::web;
use allclear_application::api_key::{ApiKeys, KeyVerifier};
use allclear_application::caller::TokenVerifier;

use crate::configuration::IdentityProvider;
use crate::{built_in, clerk};

/// The identity provider, with the services of its routes.
#[derive(Clone)]
pub enum Provider {
    /// This server.
    BuiltIn(Box<built_in::BuiltInServices>),
    /// Clerk.
    Clerk(clerk::ClerkServices),
}

/// Adds the routes of an identity provider.
pub(crate) fn serve(provider: IdentityProvider, config: &mut web::ServiceConfig) {
    match provider {
        IdentityProvider::BuiltIn => built_in::serve(config),
        IdentityProvider::Clerk => clerk::routes(config),
    }
}

impl Provider {
    /// Registers the services as app data. `origin` is the public URL without a path.
    pub(crate) fn provide(&self, config: &mut web::ServiceConfig, origin: &str) {
        match self {
            Self::BuiltIn(services) => services.provide(config, origin),
            Self::Clerk(services) => services.provide(config),
        }
    }

    /// Verifies bearer tokens.
    #[must_use]
    pub fn verifier(&self) -> Arc<dyn TokenVerifier> {
        match self {
            Self::BuiltIn(services) => Arc::clone(&services.verifier),
            Self::Clerk(services) => Arc::clone(&services.verifier),
        }
    }

    /// The same provider, which accepts API keys beside its tokens.
    #[must_use]
    pub fn with_api_keys(mut self, keys: &Arc<ApiKeys>) -> Self {
        let tokens = self.verifier();
        let verifier = Arc::new(KeyVerifier::new(Arc::clone(keys), tokens));
        match &mut self {
            Self::BuiltIn(services) => services.verifier = verifier,
            Self::Clerk(services) => services.verifier = verifier,
        }
        self
    }

    /// The provider without its services.
    pub(crate) const fn kind(&self) -> IdentityProvider {
        match self {
            Self::BuiltIn(_) => IdentityProvider::BuiltIn,
            Self::Clerk(_) => IdentityProvider::Clerk,
        }
    }
}
