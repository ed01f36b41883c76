//! Component groups and the order of the page: the use cases and their storage port.

use std::sync::Arc;

use allclear_domain::component::ComponentStatus;
use allclear_domain::component_group::{ComponentGroup, ComponentGroupPatch};
use allclear_domain::id::{ComponentGroupId, OrganisationId};
use allclear_domain::organisation::Revision;
use allclear_domain::page_order::PageOrder;
use allclear_domain::uptime::{DateRange, Percentage, mean};
use async_trait::async_trait;

use crate::clock::Clock;
#[cfg(doc)]
use crate::component::history::MAX_RELATED;
use crate::component::history::{ComponentHistoryStore, RelatedIncident, RequestedDays};
use crate::error::{Error, Resource};
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::relay::Relay;
use crate::transition::{Committed, CreateTransition, Transition};

/// A group with what follows from its components and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentGroupReport {
    /// The group.
    pub group: ComponentGroup,
    /// Position among the page's entries, from 1.
    pub position: i32,
    /// The worst status of its components; OPERATIONAL if it has none.
    pub status: ComponentStatus,
    /// Whether one of its components is under maintenance.
    pub under_maintenance: bool,
}

/// The order of the page with its version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionedOrder {
    /// Groups and components in the order of the page.
    pub order: PageOrder,
    /// The organisation's revision that last changed it.
    pub version: Revision,
}

/// Uptime of a group over requested days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentGroupUptime {
    /// The first and the last day, in the time zone of the page.
    pub range: DateRange,
    /// Mean of its components; `None` if no day counts.
    pub percentage: Option<Percentage>,
    /// Number of days that count for at least one component.
    pub counted_days: u32,
    /// The incidents that affected its components on these days, newest first, at most
    /// [`MAX_RELATED`].
    pub incidents: Vec<RelatedIncident>,
}

/// Storage of component groups and the order of the page. Every write stores everything that a
/// [change](allclear_domain::event::Changed) causes in one transaction, which makes one revision.
/// Methods return `None` if the organisation has no such group.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait ComponentGroupStore: Send + Sync {
    /// Returns the groups of an organisation, newest first.
    async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<ComponentGroupReport>, Error>;

    /// Returns a group of an organisation.
    async fn find(
        &self,
        organisation: &OrganisationId,
        id: ComponentGroupId,
    ) -> Result<Option<ComponentGroupReport>, Error>;

    /// Stores the group that a rule creates, first on the page. [`Error::NotFound`] if the
    /// organisation does not exist, [`Error::Conflict`] if it may not have more groups.
    async fn insert(
        &self,
        organisation: &OrganisationId,
        create: CreateTransition<ComponentGroup>,
    ) -> Result<Committed<ComponentGroupReport>, Error>;

    /// Runs a rule on a group and stores the result.
    async fn change(
        &self,
        organisation: &OrganisationId,
        id: ComponentGroupId,
        rule: Transition<ComponentGroup>,
    ) -> Result<Option<Committed<ComponentGroupReport>>, Error>;

    /// Runs a rule on a group and removes it. `None` if it does not exist. Its components stay on
    /// the page, without a group. Subscribers of the group have chosen its components before the
    /// rule runs, even if the rule fails. The deletion may take several transactions, so the caller
    /// MUST await its end.
    async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ComponentGroupId,
        rule: Transition<ComponentGroup, ()>,
    ) -> Result<Option<Committed<()>>, Error>;

    /// Returns the order of the page. `None` if the organisation does not exist.
    async fn order(&self, organisation: &OrganisationId) -> Result<Option<VersionedOrder>, Error>;

    /// Runs a rule on the order of the page and stores the result. `None` if the organisation does
    /// not exist.
    async fn change_order(
        &self,
        organisation: &OrganisationId,
        rule: Transition<VersionedOrder>,
    ) -> Result<Option<Committed<VersionedOrder>>, Error>;
}

/// The use cases of component groups and the order of the page.
pub struct ComponentGroups {
    store: Arc<dyn ComponentGroupStore>,
    histories: Arc<dyn ComponentHistoryStore>,
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
}

impl ComponentGroups {
    /// The use cases over these ports.
    #[must_use]
    pub fn new(
        store: Arc<dyn ComponentGroupStore>,
        histories: Arc<dyn ComponentHistoryStore>,
        relay: Arc<Relay>,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            store,
            histories,
            relay,
            clock,
        }
    }

    /// The groups of an organisation, newest first.
    pub async fn list(
        &self,
        organisation: &OrganisationId,
        page: Page,
    ) -> Result<Listed<ComponentGroupReport>, Error> {
        self.store.list(organisation, page).await
    }

    /// Returns a group. [`Error::NotFound`] if it does not exist.
    pub async fn find(
        &self,
        organisation: &OrganisationId,
        id: ComponentGroupId,
    ) -> Result<ComponentGroupReport, Error> {
        self.store
            .find(organisation, id)
            .await?
            .ok_or(Error::NotFound(Resource::ComponentGroup))
    }

    /// Creates a group, first on the page. [`Error::Invalid`], [`Error::Conflict`] if the
    /// organisation may not have more groups.
    pub async fn create(
        &self,
        organisation: &OrganisationId,
        fields: ComponentGroupPatch,
    ) -> Result<ComponentGroupReport, Error> {
        let create: CreateTransition<ComponentGroup> = Box::new(move |stamp| {
            Ok(ComponentGroup::create(
                ComponentGroupId(stamp.id),
                fields,
                stamp.committed_at,
            )?)
        });
        let committed = self.store.insert(organisation, create).await?;
        Ok(self.relay.publish(committed).await)
    }

    /// Changes the fields of the patch if the precondition holds. [`Error::NotFound`],
    /// [`Error::Stale`], [`Error::Invalid`].
    pub async fn edit(
        &self,
        organisation: &OrganisationId,
        id: ComponentGroupId,
        patch: ComponentGroupPatch,
        precondition: Precondition,
    ) -> Result<ComponentGroupReport, Error> {
        let rule: Transition<ComponentGroup> = Box::new(move |group, stamp| {
            precondition.check(group.version)?;
            Ok(group.edit(patch, stamp.committed_at)?)
        });
        let committed = self
            .store
            .change(organisation, id, rule)
            .await?
            .ok_or(Error::NotFound(Resource::ComponentGroup))?;
        Ok(self.relay.publish(committed).await)
    }

    /// Deletes a group. Its components stay. [`Error::NotFound`] if it does not exist,
    /// [`Error::Stale`] if the precondition is for another version.
    pub async fn delete(
        &self,
        organisation: &OrganisationId,
        id: ComponentGroupId,
        precondition: Precondition,
    ) -> Result<(), Error> {
        // The store changes the choices of subscribers before the rule runs.
        let found = self.find(organisation, id).await?;
        precondition.check(found.group.version)?;
        let rule: Transition<ComponentGroup, ()> = Box::new(move |group, _| {
            precondition.check(group.version)?;
            Ok(group.delete())
        });
        let committed = self
            .store
            .delete(organisation, id, rule)
            .await?
            .ok_or(Error::NotFound(Resource::ComponentGroup))?;
        self.relay.publish(committed).await;
        Ok(())
    }

    /// Returns the uptime of a group; of the last 90 days if no days are requested. Components that
    /// do not show their uptime do not count. [`Error::NotFound`], and [`Error::Invalid`] if the
    /// days are reversed or too many.
    pub async fn uptime(
        &self,
        organisation: &OrganisationId,
        id: ComponentGroupId,
        days: RequestedDays,
    ) -> Result<ComponentGroupUptime, Error> {
        let histories = &self.histories;
        let window = histories
            .window(organisation, days, self.clock.now())
            .await?;
        let (from, to) = (window.start_at(), window.end_at());
        let components = histories
            .spans_of_group(organisation, id, from, to)
            .await?
            .ok_or(Error::NotFound(Resource::ComponentGroup))?;
        let uptimes: Vec<_> = components
            .iter()
            .map(|component| {
                let newest = &component.newest;
                let start_date = window.counted_from(component.start_date, newest.known_since);
                window.uptime(start_date, &newest.spans)
            })
            .collect();
        let ids: Vec<_> = components.iter().map(|component| component.id).collect();
        Ok(ComponentGroupUptime {
            range: window.range(),
            percentage: mean(&uptimes),
            counted_days: uptimes
                .iter()
                .map(|uptime| uptime.counted_days)
                .max()
                .unwrap_or(0),
            incidents: histories.incidents_in(organisation, &ids, &window).await?,
        })
    }

    /// Returns the order of the page. [`Error::NotFound`] if the organisation does not exist.
    pub async fn order(&self, organisation: &OrganisationId) -> Result<VersionedOrder, Error> {
        self.store
            .order(organisation)
            .await?
            .ok_or(Error::NotFound(Resource::Organisation))
    }

    /// Replaces the order of the page if the precondition holds. [`Error::NotFound`] if the
    /// organisation does not exist, [`Error::Stale`], [`Error::Invalid`] if a group or component is
    /// missing, unknown or repeated.
    pub async fn reorder(
        &self,
        organisation: &OrganisationId,
        wanted: PageOrder,
        precondition: Precondition,
    ) -> Result<VersionedOrder, Error> {
        let rule: Transition<VersionedOrder> = Box::new(move |found, _| {
            precondition.check(found.version)?;
            let version = found.version;
            let changed = found.order.replace(wanted)?;
            Ok(changed.map(|order| VersionedOrder { order, version }))
        });
        let committed = self
            .store
            .change_order(organisation, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Organisation))?;
        Ok(self.relay.publish(committed).await)
    }
}

#[cfg(test)]
mod tests;
