//! Incidents: the use cases and the ports that keep them, their [updates](update) and the [components](component) they
//! affect.

pub mod component;
pub mod update;

use std::sync::Arc;

use allclear_domain::id::{IncidentId, OrganisationId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{Incident, IncidentDraft, IncidentPatch};
use async_trait::async_trait;

use crate::error::Error;
use crate::incident::component::IncidentComponentStore;
use crate::incident::update::IncidentUpdateStore;
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::public::incident::TimelineEntry;
use crate::relay::Relay;
use crate::transition::{CreateTransition, Transition, Written};

/// An incident with its timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentReport {
    /// The incident.
    pub incident: Incident,
    /// The newest [`TIMELINE_LENGTH`](crate::public::incident::TIMELINE_LENGTH) of its updates, newest first.
    pub timeline: Vec<TimelineEntry>,
    /// Whether it has older updates than these.
    pub timeline_truncated: bool,
}

/// Keeps incidents. Every write stores the state and its events in one transaction that makes one revision. Where a write
/// changes what incidents hold on components, an adapter MUST in the same transaction let each of these
/// [settle](allclear_domain::component::Component::settle) over all that is held on it now, keep the change of status with
/// its cause, and tell of it after the incident.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait IncidentStore: Send + Sync {
    /// The incidents of an organisation, newest first.
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<IncidentReport>, Error>;

    /// An incident of an organisation.
    async fn find(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
    ) -> Result<Option<IncidentReport>, Error>;

    /// Stores the incident that a rule makes, with the components it affects. [`Error::NotFound`] where the organisation is
    /// gone, [`Error::Invalid`] where it has no such component.
    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Incident>,
        components: Vec<Attachment>,
    ) -> Result<Written<IncidentReport>, Error>;

    /// Runs a rule on an incident; none where there is no such one. The version moves where the rule changes what
    /// [reads differently](Incident::reads_like).
    async fn change(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
        rule: Transition<Incident>,
    ) -> Result<Option<Written<IncidentReport>>, Error>;

    /// Removes an incident with its timeline, and releases what it holds; none where there is no such one.
    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
    ) -> Result<Option<Written<()>>, Error>;
}

/// What operators do with incidents.
pub struct Incidents {
    store: Arc<dyn IncidentStore>,
    components: Arc<dyn IncidentComponentStore>,
    updates: Arc<dyn IncidentUpdateStore>,
    relay: Arc<Relay>,
}

impl Incidents {
    const NAME: &str = "Incident";

    /// The use cases over these ports.
    #[must_use]
    pub fn new(
        store: Arc<dyn IncidentStore>,
        components: Arc<dyn IncidentComponentStore>,
        updates: Arc<dyn IncidentUpdateStore>,
        relay: Arc<Relay>,
    ) -> Self {
        Self {
            store,
            components,
            updates,
            relay,
        }
    }

    /// The incidents of an organisation, newest first.
    pub async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<IncidentReport>, Error> {
        self.store.list(organisation, page).await
    }

    /// An incident. [`Error::NotFound`] where there is none.
    pub async fn find(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
    ) -> Result<IncidentReport, Error> {
        self.store
            .find(organisation, id)
            .await?
            .ok_or(Error::NotFound(Self::NAME))
    }

    /// Creates an incident with the components it affects. [`Error::Invalid`] when the draft breaks a rule of its fields,
    /// or a component comes twice or is not the organisation's.
    pub async fn create(
        &self,
        organisation: &OrganisationId,
        draft: IncidentDraft,
        components: Vec<Attachment>,
    ) -> Result<IncidentReport, Error> {
        let attached = components.clone();
        let create: CreateTransition<Incident> = Box::new(move |stamp| {
            Ok(Incident::create(
                IncidentId(stamp.id),
                draft,
                &attached,
                stamp.now,
            )?)
        });
        let written = self.store.insert(organisation, create, components).await?;
        Ok(self.relay.told(written).await)
    }

    /// Changes what the patch carries, where the precondition holds. [`Error::NotFound`], [`Error::Stale`],
    /// [`Error::Invalid`].
    pub async fn edit(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
        patch: IncidentPatch,
        precondition: Precondition,
    ) -> Result<IncidentReport, Error> {
        let rule: Transition<Incident> = Box::new(move |incident, stamp| {
            precondition.check(incident.version)?;
            Ok(incident.edit(patch, stamp.now)?)
        });
        let written = self
            .store
            .change(organisation, id, rule)
            .await?
            .ok_or(Error::NotFound(Self::NAME))?;
        Ok(self.relay.told(written).await)
    }

    /// Deletes an incident and releases what it holds. [`Error::NotFound`] where there is none.
    pub async fn delete(&self, organisation: &OrganisationId, id: IncidentId) -> Result<(), Error> {
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
