//! Verification of the built-in provider's tokens: signature and claims first, then the current
//! session and membership.

use std::sync::Arc;

use allclear_application::caller::{
    Caller, TokenError, TokenMembership, TokenSession, TokenVerifier,
};
use allclear_application::clock::Clock;
use allclear_application::session::{Bearer, SessionStore};
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use async_trait::async_trait;
use chrono::DateTime;

use super::claims::Claims;
use super::key_ring::KeyRing;
use super::signing::ALGORITHM;
use crate::jwt::{Rules, bad};

/// The built-in provider's verifier. A token is invalid as soon as its session or membership ends.
/// The name and the role are the current ones, not those at the time of issue.
pub struct BuiltInVerifier {
    rules: Rules,
    keys: Arc<KeyRing>,
    sessions: Arc<dyn SessionStore>,
    clock: Arc<dyn Clock>,
}

impl BuiltInVerifier {
    /// A verifier of tokens signed with these keys.
    #[must_use]
    pub fn new(keys: Arc<KeyRing>, sessions: Arc<dyn SessionStore>, clock: Arc<dyn Clock>) -> Self {
        let issuer = keys.issuer();
        let authorised_parties = vec![issuer.clone()];
        let rules = Rules {
            algorithm: ALGORITHM,
            issuer,
            authorised_parties,
            clock: Arc::clone(&clock),
        };
        Self {
            rules,
            keys,
            sessions,
            clock,
        }
    }

    async fn bearer(
        &self,
        session: SessionId,
        user: UserId,
        organisation: Option<OrganisationId>,
    ) -> Result<Bearer, TokenError> {
        let bearer = self
            .sessions
            .bearer(session, user, organisation, self.clock.now())
            .await?;
        bearer.ok_or_else(|| bad("its session has ended"))
    }
}

#[async_trait]
impl TokenVerifier for BuiltInVerifier {
    async fn verify(&self, token: &str) -> Result<Caller, TokenError> {
        let key_name = self.rules.key_of(token)?;
        let signer = self.keys.signer_knowing(&key_name).await?;
        let key = signer.verifying_key(&key_name)?;
        let claims: Claims = self.rules.check(token, key)?;
        let organisation = claims
            .org_id
            .as_deref()
            .map(OrganisationId::parse)
            .transpose();
        let organisation = organisation.map_err(|_| bad("not an organisation"))?;
        let session = claims.sid.parse().map_err(|_| bad("not a session"))?;
        let user = claims.sub.parse().map_err(|_| bad("not a user"))?;
        let bearer = self.bearer(session, user, organisation.clone()).await?;
        let membership = bearer.membership.map(TokenMembership::from);
        if organisation.is_some() && membership.is_none() {
            return Err(bad("its bearer is no longer a member"));
        }
        let expires_at = DateTime::from_timestamp(claims.exp, 0).ok_or_else(|| bad("no moment"))?;
        Ok(Caller {
            account: claims.sub.clone(),
            subject: claims.sub,
            name: Some(bearer.name),
            session: Some(TokenSession::BuiltIn { id: session, user }),
            authenticated_at: Some(bearer.authenticated_at),
            api_key: None,
            membership,
            expires_at: Some(expires_at),
        })
    }
}

#[cfg(test)]
mod tests;
