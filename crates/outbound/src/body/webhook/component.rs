//! Components as they are when the body is written.

use allclear_application::component::ComponentReport;
use allclear_application::statuspage::PublicState;
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
    state: &'a PublicState,
    affected: &[ComponentId],
) -> Vec<Component<'a>> {
    let is_affected = |report: &&'a ComponentReport| affected.contains(&report.component.id);
    let affected = state.components.iter().filter(is_affected);
    within_limit(affected.map(|report| component(state, report)))
}

fn component<'a>(state: &PublicState, report: &'a ComponentReport) -> Component<'a> {
    let component = &report.component;
    let description = component.description.as_str();
    Component {
        status: PublicStatus::new(component.status, report.under_maintenance).word(),
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
