use allclear_application::error::Error;
use allclear_application::incident::IncidentStore;
use allclear_application::outbox::Outbox;
use allclear_application::page::Page;
use allclear_application::status_page::incident::TIMELINE_LENGTH;
use allclear_domain::id::{IncidentId, IncidentUpdateId, OrganisationId};
use allclear_domain::incident::{Incident, IncidentStatus};
use allclear_domain::incident_update::{
    IncidentAndNewest, IncidentAndUpdate, IncidentUpdate, IncidentUpdateDeletion,
};
use allclear_domain::update::UpdatePatch;
use allclear_persistence::database::Database;

use crate::backend::{assert_none, clock};
use crate::contract;
use crate::organisation_fixture::{OrganisationFixture, ann};

contract!(
    a_recorded_update_reads_as_it_was_written,
    refused_update_leaves_the_revision,
    two_operators_who_record_at_once_are_both_kept_in_order,
    an_edit_of_the_newest_update_moves_the_incident,
    only_an_update_that_moves_the_status_moves_the_version,
    deleting_the_newest_goes_back_to_the_newest_left,
    deleting_several_is_all_or_nothing,
    updates_belong_to_their_incident_and_organisation,
    a_timeline_shows_the_newest_and_the_list_has_all,
);

async fn edit(
    fixture: &OrganisationFixture,
    update: &IncidentUpdate,
    status: IncidentStatus,
) -> IncidentUpdate {
    let patch = UpdatePatch {
        status: Some(status),
        ..Default::default()
    };
    let rule =
        Box::new(move |entry: IncidentAndUpdate, _| Ok(entry.edit(patch, true, clock().now())?));
    let changed = IncidentStore::change_update(
        &fixture.database,
        &fixture.id,
        update.incident_id,
        update.id,
        rule,
    )
    .await;
    changed.unwrap().unwrap().state
}

async fn delete(
    fixture: &OrganisationFixture,
    incident: &Incident,
    ids: &[IncidentUpdateId],
) -> Result<bool, Error> {
    let gone = ids.to_vec();
    let rule = Box::new(move |deletion: IncidentUpdateDeletion, _| {
        Ok(deletion.delete(&gone, true, clock().now())?)
    });
    let deleted = IncidentStore::delete_updates(
        &fixture.database,
        &fixture.id,
        incident.id,
        ids.to_vec(),
        rule,
    )
    .await?;
    Ok(deleted.is_some())
}

async fn updates(fixture: &OrganisationFixture, incident: &Incident) -> Vec<IncidentUpdate> {
    let listed =
        IncidentStore::list_updates(&fixture.database, &fixture.id, incident.id, Page::default())
            .await;
    listed.unwrap().unwrap().items
}

async fn a_recorded_update_reads_as_it_was_written(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let incident = fixture.open("Down", &[]).await;
    let update = fixture
        .record(incident.id, IncidentStatus::Identified, "Found it ☃")
        .await;
    assert_eq!(update.author, ann());
    let found = IncidentStore::find_update(database, &fixture.id, incident.id, update.id)
        .await
        .unwrap();
    assert_eq!(found, Some(update.clone()));
    assert_eq!(
        fixture.found(incident.id).await.status,
        IncidentStatus::Identified
    );
    let events = fixture.events().await;
    let names: Vec<_> = events.iter().map(|event| event.name.as_str()).collect();
    assert_eq!(
        names,
        ["new-incident", "timeline-updated", "incident-updated"]
    );
    assert_eq!(events[1].args[0]["id"], update.id.to_string());
    assert_eq!(events[2].args[0]["IncidentTimeline"][0], events[1].args[0]);
    assert!(!events[1].args.to_string().contains("Ann"));
}

async fn refused_update_leaves_the_revision(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let incident = fixture.open("Down", &[]).await;
    let before = database
        .revisions(std::slice::from_ref(&fixture.id))
        .await
        .unwrap();
    let result = IncidentStore::insert_update(
        database,
        &fixture.id,
        incident.id,
        Vec::new(),
        Box::new(|_, _| Err(Error::Conflict("no".into()))),
    );
    assert!(matches!(result.await, Err(Error::Conflict(_))));
    let nowhere = IncidentId(clock().id());
    let rule = Box::new(|_: IncidentAndNewest, _| Err(Error::Conflict("no".into())));
    let none = Vec::new();
    let unknown = IncidentStore::insert_update(database, &fixture.id, nowhere, none, rule).await;
    assert!(matches!(unknown, Err(Error::NotFound(_))), "{unknown:?}");
    assert_eq!(
        database
            .revisions(std::slice::from_ref(&fixture.id))
            .await
            .unwrap(),
        before
    );
    let nobody = OrganisationId::parse("nobody").unwrap();
    let rule = Box::new(|_: IncidentAndNewest, _| Err(Error::Conflict("no".into())));
    assert_none(IncidentStore::insert_update(
        database,
        &nobody,
        incident.id,
        Vec::new(),
        rule,
    ))
    .await;
}

async fn two_operators_who_record_at_once_are_both_kept_in_order(database: &Database) {
    let fixture = std::sync::Arc::new(OrganisationFixture::new(database, "acme").await);
    let incident = fixture.open("Down", &[]).await;
    let mut operators = tokio::task::JoinSet::new();
    for operator in 0..2 {
        let (fixture, incident) = (std::sync::Arc::clone(&fixture), incident.clone());
        operators.spawn(async move {
            for number in 0..25 {
                let unresolved = [
                    IncidentStatus::Investigating,
                    IncidentStatus::Identified,
                    IncidentStatus::Monitoring,
                ];
                let status = unresolved[(operator + number) % 3];
                fixture
                    .record(incident.id, status, &format!("{operator} {number}"))
                    .await;
            }
        });
    }
    operators.join_all().await;
    let updates = updates(&fixture, &incident).await;
    assert_eq!(updates.len(), 50);
    assert!(updates.is_sorted_by(|a, b| a.version > b.version && a.created_at >= b.created_at));
    for operator in ["0 ", "1 "] {
        let theirs = updates
            .iter()
            .rev()
            .filter(|update| update.message.starts_with(operator));
        let numbers: Vec<usize> = theirs
            .map(|update| update.message[2..].parse().unwrap())
            .collect();
        assert_eq!(numbers, (0..25).collect::<Vec<_>>());
    }
    assert_eq!(fixture.found(incident.id).await.status, updates[0].status);
    // The events have the order of the stored updates.
    let events = fixture.events().await;
    let events = events
        .iter()
        .filter(|event| event.name == "timeline-updated");
    let events: Vec<_> = events
        .map(|event| event.args[0]["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        events,
        updates
            .iter()
            .rev()
            .map(|update| update.id.to_string())
            .collect::<Vec<_>>()
    );
}

async fn an_edit_of_the_newest_update_moves_the_incident(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let incident = fixture.open("Down", &[]).await;
    let older = fixture
        .record(incident.id, IncidentStatus::Identified, "one")
        .await;
    let newest = fixture
        .record(incident.id, IncidentStatus::Monitoring, "two")
        .await;
    edit(&fixture, &older, IncidentStatus::Resolved).await;
    assert_eq!(
        fixture.found(incident.id).await.status,
        IncidentStatus::Monitoring
    );
    let edited = edit(&fixture, &newest, IncidentStatus::Resolved).await;
    assert!(edited.version > newest.version);
    assert!(fixture.found(incident.id).await.resolved_at.is_some());
    assert_eq!(
        fixture.last_names().await,
        ["timeline-updated", "incident-updated"]
    );
    let events = fixture.events().await.len();
    edit(&fixture, &newest, IncidentStatus::Resolved).await;
    assert_eq!(fixture.events().await.len(), events);
}

async fn only_an_update_that_moves_the_status_moves_the_version(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let incident = fixture.open("Down", &[]).await;
    for (status, moves) in [(incident.status, false), (IncidentStatus::Identified, true)] {
        fixture.record(incident.id, status, "Looking").await;
        let version = fixture.found(incident.id).await.version;
        assert_eq!(version > incident.version, moves);
    }
}

async fn deleting_the_newest_goes_back_to_the_newest_left(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let incident = fixture.open("Down", &[]).await;
    let mut recorded = Vec::new();
    for status in [
        IncidentStatus::Identified,
        IncidentStatus::Monitoring,
        IncidentStatus::Resolved,
    ] {
        recorded.push(fixture.record(incident.id, status, "m").await.id);
    }
    assert!(
        delete(&fixture, &incident, &[recorded[2], recorded[1]])
            .await
            .unwrap()
    );
    let events = [
        "incident-timeline-deleted",
        "incident-timeline-deleted",
        "incident-updated",
    ];
    assert_eq!(fixture.last_names().await, events);
    let found = fixture.found(incident.id).await;
    assert_eq!(
        (found.status, found.resolved_at),
        (IncidentStatus::Identified, None)
    );
    delete(&fixture, &incident, &[recorded[0]]).await.unwrap();
    assert_eq!(
        fixture.found(incident.id).await.status,
        IncidentStatus::Identified
    );
    assert!(updates(&fixture, &incident).await.is_empty());
}

async fn deleting_several_is_all_or_nothing(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (incident, other) = (
        fixture.open("Down", &[]).await,
        fixture.open("Slow", &[]).await,
    );
    let ours = fixture
        .record(incident.id, IncidentStatus::Identified, "ours")
        .await;
    let foreign = fixture
        .record(other.id, IncidentStatus::Identified, "theirs")
        .await;
    let before = fixture.events().await.len();
    let result = delete(
        &fixture,
        &incident,
        &[ours.id, foreign.id, IncidentUpdateId(clock().id())],
    )
    .await;
    let Err(Error::Invalid(invalid)) = result else {
        panic!("{result:?}")
    };
    let fields: Vec<_> = invalid
        .errors
        .iter()
        .map(|error| error.field.as_str())
        .collect();
    assert_eq!(fields, ["incidentUpdateIds[1]", "incidentUpdateIds[2]"]);
    assert_eq!(
        (
            updates(&fixture, &incident).await,
            updates(&fixture, &other).await
        ),
        (vec![ours], vec![foreign])
    );
    assert_eq!(fixture.events().await.len(), before);
}

async fn updates_belong_to_their_incident_and_organisation(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let elsewhere = OrganisationFixture::new(database, "other").await;
    let (incident, other) = (
        fixture.open("Down", &[]).await,
        fixture.open("Slow", &[]).await,
    );
    let update = fixture
        .record(incident.id, IncidentStatus::Identified, "ours")
        .await;
    assert_eq!(
        IncidentStore::find_update(database, &fixture.id, other.id, update.id)
            .await
            .unwrap(),
        None
    );
    assert_eq!(
        IncidentStore::find_update(database, &elsewhere.id, incident.id, update.id)
            .await
            .unwrap(),
        None
    );
    let all = Page::default();
    assert_none(IncidentStore::list_updates(
        database,
        &elsewhere.id,
        incident.id,
        all,
    ))
    .await;
    assert!(!delete(&elsewhere, &incident, &[update.id]).await.unwrap());
    let rule = Box::new(|_: IncidentAndUpdate, _| -> Result<_, Error> {
        panic!("the rule must not see it")
    });
    let changed =
        IncidentStore::change_update(database, &elsewhere.id, incident.id, update.id, rule).await;
    assert!(changed.unwrap().is_none());
    assert_eq!(updates(&fixture, &incident).await, [update]);
}

async fn a_timeline_shows_the_newest_and_the_list_has_all(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (long, short) = (
        fixture.open("Long", &[]).await,
        fixture.open("Short", &[]).await,
    );
    fixture
        .record(short.id, IncidentStatus::Identified, "only")
        .await;
    let length = usize::try_from(TIMELINE_LENGTH).unwrap();
    for number in 0..length + 5 {
        fixture
            .record(long.id, IncidentStatus::Identified, &number.to_string())
            .await;
    }
    let listed = IncidentStore::list(database, &fixture.id, Page::default())
        .await
        .unwrap()
        .items;
    assert_eq!(
        listed
            .iter()
            .map(|report| report.timeline.len())
            .collect::<Vec<_>>(),
        [1, length]
    );
    let messages: Vec<_> = listed[1]
        .timeline
        .iter()
        .map(|entry| entry.message.clone())
        .collect();
    let expected: Vec<_> = (5..length + 5)
        .rev()
        .map(|number| number.to_string())
        .collect();
    assert_eq!(messages, expected);
    assert_eq!(updates(&fixture, &long).await.len(), length + 5);
    let page = Page {
        limit: Some(3),
        before: None,
    };
    let part = IncidentStore::list_updates(database, &fixture.id, long.id, page)
        .await
        .unwrap()
        .unwrap();
    let page = Page {
        before: part.next,
        ..page
    };
    let next = IncidentStore::list_updates(database, &fixture.id, long.id, page)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(next.items[0].message, (length + 1).to_string());
}
