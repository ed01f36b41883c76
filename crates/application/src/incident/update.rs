//! The updates of an incident.

use allclear_domain::author::Author;
use allclear_domain::id::{IncidentId, IncidentUpdateId, OrganisationId};
use allclear_domain::incident::Incident;
use allclear_domain::incident_update::{
    IncidentAndNewest, IncidentAndUpdate, IncidentUpdate, IncidentUpdateDeletion, RecordError,
};
use allclear_domain::update::{UpdateDraft, UpdatePatch};

use super::Incidents;
use crate::error::Error;
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::transition::Transition;

impl Incidents {
    const UPDATE: &str = "Incident update";

    /// Returns the updates of an incident, newest first. [`Error::NotFound`] if the incident does
    /// not exist.
    pub async fn updates(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        page: Page,
    ) -> Result<Listed<IncidentUpdate>, Error> {
        self.store
            .list_updates(organisation, incident, page)
            .await?
            .ok_or(Error::NotFound(Self::NAME))
    }

    /// Returns an update. [`Error::NotFound`] if it does not exist.
    pub async fn find_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
    ) -> Result<IncidentUpdate, Error> {
        self.store
            .find_update(organisation, incident, id)
            .await?
            .ok_or(Error::NotFound(Self::UPDATE))
    }

    /// Records an update. [`Error::NotFound`], [`Error::Invalid`], and [`Error::Conflict`] if the
    /// incident is resolved and the update is not displayed before its resolution.
    pub async fn record_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        draft: UpdateDraft,
        author: Author,
    ) -> Result<IncidentUpdate, Error> {
        let rule: Transition<IncidentAndNewest, IncidentAndUpdate> =
            Box::new(move |latest, stamp| {
                Ok(latest.record(
                    IncidentUpdateId(stamp.id),
                    draft,
                    author,
                    stamp.notify_by_default,
                    stamp.committed_at,
                )?)
            });
        let committed = self
            .store
            .insert_update(organisation, incident, rule)
            .await?
            .ok_or(Error::NotFound(Self::NAME))?;
        Ok(self.relay.publish(committed).await)
    }

    /// Changes the fields of the patch if the precondition holds. [`Error::NotFound`],
    /// [`Error::Stale`], [`Error::Invalid`].
    pub async fn edit_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        id: IncidentUpdateId,
        patch: UpdatePatch,
        precondition: Precondition,
    ) -> Result<IncidentUpdate, Error> {
        let rule: Transition<IncidentAndUpdate> = Box::new(move |entry, stamp| {
            precondition.check(entry.update.version)?;
            Ok(entry.edit(patch, stamp.notify_by_default, stamp.committed_at)?)
        });
        let committed = self
            .store
            .change_update(organisation, incident, id, rule)
            .await?
            .ok_or(Error::NotFound(Self::UPDATE))?;
        Ok(self.relay.publish(committed).await)
    }

    /// Deletes updates, all or none. `notify` is whether a changed status of the incident notifies
    /// subscribers; the default of the organisation if `None`. [`Error::NotFound`] if the incident
    /// does not exist, [`Error::Invalid`] if the list is empty or names an update twice or one that
    /// the incident does not have.
    pub async fn delete_updates(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        ids: Vec<IncidentUpdateId>,
        notify: Option<bool>,
    ) -> Result<(), Error> {
        let deleted = ids.clone();
        let rule: Transition<IncidentUpdateDeletion, Incident> =
            Box::new(move |deletion, stamp| {
                let notify = notify.unwrap_or(stamp.notify_by_default);
                Ok(deletion.delete(&deleted, notify, stamp.committed_at)?)
            });
        let committed = self
            .store
            .delete_updates(organisation, incident, ids, rule)
            .await?
            .ok_or(Error::NotFound(Self::NAME))?;
        self.relay.publish(committed).await;
        Ok(())
    }
}

impl From<RecordError> for Error {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Invalid(invalid) => Self::Invalid(invalid),
            RecordError::Resolved => Self::Conflict(error.to_string()),
        }
    }
}
