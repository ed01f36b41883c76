//! The updates of a maintenance.

use allclear_domain::author::Author;
use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId, OrganisationId};
use allclear_domain::maintenance_update::MaintenanceUpdate;
use allclear_domain::update::{UpdateDraft, UpdatePatch};

use crate::error::Error;
use crate::maintenance::{Maintenances, UpdateTransition};
use crate::page::{Listed, Page};
use crate::precondition::Precondition;

const UPDATE: &str = "Update";

impl Maintenances {
    /// Returns the updates of a maintenance, newest first. [`Error::NotFound`] if the maintenance does not exist.
    pub async fn updates(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        page: Page,
    ) -> Result<Listed<MaintenanceUpdate>, Error> {
        self.store
            .list_updates(organisation, maintenance, page)
            .await?
            .ok_or(Error::NotFound(Self::NAME))
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
            .ok_or(Error::NotFound(UPDATE))
    }

    /// Records an update, before, during or after the maintenance. [`Error::NotFound`] if the maintenance does not exist,
    /// [`Error::Invalid`].
    pub async fn record_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        draft: UpdateDraft,
        author: Author,
    ) -> Result<MaintenanceUpdate, Error> {
        let rule: UpdateTransition<Option<MaintenanceUpdate>, _> =
            Box::new(move |(maintenance, newest), stamp| {
                let (id, newest) = (MaintenanceUpdateId(stamp.id), newest.as_ref());
                let message = draft.message.clone();
                let notify = draft.notify.unwrap_or(stamp.notify_by_default);
                let recorded = MaintenanceUpdate::record(
                    id,
                    maintenance.id,
                    draft,
                    author,
                    newest,
                    stamp.committed_at,
                )?;
                Ok(maintenance.with_update(recorded, Some(message), notify, stamp.wall_time))
            });
        let committed = self
            .store
            .insert_update(organisation, maintenance, rule)
            .await?;
        Ok(self
            .relay
            .publish(committed.ok_or(Error::NotFound(Self::NAME))?)
            .await)
    }

    /// Changes the fields of the patch if the precondition holds. [`Error::NotFound`], [`Error::Stale`], [`Error::Invalid`].
    pub async fn edit_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
        patch: UpdatePatch,
        precondition: Precondition,
    ) -> Result<MaintenanceUpdate, Error> {
        let rule: UpdateTransition<MaintenanceUpdate> = Box::new(move |(found, update), stamp| {
            precondition.check(update.version)?;
            let notify = patch.notify.unwrap_or(stamp.notify_by_default);
            let edited = update.edit(patch, stamp.committed_at)?;
            Ok(found.with_update(edited, None, notify, stamp.wall_time))
        });
        let committed = self
            .store
            .change_update(organisation, maintenance, id, rule)
            .await?;
        Ok(self
            .relay
            .publish(committed.ok_or(Error::NotFound(UPDATE))?)
            .await)
    }

    /// Deletes updates, all or none, and returns their identifiers. [`Error::NotFound`] if the maintenance does not exist,
    /// [`Error::Invalid`] if the list is empty or names an update twice or one that the maintenance does not have.
    pub async fn delete_updates(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        ids: Vec<MaintenanceUpdateId>,
    ) -> Result<Vec<MaintenanceUpdateId>, Error> {
        let requested = ids.clone();
        let rule: UpdateTransition<Vec<_>> = Box::new(move |(found, stored), stamp| {
            let deletion = MaintenanceUpdate::delete(found.id, requested, &stored)?;
            Ok(found.with_update(deletion, None, stamp.notify_by_default, stamp.wall_time))
        });
        let committed = self
            .store
            .delete_updates(organisation, maintenance, ids, rule)
            .await?;
        Ok(self
            .relay
            .publish(committed.ok_or(Error::NotFound(Self::NAME))?)
            .await)
    }
}
