//! What is served only where Clerk proves who people are: its webhooks, and pages that may load its scripts.

pub mod policy;
mod webhook;

use std::sync::Arc;

use actix_web::web::{self, Data};
use allclear_application::caller::TokenVerifier;
use allclear_application::directory::Directory;

use crate::routes::Routes;

/// What these calls work with.
#[derive(Clone)]
pub struct Parts {
    /// Proves who bears a token.
    pub verifier: Arc<dyn TokenVerifier>,
    /// What is known of Clerk's users and organisations.
    pub directory: Arc<Directory>,
}

impl Parts {
    /// Hands every part to the handlers.
    pub(crate) fn provide(&self, config: &mut web::ServiceConfig) {
        config
            .app_data(Data::from(Arc::clone(&self.verifier)))
            .app_data(Data::from(Arc::clone(&self.directory)));
    }
}

/// The calls under `/clerk`.
pub(crate) fn calls(config: &mut impl Routes) {
    config.scope("/clerk", webhook::calls);
}
