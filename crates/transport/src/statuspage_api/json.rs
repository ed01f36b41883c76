//! The JSON of the Statuspage API, version 2: every field in the order of the original. Nothing is
//! added, because some programs refuse unknown fields, and nothing is left out, because others
//! refuse missing ones.

mod component;
mod incident;
mod maintenance;
mod page;
mod record;

use std::collections::HashMap;

use allclear_application::statuspage_api::StatuspageState;
use allclear_domain::id::ComponentId;
use allclear_domain::maintenance::MaintenanceStatus;
use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use self::component::{Component, ComponentBudget, components};
use self::incident::Incident;
use self::maintenance::Maintenance;
use self::page::{Page, Status};

/// A public code of 12 characters `0-9a-z`.
type Code = String;
/// RFC 3339 with milliseconds and the offset of the page's time zone.
type Time = String;

/// `summary.json`.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SummaryDocument<'a> {
    page: &'a Page,
    components: &'a [Component],
    /// The incidents that are not resolved.
    incidents: Vec<Incident<'a>>,
    /// The maintenances that are scheduled or in progress.
    scheduled_maintenances: Vec<Maintenance<'a>>,
    status: Status,
}

/// `status.json`.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StatusDocument<'a> {
    page: &'a Page,
    status: Status,
}

/// `components.json`.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ComponentsDocument<'a> {
    page: &'a Page,
    components: &'a [Component],
}

/// `incidents.json` and `incidents/unresolved.json`.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct IncidentsDocument<'a> {
    page: &'a Page,
    incidents: Vec<Incident<'a>>,
}

/// `scheduled-maintenances.json` and the two below it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MaintenancesDocument<'a> {
    page: &'a Page,
    scheduled_maintenances: Vec<Maintenance<'a>>,
}

/// What all JSON documents of a state are made from.
pub(super) struct JsonDocuments<'a> {
    state: &'a StatuspageState,
    page: Page,
    components: Vec<Component>,
    /// Place of each component in `components`.
    places: HashMap<ComponentId, usize>,
}

impl<'a> JsonDocuments<'a> {
    pub(super) fn new(state: &'a StatuspageState) -> Self {
        let (components, places) = components(state);
        Self {
            page: Page::new(state),
            components,
            places,
            state,
        }
    }

    pub(super) fn summary(&self) -> SummaryDocument<'_> {
        let upcoming = self.state.maintenances_of(MaintenanceStatus::Scheduled);
        let active = self.state.maintenances_of(MaintenanceStatus::InProgress);
        let ahead = upcoming.into_iter().chain(active);
        let mut budget = ComponentBudget::new();
        SummaryDocument {
            page: &self.page,
            components: &self.components,
            incidents: self.incidents(self.state.unresolved_incidents(), &mut budget),
            scheduled_maintenances: self.maintenances(ahead, &mut budget),
            status: self.state.rollup().into(),
        }
    }

    pub(super) fn status(&self) -> StatusDocument<'_> {
        StatusDocument {
            page: &self.page,
            status: self.state.rollup().into(),
        }
    }

    pub(super) fn components(&self) -> ComponentsDocument<'_> {
        ComponentsDocument {
            page: &self.page,
            components: &self.components,
        }
    }

    pub(super) fn recent_incidents(&self) -> IncidentsDocument<'_> {
        let mut budget = ComponentBudget::new();
        IncidentsDocument {
            page: &self.page,
            incidents: self.incidents(self.state.recent_incidents(), &mut budget),
        }
    }

    pub(super) fn unresolved_incidents(&self) -> IncidentsDocument<'_> {
        let mut budget = ComponentBudget::new();
        IncidentsDocument {
            page: &self.page,
            incidents: self.incidents(self.state.unresolved_incidents(), &mut budget),
        }
    }

    pub(super) fn recent_maintenances(&self) -> MaintenancesDocument<'_> {
        let mut budget = ComponentBudget::new();
        MaintenancesDocument {
            page: &self.page,
            scheduled_maintenances: self
                .maintenances(self.state.recent_maintenances(), &mut budget),
        }
    }

    pub(super) fn maintenances_of(&self, status: MaintenanceStatus) -> MaintenancesDocument<'_> {
        let mut budget = ComponentBudget::new();
        MaintenancesDocument {
            page: &self.page,
            scheduled_maintenances: self
                .maintenances(self.state.maintenances_of(status), &mut budget),
        }
    }

    fn time(&self, instant: DateTime<Utc>) -> Time {
        self.state.organisation.time_zone.timestamp(instant)
    }
}
