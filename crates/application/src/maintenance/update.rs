//! What operators do with the updates of a maintenance, and the port that keeps them.

use allclear_domain::author::Author;
use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId, OrganisationId};
use allclear_domain::maintenance_update::{
    MaintenanceUpdate, MaintenanceUpdateDraft, MaintenanceUpdatePatch,
};
use async_trait::async_trait;

use crate::error::Error;
use crate::maintenance::Maintenances;
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::transition::{Transition, Written};

/// A rule that makes an update to follow the newest one of its maintenance, run inside the transaction that stores it.
pub type Recording = Transition<Option<MaintenanceUpdate>, MaintenanceUpdate>;

/// Keeps the updates of maintenances. Every write stores them with their events in one transaction that makes one
/// revision. Each call answers none where there is no such maintenance or update in the organisation.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait MaintenanceUpdateStore: Send + Sync {
    /// The updates of a maintenance, newest first.
    async fn list(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        page: Page,
    ) -> Result<Option<Listed<MaintenanceUpdate>>, Error>;

    /// An update of a maintenance.
    async fn find(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
    ) -> Result<Option<MaintenanceUpdate>, Error>;

    /// Stores the update that the rule makes.
    async fn insert(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        recording: Recording,
    ) -> Result<Option<Written<MaintenanceUpdate>>, Error>;

    /// Runs a rule on an update.
    async fn change(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
        rule: Transition<MaintenanceUpdate>,
    ) -> Result<Option<Written<MaintenanceUpdate>>, Error>;

    /// Runs a rule on those of `asked` that are updates of the maintenance, and removes the ones it answers.
    async fn delete(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        asked: Vec<MaintenanceUpdateId>,
        rule: Transition<Vec<MaintenanceUpdateId>>,
    ) -> Result<Option<Written<Vec<MaintenanceUpdateId>>>, Error>;
}

const UPDATE: &str = "Update";

impl Maintenances {
    /// The updates of a maintenance, newest first. [`Error::NotFound`] where there is no such maintenance.
    pub async fn updates(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        page: Page,
    ) -> Result<Listed<MaintenanceUpdate>, Error> {
        self.updates
            .list(organisation, maintenance, page)
            .await?
            .ok_or(Error::NotFound(Self::NAME))
    }

    /// An update. [`Error::NotFound`] where there is none.
    pub async fn find_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
    ) -> Result<MaintenanceUpdate, Error> {
        self.updates
            .find(organisation, maintenance, id)
            .await?
            .ok_or(Error::NotFound(UPDATE))
    }

    /// Records an update, at any time. [`Error::NotFound`] where there is no such maintenance, [`Error::Invalid`].
    pub async fn record_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        draft: MaintenanceUpdateDraft,
        author: Author,
    ) -> Result<MaintenanceUpdate, Error> {
        let recording: Recording = Box::new(move |newest, stamp| {
            let id = MaintenanceUpdateId(stamp.id);
            Ok(MaintenanceUpdate::record(
                id,
                maintenance,
                draft,
                author,
                newest.as_ref(),
                stamp.now,
            )?)
        });
        let written = self
            .updates
            .insert(organisation, maintenance, recording)
            .await?;
        Ok(self
            .relay
            .told(written.ok_or(Error::NotFound(Self::NAME))?)
            .await)
    }

    /// Changes what the patch carries, where the precondition holds. [`Error::NotFound`], [`Error::Stale`],
    /// [`Error::Invalid`].
    pub async fn edit_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
        patch: MaintenanceUpdatePatch,
        precondition: Precondition,
    ) -> Result<MaintenanceUpdate, Error> {
        let rule: Transition<MaintenanceUpdate> = Box::new(move |update, _| {
            precondition.check(update.version)?;
            Ok(update.edit(patch)?)
        });
        let written = self
            .updates
            .change(organisation, maintenance, id, rule)
            .await?;
        Ok(self
            .relay
            .told(written.ok_or(Error::NotFound(UPDATE))?)
            .await)
    }

    /// Deletes several updates, all or none, and answers which. [`Error::NotFound`] where there is no such maintenance,
    /// [`Error::Invalid`] where there is none of them, or one is not an update of it.
    pub async fn delete_updates(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        ids: Vec<MaintenanceUpdateId>,
    ) -> Result<Vec<MaintenanceUpdateId>, Error> {
        let asked = ids.clone();
        let rule: Transition<Vec<MaintenanceUpdateId>> =
            Box::new(move |stored, _| Ok(MaintenanceUpdate::delete(maintenance, asked, &stored)?));
        let written = self
            .updates
            .delete(organisation, maintenance, ids, rule)
            .await?;
        Ok(self
            .relay
            .told(written.ok_or(Error::NotFound(Self::NAME))?)
            .await)
    }
}
