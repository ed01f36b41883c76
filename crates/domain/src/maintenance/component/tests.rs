use std::collections::BTreeSet;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use strum::VariantArray;
use uuid::Uuid;

use crate::id::{ComponentId, MaintenanceId};
use crate::maintenance::tests::{at, draft, end_patch, status_patch};
use crate::maintenance::{
    ChangeContext, Maintenance, MaintenanceDraft, MaintenancePatch, MaintenanceStatus, NewEnd,
};
use crate::validation::Invalid;

fn component(number: u128) -> ComponentId {
    ComponentId(Uuid::from_u128(number))
}

fn components(numbers: &[u128]) -> Vec<ComponentId> {
    numbers.iter().copied().map(component).collect()
}

/// A maintenance of the components 1 and 2, created at 0.
fn planned(start: i64, end: Option<i64>) -> Maintenance {
    let draft = MaintenanceDraft {
        components: components(&[1, 2]),
        ..draft(start, end)
    };
    let id = MaintenanceId(Uuid::from_u128(1));
    Maintenance::create(id, draft, ChangeContext::at(at(0)))
        .unwrap()
        .state
}

fn replaced(numbers: &[u128]) -> MaintenancePatch {
    MaintenancePatch {
        components: Some(components(numbers)),
        ..Default::default()
    }
}

/// The components under maintenance at a time.
fn flagged(maintenance: Option<&Maintenance>, now: i64) -> BTreeSet<ComponentId> {
    maintenance
        .filter(|found| found.status(at(now)) == MaintenanceStatus::InProgress)
        .map(|found| found.components.iter().copied().collect())
        .unwrap_or_default()
}

#[test]
fn each_component_gets_an_event_when_a_maintenance_begins_and_when_it_ends() {
    let begun = planned(10, Some(20)).publish_due(at(10));
    assert_eq!(begun.maintained, components(&[1, 2]));
    let over = begun.state.clone().publish_due(at(21));
    assert_eq!(over.maintained, components(&[1, 2]));
    for patch in [
        end_patch(15),
        status_patch(MaintenanceStatus::Cancelled),
        MaintenancePatch {
            start_at: Some(at(19)),
            ..Default::default()
        },
    ] {
        let ended = begun.state.clone().edit(patch, true, at(15)).unwrap();
        assert_eq!(ended.maintained, components(&[1, 2]));
    }
    assert_eq!(begun.state.delete(at(15)).maintained, components(&[1, 2]));
}

/// Number of events that the clock makes of a maintenance after `now`.
fn published_after(now: i64, planned: Maintenance) -> usize {
    let (mut maintenance, mut now) = (planned.publish_due(at(now)).state, at(now));
    let mut events = 0;
    while let Some(next) = maintenance.next_change(now) {
        let changed = maintenance.publish_due(next);
        events += changed.events.len() + changed.maintained.len();
        (maintenance, now) = (changed.state, next);
    }
    events
}

#[test]
fn scheduled_events_are_those_that_the_clock_makes() {
    for (end, now, expected) in [
        (Some(20), 5, 6),
        (Some(20), 10, 3),
        (Some(20), 20, 3),
        (Some(20), 21, 0),
        (None, 5, 3),
        (None, 10, 0),
    ] {
        let planned = planned(10, end);
        assert_eq!(planned.scheduled_events(at(now)), expected, "{end:?} {now}");
        assert_eq!(published_after(now, planned), expected, "{end:?} {now}");
    }
    let cancelled = status_patch(MaintenanceStatus::Cancelled);
    let cancelled = planned(10, Some(20)).edit(cancelled, true, at(5)).unwrap();
    assert_eq!(cancelled.state.scheduled_events(at(5)), 0);
}

#[test]
fn maintenance_that_is_not_in_progress_concerns_no_component() {
    assert_eq!(planned(10, None).delete(at(9)).maintained, []);
    let moved = planned(10, None).edit(replaced(&[3]), true, at(5)).unwrap();
    assert_eq!(
        (moved.maintained, moved.state.components),
        (Vec::new(), components(&[3]))
    );
    let over = Maintenance::create(
        MaintenanceId(Uuid::from_u128(1)),
        MaintenanceDraft {
            components: components(&[1]),
            ..draft(1, Some(2))
        },
        ChangeContext::at(at(5)),
    );
    assert_eq!(over.unwrap().maintained, []);
}

#[test]
fn during_a_maintenance_only_added_and_removed_components_get_an_event() {
    let begun = planned(10, None).publish_due(at(10)).state;
    let changed = begun.clone().edit(replaced(&[2, 3]), true, at(15)).unwrap();
    assert_eq!(changed.maintained, components(&[1, 3]));
    let emptied = begun.clone().edit(replaced(&[]), true, at(15)).unwrap();
    assert_eq!(emptied.maintained, components(&[1, 2]));
    let same = begun.edit(replaced(&[2, 1]), true, at(15)).unwrap();
    assert!(same.has_no_events());
}

#[test]
fn repeated_component_is_refused_at_its_place() {
    let refused = planned(10, None).edit(replaced(&[1, 2, 1]), true, at(5));
    let error = Invalid::field("components[2]", "This component is chosen already");
    assert_eq!(refused, Err(error.into()));
}

fn any_components() -> impl Strategy<Value = Vec<ComponentId>> {
    subsequence(components(&[1, 2, 3]), 0..=3)
}

prop_compose! {
    fn any_patch()(
        start in option::of(0..60_i64),
        end in option::of(option::of(0..60_i64)),
        status in option::of(select(MaintenanceStatus::VARIANTS.to_vec())),
        components in option::of(any_components()),
    ) -> MaintenancePatch {
        MaintenancePatch {
            start_at: start.map(at),
            end_at: end.map(|end| end.map_or(NewEnd::Open, |end| NewEnd::At(at(end)))),
            status,
            components,
            ..Default::default()
        }
    }
}

proptest! {
    /// Each step is a time that passes, and then an edit or what the scheduler does. A viewer may
    /// load the page at any time.
    #[test]
    fn after_each_publication_every_viewer_knows_which_components_are_under_maintenance(
        created in (any_components(), 0..30_i64, option::of(0..30_i64), 0..30_i64),
        steps in vec((0..10_i64, option::of(any_patch())), 1..12),
    ) {
        let (components, start, length, mut now) = created;
        let draft = MaintenanceDraft { components, ..draft(start, length.map(|length| start + length)) };
        let id = MaintenanceId(Uuid::from_u128(1));
        let created = Maintenance::create(id, draft, ChangeContext::at(at(now))).unwrap();
        let mut viewers = vec![flagged(None, now)];
        let publish = |viewers: &mut Vec<BTreeSet<_>>, changed: &[ComponentId], after: &BTreeSet<_>| {
            for viewer in viewers {
                for id in changed {
                    if after.contains(id) {
                        viewer.insert(*id);
                    } else {
                        viewer.remove(id);
                    }
                }
                prop_assert_eq!(&*viewer, after);
            }
            Ok(())
        };
        publish(&mut viewers, &created.maintained, &flagged(Some(&created.state), now))?;
        let mut maintenance = created.state;
        for (passed, patch) in steps {
            for _ in 0..passed {
                viewers.push(flagged(Some(&maintenance), now));
                now += 1;
            }
            let changed = match patch {
                None => maintenance.clone().publish_due(at(now)),
                Some(patch) => match maintenance.clone().edit(patch, true, at(now)) {
                    Ok(changed) => changed,
                    Err(_) => continue,
                },
            };
            if !changed.has_no_events() {
                publish(&mut viewers, &changed.maintained, &flagged(Some(&changed.state), now))?;
            }
            maintenance = changed.state;
        }
        publish(&mut viewers, &maintenance.delete(at(now)).maintained, &flagged(None, now))?;
    }
}
