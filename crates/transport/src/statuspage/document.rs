//! The documents of the Statuspage API, version 2: every field in the order of the original. Nothing is added, because some programs
//! refuse unknown fields, and nothing is left out, because others refuse missing ones.

use std::collections::HashMap;

use allclear_application::component::ComponentReport;
use allclear_application::component_group::ComponentGroupReport;
use allclear_application::statuspage::{IncidentRecord, MaintenanceRecord, PublicState};
use allclear_domain::component_group::ComponentGroup;
use allclear_domain::entry::{AffectedComponent, Entry};
use allclear_domain::id::{ComponentGroupId, ComponentId};
use allclear_domain::maintenance::MaintenanceStatus;
use allclear_domain::rollup::{Indicator, PublicStatus, Rollup};
use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;

/// A public code of 12 characters `0-9a-z`.
type Code = String;
/// RFC 3339 with milliseconds and the offset of the page's time zone.
type Time = String;

/// The page.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Page {
    /// Public code of the page.
    id: Code,
    /// Title of the page.
    name: String,
    /// Address of the page.
    url: String,
    /// Name of the IANA time zone in which all times are.
    time_zone: String,
    /// When something public changed last.
    updated_at: Time,
}

/// The state of the page.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Status {
    /// `none`, `minor`, `major`, `critical` or `maintenance`.
    indicator: &'static str,
    /// The state in words.
    description: &'static str,
}

/// A component or a group of components.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Component {
    /// Public code.
    id: Code,
    /// Its name.
    name: String,
    /// `operational`, `under_maintenance`, `degraded_performance`, `partial_outage` or `major_outage`.
    status: &'static str,
    /// When it was created.
    created_at: Time,
    /// When it last changed.
    updated_at: Time,
    /// Position from 1 within its group or on the page.
    position: i32,
    /// Null if it has none.
    #[schema(required)]
    description: Option<String>,
    /// Whether its uptime is shown.
    showcase: bool,
    /// The first day that counts for uptime; null if all days count.
    #[schema(required)]
    start_date: Option<NaiveDate>,
    /// Code of its group; null if it has none.
    #[schema(required)]
    group_id: Option<Code>,
    /// Code of the page.
    page_id: Code,
    /// Whether it is a group.
    group: bool,
    /// Whether the page hides it while it is operational.
    only_show_if_degraded: bool,
    /// Codes of the components of a group; absent for components.
    #[serde(skip_serializing_if = "Option::is_none")]
    components: Option<Vec<Code>>,
}

/// A component as it was when an entry was recorded.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct Affected<'a> {
    /// Code of the component.
    code: &'a str,
    /// Its name, after the name of its group.
    name: &'a str,
    /// Status before the entry.
    old_status: &'static str,
    /// Status after the entry.
    new_status: &'static str,
}

/// An entry of an incident or a maintenance.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct Update<'a> {
    /// Public code.
    id: &'a str,
    /// Status after the entry.
    status: &'static str,
    /// Its text.
    body: &'a str,
    /// Code of the incident or maintenance.
    incident_id: Code,
    /// When it was recorded.
    created_at: Time,
    /// When it was last changed.
    updated_at: Time,
    /// Its time for people.
    display_at: Time,
    /// The components that were attached; null if there were none.
    #[schema(required)]
    affected_components: Option<Vec<Affected<'a>>>,
    /// Always true.
    deliver_notifications: bool,
    /// Always null.
    #[schema(required)]
    custom_tweet: Option<String>,
    /// Always null.
    #[schema(required)]
    tweet_id: Option<String>,
}

/// The fields that incidents and maintenances share.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct Record<'a> {
    /// Public code.
    id: Code,
    /// Its title.
    name: &'a str,
    /// Its status: `investigating`, `identified`, `monitoring`, `resolved` or `postmortem` of an incident, `scheduled`, `in_progress`
    /// or `completed` of a maintenance.
    status: &'static str,
    /// When it was created.
    created_at: Time,
    /// When it last changed.
    updated_at: Time,
    /// When it was monitored first; null if it never was.
    #[schema(required)]
    monitoring_at: Option<Time>,
    /// When it ended; null before.
    #[schema(required)]
    resolved_at: Option<Time>,
    /// `none`, `minor`, `major` or `critical` of an incident, `maintenance` of a maintenance.
    impact: &'static str,
    /// Its address for people.
    shortlink: String,
    /// When it began.
    started_at: Time,
    /// Code of the page.
    page_id: Code,
    /// Its entries, newest first.
    incident_updates: Vec<Update<'a>>,
    /// The affected components as they are now.
    components: Vec<&'a Component>,
}

/// An incident.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Incident<'a> {
    #[serde(flatten)]
    record: Record<'a>,
    /// Always null.
    #[schema(required)]
    reminder_intervals: Option<String>,
}

/// A maintenance.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(super) struct Maintenance<'a> {
    #[serde(flatten)]
    record: Record<'a>,
    /// When it starts.
    scheduled_for: Time,
    /// When it ends; the start if the end is open.
    scheduled_until: Time,
}

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

/// What all documents of a state consist of.
pub(super) struct Documents<'a> {
    state: &'a PublicState,
    page: Page,
    components: Vec<Component>,
    /// Place of each component in `components`.
    places: HashMap<ComponentId, usize>,
}

impl From<Rollup> for Status {
    fn from(rollup: Rollup) -> Self {
        Self {
            indicator: rollup.indicator.word(),
            description: rollup.description,
        }
    }
}

impl<'a> Documents<'a> {
    pub(super) fn new(state: &'a PublicState) -> Self {
        let organisation = &state.organisation;
        let zone = organisation.time_zone;
        let (components, places) = components(state);
        Self {
            page: Page {
                id: organisation.id.code().to_string(),
                name: organisation.effective_title().to_owned(),
                url: state.url.clone(),
                time_zone: zone.to_string(),
                updated_at: zone.timestamp(state.updated_at),
            },
            components,
            places,
            state,
        }
    }

    pub(super) fn summary(&self) -> SummaryDocument<'_> {
        let upcoming = self.state.maintenances_of(MaintenanceStatus::Scheduled);
        let active = self.state.maintenances_of(MaintenanceStatus::InProgress);
        let ahead = upcoming.into_iter().chain(active);
        SummaryDocument {
            page: &self.page,
            components: &self.components,
            incidents: self.incidents(self.state.unresolved_incidents()),
            scheduled_maintenances: self.maintenances(ahead),
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
        IncidentsDocument {
            page: &self.page,
            incidents: self.incidents(self.state.recent_incidents()),
        }
    }

    pub(super) fn unresolved_incidents(&self) -> IncidentsDocument<'_> {
        IncidentsDocument {
            page: &self.page,
            incidents: self.incidents(self.state.unresolved_incidents()),
        }
    }

    pub(super) fn recent_maintenances(&self) -> MaintenancesDocument<'_> {
        MaintenancesDocument {
            page: &self.page,
            scheduled_maintenances: self.maintenances(self.state.recent_maintenances()),
        }
    }

    pub(super) fn maintenances_of(&self, status: MaintenanceStatus) -> MaintenancesDocument<'_> {
        MaintenancesDocument {
            page: &self.page,
            scheduled_maintenances: self.maintenances(self.state.maintenances_of(status)),
        }
    }

    fn incidents(
        &self,
        records: impl IntoIterator<Item = &'a IncidentRecord>,
    ) -> Vec<Incident<'_>> {
        records
            .into_iter()
            .map(|record| self.incident(record))
            .collect()
    }

    fn maintenances(
        &self,
        records: impl IntoIterator<Item = &'a MaintenanceRecord>,
    ) -> Vec<Maintenance<'_>> {
        records
            .into_iter()
            .map(|record| self.maintenance(record))
            .collect()
    }

    fn time(&self, instant: DateTime<Utc>) -> Time {
        self.state.organisation.time_zone.timestamp(instant)
    }

    fn incident(&self, record: &'a IncidentRecord) -> Incident<'_> {
        let incident = &record.incident;
        let code = incident.id.code().to_string();
        Incident {
            record: Record {
                name: &incident.title,
                status: record.status().word(),
                created_at: self.time(incident.created_at),
                updated_at: self.time(record.updated_at()),
                monitoring_at: incident.monitoring_at.map(|at| self.time(at)),
                resolved_at: incident.resolved_at.map(|at| self.time(at)),
                impact: record.impact().word(),
                shortlink: format!("{}/incidents/{code}", self.state.url),
                started_at: self.time(incident.occured_at),
                page_id: self.page.id.clone(),
                incident_updates: self.updates(&code, &record.entries),
                components: self.affected(&record.components),
                id: code,
            },
            reminder_intervals: None,
        }
    }

    fn maintenance(&self, record: &'a MaintenanceRecord) -> Maintenance<'_> {
        let maintenance = &record.maintenance;
        let code = maintenance.id.code().to_string();
        let end = maintenance.end_at.unwrap_or(maintenance.start_at);
        Maintenance {
            record: Record {
                name: &maintenance.title,
                status: record.entry_status().word(),
                created_at: self.time(maintenance.created_at),
                updated_at: self.time(record.updated_at()),
                monitoring_at: None,
                resolved_at: record.completed_at().map(|at| self.time(at)),
                impact: Indicator::Maintenance.word(),
                shortlink: format!("{}/maintenances/{code}", self.state.url),
                started_at: self.time(maintenance.created_at),
                page_id: self.page.id.clone(),
                incident_updates: self.updates(&code, &record.entries),
                components: self.affected(&record.components),
                id: code,
            },
            scheduled_for: self.time(maintenance.start_at),
            scheduled_until: self.time(end),
        }
    }

    fn updates(&self, parent: &str, entries: &'a [Entry]) -> Vec<Update<'_>> {
        let update = |entry: &'a Entry| Update {
            id: entry.code.as_str(),
            status: entry.status.word(),
            body: &entry.body,
            incident_id: parent.to_owned(),
            created_at: self.time(entry.created_at),
            updated_at: self.time(entry.updated_at),
            display_at: self.time(entry.display_at),
            affected_components: entry
                .affected
                .as_ref()
                .map(|affected| affected.iter().map(Affected::from).collect()),
            deliver_notifications: true,
            custom_tweet: None,
            tweet_id: None,
        };
        entries.iter().map(update).collect()
    }

    /// The full objects of components, in the order of all components.
    fn affected(&self, components: &[ComponentId]) -> Vec<&Component> {
        let mut places: Vec<_> = components
            .iter()
            .filter_map(|id| self.places.get(id).copied())
            .collect();
        places.sort_unstable();
        places
            .into_iter()
            .filter_map(|place| self.components.get(place))
            .collect()
    }
}

impl<'a> From<&'a AffectedComponent> for Affected<'a> {
    fn from(component: &'a AffectedComponent) -> Self {
        Self {
            code: component.code.as_str(),
            name: &component.name,
            old_status: component.old_status.word(),
            new_status: component.new_status.word(),
        }
    }
}

/// The components and groups by position, and the place of each component. Of equal positions, those on the page come before those
/// in groups, and those of a group before those of the next.
fn components(state: &PublicState) -> (Vec<Component>, HashMap<ComponentId, usize>) {
    let page_id = state.organisation.id.code().to_string();
    let zone = state.organisation.time_zone;
    let mut sorted: Vec<_> = state
        .groups
        .iter()
        .map(|report| {
            let members = || {
                let of_the_group = |member: &&ComponentReport| {
                    member.component.place.group == Some(report.group.id)
                };
                state.components.iter().filter(of_the_group)
            };
            let status = PublicStatus::worst(members().map(status_of));
            let members = members().map(|member| member.component.id.code().to_string());
            let group = group(report, status, members.collect(), &page_id, zone);
            ((report.position, 0), None, group)
        })
        .collect();
    let positions: HashMap<ComponentGroupId, i32> = state
        .groups
        .iter()
        .map(|report| (report.group.id, report.position))
        .collect();
    for report in &state.components {
        let place = report.component.place;
        let group = place
            .group
            .map_or(0, |group| positions.get(&group).copied().unwrap_or(0));
        let component = component(report, &page_id, zone);
        sorted.push((
            (place.position, group),
            Some(report.component.id),
            component,
        ));
    }
    sorted.sort_by_key(|(position, ..)| *position);
    let places = sorted.iter().enumerate();
    let places = places.filter_map(|(place, (_, id, _))| Some(((*id)?, place)));
    let places = places.collect();
    let components = sorted.into_iter().map(|(.., component)| component);
    (components.collect(), places)
}

fn status_of(report: &ComponentReport) -> PublicStatus {
    PublicStatus::new(report.component.status, report.under_maintenance)
}

fn component(report: &ComponentReport, page_id: &str, zone: TimeZone) -> Component {
    let component = &report.component;
    Component {
        id: component.id.code().to_string(),
        name: component.name.clone(),
        status: status_of(report).word(),
        created_at: zone.timestamp(component.created_at),
        updated_at: zone.timestamp(component.updated_at),
        position: component.place.position,
        description: Some(component.description.clone()).filter(|text| !text.is_empty()),
        showcase: component.show_uptime,
        start_date: component.start_date,
        group_id: component.place.group.map(|group| group.code().to_string()),
        page_id: page_id.to_owned(),
        group: false,
        only_show_if_degraded: component.only_show_when_affected,
        components: None,
    }
}

fn group(
    report: &ComponentGroupReport,
    status: PublicStatus,
    members: Vec<Code>,
    page_id: &str,
    zone: TimeZone,
) -> Component {
    let ComponentGroup {
        id,
        name,
        description,
        created_at,
        updated_at,
        ..
    } = &report.group;
    Component {
        id: id.code().to_string(),
        name: name.clone(),
        status: status.word(),
        created_at: zone.timestamp(*created_at),
        updated_at: zone.timestamp(*updated_at),
        position: report.position,
        description: Some(description.clone()).filter(|text| !text.is_empty()),
        showcase: false,
        start_date: None,
        group_id: None,
        page_id: page_id.to_owned(),
        group: true,
        only_show_if_degraded: false,
        components: Some(members),
    }
}
