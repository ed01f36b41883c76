//! Domains of organisations: claims, their check, and the organisation whose pages a host shows.

pub mod hosts;

use std::sync::Arc;

use allclear_domain::audit::{Action, ChangeTarget};
use allclear_domain::custom_domain::{DomainClaim, DomainName};
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Organisation;
use allclear_domain::validation::Invalid;
use async_trait::async_trait;

use self::hosts::Hosts;
use crate::clock::Clock;
use crate::error::{Error, Resource};
use crate::organisation::OrganisationStore;
use crate::relay::Relay;
use crate::secret::SecretToken;
use crate::transition::Transition;

/// Path at which a host serves the tokens of the pending claims to it.
pub const TOKEN_PATH: &str = "/.well-known/allclear-domain";

/// Header of the check with the identifier of the organisation whose token it needs. The claims of
/// many others cannot hide it.
pub const CLAIMANT: &str = "allclear-claimant";

/// Maximum number of tokens that a host serves. So many fit into the response that the check reads.
pub(crate) const TOKENS_SERVED: u64 = 80;

/// Message for a domain that another organisation has verified.
pub const DOMAIN_TAKEN: &str = "Another organisation has this domain";

/// Storage of claims, beside that of their [organisations](OrganisationStore).
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait DomainStore: Send + Sync {
    /// Returns all verified domains with their organisations.
    async fn verified_domains(&self) -> Result<Vec<(DomainName, OrganisationId)>, Error>;

    /// Returns the organisation that has verified the domain; `None` if there is none.
    async fn owner_of(&self, name: &DomainName) -> Result<Option<OrganisationId>, Error>;

    /// Returns the tokens of the pending claims to the domain, at most `limit`: that of the
    /// organisation `first`, and the others newest first.
    async fn pending_tokens(
        &self,
        name: &DomainName,
        first: Option<OrganisationId>,
        limit: u64,
    ) -> Result<Vec<String>, Error>;

    /// Returns the organisation with this identifier or code; `None` if there is none.
    async fn find_by_id_or_code(&self, text: &str) -> Result<Option<OrganisationId>, Error>;
}

/// Reads the tokens that a domain serves.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait DomainProbe: Send + Sync {
    /// Returns what the domain serves at [`TOKEN_PATH`] for the claim of an organisation.
    async fn read_tokens(
        &self,
        name: &DomainName,
        organisation: &OrganisationId,
    ) -> Result<String, ProbeFailure>;
}

/// The reason why a domain could not be read, as a sentence for its admin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ProbeFailure(pub String);

/// The ports of [`Domains`].
pub struct DomainPorts {
    /// Storage of organisations with their claims.
    pub organisations: Arc<dyn OrganisationStore>,
    /// Storage of claims.
    pub store: Arc<dyn DomainStore>,
    /// Reads the tokens that domains serve.
    pub probe: Arc<dyn DomainProbe>,
    /// Publishes changes.
    pub relay: Arc<Relay>,
    /// Time of checks.
    pub clock: Arc<dyn Clock>,
}

/// The use cases of an organisation's domain. Callers MUST be admins.
pub struct Domains {
    ports: DomainPorts,
    hosts: Arc<Hosts>,
}

impl Domains {
    /// The use cases over these ports. `hosts` follows each change before it is published.
    #[must_use]
    pub const fn new(ports: DomainPorts, hosts: Arc<Hosts>) -> Self {
        Self { ports, hosts }
    }

    /// Claims a domain, in place of the present one. [`Error::Invalid`] for the installation's own
    /// host, [`Error::Conflict`] if another organisation has verified the domain,
    /// [`Error::NotFound`] if the organisation does not exist.
    pub async fn claim(
        &self,
        id: &OrganisationId,
        name: DomainName,
    ) -> Result<Organisation, Error> {
        if self.hosts.is_own(name.as_str()) {
            let message = "This is the address of the installation itself";
            return Err(Invalid::field("name", message).into());
        }
        let owner = self.ports.store.owner_of(&name).await?;
        if owner.is_some_and(|owner| owner != *id) {
            return Err(Error::Conflict(DOMAIN_TAKEN.to_owned()));
        }
        let token = SecretToken::generate().reveal().to_owned();
        let rule: Transition<Organisation> = Box::new(move |organisation, stamp| {
            let claim = DomainClaim::new(name, token, stamp.committed_at);
            Ok(organisation.claim_domain(claim))
        });
        self.change(id, rule).await
    }

    /// Reads the tokens that the domain serves, and marks the claim as verified if its token is
    /// one of them. [`Error::Conflict`] with the reason if it is not, [`Error::NotFound`]
    /// without a claim.
    pub async fn verify(&self, id: &OrganisationId) -> Result<Organisation, Error> {
        let organisation = self.find(id).await?;
        let claim = organisation.domain.clone();
        let claim = claim.ok_or(Error::NotFound(Resource::Domain))?;
        if claim.is_verified() {
            return Ok(organisation);
        }
        let served = self.ports.probe.read_tokens(&claim.name, id).await;
        let served = served.map_err(|failure| Error::Conflict(failure.to_string()))?;
        if !served.lines().any(|line| line.trim() == claim.token) {
            return Err(Error::Conflict(format!(
                "{} responds, but without the token of this claim",
                claim.name
            )));
        }
        let now = self.ports.clock.now();
        let rule: Transition<Organisation> = Box::new(move |organisation, _| {
            let verified = organisation.verify_domain(&claim.token, now);
            let verified = verified.ok_or_else(|| {
                Error::Conflict("The domain was changed during the check".to_owned())
            })?;
            if verified.has_no_events() {
                return Ok(verified);
            }
            let name = claim.name.to_string();
            Ok(verified.audited(Action::DomainVerified, ChangeTarget::Organisation, name))
        });
        self.change(id, rule).await
    }

    /// Removes the domain, or the claim to one, and returns its name. [`Error::NotFound`] if there
    /// is none.
    pub async fn remove(&self, id: &OrganisationId) -> Result<DomainName, Error> {
        let claim = self.find(id).await?.domain;
        let claim = claim.ok_or(Error::NotFound(Resource::Domain))?;
        self.change(id, removal(claim.name.clone())).await?;
        Ok(claim.name)
    }

    /// Returns the tokens of the pending claims to a host, that of the organisation `first` before
    /// the others.
    pub async fn pending_tokens(
        &self,
        name: &DomainName,
        first: Option<OrganisationId>,
    ) -> Result<Vec<String>, Error> {
        let store = &self.ports.store;
        store.pending_tokens(name, first, TOKENS_SERVED).await
    }

    async fn find(&self, id: &OrganisationId) -> Result<Organisation, Error> {
        let found = self.ports.organisations.find(id).await?;
        found.ok_or(Error::NotFound(Resource::Organisation))
    }

    async fn change(
        &self,
        id: &OrganisationId,
        rule: Transition<Organisation>,
    ) -> Result<Organisation, Error> {
        let changed = self.ports.organisations.change(id, rule).await?;
        let committed = changed.ok_or(Error::NotFound(Resource::Organisation))?;
        // Before the change is announced: a page that is read after it must be on the right host.
        let reloaded = self.hosts.reload().await;
        let organisation = self.ports.relay.publish(committed).await;
        if let Err(error) = reloaded {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the domains could not be read; trying again"
            );
        }
        Ok(organisation)
    }
}

/// Removes a domain from the organisation that has verified it, for an operator of the
/// installation. Without it, a domain whose holder has changed would stay with an organisation that
/// no longer controls it. Nodes read the commit from the outbox. Returns the organisation without
/// the domain. [`Error::NotFound`] if no organisation has verified it.
pub async fn release(
    organisations: &dyn OrganisationStore,
    store: &dyn DomainStore,
    name: &DomainName,
) -> Result<Organisation, Error> {
    let owner = store.owner_of(name).await?;
    let owner = owner.ok_or(Error::NotFound(Resource::Domain))?;
    let released = organisations.change(&owner, removal(name.clone())).await?;
    let committed = released.ok_or(Error::NotFound(Resource::Domain))?;
    Ok(committed.state)
}

/// The rule that removes the domain with this name.
fn removal(name: DomainName) -> Transition<Organisation> {
    Box::new(move |organisation, _| {
        // An admin may have claimed another one meanwhile.
        let stored = organisation.domain.as_ref();
        if stored.is_none_or(|stored| stored.name != name) {
            return Err(Error::NotFound(Resource::Domain));
        }
        Ok(organisation.remove_domain())
    })
}

#[cfg(test)]
mod tests;
