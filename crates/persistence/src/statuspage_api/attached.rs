//! The components of an incident at a status that was set without an update. No list of them is
//! stored, so they are those that are attached now.

use std::collections::HashMap;

use allclear_application::component::ComponentReport;
use allclear_application::component_group::ComponentGroupReport;
use allclear_domain::component::full_name;
use allclear_domain::id::{ComponentGroupId, ComponentId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::Incident;
use allclear_domain::rollup::PublicStatus;
use allclear_domain::statuspage_entry::StatuspageAffectedComponent;

use super::lists::ListBudget;
use crate::affected::MAX_SHOWN;

/// The components and groups of a page.
pub(super) struct PageComponents<'a> {
    components: HashMap<ComponentId, &'a ComponentReport>,
    group_names: HashMap<ComponentGroupId, &'a str>,
}

impl<'a> PageComponents<'a> {
    pub(super) fn new(
        groups: &'a [ComponentGroupReport],
        components: &'a [ComponentReport],
    ) -> Self {
        let components = components.iter();
        let groups = groups.iter();
        Self {
            components: components
                .map(|report| (report.component.id, report))
                .collect(),
            group_names: groups
                .map(|report| (report.group.id, report.group.name.as_str()))
                .collect(),
        }
    }

    /// The components of an incident, the oldest first, as far as they fit into an entry; `None`
    /// if there are none or if the common size limit has no room for them.
    pub(super) fn of_incident(
        &self,
        incident: &Incident,
        impacts: &[Attachment],
        budget: &mut ListBudget,
    ) -> Option<Vec<StatuspageAffectedComponent>> {
        let mut budget_of_entry = ListBudget::of_entry();
        let affected: Vec<_> = impacts
            .iter()
            .filter_map(|impact| self.affected(incident, impact))
            .take(usize::from(MAX_SHOWN))
            .take_while(|component| budget_of_entry.take_component(&component.name))
            .collect();
        let fits = affected
            .iter()
            .all(|component| budget.take_component(&component.name));
        (fits && !affected.is_empty()).then_some(affected)
    }

    /// The component of an impact; `None` if it is deleted. A status of an open incident changes
    /// no component; the resolution ends the impact.
    fn affected(
        &self,
        incident: &Incident,
        impact: &Attachment,
    ) -> Option<StatuspageAffectedComponent> {
        let report = self.components.get(&impact.component_id)?;
        let component = &report.component;
        let (old_status, new_status) = match incident.resolved_at {
            None => {
                let present = PublicStatus::new(component.status, report.under_maintenance);
                (present, present)
            }
            // Without a later change the component has the status of then, which another
            // incident may have set.
            Some(resolved_at) if component.updated_at <= resolved_at => {
                (impact.status.into(), component.status.into())
            }
            Some(_) => (impact.status.into(), PublicStatus::Operational),
        };
        let group = component.place.group;
        let group_name = group.and_then(|group| self.group_names.get(&group).copied());
        Some(StatuspageAffectedComponent {
            code: component.id.code(),
            name: full_name(group_name, &component.name),
            old_status,
            new_status,
        })
    }
}
