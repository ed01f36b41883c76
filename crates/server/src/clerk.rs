//! Wires Clerk.

use std::sync::Arc;

use allclear_application::caller::TokenVerifier;
use allclear_application::clock::Clock;
use allclear_application::directory::Directory;
use allclear_application::relay::Relay;
use allclear_identity::clerk::api::BackendApi;
use allclear_identity::clerk::keys::Keys;
use allclear_identity::clerk::verifier::ClerkVerifier;
use allclear_identity::clerk::webhook_verifier::Webhooks;
use allclear_persistence::database::Database;
use allclear_transport::clerk::ClerkServices;
use allclear_transport::clerk::policy::PagePolicy;

use crate::settings::Settings;
use crate::settings::clerk::{Clerk, wrong};

/// Services of Clerk's routes. Accepts tokens that were issued to pages of the own or an allowed origin.
pub(crate) fn services(
    clerk: &Clerk,
    settings: &Settings,
    public_url: &str,
    database: &Database,
    relay: &Arc<Relay>,
    clock: &Arc<dyn Clock>,
) -> Result<ClerkServices, String> {
    let keys = match &clerk.jwt_key {
        Some(pem) => Keys::configured(pem).map_err(wrong("ALLCLEAR_CLERK_JWT_KEY"))?,
        None => Keys::published(clerk.key_set.clone(), Arc::clone(clock))?,
    };
    let api = BackendApi::new(clerk.api.clone(), clerk.secret_key.clone())?;
    let webhooks = Webhooks::new(clerk.webhook_secret.clone(), Arc::clone(clock));
    let store = Arc::new(database.clone());
    let directory = Directory::new(
        store,
        Arc::new(api),
        Arc::new(webhooks),
        Arc::clone(relay),
        Arc::clone(clock),
    );
    let directory = Arc::new(directory);
    let pages = settings.origins(public_url);
    let verifier = ClerkVerifier::new(
        &clerk.publishable_key,
        pages,
        keys,
        Arc::clone(&directory),
        Arc::clone(clock),
    );
    let verifier: Arc<dyn TokenVerifier> = Arc::new(verifier);
    Ok(ClerkServices {
        verifier,
        directory,
    })
}

/// Content security policy that lets pages load Clerk.
pub(crate) fn policy(clerk: &Clerk) -> Result<PagePolicy, String> {
    PagePolicy::new(&clerk.publishable_key.issuer()).map_err(|error| error.to_string())
}
