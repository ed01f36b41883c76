//! The components and groups of the page.

use std::collections::HashMap;

use allclear_application::component::ComponentReport;
use allclear_application::component_group::ComponentGroupReport;
use allclear_application::statuspage::PublicState;
use allclear_domain::component_group::ComponentGroup;
use allclear_domain::id::{ComponentGroupId, ComponentId};
use allclear_domain::rollup::PublicStatus;
use allclear_domain::time_zone::TimeZone;
use chrono::NaiveDate;
use serde::Serialize;
use utoipa::ToSchema;

use super::{Code, Time};

/// A component or a group of components.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(in crate::statuspage) struct Component {
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

/// The components and groups by position, and the place of each component. Of equal positions, those on the page come before those
/// in groups, and those of a group before those of the next.
pub(super) fn components(state: &PublicState) -> (Vec<Component>, HashMap<ComponentId, usize>) {
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
        status: status_of(report).as_str(),
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
        status: status.as_str(),
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
