//! Wires Clerk.

use std::sync::Arc;

use allclear_application::caller::TokenVerifier;
use allclear_application::directory::{ApiKeyMails, Directory};
use allclear_application::security_mail::SecurityMails;
use allclear_identity::clerk::api::BackendApi;
use allclear_identity::clerk::jwks::Keys;
use allclear_identity::clerk::verifier::ClerkVerifier;
use allclear_identity::clerk::webhook_verifier::Webhooks;
use allclear_transport::clerk::ClerkServices;
use allclear_transport::clerk::policy::PagePolicy;

use crate::infrastructure::Infrastructure;
use crate::settings::clerk::{Clerk, wrong};

/// Services of Clerk's routes. Accepts tokens that were issued to pages of the own or an
/// allowed origin.
pub(crate) fn services(
    clerk: &Clerk,
    infra: &Infrastructure,
    mails: &SecurityMails,
) -> Result<ClerkServices, String> {
    let keys = match &clerk.jwt_key {
        Some(pem) => Keys::configured(pem).map_err(wrong("ALLCLEAR_CLERK_JWT_KEY"))?,
        None => Keys::published(clerk.key_set.clone(), infra.machine_clock())?,
    };
    let api = Arc::new(BackendApi::new(
        clerk.api.clone(),
        clerk.secret_key.clone(),
    )?);
    let api_key_mails = ApiKeyMails::new(Arc::clone(&api) as _, mails.clone());
    let webhooks = Webhooks::new(clerk.webhook_secret.clone(), infra.machine_clock());
    let directory = Arc::new(Directory::new(
        infra.store(),
        api,
        Arc::new(webhooks),
        infra.relay(),
        // It compares its times with those of tokens and messages.
        infra.machine_clock(),
    ));
    let verifier = ClerkVerifier::new(
        &clerk.publishable_key,
        infra.settings.origins(&infra.public_url),
        keys,
        Arc::clone(&directory),
        infra.machine_clock(),
    );
    let verifier: Arc<dyn TokenVerifier> = Arc::new(verifier);
    Ok(ClerkServices {
        verifier,
        directory,
        api_key_mails: Arc::new(api_key_mails),
    })
}

/// Content security policy that lets pages load Clerk.
pub(crate) fn policy(clerk: &Clerk) -> Result<PagePolicy, String> {
    PagePolicy::new(&clerk.publishable_key.issuer()).map_err(|error| error.to_string())
}
