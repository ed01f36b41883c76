//! The updates of a maintenance.

use allclear_domain::author::Author;
use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId, OrganisationId};
use allclear_domain::maintenance::Maintenance;
use allclear_domain::maintenance_update::{
    MaintenanceAndUpdate, MaintenanceUpdate, MaintenanceUpdateDeletion,
};
use allclear_domain::update::{UpdateDraft, UpdatePatch};

use super::Maintenances;
use crate::error::{Error, Resource};
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::transition::Transition;

impl Maintenances {
    /// Returns the updates of a maintenance, newest first. [`Error::NotFound`] if the maintenance
    /// does not exist.
    pub async fn updates(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        page: Page,
    ) -> Result<Listed<MaintenanceUpdate>, Error> {
        self.store
            .list_updates(organisation, maintenance, page)
            .await?
            .ok_or(Error::NotFound(Resource::Maintenance))
    }

    /// Returns an update. [`Error::NotFound`] if it does not exist.
    pub async fn find_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
    ) -> Result<MaintenanceUpdate, Error> {
        self.store
            .find_update(organisation, maintenance, id)
            .await?
            .ok_or(Error::NotFound(Resource::MaintenanceUpdate))
    }

    /// Records an update, before, during or after the maintenance. [`Error::NotFound`] if the
    /// maintenance does not exist, [`Error::Invalid`].
    pub async fn record_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        draft: UpdateDraft,
        author: Author,
    ) -> Result<MaintenanceUpdate, Error> {
        let rule: Transition<Maintenance, MaintenanceAndUpdate> =
            Box::new(move |maintenance, stamp| {
                Ok(maintenance.record_update(
                    MaintenanceUpdateId(stamp.id),
                    draft,
                    author,
                    stamp.change_context(),
                )?)
            });
        let committed = self
            .store
            .insert_update(organisation, maintenance, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Maintenance))?;
        Ok(self.relay.publish(committed).await)
    }

    /// Changes the fields of the patch if the precondition holds. [`Error::NotFound`],
    /// [`Error::Stale`], [`Error::Invalid`].
    pub async fn edit_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
        patch: UpdatePatch,
        precondition: Precondition,
    ) -> Result<MaintenanceUpdate, Error> {
        let rule: Transition<MaintenanceAndUpdate> = Box::new(move |entry, stamp| {
            precondition.check(entry.update.version)?;
            Ok(entry.edit(patch, stamp.change_context())?)
        });
        let committed = self
            .store
            .change_update(organisation, maintenance, id, rule)
            .await?
            .ok_or(Error::NotFound(Resource::MaintenanceUpdate))?;
        Ok(self.relay.publish(committed).await)
    }

    /// Deletes updates, all or none. [`Error::NotFound`] if the maintenance does not exist,
    /// [`Error::Invalid`] if the list is empty or names an update twice or one that the maintenance
    /// does not have.
    pub async fn delete_updates(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        ids: Vec<MaintenanceUpdateId>,
    ) -> Result<(), Error> {
        let deleted = ids.clone();
        let rule: Transition<MaintenanceUpdateDeletion, Maintenance> =
            Box::new(move |deletion, stamp| Ok(deletion.delete(&deleted, stamp.change_context())?));
        let committed = self
            .store
            .delete_updates(organisation, maintenance, ids, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Maintenance))?;
        self.relay.publish(committed).await;
        Ok(())
    }
}
