//! Maintenances and their [updates](update): the use cases and their storage port.

pub mod update;

use std::sync::Arc;

use allclear_domain::id::{MaintenanceId, MaintenanceUpdateId, OrganisationId};
use allclear_domain::maintenance::{
    EditError, Maintenance, MaintenanceDraft, MaintenancePatch, MaintenanceStatus,
};
use allclear_domain::maintenance_update::{
    MaintenanceAndUpdate, MaintenanceUpdate, MaintenanceUpdateDeletion,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::error::{Error, Resource};
use crate::outbox::Commit;
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::relay::Relay;
use crate::scheduler::WakeTimer;
use crate::status_page::maintenance::{MaintenanceComponent, MaintenanceTimelineEntry};
use crate::transition::{Committed, CreateTransition, Transition};

/// A maintenance with its timeline, as read at one time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceReport {
    /// The maintenance.
    pub maintenance: Maintenance,
    /// The newest [`TIMELINE_LENGTH`](crate::status_page::incident::TIMELINE_LENGTH) of its
    /// updates, newest first.
    pub timeline: Vec<MaintenanceTimelineEntry>,
    /// Whether it has older updates than these.
    pub timeline_truncated: bool,
    /// The affected components, newest component first.
    pub components: Vec<MaintenanceComponent>,
    /// Whether components are left out because a list has no room for them.
    pub components_truncated: bool,
    /// When it was read.
    pub read_at: DateTime<Utc>,
}

impl MaintenanceReport {
    /// Its status when it was read.
    #[must_use]
    pub fn status(&self) -> MaintenanceStatus {
        self.maintenance.status(self.read_at)
    }
}

/// Storage of maintenances, their updates and their schedule. Every write stores everything that a
/// [change](allclear_domain::event::Changed) causes in one transaction, which makes one revision.
/// If the change names [components](allclear_domain::event::Changed::maintained), an adapter MUST
/// append an event for each that is not deleted. A change of an update also publishes what the
/// clock has changed of the maintenance.
///
/// Methods return `None` if the organisation has no such maintenance, or the maintenance no
/// such update.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait MaintenanceStore: Send + Sync {
    /// Returns the maintenances of an organisation, newest first.
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<MaintenanceReport>, Error>;

    /// Returns a maintenance of an organisation.
    async fn find(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
    ) -> Result<Option<MaintenanceReport>, Error>;

    /// Stores the maintenance that a rule creates. [`Error::NotFound`] if the organisation does not
    /// exist, [`Error::Invalid`] if one of the components does not exist.
    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Maintenance>,
    ) -> Result<Committed<MaintenanceReport>, Error>;

    /// Runs a rule on a maintenance and stores the result. [`Error::Invalid`] if a component is
    /// added that does not exist.
    async fn change(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        rule: Transition<Maintenance>,
    ) -> Result<Option<Committed<MaintenanceReport>>, Error>;

    /// Runs a rule on a maintenance and removes the maintenance with its updates.
    /// [`Error::Stale`] if the precondition is for another version. If it has many updates, or many
    /// messages about it wait, most of them are removed before the rule runs. An adapter MUST check
    /// the precondition before it removes anything, and not after that. The deletion takes several
    /// transactions then, so the caller MUST await its end.
    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        precondition: Precondition,
        rule: Transition<Maintenance, ()>,
    ) -> Result<Option<Committed<()>>, Error>;

    /// Returns the updates of a maintenance, newest first.
    async fn list_updates(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        page: Page,
    ) -> Result<Option<Listed<MaintenanceUpdate>>, Error>;

    /// Returns an update of a maintenance.
    async fn find_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
    ) -> Result<Option<MaintenanceUpdate>, Error>;

    /// Runs a rule on a maintenance and stores the update that it creates.
    async fn insert_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        rule: Transition<Maintenance, MaintenanceAndUpdate>,
    ) -> Result<Option<Committed<MaintenanceUpdate>>, Error>;

    /// Runs a rule on an update and stores the result.
    async fn change_update(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        id: MaintenanceUpdateId,
        rule: Transition<MaintenanceAndUpdate>,
    ) -> Result<Option<Committed<MaintenanceUpdate>>, Error>;

    /// Runs a rule on a maintenance, removes the updates and stores the maintenance. If many
    /// messages about the updates wait, most of them are removed before the rule runs, even if the
    /// rule fails. The deletion takes several transactions then, so the caller MUST await its end.
    async fn delete_updates(
        &self,
        organisation: &OrganisationId,
        maintenance: MaintenanceId,
        ids: Vec<MaintenanceUpdateId>,
        rule: Transition<MaintenanceUpdateDeletion, Maintenance>,
    ) -> Result<Option<Committed<()>>, Error>;

    /// Returns the earliest time at which the clock changes a status that is not published yet;
    /// `None` if there is no such change. An adapter MUST read it from an index, in a time that
    /// does not grow with the number of maintenances.
    async fn next_change(&self) -> Result<Option<DateTime<Utc>>, Error>;

    /// Returns the organisations with such changes at or before `now`.
    async fn organisations_due(&self, now: DateTime<Utc>) -> Result<Vec<OrganisationId>, Error>;

    /// Stores the events of an organisation's changes at or before `now`, in one transaction;
    /// `None` if there are none. An adapter may leave some to the next call. Each change MUST be
    /// stored exactly once, however many nodes call this at the same time.
    async fn publish_due(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<Commit>, Error>;
}

/// The use cases of maintenances.
pub struct Maintenances {
    store: Arc<dyn MaintenanceStore>,
    relay: Arc<Relay>,
    wake_timer: Arc<WakeTimer>,
}

impl Maintenances {
    /// The use cases over these ports. The wake timer is the [scheduler](crate::scheduler)'s.
    #[must_use]
    pub fn new(
        store: Arc<dyn MaintenanceStore>,
        relay: Arc<Relay>,
        wake_timer: Arc<WakeTimer>,
    ) -> Self {
        Self {
            store,
            relay,
            wake_timer,
        }
    }

    /// The maintenances of an organisation, newest first.
    pub async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<MaintenanceReport>, Error> {
        self.store.list(organisation, page).await
    }

    /// Returns a maintenance. [`Error::NotFound`] if it does not exist.
    pub async fn find(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
    ) -> Result<MaintenanceReport, Error> {
        self.store
            .find(organisation, id)
            .await?
            .ok_or(Error::NotFound(Resource::Maintenance))
    }

    /// Creates a maintenance. [`Error::Invalid`] if the draft breaks a rule of its fields or a
    /// component does not exist.
    pub async fn create(
        &self,
        organisation: &OrganisationId,
        draft: MaintenanceDraft,
    ) -> Result<MaintenanceReport, Error> {
        let create: CreateTransition<Maintenance> = Box::new(move |stamp| {
            let id = MaintenanceId(stamp.id);
            Ok(Maintenance::create(id, draft, stamp.change_context())?)
        });
        let committed = self.store.insert(organisation, create).await?;
        Ok(self.publish(committed).await)
    }

    /// Changes the fields of the patch if the precondition holds. A patch of an end alone, at most
    /// a minute ahead of the clock, completes the maintenance. [`Error::NotFound`],
    /// [`Error::Stale`], [`Error::Invalid`], and [`Error::Conflict`] if it cannot be completed.
    pub async fn edit(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        patch: MaintenancePatch,
        precondition: Precondition,
    ) -> Result<MaintenanceReport, Error> {
        let rule: Transition<Maintenance> = Box::new(move |maintenance, stamp| {
            precondition.check(maintenance.version)?;
            Ok(maintenance.edit(patch, stamp.notify_by_default, stamp.wall_time)?)
        });
        let committed = self
            .store
            .change(organisation, id, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Maintenance))?;
        Ok(self.publish(committed).await)
    }

    /// Deletes a maintenance with its updates. [`Error::NotFound`] if it does not exist,
    /// [`Error::Stale`] if the precondition is for another version.
    pub async fn delete(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        precondition: Precondition,
    ) -> Result<(), Error> {
        let rule: Transition<Maintenance, ()> =
            Box::new(|maintenance, stamp| Ok(maintenance.delete(stamp.wall_time)));
        let committed = self
            .store
            .delete(organisation, id, precondition, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Maintenance))?;
        self.relay.publish(committed).await;
        Ok(())
    }

    async fn publish(&self, committed: Committed<MaintenanceReport>) -> MaintenanceReport {
        let report = self.relay.publish(committed).await;
        if let Some(change) = report.maintenance.next_change(report.read_at) {
            self.wake_timer.set_if_earlier(change);
        }
        report
    }
}

impl From<EditError> for Error {
    fn from(error: EditError) -> Self {
        match error {
            EditError::Invalid(invalid) => Self::Invalid(invalid),
            EditError::NotBegun | EditError::Over | EditError::Cancelled => {
                Self::Conflict(error.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests;
