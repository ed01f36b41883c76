use super::*;

use std::collections::HashSet;

use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;
use strum::VariantArray;
use uuid::Uuid;

/// Moments of a short time, so that they often coincide.
pub(super) fn at(millisecond: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_700_000_000_000 + millisecond).unwrap()
}

pub(super) fn draft(start: i64, end: Option<i64>) -> MaintenanceDraft {
    MaintenanceDraft {
        title: "Move".into(),
        description: "To the new racks".into(),
        start_at: at(start),
        end_at: end.map(at),
        status: MaintenanceStatus::default(),
        notify: None,
        components: Vec::new(),
    }
}

fn maintenance(start: i64, end: Option<i64>) -> Maintenance {
    Maintenance::create(
        MaintenanceId(Uuid::from_u128(1)),
        draft(start, end),
        ChangeContext::at(at(0)),
    )
    .unwrap()
    .state
}

fn statuses(
    maintenance: &Maintenance,
    moments: impl IntoIterator<Item = i64>,
) -> Vec<MaintenanceStatus> {
    moments
        .into_iter()
        .map(|moment| maintenance.status(at(moment)))
        .collect()
}

pub(super) fn status_patch(status: MaintenanceStatus) -> MaintenancePatch {
    MaintenancePatch {
        status: Some(status),
        ..Default::default()
    }
}

pub(super) fn end_patch(end: i64) -> MaintenancePatch {
    MaintenancePatch {
        end_at: Some(NewEnd::At(at(end))),
        ..Default::default()
    }
}

prop_compose! {
    fn any_maintenance()(
        start in 0..40_i64,
        length in option::of(0..40_i64),
        cancelled in option::of(0..80_i64),
    ) -> Maintenance {
        let planned = maintenance(start, length.map(|length| start + length));
        Maintenance { cancelled_at: cancelled.map(at), ..planned }
    }
}

fn any_status() -> impl Strategy<Value = MaintenanceStatus> {
    select(MaintenanceStatus::VARIANTS.to_vec())
}

#[test]
fn maintenance_is_in_progress_from_its_start_to_its_end() {
    use MaintenanceStatus::{Completed, InProgress, Scheduled};
    let planned = maintenance(10, Some(20));
    assert_eq!(
        statuses(&planned, [9, 10, 11, 20, 21]),
        [Scheduled, InProgress, InProgress, InProgress, Completed]
    );
    assert_eq!(
        statuses(&maintenance(10, None), [9, 10, i64::from(u32::MAX)]),
        [Scheduled, InProgress, InProgress]
    );
    assert_eq!(
        statuses(&maintenance(10, Some(10)), [9, 10, 11]),
        [Scheduled, InProgress, Completed]
    );
}

#[test]
fn each_status_has_its_word() {
    let words = [
        (MaintenanceStatus::Scheduled, "SCHEDULED"),
        (MaintenanceStatus::InProgress, "IN_PROGRESS"),
        (MaintenanceStatus::Completed, "COMPLETED"),
        (MaintenanceStatus::Cancelled, "CANCELLED"),
    ];
    assert_eq!(words.map(|(status, _)| status), MaintenanceStatus::VARIANTS);
    for (status, word) in words {
        assert_eq!(status.to_string(), word);
        assert_eq!(word.parse(), Ok(status));
    }
}

proptest! {
    #[test]
    fn as_time_passes_the_status_never_goes_back(planned in any_maintenance()) {
        prop_assert!(statuses(&planned, -1..100).is_sorted());
    }

    #[test]
    fn only_a_cancelled_maintenance_is_cancelled_at_any_time(planned in any_maintenance(), now in -1..100_i64) {
        let cancelled = planned.status(at(now)) == MaintenanceStatus::Cancelled;
        prop_assert_eq!(cancelled, planned.cancelled_at.is_some());
    }

    #[test]
    fn the_status_changes_exactly_at_the_next_change(planned in any_maintenance(), now in -1..100_i64) {
        let status = planned.status(at(now));
        let first = (now + 1..=100).find(|later| planned.status(at(*later)) != status);
        prop_assert_eq!(planned.next_change(at(now)), first.map(at));
    }

    #[test]
    fn changes_of_the_clock_are_published_once(planned in any_maintenance(), before in -1..100_i64, passed in 0..100_i64) {
        let (before, now) = (at(before), at(before + passed));
        let published = Maintenance { published_status: planned.status(before), ..planned.clone() }.publish_due(now);
        prop_assert_eq!(published.has_no_events(), planned.next_change(before).is_none_or(|change| change > now));
        prop_assert!(published.state.publish_due(now).has_no_events());
    }

    /// Each step is what a node does by its clock: it records an update, or its scheduler publishes.
    #[test]
    fn nodes_whose_clocks_differ_publish_each_status_once(
        planned in any_maintenance(), steps in prop::collection::vec((-1..100_i64, any::<bool>()), 1..20),
    ) {
        let (mut state, mut published) = (planned, HashSet::new());
        for (now, is_recorded) in steps {
            let before = state.published_status;
            let changed = if is_recorded {
                let events = vec![Event::MaintenanceUpdated(state.id)];
                state.after_updates(events, Some("Going on".into()), true, at(now))
            } else {
                state.publish_due(at(now))
            };
            for notice in changed.notices {
                let NewNotice::Maintenance { change, .. } = notice else { continue };
                prop_assert!(change == MaintenanceChange::Updated || published.insert(change));
            }
            state = changed.state;
            prop_assert!(state.published_status >= before);
        }
    }

    #[test]
    fn completing_makes_it_over_at_once_and_keeps_the_end_after_the_start(
        planned in any_maintenance(), now in -1..100_i64, ahead in -100..=60_000_i64,
    ) {
        let status = planned.status(at(now));
        let notifies = planned.notify;
        match planned.edit(end_patch(now + ahead), true, at(now)) {
            Ok(done) => {
                prop_assert!(notifies || done.notices.is_empty());
                prop_assert_eq!(status, MaintenanceStatus::InProgress);
                prop_assert_eq!(done.state.end_at, Some(at(now - 1)));
                prop_assert!(done.state.start_at <= at(now - 1));
                prop_assert_eq!(done.state.status(at(now)), MaintenanceStatus::Completed);
                prop_assert_eq!(done.events.len(), 1);
            }
            Err(refused) => prop_assert_eq!(refused, match status {
                MaintenanceStatus::Scheduled => EditError::NotBegun,
                MaintenanceStatus::Completed => EditError::Over,
                _ => EditError::Cancelled,
            }),
        }
    }

    #[test]
    fn an_end_alone_further_ahead_moves_the_end(planned in any_maintenance(), now in -1..100_i64, ahead in 60_001..90_000_i64) {
        let moved = planned.edit(end_patch(now + ahead), true, at(now)).unwrap();
        prop_assert_eq!(moved.state.end_at, Some(at(now + ahead)));
    }

    #[test]
    fn an_edit_changes_what_it_carries_and_nothing_else(
        planned in any_maintenance(),
        title in option::of("[a-z]{1,9}"),
        start in option::of(0..80_i64),
        end in option::of(option::of(0..80_i64)),
        word in option::of(any_status()),
        now in 0..100_i64,
    ) {
        // With a description it is never an end alone.
        let patch = MaintenancePatch {
            title: title.clone(),
            description: Some(planned.description.clone()),
            start_at: start.map(at),
            end_at: end.map(|end| end.map_or(NewEnd::Open, |end| NewEnd::At(at(end)))),
            status: word,
            notify: None,
            components: None,
        };
        let start = start.map_or(planned.start_at, at);
        let end = end.map_or(planned.end_at, |end| end.map(at));
        match planned.clone().edit(patch, true, at(now)) {
            Ok(Changed { state, events, .. }) => {
                prop_assert!(end.is_none_or(|end| start <= end));
                prop_assert_eq!((state.start_at, state.end_at), (start, end));
                prop_assert_eq!(&state.title, title.as_ref().unwrap_or(&planned.title));
                let cancelled = match word {
                    Some(MaintenanceStatus::Cancelled) => true,
                    Some(MaintenanceStatus::Scheduled) => false,
                    _ => planned.cancelled_at.is_some(),
                };
                prop_assert_eq!(state.cancelled_at.is_some(), cancelled);
                prop_assert_eq!(events.is_empty(), state == planned);
            }
            Err(refused) => {
                prop_assert!(end.is_some_and(|end| end < start));
                prop_assert_eq!(refused, EditError::Invalid(Invalid::field("endAt", "End must not be before start")));
            }
        }
    }

    #[test]
    fn page_shows_a_maintenance_until_fourteen_days_after_it_is_over(planned in any_maintenance()) {
        let Some(until) = planned.shown_until() else {
            prop_assert!(planned.end_at.is_none() && planned.cancelled_at.is_none());
            return Ok(());
        };
        prop_assert!(planned.status(until) >= MaintenanceStatus::Completed);
        prop_assert_eq!(planned.next_change(until), None);
        let over = planned.end_at.unwrap_or_else(|| planned.cancelled_at.unwrap().max(planned.start_at));
        prop_assert_eq!(until, over + TimeDelta::days(14));
    }
}

#[test]
fn of_the_given_statuses_only_cancelled_is_stored() {
    let create = |status| {
        let draft = MaintenanceDraft {
            status,
            ..draft(10, None)
        };
        let id = MaintenanceId(Uuid::from_u128(1));
        Maintenance::create(id, draft, ChangeContext::at(at(0)))
            .unwrap()
            .state
            .status(at(0))
    };
    assert_eq!(
        create(MaintenanceStatus::InProgress),
        MaintenanceStatus::Scheduled
    );
    assert_eq!(
        create(MaintenanceStatus::Completed),
        MaintenanceStatus::Scheduled
    );
    assert_eq!(
        create(MaintenanceStatus::Cancelled),
        MaintenanceStatus::Cancelled
    );
}

#[test]
fn a_cancellation_stands_until_it_is_taken_back() {
    let cancelled = maintenance(10, None)
        .edit(status_patch(MaintenanceStatus::Cancelled), true, at(15))
        .unwrap()
        .state;
    assert_eq!(cancelled.cancelled_at, Some(at(15)));
    let again = cancelled
        .clone()
        .edit(status_patch(MaintenanceStatus::Cancelled), true, at(16))
        .unwrap();
    assert_eq!(
        (again.state.cancelled_at, again.events.len()),
        (Some(at(15)), 0)
    );
    let renamed = MaintenancePatch {
        title: Some("Other".into()),
        ..Default::default()
    };
    assert_eq!(
        cancelled
            .clone()
            .edit(renamed, true, at(16))
            .unwrap()
            .state
            .cancelled_at,
        Some(at(15))
    );
    let back = cancelled
        .edit(status_patch(MaintenanceStatus::Scheduled), true, at(17))
        .unwrap()
        .state;
    assert_eq!(back.status(at(17)), MaintenanceStatus::InProgress);
}

#[test]
fn a_draft_names_every_wrong_field() {
    let bad = MaintenanceDraft {
        title: String::new(),
        description: String::new(),
        ..draft(10, Some(9))
    };
    let id = MaintenanceId(Uuid::from_u128(1));
    let refused = Maintenance::create(id, bad, ChangeContext::at(at(0))).unwrap_err();
    let found: Vec<_> = refused
        .errors
        .iter()
        .map(|error| (error.field.as_str(), error.message.as_str()))
        .collect();
    assert_eq!(
        found,
        [
            ("description", "Description is required"),
            ("title", "Title is required"),
            ("endAt", "End must not be before start"),
        ]
    );
}

#[test]
fn texts_have_their_limits() {
    let title = MaintenancePatch {
        title: Some("x".repeat(201)),
        ..Default::default()
    };
    let description = MaintenancePatch {
        description: Some("a\0".into()),
        ..Default::default()
    };
    let refused = |patch| maintenance(10, None).edit(patch, true, at(0)).unwrap_err();
    assert_eq!(
        refused(title),
        Invalid::field("title", "Must be at most 200 characters").into()
    );
    assert_eq!(
        refused(description),
        Invalid::field("description", "Must not contain a NUL character").into()
    );
}

proptest! {
    #[test]
    fn change_notifies_as_chosen_and_the_clock_as_last_chosen(
        created in option::of(any::<bool>()),
        edited in option::of(any::<bool>()),
        by_default in any::<bool>(),
    ) {
        let draft = MaintenanceDraft { notify: created, ..draft(10, Some(20)) };
        let id = MaintenanceId(Uuid::from_u128(1));
        let context = ChangeContext { notify_by_default: by_default, ..ChangeContext::at(at(0)) };
        let planned = Maintenance::create(id, draft, context).unwrap();
        let stored = created.unwrap_or(by_default);
        prop_assert_eq!((planned.notices.len(), planned.state.notify), (usize::from(stored), stored));
        let patch = MaintenancePatch { start_at: Some(at(9)), notify: edited, ..Default::default() };
        let moved = planned.state.edit(patch, by_default, at(1)).unwrap();
        prop_assert_eq!(moved.notices.len(), usize::from(edited.unwrap_or(by_default)));
        let stored = edited.unwrap_or(stored);
        prop_assert_eq!(moved.state.notify, stored);
        let begun = moved.state.clone().publish_due(at(10));
        prop_assert_eq!((begun.events.len(), begun.notices.len()), (1, usize::from(stored)));
        // A change without a notice does not suppress that of the clock.
        let events = vec![Event::MaintenanceUpdated(id)];
        let quiet = moved.state.after_updates(events, Some("m".into()), false, at(10));
        prop_assert_eq!(quiet.notices.len(), usize::from(stored));
        let said = quiet.notices.iter().any(|notice| {
            matches!(notice, NewNotice::Maintenance { message: Some(_), .. })
        });
        prop_assert!(!said);
    }
}

#[test]
fn reschedules_count_changes_of_times_and_cancellations() {
    let planned = maintenance(10, Some(20));
    let edit = |state: Maintenance, patch| state.edit(patch, true, at(0)).unwrap().state;
    let renamed = MaintenancePatch {
        title: Some("Other".into()),
        ..Default::default()
    };
    let renamed = edit(planned, renamed);
    assert_eq!(renamed.reschedules, 0);
    let moved = edit(renamed, end_patch(120_000));
    assert_eq!(moved.reschedules, 1);
    let cancelled = edit(moved, status_patch(MaintenanceStatus::Cancelled));
    assert_eq!(cancelled.reschedules, 2);
    let completed = maintenance(0, None)
        .edit(end_patch(5), true, at(5))
        .unwrap();
    assert_eq!(completed.state.reschedules, 1);
}
