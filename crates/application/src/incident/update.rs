//! The updates of an incident.

use allclear_domain::author::Author;
use allclear_domain::id::{IncidentId, IncidentUpdateId, OrganisationId};
use allclear_domain::impact::{Attachment, check_attachments};
use allclear_domain::incident::Incident;
use allclear_domain::incident_update::{
    DeletionError, IncidentAndNewest, IncidentAndUpdate, IncidentUpdate, IncidentUpdateDeletion,
    RecordError,
};
use allclear_domain::update::{UpdateDraft, UpdatePatch};

use super::Incidents;
use crate::error::{Error, Resource};
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::transition::Transition;

impl Incidents {
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
            .ok_or(Error::NotFound(Resource::Incident))
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
            .ok_or(Error::NotFound(Resource::IncidentUpdate))
    }

    /// Records an update, and changes the impacts on attached components with it.
    /// [`Error::NotFound`], [`Error::Invalid`], and [`Error::Conflict`] if the incident is resolved
    /// and the update is not displayed before its resolution, or if there are components and the
    /// incident is resolved then.
    pub async fn record_update(
        &self,
        organisation: &OrganisationId,
        incident: IncidentId,
        draft: UpdateDraft,
        components: Vec<Attachment>,
        author: Author,
    ) -> Result<IncidentUpdate, Error> {
        if !components.is_empty() {
            check_attachments(&components)?;
        }
        let changed = components.clone();
        let rule: Transition<IncidentAndNewest, IncidentAndUpdate> =
            Box::new(move |latest, stamp| {
                let recorded = latest.record(
                    IncidentUpdateId(stamp.id),
                    draft,
                    author,
                    stamp.notify_by_default,
                    stamp.committed_at,
                )?;
                Ok(recorded.with_impacts(&changed)?)
            });
        let committed = self
            .store
            .insert_update(organisation, incident, components, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Incident))?;
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
            .ok_or(Error::NotFound(Resource::IncidentUpdate))?;
        Ok(self.relay.publish(committed).await)
    }

    /// Deletes updates, all or none. `notify` is whether a changed status of the incident notifies
    /// subscribers; the default of the organisation if `None`. [`Error::NotFound`] if the incident
    /// does not exist, [`Error::Invalid`] if the list is empty or names an update twice or one that
    /// the incident does not have, [`Error::Conflict`] if the newest remaining update would resolve
    /// the incident before it occurred.
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
            .ok_or(Error::NotFound(Resource::Incident))?;
        self.relay.publish(committed).await;
        Ok(())
    }
}

impl From<RecordError> for Error {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Invalid(invalid) => Self::Invalid(invalid),
            RecordError::Resolved | RecordError::NoImpact => Self::Conflict(error.to_string()),
        }
    }
}

impl From<DeletionError> for Error {
    fn from(error: DeletionError) -> Self {
        match error {
            DeletionError::Invalid(invalid) => Self::Invalid(invalid),
            DeletionError::ResolvedTooEarly => Self::Conflict(error.to_string()),
        }
    }
}
