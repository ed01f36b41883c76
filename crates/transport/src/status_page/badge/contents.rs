//! The content of badges, stored with the page from which it was read.

use allclear_application::status_page::{PublicComponent, PublicUptime, PublicUptimeDay, Snapshot};
use allclear_domain::rollup::{PublicStatus, Rollup};
use allclear_domain::uptime::Percentage;
use chrono::NaiveDate;

/// The texts of an organisation's badges, at the revision of its page.
#[derive(Debug)]
pub(crate) struct BadgeContents {
    pub(super) title: String,
    pub(super) rollup: Rollup,
    /// The day of the page.
    today: NaiveDate,
    components: Vec<BadgeComponent>,
}

/// A component of the page.
#[derive(Debug)]
pub(super) struct BadgeComponent {
    code: String,
    pub(super) name: String,
    pub(super) status: PublicStatus,
    start_date: Option<NaiveDate>,
    uptime: Option<PublicUptime>,
}

impl BadgeContents {
    pub(crate) fn new(snapshot: &Snapshot) -> Self {
        let organisation = &snapshot.organisation;
        let components: Vec<_> = snapshot
            .components
            .iter()
            .map(BadgeComponent::new)
            .collect();
        Self {
            title: organisation.page_title.clone(),
            rollup: Rollup::of(components.iter().map(|component| component.status)),
            today: organisation.time_zone.date_of(snapshot.generated_at),
            components,
        }
    }

    /// The component with a code; `None` if there is none.
    pub(super) fn component(&self, code: &str) -> Option<&BadgeComponent> {
        self.components
            .iter()
            .find(|component| component.code == code)
    }

    /// Uptime of a component over the last days; `None` if no day counts or it is not shown.
    pub(super) fn uptime(&self, component: &BadgeComponent, days: u64) -> Option<Percentage> {
        let uptime = component.uptime.as_ref()?;
        uptime.percentage_of_last(days, self.today, component.start_date)
    }

    /// Size in bytes.
    pub(crate) fn size(&self) -> u64 {
        let components = self.components.iter().map(BadgeComponent::size);
        (size_of::<Self>() + self.title.len() + components.sum::<usize>()) as u64
    }
}

impl BadgeComponent {
    fn new(component: &PublicComponent) -> Self {
        Self {
            code: component.code.clone(),
            name: component.name.clone(),
            status: PublicStatus::new(component.status, component.under_maintenance),
            start_date: component.start_date,
            uptime: component.uptime.clone(),
        }
    }

    /// Whether its uptime is shown.
    pub(super) const fn shows_uptime(&self) -> bool {
        self.uptime.is_some()
    }

    fn size(&self) -> usize {
        let days = self.uptime.as_ref().map_or(0, |uptime| uptime.days.len());
        size_of::<Self>() + self.code.len() + self.name.len() + days * size_of::<PublicUptimeDay>()
    }
}
