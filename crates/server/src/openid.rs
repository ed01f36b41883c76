//! Wires the providers of OpenID Connect.

use std::sync::Arc;

use allclear_application::account::AccountPorts;
use allclear_application::background::Background;
use allclear_application::clock::Clock;
use allclear_application::link::Links;
use allclear_application::openid::{OpenId, OpenIdPorts, Provider};
use allclear_application::secret::HmacKey;
use allclear_identity::openid::{OpenIdClient, OpenIdClientSettings};
use allclear_persistence::database::Database;

use crate::settings::Settings;
use crate::settings::openid::ProviderSettings;

/// Sign-in by OpenID Connect over a database.
pub(crate) fn openid(
    settings: &Settings,
    public_url: &str,
    store: &Arc<Database>,
    ports: &AccountPorts,
    salt: &str,
    background: &Background,
) -> Result<OpenId, String> {
    let with_clerk = settings.clerk.application()?.is_some();
    let mut providers = Vec::new();
    for found in settings.openid.providers(with_clerk)? {
        providers.push(provider(found, public_url, &ports.clock)?);
    }
    let ports = OpenIdPorts {
        store: Arc::clone(store) as _,
        accounts: Arc::clone(&ports.accounts),
        opener: ports.opener.clone(),
        hasher: Arc::clone(&ports.hasher),
        mailer: Arc::clone(&ports.mailer),
        mail_budget: Arc::clone(&ports.mail_budget),
        clock: Arc::clone(&ports.clock),
    };
    let hmac_key = HmacKey::new(salt).map_err(|error| error.to_string())?;
    let (background, links) = (background.clone(), Links::new(public_url));
    Ok(OpenId::new(providers, ports, hmac_key, background, links))
}

fn provider(
    settings: ProviderSettings,
    public_url: &str,
    clock: &Arc<dyn Clock>,
) -> Result<Provider, String> {
    let client = OpenIdClientSettings {
        issuer: settings.issuer,
        client_id: settings.client_id,
        client_secret: settings.client_secret.reveal().to_owned(),
        scopes: settings.scopes,
        email_verified_claim: settings.email_verified_claim,
        role_claim: settings.role_claim,
        public_url: public_url.to_owned(),
    };
    let client = OpenIdClient::new(client, Arc::clone(clock))?;
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
