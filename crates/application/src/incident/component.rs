//! The components attached to an incident.

use allclear_domain::component::{Component, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId, OrganisationId};
use allclear_domain::impact::{
    AlreadyAttached, Attachment, ImpactRefused, IncidentAndAttached, check_attachments,
    check_detachments,
};

use super::Incidents;
use crate::error::{Error, Resource};
use crate::page::{Listed, Page};
use crate::transition::{Committed, Transition};

/// A component attached to an incident, with the impact on it while the incident is unresolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentComponent {
    /// The component.
    pub component: Component,
    /// The impact.
    pub status: ComponentStatus,
}

impl Incidents {
    /// Returns the components attached to an incident. [`Error::NotFound`] if the incident does
    /// not exist.
    pub async fn components(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Listed<IncidentComponent>, Error> {
        self.store
            .attached(organisation, incident, page)
            .await?
            .ok_or(Error::NotFound(Resource::Incident))
    }

    /// Returns the components of the organisation that are not attached to an incident.
    /// [`Error::NotFound`] if the incident does not exist.
    pub async fn unattached(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Listed<Component>, Error> {
        self.store
            .unattached(organisation, incident, page)
            .await?
            .ok_or(Error::NotFound(Resource::Incident))
    }

    /// Attaches components, all or none, and returns all that are attached afterwards.
    /// [`Error::NotFound`], [`Error::Invalid`], [`Error::Conflict`].
    pub async fn attach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<Attachment>,
    ) -> Result<Vec<IncidentComponent>, Error> {
        check_attachments(&components)?;
        let attached = components.clone();
        let rule: Transition<IncidentAndAttached, ()> =
            Box::new(move |found, _| Ok(found.attach(&attached)?));
        let committed = self
            .store
            .attach(organisation, incident, components, rule)
            .await?;
        self.publish_attached(organisation, incident, committed)
            .await
    }

    /// Changes the impacts on attached components, all or none, and returns all that are attached.
    /// [`Error::NotFound`], [`Error::Invalid`], [`Error::Conflict`] if the incident is resolved.
    pub async fn change_impacts(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<Attachment>,
    ) -> Result<Vec<IncidentComponent>, Error> {
        check_attachments(&components)?;
        let changed = components.clone();
        let rule: Transition<IncidentAndAttached, ()> =
            Box::new(move |found, _| Ok(found.change_impacts(&changed)?));
        let committed = self
            .store
            .change_impacts(organisation, incident, components, rule)
            .await?;
        self.publish_attached(organisation, incident, committed)
            .await
    }

    /// Detaches components, all or none, and returns all that are attached afterwards.
    /// [`Error::NotFound`], [`Error::Invalid`].
    pub async fn detach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<ComponentId>,
    ) -> Result<Vec<IncidentComponent>, Error> {
        check_detachments(&components)?;
        let detached = components.clone();
        let rule: Transition<IncidentAndAttached, ()> =
            Box::new(move |found, _| Ok(found.detach(detached)?));
        let committed = self
            .store
            .detach(organisation, incident, components, rule)
            .await?;
        self.publish_attached(organisation, incident, committed)
            .await
    }

    async fn publish_attached(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        committed: Option<Committed<()>>,
    ) -> Result<Vec<IncidentComponent>, Error> {
        self.relay
            .publish(committed.ok_or(Error::NotFound(Resource::Incident))?)
            .await;
        Ok(self
            .components(organisation, incident, Page::default())
            .await?
            .items)
    }
}

impl From<AlreadyAttached> for Error {
    fn from(refused: AlreadyAttached) -> Self {
        Self::Conflict(refused.to_string())
    }
}

impl From<ImpactRefused> for Error {
    fn from(refused: ImpactRefused) -> Self {
        match refused {
            ImpactRefused::Resolved => Self::Conflict(refused.to_string()),
            ImpactRefused::Invalid(invalid) => invalid.into(),
        }
    }
}
