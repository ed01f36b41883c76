//! The components and groups of the page.

use std::borrow::Cow;
use std::collections::HashMap;

use allclear_application::component::ComponentReport;
use allclear_application::component_group::ComponentGroupReport;
use allclear_application::status_page::size::{PAGE_BYTES, shorten_description};
use allclear_application::statuspage_api::StatuspageState;
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
pub(in crate::statuspage_api) struct Component {
    /// Public code.
    id: Code,
    /// Its name.
    name: String,
    /// `operational`, `under_maintenance`, `degraded_performance`, `partial_outage` or
    /// `major_outage`.
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

/// Maximum number of components of one incident or maintenance.
const MAX_LISTED: usize = 500;
/// Maximum number of components of all incidents and maintenances of a document.
const LISTED_IN_ALL: usize = 10_000;
/// Size limit of the descriptions of these components in a document, in bytes.
const LISTED_DESCRIPTION_BYTES: usize = 4 * 1024 * 1024;

/// The remaining room of a document for the components of its incidents and maintenances. Each of
/// them repeats the full objects, so without a limit a document could be thousands of times as
/// large as the list of all components.
pub(super) struct ComponentBudget {
    components: usize,
    description_bytes: usize,
}

impl ComponentBudget {
    pub(super) const fn new() -> Self {
        Self {
            components: LISTED_IN_ALL,
            description_bytes: LISTED_DESCRIPTION_BYTES,
        }
    }

    /// The components of one incident or maintenance that fit. A description that does not fit is
    /// left out.
    pub(super) fn fit<'a>(
        &mut self,
        components: impl Iterator<Item = &'a Component>,
    ) -> Vec<Cow<'a, Component>> {
        let count = self.components.min(MAX_LISTED);
        let shown: Vec<_> = components
            .take(count)
            .map(|component| self.without_excess(component))
            .collect();
        self.components -= shown.len();
        shown
    }

    fn without_excess<'a>(&mut self, component: &'a Component) -> Cow<'a, Component> {
        let bytes = component.description.as_ref().map_or(0, String::len);
        if let Some(left) = self.description_bytes.checked_sub(bytes) {
            self.description_bytes = left;
            Cow::Borrowed(component)
        } else {
            Cow::Owned(Component {
                description: None,
                ..component.clone()
            })
        }
    }
}

/// The components and groups by position, and the place of each component. Of equal positions,
/// those on the page come before those in groups, and those of a group before those of the next.
pub(super) fn components(state: &StatuspageState) -> (Vec<Component>, HashMap<ComponentId, usize>) {
    let page_id = state.organisation.id.code().to_string();
    let zone = state.organisation.time_zone;
    let mut members: HashMap<ComponentGroupId, Vec<&ComponentReport>> = HashMap::new();
    for report in &state.components {
        if let Some(group) = report.component.place.group {
            members.entry(group).or_default().push(report);
        }
    }
    let mut sorted: Vec<_> = state
        .groups
        .iter()
        .map(|report| {
            let members = members.get(&report.group.id).into_iter().flatten();
            let status = PublicStatus::worst(members.clone().copied().map(status_of));
            let members = members.map(|member| member.component.id.code().to_string());
            let description = report.group.description.as_str();
            let group = group(report, status, members.collect(), &page_id, zone);
            ((report.position, 0), None, description, group)
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
            report.component.description.as_str(),
            component,
        ));
    }
    sorted.sort_by_key(|(position, ..)| *position);
    let places = sorted.iter().enumerate();
    let places = places.filter_map(|(place, (_, id, ..))| Some(((*id)?, place)));
    let places = places.collect();
    let mut room = PAGE_BYTES;
    let components = sorted
        .into_iter()
        .map(|(.., description, component)| Component {
            description: shown_description(description, &mut room),
            ..component
        });
    (components.collect(), places)
}

/// The description with the size limit of the status page: beyond it, only the beginning.
fn shown_description(text: &str, room: &mut usize) -> Option<String> {
    let mut shown = Some(text.to_owned()).filter(|text| !text.is_empty())?;
    if shown.len() > *room {
        shorten_description(&mut shown);
        shown.shrink_to_fit();
    }
    *room = room.saturating_sub(text.len());
    Some(shown)
}

fn status_of(report: &ComponentReport) -> PublicStatus {
    PublicStatus::new(report.component.status, report.under_maintenance)
}

/// A component without its description.
fn component(report: &ComponentReport, page_id: &str, zone: TimeZone) -> Component {
    let component = &report.component;
    Component {
        id: component.id.code().to_string(),
        name: component.name.clone(),
        status: status_of(report).as_str(),
        created_at: zone.timestamp(component.created_at),
        updated_at: zone.timestamp(component.updated_at),
        position: component.place.position,
        description: None,
        showcase: component.show_uptime,
        start_date: component.start_date,
        group_id: component.place.group.map(|group| group.code().to_string()),
        page_id: page_id.to_owned(),
        group: false,
        only_show_if_degraded: component.only_show_when_affected,
        components: None,
    }
}

/// A group without its description.
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
        description: None,
        showcase: false,
        start_date: None,
        group_id: None,
        page_id: page_id.to_owned(),
        group: true,
        only_show_if_degraded: false,
        components: Some(members),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn component(description: &str) -> Component {
        Component {
            id: "0123456789ab".into(),
            name: "API".into(),
            status: "operational",
            created_at: Time::new(),
            updated_at: Time::new(),
            position: 1,
            description: Some(description.into()),
            showcase: true,
            start_date: None,
            group_id: None,
            page_id: Code::new(),
            group: false,
            only_show_if_degraded: false,
            components: None,
        }
    }

    #[test]
    fn lists_of_a_document_have_a_limited_number_of_components() {
        let all = vec![component("d"); MAX_LISTED + 1];
        let mut budget = ComponentBudget::new();
        assert_eq!(budget.fit(all[..3].iter()).len(), 3);
        let full = LISTED_IN_ALL / MAX_LISTED - 1;
        for _ in 0..full {
            assert_eq!(budget.fit(all.iter()).len(), MAX_LISTED);
        }
        assert_eq!(budget.fit(all.iter()).len(), MAX_LISTED - 3);
        assert_eq!(budget.fit(all.iter()).len(), 0);
    }
}
