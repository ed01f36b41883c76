//! Wires the providers of OpenID Connect.

use std::sync::Arc;

use allclear_application::account::AccountPorts;
use allclear_application::openid::{OpenId, OpenIdPorts, Provider};
use allclear_application::organisation::OrganisationStore;
use allclear_identity::openid::{OpenIdClient, OpenIdClientSettings};

use crate::infrastructure::Infrastructure;
use crate::output::with_causes;
use crate::settings::openid::ProviderSettings;

/// Sign-in by OpenID Connect, with the ports of accounts. Reads whether the organisations of the
/// settings exist.
///
/// # Errors
/// One line that names the wrong setting, or the reason why the database cannot be read.
pub(crate) async fn openid(infra: &Infrastructure, ports: &AccountPorts) -> Result<OpenId, String> {
    let with_clerk = infra.settings.clerk.application()?.is_some();
    let mut providers = Vec::new();
    for found in infra.settings.openid.providers(with_clerk)? {
        check_organisation(infra, &found).await?;
        providers.push(provider(found, infra)?);
    }
    let ports = OpenIdPorts {
        store: infra.store(),
        accounts: Arc::clone(&ports.accounts),
        opener: ports.opener.clone(),
        hasher: Arc::clone(&ports.hasher),
        mailer: Arc::clone(&ports.mailer),
        mail_budget: Arc::clone(&ports.mail_budget),
        clock: Arc::clone(&ports.clock),
    };
    let hmac_key = infra.installation.hmac_key.clone();
    let (background, links) = (infra.background.clone(), infra.links.clone());
    Ok(OpenId::new(providers, ports, hmac_key, background, links))
}

/// Warns if the organisation whose members people become does not exist. It may be created later.
async fn check_organisation(
    infra: &Infrastructure,
    provider: &ProviderSettings,
) -> Result<(), String> {
    let Some(id) = &provider.organisation else {
        return Ok(());
    };
    let organisations: Arc<dyn OrganisationStore> = infra.store();
    let found = organisations.find(id).await;
    if found.map_err(|error| with_causes(&error))?.is_none() {
        tracing::warn!(
            provider = %provider.id,
            "the provider's _ORGANISATION is the identifier of no organisation: people who sign in become members of none"
        );
    }
    Ok(())
}

fn provider(settings: ProviderSettings, infra: &Infrastructure) -> Result<Provider, String> {
    let client = OpenIdClientSettings {
        issuer: settings.issuer,
        client_id: settings.client_id,
        client_secret: settings.client_secret.reveal().to_owned(),
        scopes: settings.scopes,
        email_verified_claim: settings.email_verified_claim,
        role_claim: settings.role_claim,
        public_url: infra.public_url.clone(),
    };
    let client = OpenIdClient::new(client, infra.machine_clock())?;
    Ok(Provider {
        id: settings.id,
        name: settings.name,
        domains: settings.domains,
        organisation: settings.organisation,
        roles: settings.roles,
        second_factor: settings.second_factor,
        client: Arc::new(client),
    })
}
