//! Components as they are when the body is written.

use allclear_application::component::ComponentReport;
use allclear_application::notice::Notice;
use allclear_application::statuspage_api::StatuspageState;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::ComponentId;
use allclear_domain::rollup::PublicStatus;
use serde::Serialize;

use super::{Time, within_limit};

#[derive(Serialize)]
pub(super) struct Component<'a> {
    status: &'static str,
    name: &'a str,
    created_at: Time,
    updated_at: Time,
    position: i32,
    description: Option<&'a str>,
    showcase: bool,
    id: String,
    page_id: String,
    group_id: Option<String>,
}

/// The components with these identifiers, in the order of the page.
pub(super) fn components<'a>(
    state: &'a StatuspageState,
    affected: &[ComponentId],
) -> Vec<Component<'a>> {
    let is_affected = |report: &&'a ComponentReport| affected.contains(&report.component.id);
    let affected = state.components.iter().filter(is_affected);
    within_limit(affected.map(|report| component(state, report)))
}

fn component<'a>(state: &StatuspageState, report: &'a ComponentReport) -> Component<'a> {
    let component = &report.component;
    let description = component.description.as_str();
    Component {
        status: PublicStatus::new(component.status, report.under_maintenance).as_str(),
        name: &component.name,
        created_at: Time(component.created_at),
        updated_at: Time(component.updated_at),
        position: component.place.position,
        description: Some(description).filter(|text| !text.is_empty()),
        showcase: component.show_uptime,
        id: component.id.code().to_string(),
        page_id: state.organisation.id.code().to_string(),
        group_id: component.place.group.map(|group| group.code().to_string()),
    }
}

/// A change of a component's status.
#[derive(Serialize)]
pub(super) struct ComponentChange<'a> {
    component: Component<'a>,
    component_update: ComponentUpdate,
}

#[derive(Serialize)]
struct ComponentUpdate {
    old_status: &'static str,
    new_status: &'static str,
    created_at: Time,
    component_type: &'static str,
    id: String,
    component_id: String,
}

impl<'a> ComponentChange<'a> {
    /// The component with the status of the notice. Everything else is that of the state, also
    /// whether the component is under maintenance.
    pub(super) fn of(
        state: &'a StatuspageState,
        notice: &'a Notice,
        old_status: ComponentStatus,
        status: ComponentStatus,
    ) -> Self {
        let id = ComponentId(notice.subject);
        let mut components = state.components.iter();
        let report = components.find(|report| report.component.id == id);
        let under_maintenance = report.is_some_and(|report| report.under_maintenance);
        let word = |status| PublicStatus::new(status, under_maintenance).as_str();
        let new_status = word(status);
        let known =
            report.map_or_else(|| deleted(state, notice), |report| component(state, report));
        Self {
            component: Component {
                status: new_status,
                ..known
            },
            component_update: ComponentUpdate {
                old_status: word(old_status),
                new_status,
                created_at: Time(notice.at),
                component_type: "Component",
                id: ComponentId(notice.id).code().to_string(),
                component_id: id.code().to_string(),
            },
        }
    }
}

/// A component that was deleted after its notice.
fn deleted<'a>(state: &StatuspageState, notice: &'a Notice) -> Component<'a> {
    let description = notice.content.description.as_str();
    Component {
        status: PublicStatus::Operational.as_str(),
        name: &notice.content.title,
        created_at: Time(notice.at),
        updated_at: Time(notice.at),
        position: 1,
        description: Some(description).filter(|text| !text.is_empty()),
        showcase: false,
        id: ComponentId(notice.subject).code().to_string(),
        page_id: state.organisation.id.code().to_string(),
        group_id: None,
    }
}
