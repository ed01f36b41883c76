use super::*;
use std::collections::BTreeMap;

use proptest::prelude::*;
use strum::VariantArray;
use uuid::Uuid;

use crate::component::{ComponentDraft, ComponentPatch};
use crate::incident::tests::{at, incident, set};
use crate::incident::{IncidentDraft, IncidentPatch, IncidentStatus};
use crate::organisation::Revision;
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
struct World {
    components: Vec<Component>,
    incidents: Vec<Option<(Incident, BTreeMap<usize, ComponentStatus>)>>,
    /// What an operator has set since incidents last set the component.
    by_hand: Vec<Option<ComponentStatus>>,
    now: i64,
}

impl World {
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
                    let edited = incident.clone().edit(set(status), now).unwrap();
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
        let mut world = World::new();
        for change in &changes {
            world.apply(change);
            for number in 0..COMPONENTS {
                prop_assert_eq!(world.components[number].status, worst(&world.impacts(number)), "after {:?}", change);
            }
        }
    }

    #[test]
    fn a_status_set_by_hand_shows_until_the_impacts_change(
        changes in proptest::collection::vec(of_everybody(), 0..40)
    ) {
        let mut world = World::new();
        for change in &changes {
            let before: Vec<_> = world.components.iter().map(|component| component.status).collect();
            let changed = world.apply(change);
            for (number, before) in before.into_iter().enumerate() {
                let status = world.components[number].status;
                match change {
                    Change::SetByHand(set, to) if *set == number => prop_assert_eq!(status, *to),
                    _ if !changed.contains(&number) => prop_assert_eq!(status, before),
                    _ if !world.impacts(number).is_empty() => prop_assert_eq!(status, worst(&world.impacts(number))),
                    _ => prop_assert_eq!(status, world.by_hand[number].unwrap_or(ComponentStatus::Operational)),
                }
            }
        }
    }

    #[test]
    fn statuses_return_when_all_is_resolved_but_for_what_was_set_by_hand_since(
        changes in proptest::collection::vec(of_everybody(), 0..40)
    ) {
        let mut world = World::new();
        for change in &changes {
            world.apply(change);
        }
        for number in 0..INCIDENTS {
            world.apply(&Change::SetIncident(number, IncidentStatus::Resolved));
        }
        for number in 0..COMPONENTS {
            let expected = world.by_hand[number].unwrap_or(ComponentStatus::Operational);
            prop_assert_eq!(world.components[number].status, expected);
        }
    }

    #[test]
    fn the_order_in_which_incidents_end_does_not_matter(
        impacts in proptest::collection::vec(any_status(), INCIDENTS),
        order in Just((0..INCIDENTS).collect::<Vec<_>>()).prop_shuffle(),
    ) {
        let mut world = World::new();
        for (number, status) in impacts.iter().enumerate() {
            world.apply(&Change::Attach(number, 0, *status));
        }
        for number in order {
            world.apply(&Change::SetIncident(number, IncidentStatus::Resolved));
            prop_assert_eq!(world.components[0].status, worst(&world.impacts(0)));
        }
        prop_assert_eq!(world.components[0].status, ComponentStatus::Operational);
    }
}

#[test]
fn impact_of_an_incident_replaces_a_status_set_by_hand() {
    let mut world = World::new();
    world.apply(&Change::SetByHand(0, ComponentStatus::MajorOutage));
    world.apply(&Change::Attach(0, 0, ComponentStatus::MajorOutage));
    assert_eq!(world.components[0].status_source, StatusSource::Incidents);
    world.apply(&Change::SetIncident(0, IncidentStatus::Resolved));
    assert_eq!(world.components[0].status, ComponentStatus::Operational);
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
    Incident::create(id, draft, &[], at(NOW)).unwrap().state
}

fn interval(from: i64, to: Option<i64>) -> ImpactInterval {
    ImpactInterval {
        from: at(from),
        to: to.map(at),
    }
}

fn moved(before: (i64, Option<i64>), after: (i64, Option<i64>)) -> ImpactMove {
    ImpactMove {
        incident: IncidentId(Uuid::from_u128(1)),
        before: interval(before.0, before.1),
        after: interval(after.0, after.1),
    }
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
    let edited = |incident: Incident, patch| incident.edit(patch, at(NOW)).unwrap().impacts;
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
    assert_eq!(edited(open(), to(Some(NOW + 1), None)), None);
    let expected = ImpactChange::OnAll {
        incident: open().id,
        since: at(60),
        moved: Some(moved((10, None), (5, Some(60)))),
    };
    assert_eq!(edited(open(), to(Some(5), Some(60))), Some(expected));
}

/// A period with the number of the incident that caused it.
type Row = (u128, i64, Option<i64>);

fn stored(rows: &[Row]) -> Vec<StatusPeriod> {
    let period = |(number, &(incident, start, end)): (usize, &Row)| StatusPeriod {
        id: StatusPeriodId(Uuid::from_u128(number as u128)),
        span: StatusSpan {
            status: ComponentStatus::MajorOutage,
            start_at: at(start),
            end_at: end.map(at),
        },
        cause: PeriodCause::Incident(IncidentId(Uuid::from_u128(incident)), None),
        version: Revision(3),
    };
    rows.iter().enumerate().map(period).collect()
}

/// The periods after a move, the oldest first.
fn after_move(change: &ImpactMove, periods: &[StatusPeriod]) -> Vec<StatusPeriod> {
    let mut next = 1000;
    let new_id = || {
        next += 1;
        StatusPeriodId(Uuid::from_u128(next))
    };
    let changes = change.apply(periods, ComponentStatus::MajorOutage, at(NOW), new_id);
    let is_kept = |period: &&StatusPeriod| {
        let is_updated = changes.updated.iter().any(|new| new.id == period.id);
        !is_updated && !changes.deleted.contains(&period.id)
    };
    let mut after: Vec<_> = periods.iter().filter(is_kept).cloned().collect();
    after.extend(changes.updated);
    after.extend(changes.inserted);
    after.sort_by_key(|period| period.span.start_at);
    after
}

fn rows(periods: &[StatusPeriod]) -> Vec<Row> {
    let row = |period: &StatusPeriod| {
        let PeriodCause::Incident(incident, _) = period.cause else {
            unreachable!("an incident caused every period");
        };
        let end = period.span.end_at.map(|end_at| end_at.timestamp());
        (incident.0.as_u128(), period.span.start_at.timestamp(), end)
    };
    periods.iter().map(row).collect()
}

/// From an occurrence to a resolution, in seconds.
type Interval = (i64, Option<i64>);

/// A name, an incident's interval before and after a correction, and the periods before and after it.
type Correction = (
    &'static str,
    Interval,
    Interval,
    &'static [Row],
    &'static [Row],
);

const WAS: Interval = (10, Some(50));

const CORRECTIONS: [Correction; 20] = [
    (
        "earlier end",
        WAS,
        (10, Some(40)),
        &[(1, 10, Some(50))],
        &[(1, 10, Some(40))],
    ),
    (
        "later end",
        WAS,
        (10, Some(60)),
        &[(1, 10, Some(50))],
        &[(1, 10, Some(60))],
    ),
    (
        "future end",
        WAS,
        (10, Some(NOW + 9)),
        &[(1, 10, Some(50))],
        &[(1, 10, Some(NOW))],
    ),
    (
        "earlier start",
        WAS,
        (5, Some(50)),
        &[(1, 10, Some(50))],
        &[(1, 5, Some(50))],
    ),
    (
        "later start",
        WAS,
        (20, Some(50)),
        &[(1, 10, Some(50))],
        &[(1, 20, Some(50))],
    ),
    (
        "both",
        WAS,
        (20, Some(60)),
        &[(1, 10, Some(50))],
        &[(1, 20, Some(60))],
    ),
    (
        "start of a lasting one",
        (10, None),
        (5, None),
        &[(1, 10, None)],
        &[(1, 5, None)],
    ),
    (
        "start while resolving",
        (10, None),
        (5, Some(60)),
        &[(1, 10, None)],
        &[(1, 5, None)],
    ),
    (
        "corrected end",
        WAS,
        (10, Some(40)),
        &[(1, 10, Some(45))],
        &[(1, 10, Some(45))],
    ),
    (
        "corrected start",
        WAS,
        (5, Some(50)),
        &[(1, 12, Some(50))],
        &[(1, 12, Some(50))],
    ),
    (
        "attached later",
        WAS,
        (15, Some(60)),
        &[(1, 30, Some(50))],
        &[(1, 30, Some(60))],
    ),
    (
        "another cause",
        WAS,
        (5, Some(60)),
        &[(2, 10, Some(50))],
        &[(2, 10, Some(50))],
    ),
    (
        "neighbours stop it",
        WAS,
        (2, Some(60)),
        &[(2, 1, Some(5)), (1, 10, Some(50)), (2, 55, Some(70))],
        &[(2, 1, Some(5)), (1, 5, Some(55)), (2, 55, Some(70))],
    ),
    (
        "away from the neighbours that stopped it",
        (2, Some(60)),
        (10, Some(50)),
        &[(2, 1, Some(5)), (1, 5, Some(55)), (2, 55, Some(70))],
        &[(2, 1, Some(5)), (1, 10, Some(50)), (2, 55, Some(70))],
    ),
    (
        "another status took over",
        WAS,
        (20, Some(40)),
        &[(2, 1, Some(10)), (1, 10, Some(50)), (2, 50, Some(70))],
        &[(2, 1, Some(10)), (1, 10, Some(50)), (2, 50, Some(70))],
    ),
    (
        "cut in two, resolved before the cut",
        WAS,
        (10, Some(15)),
        &[(1, 10, Some(20)), (2, 20, Some(30)), (1, 30, Some(50))],
        &[(1, 10, Some(15)), (2, 20, Some(30))],
    ),
    (
        "cut in two, occurred after the cut",
        WAS,
        (35, Some(50)),
        &[(1, 10, Some(20)), (2, 20, Some(30)), (1, 30, Some(50))],
        &[(2, 20, Some(30)), (1, 35, Some(50))],
    ),
    (
        "no time left",
        WAS,
        (10, Some(10)),
        &[(1, 10, Some(50))],
        &[],
    ),
    (
        "time again",
        (10, Some(10)),
        WAS,
        &[(2, 20, Some(30))],
        &[(1, 10, Some(20)), (2, 20, Some(30)), (1, 30, Some(50))],
    ),
    ("deleted by hand", WAS, (10, Some(60)), &[], &[]),
];

#[test]
fn boundaries_that_the_incident_set_move_and_others_stay() {
    for (name, before, after, periods, expected) in CORRECTIONS {
        let change = moved(before, after);
        assert_eq!(
            rows(&after_move(&change, &stored(periods))),
            expected,
            "{name}"
        );
    }
}

/// Periods that do not overlap, of this incident and another one, with ends and starts among few values.
fn any_periods() -> impl Strategy<Value = Vec<Row>> {
    let bounds = proptest::collection::btree_set(0..30_i64, 0..12);
    let causes = proptest::collection::vec(0..3_u128, 12);
    (bounds, causes, any::<bool>()).prop_map(|(bounds, causes, lasts)| {
        let bounds: Vec<_> = bounds.into_iter().collect();
        let pairs = bounds.windows(2).zip(causes);
        let mut rows: Vec<Row> = pairs
            .filter(|(_, cause)| *cause > 0)
            .map(|(pair, cause)| (cause, pair[0], Some(pair[1])))
            .collect();
        if lasts && let Some(last) = rows.last_mut() {
            last.2 = None;
        }
        rows
    })
}

fn any_interval() -> impl Strategy<Value = (i64, Option<i64>)> {
    (0..30_i64, proptest::option::of(0..30_i64))
}

proptest! {
    #[test]
    fn moved_periods_never_overlap_nor_end_before_they_start_and_others_stay(
        periods in any_periods(), before in any_interval(), after in any_interval()
    ) {
        let periods = stored(&periods);
        let change = moved(before, after);
        let result = after_move(&change, &periods);
        for pair in result.windows(2) {
            prop_assert!(!pair[0].span.overlaps(&pair[1].span), "{:?}", rows(&result));
        }
        prop_assert!(result.iter().all(|p| p.span.end_at.is_none_or(|end_at| p.span.start_at < end_at)));
        let lasting = |periods: &[StatusPeriod]| periods.iter().filter(|p| p.span.end_at.is_none()).count();
        prop_assert_eq!(lasting(&periods), lasting(&result));
        for other in periods.iter().filter(|period| !change.caused(period)) {
            prop_assert!(result.contains(other));
        }
    }

    #[test]
    fn correction_taken_back_restores_a_period_without_neighbours(
        before in (0..30_i64, 1..30_i64), after in (0..30_i64, 0..30_i64)
    ) {
        let end = |(from, length): (i64, i64)| (from, Some(from + length));
        let (before, after) = (end(before), end(after));
        let periods = stored(&[(1, before.0, before.1)]);
        let there = after_move(&moved(before, after), &periods);
        let back = after_move(&moved(after, before), &there);
        prop_assert_eq!(rows(&back), rows(&periods));
    }
}
