//! The updates of an incident.

use allclear_domain::author::Author;
use allclear_domain::id::{IncidentId, IncidentUpdateId, OrganisationId};
use allclear_domain::incident::Incident;
use allclear_domain::incident_update::{
    Deletion, Entry, IncidentUpdate, IncidentUpdateDraft, IncidentUpdatePatch, Latest,
    RecordRefused, check_deletion,
};
use async_trait::async_trait;

use super::Incidents;
use crate::error::Error;
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::transition::{Transition, Written};

/// Keeps the updates of incidents; writes do what [`IncidentStore`](super::IncidentStore) says of them.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait IncidentUpdateStore: Send + Sync {
    /// The updates of an incident, newest first; none where there is no such incident.
    async fn list(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Option<Listed<IncidentUpdate>>, Error>;

    /// An update of an incident.
    async fn find(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
    ) -> Result<Option<IncidentUpdate>, Error>;

    /// Runs a rule on an incident and stores the update it makes; none where there is no such incident. An adapter MUST
    /// NOT read the incident's older updates for it.
    async fn record(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        rule: Transition<Latest, Entry>,
    ) -> Result<Option<Written<IncidentUpdate>>, Error>;

    /// Runs a rule on an update; none where there is no such one.
    async fn change(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
        rule: Transition<Entry>,
    ) -> Result<Option<Written<IncidentUpdate>>, Error>;

    /// Removes updates, all or none, and stores what the rule makes of their incident; none where there is no such
    /// incident. [`Error::Invalid`] where it has no such update.
    async fn delete(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        ids: Vec<IncidentUpdateId>,
        rule: Transition<Deletion, Incident>,
    ) -> Result<Option<Written<()>>, Error>;
}

impl Incidents {
    const UPDATE: &str = "Incident update";

    /// The updates of an incident, newest first. [`Error::NotFound`] where there is no such incident.
    pub async fn updates(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Listed<IncidentUpdate>, Error> {
        self.updates
            .list(organisation, incident, page)
            .await?
            .ok_or(Error::NotFound(Self::NAME))
    }

    /// An update. [`Error::NotFound`] where there is none.
    pub async fn find_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
    ) -> Result<IncidentUpdate, Error> {
        self.updates
            .find(organisation, incident, id)
            .await?
            .ok_or(Error::NotFound(Self::UPDATE))
    }

    /// Records an update. [`Error::NotFound`], [`Error::Invalid`], and [`Error::Conflict`] when the incident is resolved.
    pub async fn record_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        draft: IncidentUpdateDraft,
        author: Author,
    ) -> Result<IncidentUpdate, Error> {
        let rule: Transition<Latest, Entry> = Box::new(move |latest, stamp| {
            let id = IncidentUpdateId(stamp.id);
            Ok(latest.record(id, draft, author, stamp.now)?)
        });
        let written = self
            .updates
            .record(organisation, incident, rule)
            .await?
            .ok_or(Error::NotFound(Self::NAME))?;
        Ok(self.relay.told(written).await)
    }

    /// Changes what the patch carries, where the precondition holds. [`Error::NotFound`], [`Error::Stale`],
    /// [`Error::Invalid`].
    pub async fn edit_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
        patch: IncidentUpdatePatch,
        precondition: Precondition,
    ) -> Result<IncidentUpdate, Error> {
        let rule: Transition<Entry> = Box::new(move |entry, stamp| {
            precondition.check(entry.update.version)?;
            Ok(entry.edit(patch, stamp.now)?)
        });
        let written = self
            .updates
            .change(organisation, incident, id, rule)
            .await?;
        Ok(self
            .relay
            .told(written.ok_or(Error::NotFound(Self::UPDATE))?)
            .await)
    }

    /// Deletes updates, all or none. [`Error::NotFound`] where there is no such incident, [`Error::Invalid`] where it has
    /// no such update.
    pub async fn delete_updates(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        ids: Vec<IncidentUpdateId>,
    ) -> Result<(), Error> {
        check_deletion(&ids)?;
        let gone = ids.clone();
        let rule: Transition<Deletion, Incident> =
            Box::new(move |deletion, stamp| Ok(deletion.of(&gone, stamp.now)));
        let written = self
            .updates
            .delete(organisation, incident, ids, rule)
            .await?;
        self.relay
            .told(written.ok_or(Error::NotFound(Self::NAME))?)
            .await;
        Ok(())
    }
}

impl From<RecordRefused> for Error {
    fn from(refused: RecordRefused) -> Self {
        match refused {
            RecordRefused::Invalid(invalid) => Self::Invalid(invalid),
            RecordRefused::Resolved => Self::Conflict(refused.to_string()),
        }
    }
}
