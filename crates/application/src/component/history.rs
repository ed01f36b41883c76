//! The history of a component and its uptime.

use allclear_domain::author::Author;
use allclear_domain::id::{
    ComponentGroupId, ComponentId, IncidentId, OrganisationId, StatusPeriodId,
};
use allclear_domain::organisation::Revision;
use allclear_domain::status_period::{
    ComponentHistory, HistoryChange, HistoryError, StatusPeriod, StatusSpan,
};
use allclear_domain::time_zone::TimeZone;
use allclear_domain::uptime::{DateRange, NewestSpans, Uptime, UptimeWindow};
use allclear_domain::validation::Invalid;
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};

use super::Components;
use crate::error::{Error, Resource};
use crate::page::{Listed, Page};
use crate::precondition::Precondition;
use crate::transition::{Committed, Transition};

/// Most related incidents of a response.
pub const MAX_RELATED: u64 = 500;

/// A bound of the periods that are requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DayOrTime {
    /// A day in the zone of the page, included.
    Day(NaiveDate),
    /// A time.
    Time(DateTime<Utc>),
}

/// The days of an uptime that are requested, both included; the last 90 days if absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestedDays {
    /// The first day.
    pub from: Option<NaiveDate>,
    /// The last day.
    pub to: Option<NaiveDate>,
}

/// The periods of a history that are requested; all of them if absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RequestedPeriods {
    /// Those that end after it.
    pub from: Option<DayOrTime>,
    /// Those that start before its end.
    pub to: Option<DayOrTime>,
}

impl RequestedPeriods {
    fn interval(self, zone: TimeZone) -> Interval {
        Interval {
            from: self.from.map(|from| match from {
                DayOrTime::Day(day) => zone.start_of(day),
                DayOrTime::Time(time) => time,
            }),
            to: self.to.and_then(|to| match to {
                DayOrTime::Day(day) => day.succ_opt().map(|after| zone.start_of(after)),
                DayOrTime::Time(time) => Some(time),
            }),
        }
    }
}

/// An interval of time: `from` belongs to it, `to` does not. Unbounded if absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Interval {
    /// The first instant.
    pub from: Option<DateTime<Utc>>,
    /// The first instant after it.
    pub to: Option<DateTime<Utc>>,
}

/// Periods of a component's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryPage {
    /// The organisation's revision that last changed the history: its version for
    /// conditional writes.
    pub version: Revision,
    /// The periods, the latest start first.
    pub periods: Listed<StatusPeriod>,
}

/// What a change of a history needs to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HistoryScope {
    /// The periods that overlap a new one.
    New(StatusSpan),
    /// A period, and those that overlap its new span.
    Changed(StatusPeriodId, StatusSpan),
    /// A period.
    Deleted(StatusPeriodId),
}

/// An incident that affected a component.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RelatedIncident {
    /// The incident.
    pub id: IncidentId,
    /// Its public code.
    pub code: String,
    /// Its title.
    pub title: String,
}

/// Uptime of a component over requested days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ComponentUptime {
    /// The first and the last day, in the time zone of the page.
    pub range: DateRange,
    /// Seconds and percentage.
    pub uptime: Uptime,
    /// The incidents that affected the component on these days, newest first, at most
    /// [`MAX_RELATED`].
    pub incidents: Vec<RelatedIncident>,
}

/// A component whose uptime is shown, with its newest statuses over an interval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeasuredComponent {
    /// The component.
    pub id: ComponentId,
    /// The first day that counts; `None` if all days count.
    pub start_date: Option<NaiveDate>,
    /// Its newest statuses.
    pub newest: NewestSpans,
}

/// Storage of the histories of components.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait ComponentHistoryStore: Send + Sync {
    /// Returns the time zone of the organisation's page; the default if the organisation does
    /// not exist.
    async fn zone(&self, organisation: &OrganisationId) -> Result<TimeZone, Error>;

    /// Returns the periods that overlap an interval. `None` if the component does not exist.
    async fn history(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        interval: Interval,
        page: Page,
    ) -> Result<Option<HistoryPage>, Error>;

    /// Runs a rule on the history of a component and stores the result. `None` if the component
    /// does not exist.
    async fn change_history(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        scope: HistoryScope,
        rule: Transition<ComponentHistory, HistoryChange>,
    ) -> Result<Option<Committed<HistoryChange>>, Error>;

    /// Returns the newest statuses of a component over a bounded interval, at most
    /// [`MAX_SPANS`](allclear_domain::uptime::MAX_SPANS).
    async fn spans(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<NewestSpans, Error>;

    /// Returns the components of a group whose uptime is shown, each with its newest statuses over
    /// a bounded interval; fewer of each if they are too many together. `None` if the organisation
    /// has no such group.
    async fn spans_of_group(
        &self,
        organisation: &OrganisationId,
        group: ComponentGroupId,
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Option<Vec<MeasuredComponent>>, Error>;

    /// Returns the incidents that affected one of these components in an interval, newest first, at
    /// most [`MAX_RELATED`].
    async fn related_incidents(
        &self,
        organisation: &OrganisationId,
        components: &[ComponentId],
        from: DateTime<Utc>,
        to: DateTime<Utc>,
    ) -> Result<Vec<RelatedIncident>, Error>;
}

impl dyn ComponentHistoryStore {
    /// The requested days in the zone of the page. [`Error::Invalid`] if they are reversed or
    /// too many.
    pub(crate) async fn window(
        &self,
        organisation: &OrganisationId,
        days: RequestedDays,
        now: DateTime<Utc>,
    ) -> Result<UptimeWindow, Error> {
        let zone = self.zone(organisation).await?;
        let range = DateRange::requested(days.from, days.to, zone.date_of(now))?;
        Ok(UptimeWindow::new(range, zone, now))
    }

    /// The incidents that affected one of these components in a window. An open incident does not
    /// affect days of the future.
    pub(crate) async fn incidents_in(
        &self,
        organisation: &OrganisationId,
        components: &[ComponentId],
        window: &UptimeWindow,
    ) -> Result<Vec<RelatedIncident>, Error> {
        if window.is_ahead() {
            return Ok(Vec::new());
        }
        let (from, to) = (window.start_at(), window.end_at());
        self.related_incidents(organisation, components, from, to)
            .await
    }
}

impl Components {
    /// Returns periods of a component's history. [`Error::NotFound`], and [`Error::Invalid`] if the
    /// bounds are reversed.
    pub async fn history(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        requested: RequestedPeriods,
        page: Page,
    ) -> Result<HistoryPage, Error> {
        let interval = requested.interval(self.histories.zone(organisation).await?);
        if interval
            .from
            .zip(interval.to)
            .is_some_and(|(from, to)| to <= from)
        {
            return Err(Invalid::field("to", "Must not be before the first day").into());
        }
        self.histories
            .history(organisation, id, interval, page)
            .await?
            .ok_or(Error::NotFound(Resource::Component))
    }

    /// Adds a period to a component's history. [`Error::NotFound`], [`Error::Stale`],
    /// [`Error::Invalid`].
    pub async fn add_period(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        span: StatusSpan,
        author: Author,
        precondition: Precondition,
    ) -> Result<HistoryChange, Error> {
        let rule: Transition<ComponentHistory, HistoryChange> = Box::new(move |history, stamp| {
            precondition.check(history.component.history_version)?;
            Ok(history.add(StatusPeriodId(stamp.id), span, author, stamp.committed_at)?)
        });
        self.change_history(organisation, id, HistoryScope::New(span), rule)
            .await
    }

    /// Changes a period of a component's history. [`Error::NotFound`], [`Error::Stale`],
    /// [`Error::Invalid`].
    pub async fn change_period(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        period: StatusPeriodId,
        span: StatusSpan,
        precondition: Precondition,
    ) -> Result<(StatusPeriod, Revision), Error> {
        let rule: Transition<ComponentHistory, HistoryChange> = Box::new(move |history, stamp| {
            precondition.check(history.component.history_version)?;
            let changed = history
                .change(period, span, stamp.committed_at)
                .map_err(Self::to_error)?;
            Ok(changed.notify_if(stamp.notify_by_default))
        });
        let scope = HistoryScope::Changed(period, span);
        let change = self.change_history(organisation, id, scope, rule).await?;
        Ok((change.period, change.component.history_version))
    }

    /// Deletes a period of a component's history. Returns the new version of the history.
    /// [`Error::NotFound`], [`Error::Stale`].
    pub async fn delete_period(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        period: StatusPeriodId,
        precondition: Precondition,
    ) -> Result<Revision, Error> {
        let rule: Transition<ComponentHistory, HistoryChange> = Box::new(move |history, stamp| {
            precondition.check(history.component.history_version)?;
            let deleted = history
                .delete(period, stamp.committed_at)
                .map_err(Self::to_error)?;
            Ok(deleted.notify_if(stamp.notify_by_default))
        });
        let scope = HistoryScope::Deleted(period);
        let change = self.change_history(organisation, id, scope, rule).await?;
        Ok(change.component.history_version)
    }

    /// Returns the uptime of a component; of the last 90 days if no days are requested.
    /// [`Error::NotFound`], and [`Error::Invalid`] if the days are reversed or too many.
    pub async fn uptime(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        days: RequestedDays,
    ) -> Result<ComponentUptime, Error> {
        let component = self.find(organisation, id).await?.component;
        let histories = &self.histories;
        let window = histories
            .window(organisation, days, self.clock.now())
            .await?;
        let (from, to) = (window.start_at(), window.end_at());
        let newest = histories.spans(organisation, id, from, to).await?;
        let start_date = window.counted_from(component.start_date, newest.known_since);
        Ok(ComponentUptime {
            range: window.range(),
            uptime: window.uptime(start_date, &newest.spans),
            incidents: histories.incidents_in(organisation, &[id], &window).await?,
        })
    }

    async fn change_history(
        &self,
        organisation: &OrganisationId,
        id: ComponentId,
        scope: HistoryScope,
        rule: Transition<ComponentHistory, HistoryChange>,
    ) -> Result<HistoryChange, Error> {
        let committed = self
            .histories
            .change_history(organisation, id, scope, rule)
            .await?
            .ok_or(Error::NotFound(Resource::Component))?;
        Ok(self.relay.publish(committed).await)
    }

    fn to_error(error: HistoryError) -> Error {
        match error {
            HistoryError::Invalid(invalid) => Error::Invalid(invalid),
            HistoryError::NotFound => Error::NotFound(Resource::Period),
        }
    }
}

#[cfg(test)]
mod tests;
