//! Incidents, their [updates](update) and the [components](component) attached to them: the use
//! cases and their storage port.

pub mod component;
pub mod update;

use std::sync::Arc;

use allclear_domain::component::Component;
use allclear_domain::id::{ComponentId, IncidentId, IncidentUpdateId, OrganisationId};
use allclear_domain::impact::{Attachment, IncidentAndAttached};
use allclear_domain::incident::{Incident, IncidentDraft, IncidentPatch};
use allclear_domain::incident_update::{
    IncidentAndNewest, IncidentAndUpdate, IncidentUpdate, IncidentUpdateDeletion,
};
use async_trait::async_trait;

use crate::error::{Error, Resource};
use crate::incident::component::IncidentComponent;
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::relay::Relay;
use crate::status_page::incident::IncidentTimelineEntry;
use crate::transition::{Committed, CreateTransition, Transition};

/// An incident with its timeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentReport {
    /// The incident.
    pub incident: Incident,
    /// The newest [`TIMELINE_LENGTH`](crate::status_page::incident::TIMELINE_LENGTH) of its
    /// updates, newest first.
    pub timeline: Vec<IncidentTimelineEntry>,
    /// Whether it has older updates than these.
    pub timeline_truncated: bool,
}

/// Storage of incidents, their updates and the components attached to them. Every write stores
/// everything that a [change](allclear_domain::event::Changed) causes in one transaction, which
/// makes one revision. If the change has [impacts](allclear_domain::event::Changed::impacts), an
/// adapter MUST in the same transaction
/// [apply](allclear_domain::component::Component::apply_impacts) the impacts of all unresolved
/// incidents to those components, keep each change of status with the incidents that caused it
/// [over time](allclear_domain::impact::worst_over_time), and append its events. It MUST also
/// [move](allclear_domain::impact::ImpactMove::apply) the past impacts of an incident whose times
/// were corrected, or that was resolved in the past.
///
/// Methods return `None` if the organisation has no such incident, or the incident no such update.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait IncidentStore: Send + Sync {
    /// Returns the incidents of an organisation, newest first.
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<IncidentReport>, Error>;

    /// Returns an incident of an organisation.
    async fn find(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
    ) -> Result<Option<IncidentReport>, Error>;

    /// Stores the incident that a rule creates, with the components attached to it.
    /// [`Error::NotFound`] if the organisation does not exist, [`Error::Invalid`] if one of the
    /// components does not exist.
    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Incident>,
        components: Vec<Attachment>,
    ) -> Result<Committed<IncidentReport>, Error>;

    /// Runs a rule on an incident and stores the result. The version changes if the result
    /// [reads differently](Incident::reads_like).
    async fn change(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
        rule: Transition<Incident>,
    ) -> Result<Option<Committed<IncidentReport>>, Error>;

    /// Runs a rule on an incident and removes the incident with its updates. [`Error::Stale`] if
    /// the precondition is for another version. If it has many updates, or many messages about it
    /// wait, most of them are removed before the rule runs. An adapter MUST check the precondition
    /// before it removes anything, and not after that. The deletion takes several transactions
    /// then, so the caller MUST await its end.
    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
        precondition: Precondition,
        rule: Transition<IncidentAndAttached, ()>,
    ) -> Result<Option<Committed<()>>, Error>;

    /// Returns the updates of an incident, newest first.
    async fn list_updates(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<IncidentUpdate>>, Error>;

    /// Returns an update of an incident.
    async fn find_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
    ) -> Result<Option<IncidentUpdate>, Error>;

    /// Runs a rule on an incident, stores the update that it creates and the impacts on attached
    /// components. `None` if the organisation does not exist; a missing incident is
    /// [`Error::NotFound`], because it undoes the revision that the organisation has by then.
    /// [`Error::Invalid`] if one of the components is not attached. An adapter MUST NOT read older
    /// updates than the newest one for it, and no components if there are no impacts.
    async fn insert_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<Attachment>,
        rule: Transition<IncidentAndNewest, IncidentAndUpdate>,
    ) -> Result<Option<Committed<IncidentUpdate>>, Error>;

    /// Runs a rule on an update and stores the result.
    async fn change_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
        rule: Transition<IncidentAndUpdate>,
    ) -> Result<Option<Committed<IncidentUpdate>>, Error>;

    /// Runs a rule on an incident, removes the updates and stores the incident. If many messages
    /// about the updates wait, most of them are removed before the rule runs, even if the rule
    /// fails. The deletion takes several transactions then, so the caller MUST await its end.
    async fn delete_updates(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        ids: Vec<IncidentUpdateId>,
        rule: Transition<IncidentUpdateDeletion, Incident>,
    ) -> Result<Option<Committed<()>>, Error>;

    /// Returns the components attached to an incident, newest component first.
    async fn attached(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<IncidentComponent>>, Error>;

    /// Returns the components of the organisation that are not attached to an incident,
    /// newest first.
    async fn unattached(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<Component>>, Error>;

    /// Runs a rule on an incident and attaches the components. [`Error::Invalid`] if one of them
    /// does not exist.
    async fn attach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<Attachment>,
        rule: Transition<IncidentAndAttached, ()>,
    ) -> Result<Option<Committed<()>>, Error>;

    /// Runs a rule on an incident and stores the impacts on attached components.
    async fn change_impacts(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<Attachment>,
        rule: Transition<IncidentAndAttached, ()>,
    ) -> Result<Option<Committed<()>>, Error>;

    /// Runs a rule on an incident and detaches the components.
    async fn detach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<ComponentId>,
        rule: Transition<IncidentAndAttached, ()>,
    ) -> Result<Option<Committed<()>>, Error>;
}

/// The use cases of incidents.
pub struct Incidents {
    store: Arc<dyn IncidentStore>,
    relay: Arc<Relay>,
}

impl Incidents {
    /// The use cases over these ports.
    #[must_use]
    pub fn new(store: Arc<dyn IncidentStore>, relay: Arc<Relay>) -> Self {
        Self { store, relay }
    }

    /// The incidents of an organisation, newest first.
    pub async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<IncidentReport>, Error> {
        self.store.list(organisation, page).await
    }

    /// Returns an incident. [`Error::NotFound`] if it does not exist.
    pub async fn find(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
    ) -> Result<IncidentReport, Error> {
        self.store
            .find(organisation, id)
            .await?
            .ok_or(Error::NotFound(Resource::Incident))
    }

    /// Creates an incident with components attached to it. [`Error::Invalid`] if the draft breaks a
    /// rule of its fields, or a component comes twice or does not exist.
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
                stamp.notify_by_default,
                stamp.committed_at,
            )?)
        });
        let committed = self.store.insert(organisation, create, components).await?;
        Ok(self.relay.publish(committed).await)
    }

    /// Changes the fields of the patch if the precondition holds. [`Error::NotFound`],
    /// [`Error::Stale`], [`Error::Invalid`].
    pub async fn edit(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
        patch: IncidentPatch,
        precondition: Precondition,
    ) -> Result<IncidentReport, Error> {
        let rule: Transition<Incident> = Box::new(move |incident, stamp| {
            precondition.check(incident.version)?;
            Ok(incident.edit(patch, stamp.notify_by_default, stamp.committed_at)?)
        });
        let committed = self
            .store
            .change(organisation, id, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Incident))?;
        Ok(self.relay.publish(committed).await)
    }

    /// Deletes an incident, which ends its impacts. [`Error::NotFound`] if it does not exist,
    /// [`Error::Stale`] if the precondition is for another version.
    pub async fn delete(
        &self,
        organisation: &OrganisationId,
        id: IncidentId,
        precondition: Precondition,
    ) -> Result<(), Error> {
        let rule: Transition<IncidentAndAttached, ()> = Box::new(|found, _| Ok(found.delete()));
        let committed = self
            .store
            .delete(organisation, id, precondition, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Incident))?;
        self.relay.publish(committed).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
