use allclear_application::component::history::{ComponentHistoryStore, Interval};
use allclear_application::error::Error;
use allclear_application::incident::IncidentStore;
use allclear_application::page::{Listed, Page};
use allclear_application::status_page::history::PublicHistoryStore;
use allclear_domain::audit::Action;
use allclear_domain::component::{Component, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::status_period::{PeriodCause, StatusSpan};
use allclear_persistence::database::Database;
use serde_json::{Value, json};

use crate::backend::{assert_none, clock, two};
use crate::contract;
use crate::organisation_fixture::{
    OrganisationFixture, attaching, changing_impacts, detaching, open_on, set,
};

contract!(
    incident_has_impact_from_its_creation_until_it_is_resolved,
    the_worst_impact_shows_whatever_changes_the_impacts,
    period_names_the_incident_that_gives_the_status,
    resolved_incident_leaves_the_current_status_of_its_components,
    status_set_by_hand_shows_until_the_impact_of_incidents_changes,
    attaching_is_all_or_nothing,
    impact_becomes_worse_without_a_gap_in_the_history,
    update_changes_impacts_in_its_commit,
    detaching_is_all_or_nothing,
    attached_and_unattached_components_are_all_components,
    a_deleted_component_leaves_its_incidents,
    nobody_attaches_to_the_incident_of_another_organisation,
);

async fn incident_has_impact_from_its_creation_until_it_is_resolved(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let impacts = [
        open_on(api, ComponentStatus::MajorOutage),
        open_on(web, ComponentStatus::Operational),
    ];
    let incident = fixture.open("Down", &impacts).await;
    assert_eq!(
        fixture.last_names().await,
        ["new-incident", "component-update"]
    );
    assert_eq!(fixture.status(api).await, ComponentStatus::MajorOutage);
    fixture
        .record(incident.id, IncidentStatus::Identified, "Found it")
        .await;
    assert_eq!(
        fixture.last_names().await,
        ["timeline-updated", "incident-updated"]
    );
    fixture
        .record(incident.id, IncidentStatus::Resolved, "Over")
        .await;
    assert_eq!(
        fixture.last_names().await,
        ["timeline-updated", "incident-updated", "component-update"]
    );
    assert_eq!(fixture.status(api).await, ComponentStatus::Operational);
}

async fn period_names_the_incident_that_gives_the_status(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let slow = [open_on(api, ComponentStatus::Degraded)];
    let slow = fixture.open("Slow", &slow).await;
    let down = [open_on(api, ComponentStatus::MajorOutage)];
    let down = fixture.open("Down", &down).await;
    fixture
        .record(down.id, IncidentStatus::Resolved, "Over")
        .await;
    let found = ComponentHistoryStore::history(
        database,
        &fixture.id,
        api,
        Interval::default(),
        Page::default(),
    );
    let periods = found.await.unwrap().unwrap().periods.items;
    let last = &periods[0];
    assert_eq!(
        (last.span.status, last.span.end_at),
        (ComponentStatus::Degraded, None)
    );
    assert!(
        matches!(&last.cause, PeriodCause::Incident(id, _) if *id == slow.id),
        "{:?}",
        last.cause
    );
}

async fn the_worst_impact_shows_whatever_changes_the_impacts(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let degraded = [open_on(api, ComponentStatus::Degraded)];
    let (slow, down) = (
        fixture.open("Slow", &degraded).await,
        fixture.open("Down", &[]).await,
    );
    fixture
        .attach(down.id, api, ComponentStatus::MajorOutage)
        .await;
    assert_eq!(
        fixture.last_names().await,
        ["incident-updated", "component-update"]
    );
    assert_eq!(fixture.status(api).await, ComponentStatus::MajorOutage);
    for (status, worst) in [
        (IncidentStatus::Resolved, ComponentStatus::Degraded),
        (IncidentStatus::Monitoring, ComponentStatus::MajorOutage),
    ] {
        fixture.edit(down.id, set(status)).await;
        assert_eq!(fixture.status(api).await, worst);
    }
    fixture.delete(down.id).await;
    assert_eq!(
        fixture.last_names().await,
        ["incident-deleted", "component-update"]
    );
    assert_eq!(fixture.status(api).await, ComponentStatus::Degraded);
    fixture.detach(slow.id, api).await;
    assert_eq!(fixture.status(api).await, ComponentStatus::Operational);
}

async fn resolved_incident_leaves_the_current_status_of_its_components(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let incident = fixture
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    fixture
        .edit(incident.id, set(IncidentStatus::Resolved))
        .await;
    fixture
        .attach(incident.id, web, ComponentStatus::MajorOutage)
        .await;
    assert_eq!(fixture.last_names().await, ["incident-updated"]);
    assert_eq!(fixture.status(web).await, ComponentStatus::Operational);
    fixture
        .set_by_hand(api, ComponentStatus::PartialOutage)
        .await;
    fixture.detach(incident.id, api).await;
    fixture.delete(incident.id).await;
    assert_eq!(fixture.status(api).await, ComponentStatus::PartialOutage);
}

async fn status_set_by_hand_shows_until_the_impact_of_incidents_changes(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let incident = fixture
        .open("Down", &[open_on(api, ComponentStatus::MajorOutage)])
        .await;
    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    fixture
        .record(incident.id, IncidentStatus::Identified, "Found it")
        .await;
    assert_eq!(fixture.status(api).await, ComponentStatus::Degraded);
    let other = fixture
        .open("Slow", &[open_on(api, ComponentStatus::PartialOutage)])
        .await;
    assert_eq!(fixture.status(api).await, ComponentStatus::MajorOutage);
    fixture.delete(incident.id).await;
    fixture.set_by_hand(api, ComponentStatus::Degraded).await;
    fixture.edit(other.id, set(IncidentStatus::Resolved)).await;
    assert_eq!(fixture.status(api).await, ComponentStatus::Degraded);
}

async fn attaching_is_all_or_nothing(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let other = OrganisationFixture::new(database, "other").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let theirs = other.component("API").await;
    let incident = fixture
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    let attach = async |components: [ComponentId; 2]| {
        let components = components
            .map(|id| open_on(id, ComponentStatus::MajorOutage))
            .to_vec();
        let rule = attaching(&components);
        database
            .attach(&fixture.id, incident.id, components, rule)
            .await
    };
    let before = fixture.events().await.len();
    let foreign = attach([web, theirs]).await;
    let Err(Error::Invalid(invalid)) = foreign else {
        panic!("{foreign:?}")
    };
    assert_eq!(invalid.errors[0].field, "components[1].componentId");
    assert!(matches!(attach([web, api]).await, Err(Error::Conflict(_))));
    assert_eq!(fixture.status(web).await, ComponentStatus::Operational);
    assert_eq!(fixture.events().await.len(), before);
}

async fn impact_becomes_worse_without_a_gap_in_the_history(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let incident = fixture
        .open(
            "Down",
            &[
                open_on(api, ComponentStatus::Degraded),
                open_on(web, ComponentStatus::Degraded),
            ],
        )
        .await;
    let change = async |components: &[Attachment]| {
        let rule = changing_impacts(components);
        database
            .change_impacts(&fixture.id, incident.id, components.to_vec(), rule)
            .await
    };
    let worse = [
        open_on(api, ComponentStatus::MajorOutage),
        open_on(web, ComponentStatus::Operational),
    ];
    change(&worse).await.unwrap().unwrap();
    assert_eq!(
        fixture.last_names().await,
        ["incident-updated", "component-update", "component-update"]
    );
    assert_eq!(fixture.status(api).await, ComponentStatus::MajorOutage);
    assert_eq!(fixture.status(web).await, ComponentStatus::Operational);
    let all = Interval::default();
    let found =
        ComponentHistoryStore::history(database, &fixture.id, api, all, Page::default()).await;
    let periods = found.unwrap().unwrap().periods.items;
    let [down, degraded] = periods.as_slice() else {
        panic!("{periods:?}");
    };
    assert_eq!(degraded.span.end_at, Some(down.span.start_at));
    assert_eq!(down.span.status, ComponentStatus::MajorOutage);

    fixture
        .edit(incident.id, set(IncidentStatus::Resolved))
        .await;
    let refused = change(&worse).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

async fn update_changes_impacts_in_its_commit(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let down = [open_on(api, ComponentStatus::MajorOutage)];
    let incident = fixture.open("Down", &down).await.id;
    let (identified, resolved) = (IncidentStatus::Identified, IncidentStatus::Resolved);
    let slow = [open_on(api, ComponentStatus::Degraded)];
    let recorded = fixture.record_with(incident, identified, "Slow", &slow);
    recorded.await.unwrap();
    assert_eq!(
        fixture.last_names().await,
        ["timeline-updated", "incident-updated", "component-update"]
    );
    assert_eq!(fixture.status(api).await, ComponentStatus::Degraded);

    let changes = fixture.changes().await;
    assert_eq!(changes[1].action, Action::IncidentUpdateCreated);
    assert_eq!(changes[0].action, Action::IncidentUpdated);
    let impact = |state: Option<&String>| {
        let state: Value = serde_json::from_str(state.unwrap()).unwrap();
        state["components"][0]["status"].clone()
    };
    let (before, after) = (changes[0].before.as_ref(), changes[0].after.as_ref());
    assert_eq!(impact(before), json!("MAJOR_OUTAGE"));
    assert_eq!(impact(after), json!("DEGRADED"));

    let before = fixture.events().await.len();
    let unattached = [open_on(web, ComponentStatus::Degraded)];
    let refused = fixture.record_with(incident, identified, "No", &unattached);
    let Err(Error::Invalid(invalid)) = refused.await else {
        panic!("the component is not attached")
    };
    assert_eq!(invalid.errors[0].field, "components[0].componentId");
    let refused = fixture.record_with(incident, resolved, "Over", &slow);
    assert!(matches!(refused.await, Err(Error::Conflict(_))));
    assert_eq!(fixture.events().await.len(), before);
    assert_eq!(fixture.found(incident).await.status, identified);
}

async fn detaching_is_all_or_nothing(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let incident = fixture
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    let before = fixture.events().await.len();
    let result = database
        .detach(
            &fixture.id,
            incident.id,
            vec![api, web],
            detaching(vec![api, web]),
        )
        .await;
    let Err(Error::Invalid(invalid)) = result else {
        panic!("{result:?}")
    };
    assert_eq!(invalid.errors[0].field, "componentIds[1]");
    assert_eq!(
        (fixture.status(api).await, fixture.events().await.len()),
        (ComponentStatus::Degraded, before)
    );
}

async fn attached_and_unattached_components_are_all_components(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    OrganisationFixture::new(database, "other")
        .await
        .component("Theirs")
        .await;
    let (api, web) = (
        fixture.component("API").await,
        fixture.component("Web").await,
    );
    let incident = fixture
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    let attached = database
        .attached(&fixture.id, incident.id, Page::default())
        .await
        .unwrap()
        .unwrap()
        .items;
    assert_eq!(
        (attached[0].component.id, attached[0].status, attached.len()),
        (api, ComponentStatus::Degraded, 1)
    );
    let (mail, dns) = (
        fixture.component("Mail").await,
        fixture.component("DNS").await,
    );
    let unattached = async |page| {
        let found = database.unattached(&fixture.id, incident.id, page).await;
        found.unwrap().unwrap()
    };
    let ids = |list: &Listed<Component>| {
        let items = list.items.iter();
        items.map(|component| component.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&unattached(Page::default()).await), [dns, mail, web]);
    let first = unattached(two(None)).await;
    let rest = unattached(two(first.next)).await;
    assert_eq!((ids(&first), ids(&rest)), (vec![dns, mail], vec![web]));
    let unknown = IncidentId(clock().id());
    assert_none(database.attached(&fixture.id, unknown, Page::default())).await;
    assert_none(database.unattached(&fixture.id, unknown, Page::default())).await;
}

async fn a_deleted_component_leaves_its_incidents(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let api = fixture.component("API").await;
    let incident = fixture
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    fixture.delete_component(api).await;
    let attached = database
        .attached(&fixture.id, incident.id, Page::default())
        .await
        .unwrap()
        .unwrap();
    assert!(attached.items.is_empty());
    fixture
        .edit(incident.id, set(IncidentStatus::Resolved))
        .await;
    let details = PublicHistoryStore::incident_details(database, &fixture.id, incident.id.code());
    let affected = details.await.unwrap().unwrap().components;
    let is_over = |period: &StatusSpan| period.end_at.is_some();
    assert_eq!(affected.len(), 1);
    assert!(affected[0].periods.iter().all(is_over), "{affected:?}");
}

async fn nobody_attaches_to_the_incident_of_another_organisation(database: &Database) {
    let (fixture, other) = (
        OrganisationFixture::new(database, "acme").await,
        OrganisationFixture::new(database, "other").await,
    );
    let (api, theirs) = (fixture.component("API").await, other.component("API").await);
    let incident = fixture
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    let attached = vec![open_on(theirs, ComponentStatus::Degraded)];
    assert_none(database.attach(
        &other.id,
        incident.id,
        attached.clone(),
        attaching(&attached),
    ))
    .await;
    assert_none(database.detach(&other.id, incident.id, vec![api], detaching(vec![api]))).await;
    assert_none(database.attached(&other.id, incident.id, Page::default())).await;
}
