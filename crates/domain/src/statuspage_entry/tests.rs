use super::*;

use strum::VariantArray;
use uuid::Uuid;

use crate::id::MaintenanceId;
use crate::incident::tests::{at, incident, set};
use crate::maintenance::{ChangeContext, MaintenanceDraft};

fn affected(
    old_status: PublicStatus,
    new_status: PublicStatus,
) -> Vec<StatuspageAffectedComponent> {
    vec![StatuspageAffectedComponent {
        code: Code::of(b"component"),
        name: "Core - API".into(),
        old_status,
        new_status,
    }]
}

fn update(status: IncidentStatus, second: i64) -> RecordedUpdate {
    RecordedUpdate {
        code: Code::of(&second.to_be_bytes()),
        status,
        message: format!("At {second}"),
        created_at: at(second),
        edited_at: None,
        display_at: at(second),
        affected: None,
    }
}

fn words(entries: &[StatuspageEntry]) -> Vec<(&'static str, i64)> {
    entries
        .iter()
        .map(|entry| (entry.status.as_str(), entry.display_at.timestamp()))
        .collect()
}

#[test]
fn each_status_has_the_word_of_the_statuspage_api() {
    for (status, word) in [
        (StatuspageStatus::Investigating, "investigating"),
        (StatuspageStatus::Identified, "identified"),
        (StatuspageStatus::Monitoring, "monitoring"),
        (StatuspageStatus::Resolved, "resolved"),
        (StatuspageStatus::Postmortem, "postmortem"),
        (StatuspageStatus::Scheduled, "scheduled"),
        (StatuspageStatus::InProgress, "in_progress"),
        (StatuspageStatus::Completed, "completed"),
    ] {
        assert_eq!(status.as_str(), word);
    }
}

#[test]
fn description_is_the_oldest_entry_with_the_first_status() {
    let first = incident(IncidentStatus::Identified);
    let now = first
        .clone()
        .edit(set(IncidentStatus::Resolved), true, at(9))
        .unwrap()
        .state;
    let before = update(IncidentStatus::Investigating, -5);
    let entries = StatuspageEntry::all_of_incident(&now, None, vec![before], None, || None);
    assert_eq!(
        words(&entries),
        [("resolved", 9), ("investigating", -5), ("identified", 0)],
        "the description is the oldest whatever the times are"
    );
    let description = &entries[2];
    assert_eq!(
        (description.body.as_str(), description.created_at),
        ("All of it", at(1))
    );
    assert_ne!(description.code, first.id.code());
    assert_eq!(
        description.code,
        StatuspageEntry::all_of_incident(&first, None, Vec::new(), None, || None)[0].code
    );
}

#[test]
fn review_is_the_newest_entry_and_changes_no_status() {
    use PublicStatus::{Operational, PartialOutage};
    let resolved = RecordedUpdate {
        affected: Some(affected(PartialOutage, Operational)),
        ..update(IncidentStatus::Resolved, 5)
    };
    let review = Postmortem {
        body: "# Why".into(),
        published_at: at(8),
    };
    let opened = incident(IncidentStatus::Investigating);
    let incident = opened.edit(set(IncidentStatus::Resolved), true, at(5));
    let incident = incident.unwrap().state;
    let entries = StatuspageEntry::all_of_incident(
        &incident,
        None,
        vec![resolved.clone()],
        Some(review.clone()),
        || None,
    );
    assert_eq!(
        words(&entries),
        [("postmortem", 8), ("resolved", 5), ("investigating", 0)]
    );
    assert_eq!(
        entries[0].affected,
        Some(affected(Operational, Operational))
    );
    assert_eq!(entries[0].body, "# Why");
    let reopened = incident
        .edit(set(IncidentStatus::Investigating), true, at(9))
        .unwrap()
        .state;
    let entries =
        StatuspageEntry::all_of_incident(&reopened, None, vec![resolved], Some(review), || None);
    assert_eq!(
        words(&entries),
        [("investigating", 9), ("resolved", 5), ("investigating", 0)],
        "it is not shown while the incident is open again"
    );
}

#[test]
fn edit_of_an_update_is_its_last_change() {
    let edited = RecordedUpdate {
        edited_at: Some(at(7)),
        ..update(IncidentStatus::Identified, 5)
    };
    let incident = incident(IncidentStatus::Identified);
    let entries = StatuspageEntry::all_of_incident(&incident, None, vec![edited], None, || None);
    assert_eq!(
        (entries[0].created_at, entries[0].updated_at),
        (at(5), at(7))
    );
}

#[test]
fn status_without_an_update_is_an_entry() {
    use PublicStatus::{Operational, PartialOutage};
    let change = |incident: Incident, status, second| {
        let edited = incident.edit(set(status), true, at(second));
        edited.unwrap().state
    };
    let entries = |incident: &Incident, updates: &[RecordedUpdate]| {
        let present = || Some(affected(PartialOutage, Operational));
        StatuspageEntry::all_of_incident(incident, None, updates.to_vec(), None, present)
    };
    let opened = incident(IncidentStatus::Investigating);
    let monitored = change(opened, IncidentStatus::Monitoring, 4);
    let renamed = Incident {
        updated_at: at(5),
        ..monitored.clone()
    };
    let of_monitored = entries(&renamed, &[]);
    assert_eq!(
        words(&of_monitored),
        [("monitoring", 4), ("investigating", 0)]
    );
    let resolved = change(monitored, IncidentStatus::Resolved, 8);
    let of_resolved = entries(&resolved, &[]);
    assert_eq!(words(&of_resolved), [("resolved", 8), ("investigating", 0)]);
    let newest = &of_resolved[0];
    assert_eq!(
        (newest.body.as_str(), newest.created_at),
        ("This incident has been resolved.", at(8))
    );
    assert_eq!(newest.affected, Some(affected(PartialOutage, Operational)));
    let again = change(resolved, IncidentStatus::Identified, 9);
    let of_again = entries(&again, &[]);
    assert_eq!(words(&of_again), [("identified", 9), ("investigating", 0)]);
    let codes = [&of_monitored, &of_resolved, &of_again].map(|entries| entries[0].code);
    let distinct: std::collections::HashSet<_> = codes.into_iter().collect();
    assert_eq!(distinct.len(), 3);
    let identified = update(IncidentStatus::Identified, 12);
    assert_eq!(
        words(&entries(&again, std::slice::from_ref(&identified))),
        [("identified", 12), ("investigating", 0)],
        "an update with the status is the entry"
    );
    let monitored_again = change(again, IncidentStatus::Monitoring, 10);
    assert_eq!(
        words(&entries(&monitored_again, &[identified])),
        [("monitoring", 12), ("identified", 12), ("investigating", 0)],
        "not before the newest entry"
    );
}

#[test]
fn each_status_has_a_text() {
    let texts: std::collections::HashSet<_> = IncidentStatus::VARIANTS
        .iter()
        .map(|status| status_text(*status))
        .collect();
    assert_eq!(texts.len(), IncidentStatus::VARIANTS.len());
}

fn maintenance(created: i64, start: i64, end: Option<i64>) -> Maintenance {
    let draft = MaintenanceDraft {
        title: "Move".into(),
        description: "To the new racks".into(),
        start_at: at(start),
        end_at: end.map(at),
        status: MaintenanceStatus::default(),
        notify: None,
        components: Vec::new(),
    };
    let id = MaintenanceId(Uuid::from_u128(1));
    Maintenance::create(id, draft, ChangeContext::at(at(created)))
        .unwrap()
        .state
}

#[test]
fn begin_and_end_of_a_maintenance_are_entries() {
    let planned = maintenance(0, 10, Some(20));
    let updates = || {
        [25, 20, 15, 10, 5]
            .map(|second| update(IncidentStatus::Monitoring, second))
            .to_vec()
    };
    let entries = |now| {
        StatuspageEntry::all_of_maintenance(
            &planned,
            MaintainedComponents::default(),
            updates(),
            at(now),
        )
    };
    assert_eq!(
        words(&entries(30)),
        [
            ("completed", 25),
            ("completed", 20),
            ("in_progress", 20),
            ("in_progress", 15),
            ("in_progress", 10),
            ("in_progress", 10),
            ("scheduled", 5),
            ("scheduled", 0),
        ]
    );
    let all = entries(30);
    assert_eq!(
        (all[1].body.as_str(), all[5].body.as_str()),
        (COMPLETED, BEGUN)
    );
    let codes: std::collections::HashSet<_> = all.iter().map(|entry| entry.code).collect();
    assert_eq!(codes.len(), all.len());
}

#[test]
fn maintenance_has_the_automatic_entries_of_its_status() {
    let planned = maintenance(0, 10, Some(20));
    let entries = |planned: &Maintenance, now| {
        StatuspageEntry::all_of_maintenance(
            planned,
            MaintainedComponents::default(),
            vec![],
            at(now),
        )
    };
    assert_eq!(words(&entries(&planned, 9)), [("scheduled", 0)]);
    assert_eq!(
        words(&entries(&planned, 20)),
        [("in_progress", 10), ("scheduled", 0)]
    );
    let late = maintenance(30, 10, Some(20));
    assert_eq!(
        words(&entries(&late, 30)),
        [("completed", 30), ("in_progress", 30), ("scheduled", 30)],
        "not before it was created"
    );
    let cancelled = Maintenance {
        cancelled_at: Some(at(5)),
        ..planned
    };
    assert_eq!(words(&entries(&cancelled, 30)), [("scheduled", 0)]);
    let updates = [15, 5, 4].map(|second| update(IncidentStatus::Monitoring, second));
    assert_eq!(
        words(&StatuspageEntry::all_of_maintenance(
            &cancelled,
            MaintainedComponents::default(),
            updates.to_vec(),
            at(30)
        )),
        [
            ("completed", 15),
            ("completed", 5),
            ("scheduled", 4),
            ("scheduled", 0)
        ]
    );
}
