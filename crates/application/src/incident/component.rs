//! The components an incident affects.

use allclear_domain::component::{Component, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId, OrganisationId};
use allclear_domain::impact::{Attachment, check_attachments, check_detachments};
use async_trait::async_trait;

use super::Incidents;
use crate::error::Error;
use crate::page::{Listed, Page};
use crate::transition::Written;

/// A component with the status an incident holds on it while it is unresolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncidentComponent {
    /// The component.
    pub component: Component,
    /// The status held on it.
    pub status: ComponentStatus,
}

/// Keeps which components incidents affect; writes do what [`IncidentStore`](super::IncidentStore) says of them, and are
/// all or nothing.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait IncidentComponentStore: Send + Sync {
    /// The components attached to an incident, newest component first; none where there is no such incident.
    async fn attached(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<IncidentComponent>>, Error>;

    /// The organisation's other components, newest first; none where there is no such incident.
    async fn unattached(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<Component>>, Error>;

    /// Attaches components; none where there is no such incident. [`Error::Invalid`] where one is not the organisation's,
    /// [`Error::Conflict`] where one is attached already.
    async fn attach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<Attachment>,
    ) -> Result<Option<Written<()>>, Error>;

    /// Detaches components; none where there is no such incident. [`Error::Invalid`] where one is not attached.
    async fn detach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<ComponentId>,
    ) -> Result<Option<Written<()>>, Error>;
}

impl Incidents {
    /// The components attached to an incident. [`Error::NotFound`] where there is no such incident.
    pub async fn components(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Listed<IncidentComponent>, Error> {
        self.components
            .attached(organisation, incident, page)
            .await?
            .ok_or(Error::NotFound(Self::NAME))
    }

    /// The organisation's components that are not attached to an incident. [`Error::NotFound`] where there is no such
    /// incident.
    pub async fn unattached(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Listed<Component>, Error> {
        self.components
            .unattached(organisation, incident, page)
            .await?
            .ok_or(Error::NotFound(Self::NAME))
    }

    /// Attaches components, all or none, and answers all that are attached then. [`Error::NotFound`],
    /// [`Error::Invalid`], [`Error::Conflict`].
    pub async fn attach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<Attachment>,
    ) -> Result<Vec<IncidentComponent>, Error> {
        check_attachments(&components)?;
        let written = self
            .components
            .attach(organisation, incident, components)
            .await?;
        self.linked(organisation, incident, written).await
    }

    /// Detaches components, all or none, and answers all that are attached then. [`Error::NotFound`],
    /// [`Error::Invalid`].
    pub async fn detach(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        components: Vec<ComponentId>,
    ) -> Result<Vec<IncidentComponent>, Error> {
        check_detachments(&components)?;
        let written = self
            .components
            .detach(organisation, incident, components)
            .await?;
        self.linked(organisation, incident, written).await
    }

    async fn linked(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        written: Option<Written<()>>,
    ) -> Result<Vec<IncidentComponent>, Error> {
        self.relay
            .told(written.ok_or(Error::NotFound(Self::NAME))?)
            .await;
        Ok(self
            .components(organisation, incident, Page::default())
            .await?
            .items)
    }
}
