//! Routes and headers that exist only with Clerk as the identity provider: webhooks, and the policy
//! for pages that load Clerk's scripts.

pub mod policy;
mod webhook;

use std::sync::Arc;

use actix_web::web::{self, Data};
use allclear_application::caller::TokenVerifier;
use allclear_application::directory::{ApiKeyMails, Directory};

use crate::routes::Routes;

/// Services of the Clerk routes.
#[derive(Clone)]
pub struct ClerkServices {
    /// Verifies bearer tokens.
    pub verifier: Arc<dyn TokenVerifier>,
    /// The directory of Clerk's users and organisations.
    pub directory: Arc<Directory>,
    /// Mails about API keys.
    pub api_key_mails: Arc<ApiKeyMails>,
}

impl ClerkServices {
    /// Registers the services as app data.
    pub(crate) fn provide(&self, config: &mut web::ServiceConfig) {
        config
            .app_data(Data::from(Arc::clone(&self.verifier)))
            .app_data(Data::from(Arc::clone(&self.directory)))
            .app_data(Data::from(Arc::clone(&self.api_key_mails)));
    }
}

/// The routes under `/clerk`.
pub(crate) fn routes(config: &mut impl Routes) {
    config.scope_for_unknown_senders("/clerk", webhook::routes);
}
