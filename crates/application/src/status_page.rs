//! What the public sees, in the form it is sent: the status page's snapshot and the things in it.

pub mod component_group;
pub mod history;
pub mod incident;
pub mod maintenance;
pub mod past_title;
pub mod size;
pub mod uptime;

use allclear_domain::channel::Channel;
use allclear_domain::component::ComponentStatus;
use allclear_domain::headline::{Banner, headline};
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::SHOWN_AFTER_RESOLUTION;
use allclear_domain::maintenance::TICK;
use allclear_domain::organisation::{Organisation, Revision};
use allclear_domain::time_zone::TimeZone;
use allclear_domain::uptime::{
    BAR_DAYS, DateRange, DowntimeDay, NewestSpans, Percentage, StatusSeconds, Uptime, UptimeWindow,
    mean,
};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

use crate::component::ComponentReport;
use crate::error::Error;
use crate::status_page::component_group::PublicComponentGroup;
use crate::status_page::incident::PublicIncident;
use crate::status_page::maintenance::PublicMaintenance;
use crate::status_page::past_title::PastTitle;

/// A component as the public sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicComponent {
    /// Its identifier, a `UUIDv7`.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Its name.
    pub name: String,
    /// May be empty.
    pub description: String,
    /// Whether the end of the description is left out because the page has no room for it; absent
    /// if the description is complete.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub description_truncated: bool,
    /// Current status of the component.
    pub status: ComponentStatus,
    /// Whether a maintenance of it is in progress.
    pub under_maintenance: bool,
    /// Identifier of its group; null if it has none.
    #[schema(required)]
    pub group_id: Option<String>,
    /// Position from 1, within its group or among the entries of the page.
    pub position: i32,
    /// The first day that counts for uptime, in the time zone of the page; null if all days count.
    #[schema(required)]
    pub start_date: Option<NaiveDate>,
    /// Whether the status page hides it while it is operational and not under maintenance.
    pub only_show_when_affected: bool,
    /// Uptime over the last 90 days; null if it is not shown.
    #[schema(required)]
    pub uptime: Option<PublicUptime>,
    /// When it was created.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub created_at: DateTime<Utc>,
}

impl PublicComponent {
    /// A component with its statuses during a window, which are ignored if its uptime is not shown.
    #[must_use]
    pub fn new(report: &ComponentReport, window: &UptimeWindow, newest: &NewestSpans) -> Self {
        let component = &report.component;
        let shown = component.show_uptime;
        let start_date = if shown {
            window.counted_from(component.start_date, newest.known_since)
        } else {
            component.start_date
        };
        let uptime = shown.then(|| window.uptime(start_date, &newest.spans));
        Self {
            id: component.id.to_string(),
            code: component.id.code().to_string(),
            name: component.name.clone(),
            description: component.description.clone(),
            description_truncated: false,
            status: component.status,
            under_maintenance: report.under_maintenance,
            group_id: component.place.group.map(|group| group.to_string()),
            position: component.place.position,
            start_date,
            only_show_when_affected: component.only_show_when_affected,
            uptime: uptime.map(PublicUptime::from),
            created_at: component.created_at,
        }
    }

    /// Whether the figures change with time alone, because the status is not operational.
    fn moves(&self) -> bool {
        self.uptime.is_some() && self.status != ComponentStatus::Operational
    }
}

/// Uptime of a component over the last 90 days of the page's time zone, today included.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, ToSchema)]
pub struct PublicUptime {
    /// Percentage, rounded down to two decimals; null if no day counts.
    #[schema(required, value_type = Option<f64>)]
    pub percentage: Option<Percentage>,
    /// The days with a status other than operational, oldest first.
    pub days: Vec<PublicUptimeDay>,
}

/// Seconds of each status on a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
pub struct PublicUptimeDay {
    /// The day in the time zone of the page.
    pub date: NaiveDate,
    /// Seconds of a partial outage.
    pub partial: u64,
    /// Seconds of a major outage.
    pub major: u64,
    /// Seconds of degraded performance.
    pub degraded: u64,
}

impl PublicUptime {
    /// Percentage of the last `days` days, at most those of the bars, for a component that starts
    /// on `start_date`; `None` if no day counts.
    #[must_use]
    pub fn percentage_of_last(
        &self,
        days: u64,
        today: NaiveDate,
        start_date: Option<NaiveDate>,
    ) -> Option<Percentage> {
        let days = days.min(BAR_DAYS);
        self.of_last(days, today, start_date).percentage()
    }

    fn of_last(&self, days: u64, today: NaiveDate, start_date: Option<NaiveDate>) -> Uptime {
        let range = DateRange::of_last(days, today);
        let counting = self.days.iter().filter(|day| day.date >= range.first);
        Uptime {
            days: counting.map(PublicUptimeDay::downtime).collect(),
            counted_days: range.counted_days(start_date, today),
        }
    }
}

/// Uptime of a group over the days of the bars: the mean of its components. Those that do not show
/// their uptime are left out. `None` if no day counts.
#[must_use]
pub fn group_uptime(components: &[PublicComponent], today: NaiveDate) -> Option<Percentage> {
    let uptimes: Vec<_> = components
        .iter()
        .filter_map(|component| {
            let shown = component.uptime.as_ref()?;
            Some(shown.of_last(BAR_DAYS, today, component.start_date))
        })
        .collect();
    mean(&uptimes)
}

impl PublicUptimeDay {
    const fn downtime(&self) -> DowntimeDay {
        DowntimeDay {
            date: self.date,
            seconds: StatusSeconds {
                degraded: self.degraded,
                partial: self.partial,
                major: self.major,
            },
        }
    }
}

impl From<Uptime> for PublicUptime {
    fn from(uptime: Uptime) -> Self {
        let percentage = uptime.percentage();
        let day = |DowntimeDay { date, seconds }| PublicUptimeDay {
            date,
            partial: seconds.partial,
            major: seconds.major,
            degraded: seconds.degraded,
        };
        Self {
            percentage,
            days: uptime.days.into_iter().map(day).collect(),
        }
    }
}

/// Organisation of the status page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PublicOrganisation {
    /// Its identifier.
    pub id: String,
    /// Public code of 12 characters, for addresses.
    pub code: String,
    /// Its name.
    pub name: String,
    /// Name of the IANA time zone of the public pages.
    #[serde(serialize_with = "serialize_text")]
    #[schema(value_type = String)]
    pub time_zone: TimeZone,
    /// Title of the public pages.
    pub page_title: String,
    /// Description on the public pages; null if there is none.
    #[schema(required)]
    pub page_description: Option<String>,
    /// Where visitors find help; null if there is no such address.
    #[schema(required)]
    pub support_url: Option<String>,
    /// The canonical address of the status page.
    pub url: String,
    /// Channels that visitors may subscribe by.
    pub channels: Vec<Channel>,
}

impl PublicOrganisation {
    /// The public form of an organisation whose status page is at `url`.
    #[must_use]
    pub fn new(organisation: Organisation, url: String) -> Self {
        Self {
            id: organisation.id.to_string(),
            code: organisation.id.code().to_string(),
            time_zone: organisation.time_zone,
            page_title: organisation.effective_title().to_owned(),
            page_description: organisation.page_description,
            support_url: organisation.support_url,
            name: organisation.name,
            url,
            channels: organisation.public_channels.offered().collect(),
        }
    }
}

fn serialize_text<S: Serializer>(
    value: &impl std::fmt::Display,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Everything a status page shows, at one revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    /// Organisation of the status page.
    pub organisation: PublicOrganisation,
    /// Headline of the page; null if there are no components.
    #[schema(required)]
    pub banner: Option<Banner>,
    /// The component groups, in the order of the page.
    pub groups: Vec<PublicComponentGroup>,
    /// In the order of the page.
    pub components: Vec<PublicComponent>,
    /// All unresolved incidents, and the 50 that were resolved last within the last 14 days.
    /// Newest first.
    pub incidents: Vec<PublicIncident>,
    /// All maintenances that have not ended, and the 50 that ended last within the last 14 days.
    /// Newest first.
    pub maintenances: Vec<PublicMaintenance>,
    /// Titles for the texts of the bars: the incidents and maintenances of the last 90 days that
    /// are not in the lists above, at most 200 of each.
    pub past_titles: Vec<PastTitle>,
    /// Revision of the organisation at which the page was read.
    #[schema(value_type = i64)]
    pub revision: Revision,
    /// When it was read.
    #[serde(serialize_with = "crate::timestamp::serialize")]
    pub generated_at: DateTime<Utc>,
}

impl Snapshot {
    /// The headline for these components; `None` if there are none.
    #[must_use]
    pub fn banner(components: &[ComponentReport]) -> Option<Banner> {
        headline(components.iter().map(|report| report.component.status))
    }

    /// Returns the first time after `now` at which only the clock changes the page: a maintenance
    /// begins or ends, the time for showing a past incident or maintenance ends, an outage has
    /// lasted another minute, or another day begins.
    #[must_use]
    pub fn changes_at(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        // A maintenance is in progress, and later shown, up to the last tick.
        let after = |last: DateTime<Utc>| last + TICK;
        let resolved = self
            .incidents
            .iter()
            .filter_map(|incident| incident.resolved_at)
            .map(|resolved_at| resolved_at + SHOWN_AFTER_RESOLUTION);
        let maintenances = self.maintenances.iter().flat_map(|maintenance| {
            let end = maintenance.end_at;
            [
                Some(maintenance.start_at),
                end.map(after),
                maintenance.shown_until.map(after),
            ]
            .into_iter()
            .flatten()
        });
        let moves = self.components.iter().any(PublicComponent::moves);
        let figures = moves.then(|| self.generated_at + FIGURES_MOVE_EVERY);
        resolved
            .chain(maintenances)
            .chain(figures)
            .chain(self.next_day())
            .filter(|moment| *moment > now)
            .min()
    }

    /// When the bars move by a day; `None` if there are no bars.
    fn next_day(&self) -> Option<DateTime<Utc>> {
        let mut shown = self
            .components
            .iter()
            .filter_map(|component| component.uptime.as_ref());
        shown.next()?;
        let zone = self.organisation.time_zone;
        let tomorrow = zone.date_of(self.generated_at).succ_opt()?;
        Some(zone.start_of(tomorrow))
    }
}

/// How long figures may stay the same during an outage.
const FIGURES_MOVE_EVERY: TimeDelta = TimeDelta::minutes(1);

/// Storage of the public page.
#[cfg_attr(any(test, feature = "mock"), mockall::automock)]
#[async_trait]
pub trait SnapshotStore: Send + Sync {
    /// Returns the status page of an organisation as of `now`; `None` if the organisation does not
    /// exist. An adapter MUST read it at one revision.
    async fn snapshot(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<Snapshot>, Error>;
}

#[cfg(test)]
mod tests;
