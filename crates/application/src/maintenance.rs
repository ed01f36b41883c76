//! Maintenances: the use cases and the ports that keep them and their [updates](update).

pub mod update;

use std::sync::Arc;

use allclear_domain::id::{MaintenanceId, OrganisationId};
use allclear_domain::maintenance::{
    Maintenance, MaintenanceDraft, MaintenancePatch, MaintenanceStatus, Refused,
};
use async_trait::async_trait;
use chrono::{DateTime, Utc};

use crate::clock::Clock;
use crate::error::Error;
use crate::maintenance::update::MaintenanceUpdateStore;
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::public::maintenance::MaintenanceEntry;
use crate::relay::Relay;
use crate::scheduler::WakeTimer;
use crate::transition::{CreateTransition, Transition, Written};

/// A maintenance with its timeline, as of a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MaintenanceReport {
    /// The maintenance.
    pub maintenance: Maintenance,
    /// The newest 100 of its updates, newest first.
    pub timeline: Vec<MaintenanceEntry>,
    /// Whether it has older updates than these.
    pub timeline_truncated: bool,
    /// The moment.
    pub read_at: DateTime<Utc>,
}

impl MaintenanceReport {
    /// How far it was.
    #[must_use]
    pub fn status(&self) -> MaintenanceStatus {
        self.maintenance.status(self.read_at)
    }
}

/// Keeps maintenances. Every write stores the state, what viewers were told of it, when that changes next, and its events
/// in one transaction that makes one revision.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait MaintenanceStore: Send + Sync {
    /// The maintenances of an organisation, newest first.
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<MaintenanceReport>, Error>;

    /// A maintenance of an organisation.
    async fn find(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
    ) -> Result<Option<MaintenanceReport>, Error>;

    /// Stores the maintenance that a rule makes. [`Error::NotFound`] where the organisation is gone.
    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<Maintenance>,
    ) -> Result<Written<MaintenanceReport>, Error>;

    /// Runs a rule on a maintenance; none where there is no such one.
    async fn change(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        rule: Transition<Maintenance>,
    ) -> Result<Option<Written<MaintenanceReport>>, Error>;

    /// Removes a maintenance with its updates; none where there is no such one.
    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
    ) -> Result<Option<Written<()>>, Error>;
}

/// What operators do with maintenances.
pub struct Maintenances {
    store: Arc<dyn MaintenanceStore>,
    updates: Arc<dyn MaintenanceUpdateStore>,
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
    alarm: Arc<WakeTimer>,
}

impl Maintenances {
    const NAME: &str = "Maintenance";

    /// The use cases over these ports. The alarm is the [scheduler](crate::scheduler)'s.
    #[must_use]
    pub fn new(
        store: Arc<dyn MaintenanceStore>,
        updates: Arc<dyn MaintenanceUpdateStore>,
        relay: Arc<Relay>,
        clock: Arc<dyn Clock>,
        alarm: Arc<WakeTimer>,
    ) -> Self {
        Self {
            store,
            updates,
            relay,
            clock,
            alarm,
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

    /// A maintenance. [`Error::NotFound`] where there is none.
    pub async fn find(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
    ) -> Result<MaintenanceReport, Error> {
        self.store
            .find(organisation, id)
            .await?
            .ok_or(Error::NotFound(Self::NAME))
    }

    /// Creates a maintenance. [`Error::Invalid`] when the draft breaks a rule of its fields.
    pub async fn create(
        &self,
        organisation: &OrganisationId,
        draft: MaintenanceDraft,
    ) -> Result<MaintenanceReport, Error> {
        let create: CreateTransition<Maintenance> = Box::new(move |stamp| {
            Ok(Maintenance::create(
                MaintenanceId(stamp.id),
                draft,
                stamp.now,
            )?)
        });
        let written = self.store.insert(organisation, create).await?;
        Ok(self.stored(written).await)
    }

    /// Changes what the patch carries, where the precondition holds; an end alone that is not ahead of now completes the
    /// maintenance. [`Error::NotFound`], [`Error::Stale`], [`Error::Invalid`], and [`Error::Conflict`] where it cannot be
    /// completed.
    pub async fn edit(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
        patch: MaintenancePatch,
        precondition: Precondition,
    ) -> Result<MaintenanceReport, Error> {
        let clock = Arc::clone(&self.clock);
        let rule: Transition<Maintenance> = Box::new(move |maintenance, _| {
            precondition.check(maintenance.version)?;
            // The status depends on the clock as it is: the time of the commit is later if another node's clock is ahead.
            Ok(maintenance.edit(patch, clock.now())?)
        });
        let written = self
            .store
            .change(organisation, id, rule)
            .await?
            .ok_or(Error::NotFound(Self::NAME))?;
        Ok(self.stored(written).await)
    }

    /// Deletes a maintenance with its updates. [`Error::NotFound`] where there is none.
    pub async fn delete(
        &self,
        organisation: &OrganisationId,
        id: MaintenanceId,
    ) -> Result<(), Error> {
        let written = self
            .store
            .delete(organisation, id)
            .await?
            .ok_or(Error::NotFound(Self::NAME))?;
        self.relay.told(written).await;
        Ok(())
    }

    async fn stored(&self, written: Written<MaintenanceReport>) -> MaintenanceReport {
        let report = self.relay.told(written).await;
        if let Some(change) = report.maintenance.next_change(report.read_at) {
            self.alarm.set(change);
        }
        report
    }
}

impl From<Refused> for Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Invalid(invalid) => Self::Invalid(invalid),
            Refused::NotBegun | Refused::Over | Refused::Cancelled => {
                Self::Conflict(refused.to_string())
            }
        }
    }
}

#[cfg(test)]
mod tests;
