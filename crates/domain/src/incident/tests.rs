use super::*;
use proptest::prelude::*;
use strum::VariantArray;
use uuid::Uuid;

use crate::component::ComponentStatus;
use crate::id::ComponentId;
use crate::impact::{ImpactChange, ImpactInterval, ImpactMove};

pub(crate) fn at(second: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(second, 0).unwrap()
}

pub(crate) fn any_status() -> impl Strategy<Value = IncidentStatus> {
    proptest::sample::select(IncidentStatus::VARIANTS.to_vec())
}

/// An incident of second 1.
pub(crate) fn incident(status: IncidentStatus) -> Incident {
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "All of it".into(),
        status,
        occured_at: Some(at(0)),
        ..Default::default()
    };
    Incident::create(IncidentId(Uuid::from_u128(1)), draft, &[], true, at(1))
        .unwrap()
        .state
}

pub(crate) fn set(status: IncidentStatus) -> IncidentPatch {
    IncidentPatch {
        status: Some(status),
        ..Default::default()
    }
}

fn refusal(title: &str, description: &str) -> Vec<(String, String)> {
    let draft = IncidentDraft {
        title: title.into(),
        description: description.into(),
        status: IncidentStatus::default(),
        occured_at: Some(at(0)),
        ..Default::default()
    };
    let refused =
        Incident::create(IncidentId(Uuid::from_u128(1)), draft, &[], true, at(1)).unwrap_err();
    refused
        .errors
        .into_iter()
        .map(|error| (error.field, error.message))
        .collect()
}

#[test]
fn title_and_description_must_be_there_and_be_bounded() {
    let row = |field: &str, message: &str| (field.to_owned(), message.to_owned());
    let both = [
        row("description", "Description is required"),
        row("title", "Title is required"),
    ];
    assert_eq!(refusal("", ""), both);
    assert_eq!(
        refusal(&"x".repeat(201), "d"),
        [row("title", "Must be at most 200 characters")]
    );
    assert_eq!(
        refusal("t", &"x".repeat(10_001)),
        [row("description", "Must be at most 10000 characters")]
    );
    assert_eq!(refusal("a\0b", "d"), [row("title", "Must be one line")]);
}

#[test]
fn a_component_comes_once() {
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "d".into(),
        status: IncidentStatus::default(),
        occured_at: Some(at(0)),
        ..Default::default()
    };
    let attachment = Attachment {
        component_id: ComponentId(Uuid::from_u128(5)),
        status: ComponentStatus::Operational,
    };
    let refused = Incident::create(
        IncidentId(Uuid::from_u128(1)),
        draft,
        &[attachment, attachment],
        true,
        at(1),
    );
    assert_eq!(
        refused,
        Err(Invalid::field(
            "components[1].componentId",
            "This component is chosen already"
        ))
    );
}

#[test]
fn incident_without_a_time_happened_when_it_was_created() {
    let dated = incident(IncidentStatus::Investigating);
    assert_eq!((dated.occured_at, dated.created_at), (at(0), at(1)));
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "d".into(),
        status: IncidentStatus::default(),
        occured_at: None,
        ..Default::default()
    };
    assert_eq!(
        Incident::create(dated.id, draft, &[], true, at(1))
            .unwrap()
            .state
            .occured_at,
        at(1)
    );
}

#[test]
fn creating_publishes_a_new_incident_and_no_timeline_entry() {
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "d".into(),
        status: IncidentStatus::default(),
        occured_at: Some(at(0)),
        ..Default::default()
    };
    let id = IncidentId(Uuid::from_u128(1));
    assert_eq!(
        Incident::create(id, draft, &[], true, at(1))
            .unwrap()
            .events,
        [Event::NewIncident(id)]
    );
}

#[test]
fn resolving_stores_the_time_once_and_reopening_clears_it() {
    let resolved = incident(IncidentStatus::Monitoring)
        .edit(set(IncidentStatus::Resolved), true, at(5))
        .unwrap()
        .state;
    assert_eq!(resolved.resolved_at, Some(at(5)));
    let renamed = IncidentPatch {
        title: Some("Was down".into()),
        ..set(IncidentStatus::Resolved)
    };
    let renamed = resolved.edit(renamed, true, at(6)).unwrap().state;
    assert_eq!(
        (renamed.resolved_at, renamed.updated_at),
        (Some(at(5)), at(6))
    );
    let reopened = renamed
        .edit(set(IncidentStatus::Investigating), true, at(7))
        .unwrap()
        .state;
    assert_eq!((reopened.resolved_at, reopened.has_impact()), (None, true));
}

#[test]
fn each_status_has_its_word() {
    let words = [
        (IncidentStatus::Investigating, "INVESTIGATING"),
        (IncidentStatus::Identified, "IDENTIFIED"),
        (IncidentStatus::Monitoring, "MONITORING"),
        (IncidentStatus::Resolved, "RESOLVED"),
    ];
    assert_eq!(words.map(|(status, _)| status), IncidentStatus::VARIANTS);
    for (status, word) in words {
        assert_eq!(status.to_string(), word);
        assert_eq!(word.parse(), Ok(status));
    }
}

proptest! {
    #[test]
    fn an_incident_knows_since_when_it_is_resolved_exactly_while_it_is(
        first in any_status(), later in proptest::collection::vec(any_status(), 0..9)
    ) {
        let mut incident = incident(first);
        let mut now = 1;
        for status in later {
            now += 1;
            let before = incident.clone();
            let changed = incident.edit(set(status), true, at(now)).unwrap();
            incident = changed.state;
            prop_assert_eq!(changed.events.is_empty(), before == incident);
            prop_assert_eq!(incident.status, status);
            prop_assert_eq!(incident.resolved_at.is_some(), status == IncidentStatus::Resolved);
            prop_assert_eq!(changed.impacts.is_some(), before.resolved_at.is_some() != incident.resolved_at.is_some());
        }
    }

    #[test]
    fn an_edit_changes_what_it_carries_and_nothing_else(
        title in proptest::option::of("[a-z]{1,9}"),
        description in proptest::option::of("[a-z]{1,9}"),
        status in proptest::option::of(any_status()),
        occured in proptest::option::of(0_i64..9),
    ) {
        let before = incident(IncidentStatus::Identified);
        let patch = IncidentPatch {
            title: title.clone(), description: description.clone(), status, occured_at: occured.map(at), ..Default::default()
        };
        let after = before.clone().edit(patch, true, at(9)).unwrap();
        prop_assert_eq!(&after.state.title, title.as_ref().unwrap_or(&before.title));
        prop_assert_eq!(&after.state.description, description.as_ref().unwrap_or(&before.description));
        prop_assert_eq!(after.state.status, status.unwrap_or(before.status));
        prop_assert_eq!(after.state.occured_at, occured.map_or(before.occured_at, at));
        prop_assert_eq!(after.events.is_empty(), after.state == before);
    }
}

/// An incident of second 10 that is entered at second 100 with this status and time of resolution.
fn past(
    status: IncidentStatus,
    resolved: i64,
    components: &[Attachment],
) -> Result<Changed<Incident>, Invalid> {
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "d".into(),
        status,
        occured_at: Some(at(10)),
        resolved_at: Some(at(resolved)),
        ..Default::default()
    };
    Incident::create(
        IncidentId(Uuid::from_u128(1)),
        draft,
        components,
        true,
        at(100),
    )
}

#[test]
fn time_of_resolution_is_between_the_incident_and_now_and_needs_the_status() {
    use IncidentStatus::{Monitoring, Resolved};
    let rows = [
        (Resolved, 10, None),
        (Resolved, 100, None),
        (
            Resolved,
            9,
            Some("Resolution must not be before the incident"),
        ),
        (Resolved, 101, Some("Resolution must not be in the future")),
        (
            Monitoring,
            50,
            Some("Only a resolved incident has a time of resolution"),
        ),
    ];
    for (status, resolved, message) in rows {
        let refusal = message.map(|message| Invalid::field("resolvedAt", message));
        let created = past(status, resolved, &[]);
        assert_eq!(created.clone().err(), refusal, "{resolved}");
        if let Ok(created) = created {
            assert_eq!(created.state.resolved_at, Some(at(resolved)));
        }
        let patch = IncidentPatch {
            status: Some(status),
            occured_at: Some(at(10)),
            resolved_at: Some(at(resolved)),
            ..Default::default()
        };
        for before in [Monitoring, Resolved] {
            let edited = incident(before).edit(patch.clone(), true, at(100));
            assert_eq!(edited.clone().err(), refusal, "{resolved}");
            if let Ok(edited) = edited {
                assert_eq!(edited.state.resolved_at, Some(at(resolved)));
            }
        }
    }
    let alone = IncidentPatch {
        resolved_at: Some(at(50)),
        ..Default::default()
    };
    for (before, message) in [
        (Resolved, "Send it together with the status RESOLVED"),
        (
            Monitoring,
            "Only a resolved incident has a time of resolution",
        ),
    ] {
        assert_eq!(
            incident(before).edit(alone.clone(), true, at(100)),
            Err(Invalid::field("resolvedAt", message))
        );
    }
}

#[test]
fn resolved_incident_does_not_move_past_its_resolution() {
    let resolved = || past(IncidentStatus::Resolved, 50, &[]).unwrap().state;
    let occured = |seconds| IncidentPatch {
        occured_at: Some(at(seconds)),
        ..Default::default()
    };
    assert!(resolved().edit(occured(50), true, at(100)).is_ok());
    let message = "Occurrence must not be after the resolution";
    assert_eq!(
        resolved().edit(occured(51), true, at(100)),
        Err(Invalid::field("occuredAt", message))
    );
    let ahead = Incident {
        status: IncidentStatus::Monitoring,
        occured_at: at(101),
        resolved_at: None,
        ..resolved()
    };
    let resolution = IncidentPatch {
        status: Some(IncidentStatus::Resolved),
        ..Default::default()
    };
    assert_eq!(
        ahead.edit(resolution, true, at(100)),
        Err(Invalid::field("occuredAt", message))
    );
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "d".into(),
        status: IncidentStatus::Resolved,
        occured_at: Some(at(101)),
        ..Default::default()
    };
    let id = resolved().id;
    assert_eq!(
        Incident::create(id, draft, &[], true, at(100)),
        Err(Invalid::field("occuredAt", message))
    );
    let reopened = IncidentPatch {
        status: Some(IncidentStatus::Monitoring),
        ..occured(51)
    };
    assert!(resolved().edit(reopened, true, at(100)).is_ok());
}

#[test]
fn past_incident_has_an_impact_on_the_history_and_an_open_one_on_the_status() {
    let attachment = Attachment {
        component_id: ComponentId(Uuid::from_u128(5)),
        status: ComponentStatus::MajorOutage,
    };
    let created = past(IncidentStatus::Resolved, 50, &[attachment]).unwrap();
    let impact = ImpactChange::Past {
        incident: created.state.id,
        components: vec![attachment],
        from: at(10),
        to: at(50),
    };
    assert_eq!(created.impacts, Some(impact));
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "d".into(),
        occured_at: Some(at(10)),
        ..Default::default()
    };
    let open = Incident::create(created.state.id, draft, &[attachment], true, at(100)).unwrap();
    let impact = ImpactChange::On {
        incident: open.state.id,
        components: vec![attachment.component_id],
        since: Some(at(10)),
    };
    assert_eq!(open.impacts, Some(impact));
    let resolved = IncidentPatch {
        resolved_at: Some(at(60)),
        ..set(IncidentStatus::Resolved)
    };
    let before = ImpactInterval {
        from: at(10),
        to: None,
    };
    let after = ImpactInterval {
        to: Some(at(60)),
        ..before
    };
    let moved = ImpactMove {
        incident: open.state.id,
        created_at: at(100),
        before,
        after,
    };
    let impact = ImpactChange::OnAll {
        incident: open.state.id,
        moved: Some(moved),
    };
    let resolved = open.state.edit(resolved, true, at(100)).unwrap();
    assert_eq!(resolved.impacts, Some(impact));
}

proptest! {
    #[test]
    fn change_notifies_as_chosen_and_otherwise_by_default_unless_it_is_past(
        notify in proptest::option::of(any::<bool>()), by_default in any::<bool>(), is_past in any::<bool>()
    ) {
        let resolved_at = is_past.then(|| at(5));
        let expected = notify.unwrap_or(by_default && !is_past);
        let draft = IncidentDraft { resolved_at, notify, ..Default::default() };
        prop_assert_eq!(draft.notifies(by_default), expected);
        let status = if is_past { IncidentStatus::Resolved } else { IncidentStatus::Monitoring };
        let patch = IncidentPatch { resolved_at, notify, ..set(status) };
        let edited = incident(IncidentStatus::Investigating).edit(patch, by_default, at(5));
        prop_assert_eq!(edited.unwrap().notifies, Some(expected));
    }
}

#[test]
fn incident_that_is_created_resolved_had_its_impact_until_now() {
    let attachment = Attachment {
        component_id: ComponentId(Uuid::from_u128(7)),
        status: ComponentStatus::MajorOutage,
    };
    let created = |occured_at| {
        let draft = IncidentDraft {
            title: "Down".into(),
            description: "d".into(),
            status: IncidentStatus::Resolved,
            occured_at: Some(occured_at),
            ..Default::default()
        };
        let id = IncidentId(Uuid::from_u128(1));
        Incident::create(id, draft, &[attachment], true, at(100)).unwrap()
    };
    let impact = ImpactChange::Past {
        incident: IncidentId(Uuid::from_u128(1)),
        components: vec![attachment],
        from: at(40),
        to: at(100),
    };
    assert_eq!(created(at(40)).impacts, Some(impact));
    assert_eq!(created(at(100)).impacts, None);
}

#[test]
fn incident_remembers_its_first_status_and_when_it_was_monitored_first() {
    let created = incident(IncidentStatus::Identified);
    assert_eq!(
        (created.first_status, created.monitoring_at),
        (IncidentStatus::Identified, None)
    );
    let after =
        |state: Incident, status, second| state.edit(set(status), true, at(second)).unwrap().state;
    let monitored = after(created, IncidentStatus::Monitoring, 5);
    assert_eq!(monitored.monitoring_at, Some(at(5)));
    let again = after(
        after(monitored, IncidentStatus::Identified, 6),
        IncidentStatus::Monitoring,
        7,
    );
    assert_eq!(
        (again.first_status, again.monitoring_at),
        (IncidentStatus::Identified, Some(at(5)))
    );
    assert_eq!(
        incident(IncidentStatus::Monitoring).monitoring_at,
        Some(at(1))
    );
}
