//! Components: the use cases and their storage port.

pub mod history;

use std::sync::Arc;

use allclear_domain::author::Author;
use allclear_domain::component::{Component, ComponentDraft, ComponentPatch};
use allclear_domain::id::{ComponentId, OrganisationId};
use async_trait::async_trait;

use crate::clock::Clock;
use crate::component::history::ComponentHistoryStore;
use crate::error::{Error, Resource};
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::relay::Relay;
use crate::transition::{Committed, CreateTransition, Transition};

/// A component with what follows from its maintenances.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentReport {
    /// The component.
    pub component: Component,
    /// Whether a maintenance of it is in progress.
    pub under_maintenance: bool,
}

/// Storage of components. Every write stores everything that a
/// [change](allclear_domain::event::Changed) causes in one transaction, which makes one revision.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait ComponentStore: Send + Sync {
    /// Returns the components of an organisation, newest first.
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<ComponentReport>, Error>;

    /// Returns a component of an organisation.
    async fn find(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
    ) -> Result<Option<ComponentReport>, Error>;

    /// Stores the component that a rule creates. `author` is the cause of a status other than
    /// operational. [`Error::NotFound`] if the organisation does not exist.
    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Component>,
        author: Author,
    ) -> Result<Committed<ComponentReport>, Error>;

    /// Runs a rule on a component and stores the result. `author` is the cause of another status.
    /// `None` if the component does not exist.
    async fn change(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        rule: Transition<Component>,
        author: Author,
    ) -> Result<Option<Committed<ComponentReport>>, Error>;

    /// Runs a rule on a component and removes it. `None` if it does not exist, [`Error::Stale`] if
    /// the precondition is for another version. If many messages about it wait, most of them are
    /// removed before the rule runs. An adapter MUST check the precondition before it removes
    /// anything, and not after that. The deletion may take several transactions, so the caller MUST
    /// await its end.
    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        precondition: Precondition,
        rule: Transition<Component, ()>,
    ) -> Result<Option<Committed<()>>, Error>;
}

/// The use cases of components.
pub struct Components {
    store: Arc<dyn ComponentStore>,
    histories: Arc<dyn ComponentHistoryStore>,
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
}

impl Components {
    /// The use cases over these ports.
    #[must_use]
    pub fn new(
        store: Arc<dyn ComponentStore>,
        histories: Arc<dyn ComponentHistoryStore>,
        relay: Arc<Relay>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            histories,
            relay,
            clock,
        }
    }

    /// The components of an organisation, newest first.
    pub async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<ComponentReport>, Error> {
        self.store.list(organisation, page).await
    }

    /// Returns a component. [`Error::NotFound`] if it does not exist.
    pub async fn find(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
    ) -> Result<ComponentReport, Error> {
        self.store
            .find(organisation, id)
            .await?
            .ok_or(Error::NotFound(Resource::Component))
    }

    /// Creates a component. [`Error::Invalid`] if the draft breaks a rule of its fields.
    pub async fn create(
        &self,
        organisation: &OrganisationId,
        draft: ComponentDraft,
        author: Author,
    ) -> Result<ComponentReport, Error> {
        let create: CreateTransition<Component> = Box::new(move |stamp| {
            Ok(Component::create(
                ComponentId(stamp.id),
                draft,
                stamp.zone,
                stamp.committed_at,
            )?)
        });
        let committed = self.store.insert(organisation, create, author).await?;
        Ok(self.relay.publish(committed).await)
    }

    /// Changes the fields of the patch if the precondition holds. [`Error::NotFound`],
    /// [`Error::Stale`], [`Error::Invalid`].
    pub async fn edit(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        patch: ComponentPatch,
        author: Author,
        precondition: Precondition,
    ) -> Result<ComponentReport, Error> {
        let rule: Transition<Component> = Box::new(move |component, stamp| {
            precondition.check(component.version)?;
            let edited = component.edit(patch, stamp.zone, stamp.committed_at)?;
            Ok(edited.notify_if(stamp.notify_by_default))
        });
        let committed = self
            .store
            .change(organisation, id, rule, author)
            .await?
            .ok_or(Error::NotFound(Resource::Component))?;
        Ok(self.relay.publish(committed).await)
    }

    /// Deletes a component. [`Error::NotFound`] if it does not exist, [`Error::Stale`] if the
    /// precondition is for another version.
    pub async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        precondition: Precondition,
    ) -> Result<(), Error> {
        let rule: Transition<Component, ()> = Box::new(|component, _| Ok(component.delete()));
        let committed = self
            .store
            .delete(organisation, id, precondition, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Component))?;
        self.relay.publish(committed).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
