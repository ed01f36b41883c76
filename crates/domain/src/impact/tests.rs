use super::moved::tests::moved;
use super::*;
use std::collections::BTreeMap;

use proptest::prelude::*;
use strum::VariantArray;
use uuid::Uuid;

use crate::component::{ComponentDraft, ComponentPatch};
use crate::incident::tests::{at, incident, set};
use crate::incident::{IncidentDraft, IncidentPatch, IncidentStatus};
use crate::time_zone::TimeZone;

const COMPONENTS: usize = 3;
const INCIDENTS: usize = 3;

/// A change, by the numbers of an incident and a component.
#[derive(Debug, Clone)]
enum Change {
    Attach(usize, usize, ComponentStatus),
    Detach(usize, usize),
    SetIncident(usize, IncidentStatus),
    DeleteIncident(usize),
    SetByHand(usize, ComponentStatus),
}

fn any_status() -> impl Strategy<Value = ComponentStatus> {
    proptest::sample::select(ComponentStatus::VARIANTS.to_vec())
}

fn of_incidents() -> impl Strategy<Value = Change> {
    let statuses = proptest::sample::select(IncidentStatus::VARIANTS.to_vec());
    prop_oneof![
        4 => (0..INCIDENTS, 0..COMPONENTS, any_status()).prop_map(|(i, c, status)| Change::Attach(i, c, status)),
        2 => (0..INCIDENTS, 0..COMPONENTS).prop_map(|(i, c)| Change::Detach(i, c)),
        3 => (0..INCIDENTS, statuses).prop_map(|(i, status)| Change::SetIncident(i, status)),
        1 => (0..INCIDENTS).prop_map(Change::DeleteIncident),
    ]
}

fn of_everybody() -> impl Strategy<Value = Change> {
    prop_oneof![5 => of_incidents(), 1 => (0..COMPONENTS, any_status()).prop_map(|(c, s)| Change::SetByHand(c, s))]
}

/// An organisation as storage keeps it. The rules decide; this only stores.
struct OrganisationModel {
    components: Vec<Component>,
    incidents: Vec<Option<(Incident, BTreeMap<usize, ComponentStatus>)>>,
    /// What an operator has set since incidents last set the component.
    by_hand: Vec<Option<ComponentStatus>>,
    now: i64,
}

impl OrganisationModel {
    fn new() -> Self {
        let component = |number: usize| {
            let draft = ComponentDraft {
                name: "API".into(),
                description: String::new(),
                status: ComponentStatus::Operational,
                ..ComponentDraft::default()
            };
            Component::create(
                ComponentId(Uuid::from_u128(number as u128)),
                draft,
                TimeZone::default(),
                at(1),
            )
            .unwrap()
            .state
        };
        Self {
            components: (0..COMPONENTS).map(component).collect(),
            incidents: (0..INCIDENTS)
                .map(|_| Some((incident(IncidentStatus::Investigating), BTreeMap::new())))
                .collect(),
            by_hand: vec![Some(ComponentStatus::Operational); COMPONENTS],
            now: 1,
        }
    }

    /// The impacts of unresolved incidents on a component.
    fn impacts(&self, component: usize) -> Vec<ComponentStatus> {
        let unresolved = self
            .incidents
            .iter()
            .flatten()
            .filter(|(incident, _)| incident.has_impact());
        unresolved
            .filter_map(|(_, links)| links.get(&component).copied())
            .collect()
    }

    /// Applies a change. Returns the components whose impacts changed.
    fn apply(&mut self, change: &Change) -> Vec<usize> {
        self.now += 1;
        let now = at(self.now);
        let changed = match *change {
            Change::Attach(number, component, status) => {
                self.incidents[number].as_mut().map(|(incident, links)| {
                    let fresh = !links.contains_key(&component);
                    links.entry(component).or_insert(status);
                    if fresh && incident.has_impact() {
                        vec![component]
                    } else {
                        Vec::new()
                    }
                })
            }
            Change::Detach(number, component) => {
                self.incidents[number].as_mut().map(|(incident, links)| {
                    let there = links.remove(&component).is_some();
                    if there && incident.has_impact() {
                        vec![component]
                    } else {
                        Vec::new()
                    }
                })
            }
            Change::SetIncident(number, status) => {
                self.incidents[number].as_mut().map(|(incident, links)| {
                    let edited = incident.clone().edit(set(status), true, now).unwrap();
                    *incident = edited.state;
                    if edited.impacts.is_some() {
                        links.keys().copied().collect()
                    } else {
                        Vec::new()
                    }
                })
            }
            Change::DeleteIncident(number) => {
                self.incidents[number].take().map(|(incident, links)| {
                    if incident.has_impact() {
                        links.into_keys().collect()
                    } else {
                        Vec::new()
                    }
                })
            }
            Change::SetByHand(number, status) => {
                let component = self.components[number].clone();
                if component.status != status {
                    self.by_hand[number] = Some(status);
                }
                let patch = ComponentPatch {
                    status: Some(status),
                    ..Default::default()
                };
                self.components[number] = component
                    .edit(patch, TimeZone::default(), now)
                    .unwrap()
                    .state;
                None
            }
        };
        let changed = changed.unwrap_or_default();
        for number in &changed {
            let impacts = self.impacts(*number);
            if !impacts.is_empty() {
                self.by_hand[*number] = None;
            }
            let before = self.components[*number].clone();
            let after = before.clone().apply_impacts(impacts, now);
            assert_eq!(after.events.is_empty(), before.status == after.state.status);
            self.components[*number] = after.state;
        }
        changed
    }
}

fn worst(impacts: &[ComponentStatus]) -> ComponentStatus {
    impacts
        .iter()
        .copied()
        .max()
        .unwrap_or(ComponentStatus::Operational)
}

proptest! {
    #[test]
    fn no_order_of_attach_detach_resolve_and_delete_leaves_a_component_worse_than_what_still_affects_it(
        changes in proptest::collection::vec(of_incidents(), 0..40)
    ) {
        let mut model = OrganisationModel::new();
        for change in &changes {
            model.apply(change);
            for number in 0..COMPONENTS {
                prop_assert_eq!(model.components[number].status, worst(&model.impacts(number)), "after {:?}", change);
            }
        }
    }

    #[test]
    fn a_status_set_by_hand_shows_until_the_impacts_change(
        changes in proptest::collection::vec(of_everybody(), 0..40)
    ) {
        let mut model = OrganisationModel::new();
        for change in &changes {
            let before: Vec<_> = model.components.iter().map(|component| component.status).collect();
            let changed = model.apply(change);
            for (number, before) in before.into_iter().enumerate() {
                let status = model.components[number].status;
                match change {
                    Change::SetByHand(set, to) if *set == number => prop_assert_eq!(status, *to),
                    _ if !changed.contains(&number) => prop_assert_eq!(status, before),
                    _ if !model.impacts(number).is_empty() => prop_assert_eq!(status, worst(&model.impacts(number))),
                    _ => prop_assert_eq!(status, model.by_hand[number].unwrap_or(ComponentStatus::Operational)),
                }
            }
        }
    }

    #[test]
    fn statuses_return_when_all_is_resolved_but_for_what_was_set_by_hand_since(
        changes in proptest::collection::vec(of_everybody(), 0..40)
    ) {
        let mut model = OrganisationModel::new();
        for change in &changes {
            model.apply(change);
        }
        for number in 0..INCIDENTS {
            model.apply(&Change::SetIncident(number, IncidentStatus::Resolved));
        }
        for number in 0..COMPONENTS {
            let expected = model.by_hand[number].unwrap_or(ComponentStatus::Operational);
            prop_assert_eq!(model.components[number].status, expected);
        }
    }

    #[test]
    fn the_order_in_which_incidents_end_does_not_matter(
        impacts in proptest::collection::vec(any_status(), INCIDENTS),
        order in Just((0..INCIDENTS).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let mut model = OrganisationModel::new();
        for (number, status) in impacts.iter().enumerate() {
            model.apply(&Change::Attach(number, 0, *status));
        }
        for number in order {
            model.apply(&Change::SetIncident(number, IncidentStatus::Resolved));
            prop_assert_eq!(model.components[0].status, worst(&model.impacts(0)));
        }
        prop_assert_eq!(model.components[0].status, ComponentStatus::Operational);
    }
}

#[test]
fn impact_of_an_incident_replaces_a_status_set_by_hand() {
    let mut model = OrganisationModel::new();
    model.apply(&Change::SetByHand(0, ComponentStatus::MajorOutage));
    model.apply(&Change::Attach(0, 0, ComponentStatus::MajorOutage));
    assert_eq!(model.components[0].status_source, StatusSource::Incidents);
    model.apply(&Change::SetIncident(0, IncidentStatus::Resolved));
    assert_eq!(model.components[0].status, ComponentStatus::Operational);
}

#[test]
fn attaching_needs_a_component_and_takes_each_once() {
    let attachment = |number| Attachment {
        component_id: ComponentId(Uuid::from_u128(number)),
        status: ComponentStatus::Degraded,
    };
    assert_eq!(
        check_attachments(&[]),
        Err(Invalid::field(
            "components",
            "At least one component is required"
        ))
    );
    assert_eq!(check_attachments(&[attachment(1), attachment(2)]), Ok(()));
    let twice = Invalid::field(
        "components[2].componentId",
        "This component is chosen already",
    );
    assert_eq!(
        check_attachments(&[attachment(1), attachment(2), attachment(1)]),
        Err(twice)
    );
}

#[test]
fn detaching_needs_a_component_and_takes_each_once() {
    let id = |number| ComponentId(Uuid::from_u128(number));
    assert_eq!(
        check_detachments(&[]),
        Err(Invalid::field(
            "componentIds",
            "At least one component is required"
        ))
    );
    assert_eq!(check_detachments(&[id(1), id(2)]), Ok(()));
    let twice = Invalid::field("componentIds[1]", "This component is chosen already");
    assert_eq!(check_detachments(&[id(1), id(1)]), Err(twice));
}

const NOW: i64 = 100;

/// An incident on no component that occurred at `occured` and was resolved at `resolved`.
fn resolved(occured: i64, resolved: i64) -> Incident {
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "d".into(),
        status: IncidentStatus::Resolved,
        occured_at: Some(at(occured)),
        resolved_at: Some(at(resolved)),
        ..IncidentDraft::default()
    };
    let id = IncidentId(Uuid::from_u128(1));
    Incident::create(id, draft, &[], true, at(NOW))
        .unwrap()
        .state
}

fn major_outage(component: u128) -> Attachment {
    Attachment {
        component_id: ComponentId(Uuid::from_u128(component)),
        status: ComponentStatus::MajorOutage,
    }
}

#[test]
fn component_attached_to_a_resolved_incident_has_its_impact_in_the_past() {
    let attached = |incident| IncidentAndAttached {
        incident,
        attached: Vec::new(),
    };
    let changed = attached(resolved(10, 50)).attach(&[major_outage(5)]);
    let impact = ImpactChange::Past {
        incident: IncidentId(Uuid::from_u128(1)),
        components: vec![major_outage(5)],
        from: at(10),
        to: at(50),
    };
    assert_eq!(changed.unwrap().impacts, Some(impact));
    let changed = attached(resolved(10, 10)).attach(&[major_outage(5)]);
    assert_eq!(changed.unwrap().impacts, None);
    let open = incident(IncidentStatus::Investigating);
    let impact = ImpactChange::On {
        incident: open.id,
        components: vec![major_outage(5).component_id],
        since: None,
    };
    let changed = attached(open).attach(&[major_outage(5)]);
    assert_eq!(changed.unwrap().impacts, Some(impact));
}

#[test]
fn impacts_change_on_attached_components_of_an_unresolved_incident() {
    let attached = |incident| IncidentAndAttached {
        incident,
        attached: vec![major_outage(5).component_id],
    };
    let open = attached(incident(IncidentStatus::Monitoring));
    let changed = open.change_impacts(&[major_outage(5)]).unwrap();
    assert_eq!(
        changed.impacts,
        Some(ImpactChange::On {
            incident: open.incident.id,
            components: open.attached.clone(),
            since: None,
        })
    );
    assert_eq!(
        open.change_impacts(&[major_outage(5), major_outage(6)]),
        Err(Invalid::field("components[1].componentId", NOT_ATTACHED).into())
    );
    assert_eq!(
        attached(resolved(10, 50)).change_impacts(&[major_outage(5)]),
        Err(ImpactRefused::Resolved)
    );
}

#[test]
fn history_stays_when_a_resolved_incident_is_detached_or_deleted() {
    let found = IncidentAndAttached {
        incident: resolved(10, 50),
        attached: vec![major_outage(5).component_id],
    };
    let detached = found.detach(vec![major_outage(5).component_id]).unwrap();
    assert_eq!(detached.impacts, None);
    assert_eq!(found.delete().impacts, None);
}

#[test]
fn corrected_time_of_an_incident_moves_its_impacts() {
    let to = |occured: Option<i64>, resolved: Option<i64>| IncidentPatch {
        status: resolved.map(|_| IncidentStatus::Resolved),
        occured_at: occured.map(at),
        resolved_at: resolved.map(at),
        ..IncidentPatch::default()
    };
    let edited = |incident: Incident, patch| incident.edit(patch, true, at(NOW)).unwrap().impacts;
    let before = || resolved(10, 50);
    for (patch, after) in [
        (to(None, Some(40)), (10, Some(40))),
        (to(None, Some(60)), (10, Some(60))),
        (to(Some(5), None), (5, Some(50))),
        (to(Some(5), Some(60)), (5, Some(60))),
    ] {
        let expected = moved((10, Some(50)), after);
        assert_eq!(edited(before(), patch), Some(ImpactChange::Moved(expected)));
    }
    assert_eq!(edited(before(), to(None, Some(50))), None);
    let title = IncidentPatch {
        title: Some("Slow".into()),
        ..IncidentPatch::default()
    };
    assert_eq!(edited(before(), title), None);
    let open = || Incident {
        status: IncidentStatus::Monitoring,
        resolved_at: None,
        ..before()
    };
    let expected = moved((10, None), (5, None));
    let impacts = edited(open(), to(Some(5), None));
    assert_eq!(impacts, Some(ImpactChange::Moved(expected)));
    // An incident that is said to occur in the future has its impact from its creation on.
    let expected = moved((10, None), (NOW, None));
    let impacts = edited(open(), to(Some(NOW + 1), None));
    assert_eq!(impacts, Some(ImpactChange::Moved(expected)));
}

#[test]
fn resolution_moves_impacts_if_it_is_in_the_past_and_reopening_leaves_them() {
    let on_all = |incident: Incident, patch, moved| {
        let expected = ImpactChange::OnAll {
            incident: incident.id,
            moved,
        };
        let edited = incident.edit(patch, true, at(NOW)).unwrap();
        assert_eq!(edited.impacts, Some(expected));
    };
    let to = |occured_at: Option<i64>, resolved_at: Option<i64>| IncidentPatch {
        occured_at: occured_at.map(at),
        resolved_at: resolved_at.map(at),
        ..set(IncidentStatus::Resolved)
    };
    let open = || Incident {
        status: IncidentStatus::Monitoring,
        resolved_at: None,
        ..resolved(10, 50)
    };
    on_all(open(), to(None, None), None);
    on_all(open(), to(None, Some(NOW)), None);
    let earlier = moved((10, None), (10, Some(60)));
    on_all(open(), to(None, Some(60)), Some(earlier));
    let both = moved((10, None), (5, Some(60)));
    on_all(open(), to(Some(5), Some(60)), Some(both));
    let start = moved((10, None), (5, Some(NOW)));
    on_all(open(), to(Some(5), None), Some(start));
    let reopened = || IncidentPatch {
        status: Some(IncidentStatus::Monitoring),
        ..IncidentPatch::default()
    };
    on_all(resolved(10, 50), reopened(), None);
    let with_start = IncidentPatch {
        occured_at: Some(at(5)),
        ..reopened()
    };
    let start = moved((10, Some(50)), (5, Some(50)));
    on_all(resolved(10, 50), with_start, Some(start));
}

#[test]
fn status_is_set_by_hand_if_it_differs_from_operational_or_from_impacts_of_others() {
    let mut model = OrganisationModel::new();
    let is_set = |model: &OrganisationModel, has_other_impacts| {
        let component = &model.components[0];
        component.is_set_by_hand(has_other_impacts)
    };
    assert!(!is_set(&model, false));
    model.apply(&Change::SetByHand(0, ComponentStatus::Degraded));
    assert!(is_set(&model, false));
    model.apply(&Change::Attach(0, 0, ComponentStatus::MajorOutage));
    assert!(!is_set(&model, false) && !is_set(&model, true));
    model.apply(&Change::SetByHand(0, ComponentStatus::Operational));
    assert!(!is_set(&model, false) && is_set(&model, true));
}

#[test]
fn impact_of_an_incident_in_the_future_begins_with_its_creation() {
    let open = || Incident {
        status: IncidentStatus::Monitoring,
        occured_at: at(NOW + 50),
        resolved_at: None,
        ..resolved(10, 50)
    };
    let edited = |patch, now| open().edit(patch, true, at(now)).unwrap().impacts;
    let earlier = || IncidentPatch {
        occured_at: Some(at(5)),
        ..IncidentPatch::default()
    };
    for (now, from) in [(NOW + 10, NOW), (NOW + 60, NOW + 50)] {
        let expected = ImpactChange::Moved(moved((from, None), (5, None)));
        assert_eq!(edited(earlier(), now), Some(expected));
        assert_eq!(edited(set(IncidentStatus::Identified), now), None);
    }
}
