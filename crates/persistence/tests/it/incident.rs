//! Incidents. Their impacts are tested in `impact` and `many_components`, and their updates
//! in `update`.

mod impact;
mod many_components;
mod past;
mod update;

use allclear_application::error::{Error, Resource};
use allclear_application::incident::IncidentStore;
use allclear_application::page::Page;
use allclear_application::precondition::Precondition;
use allclear_application::status_page::SnapshotStore;
use allclear_application::status_page::size::{OPEN_SHOWN, PAGE_BYTES};
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{ComponentId, IncidentId};
use allclear_domain::incident::{Incident, IncidentPatch, IncidentStatus, SHOWN_AFTER_RESOLUTION};
use allclear_domain::organisation::Revision;
use allclear_domain::validation::Invalid;
use allclear_persistence::database::Database;
use chrono::TimeDelta;

use crate::backend::{assert_none, clock, organisation, two};
use crate::contract;
use crate::organisation_fixture::{OrganisationFixture, draft, open_on, set};

contract!(
    a_stored_incident_reads_as_it_was_written,
    incidents_belong_to_their_organisation,
    a_list_is_newest_first_and_comes_in_parts,
    an_incident_of_no_organisation_is_refused,
    a_foreign_or_unknown_component_is_named_and_nothing_is_stored,
    a_deleted_incident_takes_its_updates_along,
    the_public_sees_what_is_unresolved_and_what_was_of_late,
    the_public_form_has_links_and_no_names_of_operators,
    the_public_sees_all_that_is_open_and_the_newest_50_that_are_resolved,
    a_page_of_many_open_incidents_shows_all_of_them_and_is_bounded,
    a_page_shows_the_newest_thousand_of_more_open_incidents,
);

async fn a_stored_incident_reads_as_it_was_written(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let incident = fixture.open("Down ☃", &[]).await;
    assert_eq!(incident.version, Revision(1));
    let found = IncidentStore::find(database, &fixture.id, incident.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((found.incident, found.timeline), (incident, Vec::new()));
}

async fn incidents_belong_to_their_organisation(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let other = organisation(database, "other").await;
    let incident = fixture.open("Down", &[]).await;
    assert_none(IncidentStore::find(database, &other, incident.id)).await;
    assert!(
        IncidentStore::list(database, &other, Page::default())
            .await
            .unwrap()
            .items
            .is_empty()
    );
    assert_none(IncidentStore::delete(
        database,
        &other,
        incident.id,
        Precondition::Any,
        Box::new(|found, _| Ok(found.delete())),
    ))
    .await;
    let rule =
        Box::new(|_: Incident, _| -> Result<_, Error> { panic!("the rule must not see it") });
    assert_none(IncidentStore::change(database, &other, incident.id, rule)).await;
    assert!(
        database
            .snapshot(&other, clock().now())
            .await
            .unwrap()
            .unwrap()
            .incidents
            .is_empty()
    );
}

async fn a_list_is_newest_first_and_comes_in_parts(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    for title in ["one", "two", "three"] {
        let incident = fixture.open(title, &[]).await;
        fixture
            .record(incident.id, IncidentStatus::Identified, title)
            .await;
    }
    let first = IncidentStore::list(database, &fixture.id, two(None))
        .await
        .unwrap();
    let titles: Vec<_> = first
        .items
        .iter()
        .map(|report| report.incident.title.as_str())
        .collect();
    assert_eq!(titles, ["three", "two"]);
    assert_eq!(first.items[1].timeline[0].message, "two");
    let next = two(first.next);
    let rest = IncidentStore::list(database, &fixture.id, next)
        .await
        .unwrap();
    assert_eq!(
        (
            rest.items[0].timeline[0].message.as_str(),
            rest.items.len(),
            rest.next
        ),
        ("one", 1, None)
    );
}

async fn an_incident_of_no_organisation_is_refused(database: &Database) {
    let nobody = allclear_domain::id::OrganisationId::parse("nobody").unwrap();
    let result = IncidentStore::insert(database, &nobody, draft("Down", &[]), Vec::new()).await;
    assert!(matches!(
        result,
        Err(Error::NotFound(Resource::Organisation))
    ));
}

async fn a_foreign_or_unknown_component_is_named_and_nothing_is_stored(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let other = OrganisationFixture::new(database, "other").await;
    let (ours, theirs) = (fixture.component("API").await, other.component("API").await);
    let components =
        [ours, theirs, ComponentId(clock().id())].map(|id| open_on(id, ComponentStatus::Degraded));
    let created = draft("Down", &components);
    let result = IncidentStore::insert(database, &fixture.id, created, components.to_vec()).await;
    let Err(Error::Invalid(Invalid { errors })) = result else {
        panic!("{result:?}")
    };
    let fields: Vec<_> = errors.iter().map(|error| error.field.as_str()).collect();
    assert_eq!(
        fields,
        ["components[1].componentId", "components[2].componentId"]
    );
    assert!(
        IncidentStore::list(database, &fixture.id, Page::default())
            .await
            .unwrap()
            .items
            .is_empty()
    );
    assert_eq!(fixture.status(ours).await, ComponentStatus::Operational);
    assert_eq!(fixture.events().await.len(), 1);
}

async fn a_deleted_incident_takes_its_updates_along(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let incident = fixture.open("Down", &[]).await;
    fixture
        .record(incident.id, IncidentStatus::Identified, "Found it")
        .await;
    let deleted = IncidentStore::delete(
        database,
        &fixture.id,
        incident.id,
        Precondition::Any,
        Box::new(|found, _| Ok(found.delete())),
    )
    .await
    .unwrap()
    .unwrap();
    let events = deleted.commit.unwrap().events;
    assert_eq!(
        (events[0].name.as_str(), events[0].args.get()),
        ("incident-deleted", &*format!("[\"{}\"]", incident.id))
    );
    assert_none(IncidentStore::find(database, &fixture.id, incident.id)).await;
    assert_none(IncidentStore::delete(
        database,
        &fixture.id,
        incident.id,
        Precondition::Any,
        Box::new(|found, _| Ok(found.delete())),
    ))
    .await;
    let unknown = IncidentId(clock().id());
    assert_none(IncidentStore::delete(
        database,
        &fixture.id,
        unknown,
        Precondition::Any,
        Box::new(|found, _| Ok(found.delete())),
    ))
    .await;
}

async fn the_public_sees_what_is_unresolved_and_what_was_of_late(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (resolved, open) = (
        fixture.open("over", &[]).await,
        fixture.open("open", &[]).await,
    );
    let resolved = fixture
        .edit(resolved.id, set(IncidentStatus::Resolved))
        .await;
    let titles = async |now| {
        let snapshot = database.snapshot(&fixture.id, now).await.unwrap().unwrap();
        snapshot
            .incidents
            .into_iter()
            .map(|incident| incident.title)
            .collect::<Vec<_>>()
    };
    let gone = resolved.resolved_at.unwrap() + SHOWN_AFTER_RESOLUTION;
    assert_eq!(
        titles(gone - TimeDelta::milliseconds(1)).await,
        ["open", "over"]
    );
    assert_eq!(titles(gone).await, ["open"]);
    fixture.edit(open.id, set(IncidentStatus::Resolved)).await;
    fixture
        .edit(resolved.id, set(IncidentStatus::Monitoring))
        .await;
    assert_eq!(titles(gone + TimeDelta::days(1)).await, ["over"]);
}

async fn the_public_form_has_links_and_no_names_of_operators(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let incident = fixture
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    let entry = fixture
        .record(incident.id, IncidentStatus::Identified, "Found it")
        .await;
    let snapshot = database
        .snapshot(&fixture.id, clock().now())
        .await
        .unwrap()
        .unwrap();
    let shown = serde_json::to_value(&snapshot.incidents[0]).unwrap();
    let link = serde_json::json!([{"componentId": api.to_string(), "status": "DEGRADED",
        "component": {"id": api.to_string(), "code": api.code().to_string(), "name": "API"}}]);
    assert_eq!(
        (&shown["components"], &shown["resolvedAt"]),
        (&link, &serde_json::Value::Null)
    );
    assert_eq!(shown["IncidentTimeline"][0]["id"], entry.id.to_string());
    assert!(!serde_json::to_string(&snapshot).unwrap().contains("Ann"));
    // The event contains what the page shows.
    assert_eq!(fixture.events().await.last().unwrap().args[0], shown);
}

async fn the_public_sees_all_that_is_open_and_the_newest_50_that_are_resolved(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let mut incidents = Vec::new();
    for number in 0..60 {
        incidents.push(fixture.open(&format!("Down {number}"), &[]).await);
    }
    // The oldest ten stay open; the oldest of the others is resolved last.
    for incident in incidents[11..].iter().chain(&incidents[10..11]) {
        fixture
            .edit(incident.id, set(IncidentStatus::Resolved))
            .await;
    }
    let late = fixture.open("Late", &[]).await;
    fixture.edit(late.id, set(IncidentStatus::Resolved)).await;
    let snapshot = database.snapshot(&fixture.id, clock().now()).await;
    let shown = snapshot.unwrap().unwrap().incidents;
    let (past, open): (Vec<_>, Vec<_>) = shown
        .iter()
        .partition(|incident| incident.status == IncidentStatus::Resolved);
    assert_eq!((open.len(), past.len()), (10, 50));
    let is_shown = |incident: &Incident| shown.iter().any(|it| it.id == incident.id.to_string());
    assert!(is_shown(&late) && is_shown(&incidents[10]));
    assert!(!is_shown(&incidents[11]), "it was resolved first");
    assert!(shown.is_sorted_by(|newer, older| newer.id > older.id));
}

async fn a_page_shows_the_newest_thousand_of_more_open_incidents(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let oldest = fixture.open("Oldest", &[]).await;
    for number in 0..OPEN_SHOWN {
        fixture.open(&format!("Down {number}"), &[]).await;
    }
    let snapshot = database.snapshot(&fixture.id, clock().now()).await;
    let shown = snapshot.unwrap().unwrap().incidents;
    assert_eq!(shown.len(), OPEN_SHOWN);
    assert!(
        shown
            .iter()
            .all(|incident| incident.id != oldest.id.to_string())
    );
}

async fn a_page_of_many_open_incidents_shows_all_of_them_and_is_bounded(database: &Database) {
    const OPEN: usize = 150;
    let fixture = OrganisationFixture::new(database, "acme").await;
    let long = IncidentPatch {
        description: Some("x".repeat(10_000)),
        ..Default::default()
    };
    for number in 0..OPEN {
        let incident = fixture.open(&format!("Down {number}"), &[]).await;
        fixture.edit(incident.id, long.clone()).await;
        fixture
            .record(incident.id, IncidentStatus::Identified, "Found it")
            .await;
    }
    let snapshot = database.snapshot(&fixture.id, clock().now()).await;
    let shown = snapshot.unwrap().unwrap().incidents;
    assert_eq!(shown.len(), OPEN);
    let bytes = serde_json::to_vec(&shown).unwrap().len();
    assert!(bytes < PAGE_BYTES + OPEN * 1024, "{bytes}");
    let (newest, oldest) = (shown.first().unwrap(), shown.last().unwrap());
    assert_eq!(
        (newest.description.len(), newest.timeline.len()),
        (10_000, 1)
    );
    assert!(oldest.description_truncated && oldest.timeline_truncated);
}
