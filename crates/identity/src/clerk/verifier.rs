//! Verification of Clerk's session tokens: signature and claims first, then revocations.

use std::sync::Arc;

use allclear_application::caller::{
    Caller, TokenError, TokenMembership, TokenSession, TokenVerifier,
};
use allclear_application::clock::Clock;
use allclear_application::directory::{ClaimedNames, Credential, Directory};
use async_trait::async_trait;
use jsonwebtoken::Algorithm;

use super::application_keys::PublishableKey;
use super::claims::Claims;
use super::jwks::Keys;
use crate::jwt::{Rules, bad};

/// The algorithm of Clerk's session tokens.
pub(crate) const ALGORITHM: Algorithm = Algorithm::RS256;

/// Verifier of the session tokens of one Clerk application.
pub struct ClerkVerifier {
    rules: Rules,
    keys: Keys,
    directory: Arc<Directory>,
}

impl ClerkVerifier {
    /// A verifier for the application with this key, of tokens issued to the given parties.
    #[must_use]
    pub fn new(
        application: &PublishableKey,
        authorised_parties: Vec<String>,
        keys: Keys,
        directory: Arc<Directory>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let rules = Rules {
            algorithm: ALGORITHM,
            issuer: application.issuer(),
            authorised_parties,
            clock,
        };
        Self {
            rules,
            keys,
            directory,
        }
    }
}

#[async_trait]
impl TokenVerifier for ClerkVerifier {
    async fn verify(&self, token: &str) -> Result<Caller, TokenError> {
        let key_id = self.rules.key_of(token)?;
        let key = self.keys.find(&key_id).await?;
        let claims: Claims = self.rules.check(token, &key)?;
        claims.check()?;
        let organisation = claims.organisation()?;
        let credential = Credential {
            session: claims.sid.clone(),
            user: claims.sub.clone(),
            organisation: organisation.as_ref().map(|found| found.id.clone()),
            issued_at: claims.issued_at()?,
        };
        let claimed = ClaimedNames {
            user: claims.name().map(str::to_owned),
            organisation: claims.organisation_name().map(str::to_owned),
            otherwise: organisation.as_ref().and_then(|found| found.slug.clone()),
        };
        let resolved = self.directory.resolve(&credential, claimed).await?;
        let resolved = resolved.ok_or_else(|| bad("its session or membership has ended"))?;
        let membership = organisation.map(|found| TokenMembership {
            organisation: found.id,
            organisation_name: resolved.organisation,
            role: found.role,
        });
        let expires_at = claims.ends_at()?;
        let authenticated_at = claims.authenticated_at();
        let name = impersonated(resolved.user, &claims);
        Ok(Caller {
            account: claims.sub.clone(),
            subject: claims.sub,
            name,
            session: Some(TokenSession::Hosted(claims.sid)),
            authenticated_at,
            api_key: None,
            membership,
            expires_at: Some(expires_at),
        })
    }
}

/// An impersonated user acts under the user's identity, with a name that shows the impersonation.
fn impersonated(name: Option<String>, claims: &Claims) -> Option<String> {
    let Some(actor) = claims.actor() else {
        return name;
    };
    tracing::info!(user = claims.sub, actor, "a user is impersonated");
    Some(format!(
        "{} (impersonated)",
        name.as_deref().unwrap_or(&claims.sub)
    ))
}

#[cfg(test)]
mod tests;
