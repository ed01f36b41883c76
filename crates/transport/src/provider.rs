//! Who proves who people are: this server, or Clerk. Each has its own calls; what they share is the verified token.

use std::sync::Arc;

use actix_web::web;
use allclear_application::caller::TokenVerifier;

use crate::{clerk, identity};

/// The identity provider, with what its calls work with.
#[derive(Clone)]
pub enum Provider {
    /// This server.
    BuiltIn(Box<identity::Parts>),
    /// Clerk.
    Clerk(clerk::Parts),
}

/// Which providers' calls there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EnabledRoutes {
    /// Those of this server.
    pub(crate) built_in: bool,
    /// Those of Clerk.
    pub(crate) clerk: bool,
}

impl EnabledRoutes {
    /// Serves the calls of these providers.
    pub(crate) fn serve(self, config: &mut web::ServiceConfig) {
        if self.built_in {
            identity::serve(config);
        }
        if self.clerk {
            clerk::calls(config);
        }
    }
}

impl Provider {
    /// Hands every part to the handlers; `origin` is our own, the public URL without a path.
    pub(crate) fn provide(&self, config: &mut web::ServiceConfig, origin: &str) {
        match self {
            Self::BuiltIn(parts) => parts.provide(config, origin),
            Self::Clerk(parts) => parts.provide(config),
        }
    }

    /// Proves who bears a token.
    #[must_use]
    pub fn verifier(&self) -> Arc<dyn TokenVerifier> {
        match self {
            Self::BuiltIn(parts) => Arc::clone(&parts.verifier),
            Self::Clerk(parts) => Arc::clone(&parts.verifier),
        }
    }

    /// Which calls there are.
    pub(crate) const fn offered(&self) -> EnabledRoutes {
        let clerk = matches!(self, Self::Clerk(_));
        EnabledRoutes {
            built_in: !clerk,
            clerk,
        }
    }
}
