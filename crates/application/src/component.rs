//! Components: the use cases and the port that keeps them.

use std::sync::Arc;

use allclear_domain::component::{Component, ComponentDraft, ComponentPatch};
use allclear_domain::id::{ComponentId, OrganisationId};
use async_trait::async_trait;

use crate::error::Error;
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::relay::Relay;
use crate::transition::{CreateTransition, Transition, Written};

/// Keeps components. Every write stores the state, its history and its events in one transaction that makes one revision.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait ComponentStore: Send + Sync {
    /// The components of an organisation, newest first.
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Component>, Error>;

    /// A component of an organisation.
    async fn find(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
    ) -> Result<Option<Component>, Error>;

    /// Stores the component that a rule makes. [`Error::NotFound`] where the organisation is gone.
    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Component>,
    ) -> Result<Written<Component>, Error>;

    /// Runs a rule on a component; none where there is no such one.
    async fn change(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        rule: Transition<Component>,
    ) -> Result<Option<Written<Component>>, Error>;

    /// Removes a component; none where there is no such one.
    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
    ) -> Result<Option<Written<()>>, Error>;
}

/// What operators do with components.
pub struct Components {
    store: Arc<dyn ComponentStore>,
    relay: Arc<Relay>,
}

impl Components {
    const NAME: &str = "Component";

    /// The use cases over these ports.
    #[must_use]
    pub fn new(store: Arc<dyn ComponentStore>, relay: Arc<Relay>) -> Self {
        Self { store, relay }
    }

    /// The components of an organisation, newest first.
    pub async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<Component>, Error> {
        self.store.list(organisation, page).await
    }

    /// A component. [`Error::NotFound`] where there is none.
    pub async fn find(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
    ) -> Result<Component, Error> {
        self.store
            .find(organisation, id)
            .await?
            .ok_or(Error::NotFound(Self::NAME))
    }

    /// Creates a component. [`Error::Invalid`] when the draft breaks a rule of its fields.
    pub async fn create(
        &self,
        organisation: &OrganisationId,
        draft: ComponentDraft,
    ) -> Result<Component, Error> {
        let create: CreateTransition<Component> =
            Box::new(move |stamp| Ok(Component::create(ComponentId(stamp.id), draft, stamp.now)?));
        let written = self.store.insert(organisation, create).await?;
        Ok(self.relay.told(written).await)
    }

    /// Changes what the patch carries, where the precondition holds. [`Error::NotFound`],
    /// [`Error::Stale`], [`Error::Invalid`].
    pub async fn edit(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        patch: ComponentPatch,
        precondition: Precondition,
    ) -> Result<Component, Error> {
        let rule: Transition<Component> = Box::new(move |component, stamp| {
            precondition.check(component.version)?;
            Ok(component.edit(patch, stamp.now)?)
        });
        let written = self
            .store
            .change(organisation, id, rule)
            .await?
            .ok_or(Error::NotFound(Self::NAME))?;
        Ok(self.relay.told(written).await)
    }

    /// Deletes a component. [`Error::NotFound`] where there is none.
    pub async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
    ) -> Result<(), Error> {
        let written = self
            .store
            .delete(organisation, id)
            .await?
            .ok_or(Error::NotFound(Self::NAME))?;
        self.relay.told(written).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
