use allclear_application::component::history::{ComponentHistoryStore, Interval};
use allclear_application::error::Error;
use allclear_application::incident::IncidentStore;
use allclear_application::page::{Listed, Page};
use allclear_domain::component::{Component, ComponentStatus};
use allclear_domain::id::{ComponentId, IncidentId};
use allclear_domain::impact::Attachment;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::status_period::PeriodCause;
use allclear_persistence::database::Database;

use crate::backend::{assert_none, clock, two};
use crate::contract;
use crate::world::{World, attaching, changing_impacts, detaching, open_on, set};

contract!(
    incident_has_impact_from_its_creation_until_it_is_resolved,
    the_worst_impact_shows_whatever_changes_the_impacts,
    period_names_the_incident_that_gives_the_status,
    resolved_incident_leaves_the_current_status_of_its_components,
    status_set_by_hand_shows_until_the_impact_of_incidents_changes,
    attaching_is_all_or_nothing,
    impact_becomes_worse_without_a_gap_in_the_history,
    detaching_is_all_or_nothing,
    attached_and_unattached_components_are_all_components,
    a_deleted_component_leaves_its_incidents,
    nobody_attaches_to_the_incident_of_another_organisation,
);

async fn incident_has_impact_from_its_creation_until_it_is_resolved(database: &Database) {
    let world = World::new(database, "acme").await;
    let (api, web) = (world.component("API").await, world.component("Web").await);
    let impacts = [
        open_on(api, ComponentStatus::MajorOutage),
        open_on(web, ComponentStatus::Operational),
    ];
    let incident = world.open("Down", &impacts).await;
    assert_eq!(
        world.last_names().await,
        ["new-incident", "component-update"]
    );
    assert_eq!(world.status(api).await, ComponentStatus::MajorOutage);
    world
        .record(incident.id, IncidentStatus::Identified, "Found it")
        .await;
    assert_eq!(
        world.last_names().await,
        ["timeline-updated", "incident-updated"]
    );
    world
        .record(incident.id, IncidentStatus::Resolved, "Over")
        .await;
    assert_eq!(
        world.last_names().await,
        ["timeline-updated", "incident-updated", "component-update"]
    );
    assert_eq!(world.status(api).await, ComponentStatus::Operational);
}

async fn period_names_the_incident_that_gives_the_status(database: &Database) {
    let world = World::new(database, "acme").await;
    let api = world.component("API").await;
    let slow = [open_on(api, ComponentStatus::Degraded)];
    let slow = world.open("Slow", &slow).await;
    let down = [open_on(api, ComponentStatus::MajorOutage)];
    let down = world.open("Down", &down).await;
    world
        .record(down.id, IncidentStatus::Resolved, "Over")
        .await;
    let found = ComponentHistoryStore::history(
        database,
        &world.acme,
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
    let world = World::new(database, "acme").await;
    let api = world.component("API").await;
    let degraded = [open_on(api, ComponentStatus::Degraded)];
    let (slow, down) = (
        world.open("Slow", &degraded).await,
        world.open("Down", &[]).await,
    );
    world
        .attach(down.id, api, ComponentStatus::MajorOutage)
        .await;
    assert_eq!(
        world.last_names().await,
        ["incident-updated", "component-update"]
    );
    assert_eq!(world.status(api).await, ComponentStatus::MajorOutage);
    for (status, worst) in [
        (IncidentStatus::Resolved, ComponentStatus::Degraded),
        (IncidentStatus::Monitoring, ComponentStatus::MajorOutage),
    ] {
        world.edit(down.id, set(status)).await;
        assert_eq!(world.status(api).await, worst);
    }
    world.delete(down.id).await;
    assert_eq!(
        world.last_names().await,
        ["incident-deleted", "component-update"]
    );
    assert_eq!(world.status(api).await, ComponentStatus::Degraded);
    world.detach(slow.id, api).await;
    assert_eq!(world.status(api).await, ComponentStatus::Operational);
}

async fn resolved_incident_leaves_the_current_status_of_its_components(database: &Database) {
    let world = World::new(database, "acme").await;
    let (api, web) = (world.component("API").await, world.component("Web").await);
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    world.edit(incident.id, set(IncidentStatus::Resolved)).await;
    world
        .attach(incident.id, web, ComponentStatus::MajorOutage)
        .await;
    assert_eq!(world.last_names().await, ["incident-updated"]);
    assert_eq!(world.status(web).await, ComponentStatus::Operational);
    world.set_by_hand(api, ComponentStatus::PartialOutage).await;
    world.detach(incident.id, api).await;
    world.delete(incident.id).await;
    assert_eq!(world.status(api).await, ComponentStatus::PartialOutage);
}

async fn status_set_by_hand_shows_until_the_impact_of_incidents_changes(database: &Database) {
    let world = World::new(database, "acme").await;
    let api = world.component("API").await;
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::MajorOutage)])
        .await;
    world.set_by_hand(api, ComponentStatus::Degraded).await;
    world
        .record(incident.id, IncidentStatus::Identified, "Found it")
        .await;
    assert_eq!(world.status(api).await, ComponentStatus::Degraded);
    let other = world
        .open("Slow", &[open_on(api, ComponentStatus::PartialOutage)])
        .await;
    assert_eq!(world.status(api).await, ComponentStatus::MajorOutage);
    world.delete(incident.id).await;
    world.set_by_hand(api, ComponentStatus::Degraded).await;
    world.edit(other.id, set(IncidentStatus::Resolved)).await;
    assert_eq!(world.status(api).await, ComponentStatus::Degraded);
}

async fn attaching_is_all_or_nothing(database: &Database) {
    let world = World::new(database, "acme").await;
    let other = World::new(database, "other").await;
    let (api, web) = (world.component("API").await, world.component("Web").await);
    let theirs = other.component("API").await;
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    let attach = async |components: [ComponentId; 2]| {
        let components = components
            .map(|id| open_on(id, ComponentStatus::MajorOutage))
            .to_vec();
        let rule = attaching(&components);
        database
            .attach(&world.acme, incident.id, components, rule)
            .await
    };
    let before = world.events().await.len();
    let foreign = attach([web, theirs]).await;
    let Err(Error::Invalid(invalid)) = foreign else {
        panic!("{foreign:?}")
    };
    assert_eq!(invalid.errors[0].field, "components[1].componentId");
    assert!(matches!(attach([web, api]).await, Err(Error::Conflict(_))));
    assert_eq!(world.status(web).await, ComponentStatus::Operational);
    assert_eq!(world.events().await.len(), before);
}

async fn impact_becomes_worse_without_a_gap_in_the_history(database: &Database) {
    let world = World::new(database, "acme").await;
    let (api, web) = (world.component("API").await, world.component("Web").await);
    let incident = world
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
            .change_impacts(&world.acme, incident.id, components.to_vec(), rule)
            .await
    };
    let worse = [
        open_on(api, ComponentStatus::MajorOutage),
        open_on(web, ComponentStatus::Operational),
    ];
    change(&worse).await.unwrap().unwrap();
    assert_eq!(
        world.last_names().await,
        ["incident-updated", "component-update", "component-update"]
    );
    assert_eq!(world.status(api).await, ComponentStatus::MajorOutage);
    assert_eq!(world.status(web).await, ComponentStatus::Operational);
    let all = Interval::default();
    let found =
        ComponentHistoryStore::history(database, &world.acme, api, all, Page::default()).await;
    let periods = found.unwrap().unwrap().periods.items;
    let [down, degraded] = periods.as_slice() else {
        panic!("{periods:?}");
    };
    assert_eq!(degraded.span.end_at, Some(down.span.start_at));
    assert_eq!(down.span.status, ComponentStatus::MajorOutage);

    world.edit(incident.id, set(IncidentStatus::Resolved)).await;
    let refused = change(&worse).await;
    assert!(matches!(refused, Err(Error::Conflict(_))), "{refused:?}");
}

async fn detaching_is_all_or_nothing(database: &Database) {
    let world = World::new(database, "acme").await;
    let (api, web) = (world.component("API").await, world.component("Web").await);
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    let before = world.events().await.len();
    let result = database
        .detach(
            &world.acme,
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
        (world.status(api).await, world.events().await.len()),
        (ComponentStatus::Degraded, before)
    );
}

async fn attached_and_unattached_components_are_all_components(database: &Database) {
    let world = World::new(database, "acme").await;
    World::new(database, "other")
        .await
        .component("Theirs")
        .await;
    let (api, web) = (world.component("API").await, world.component("Web").await);
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    let attached = database
        .attached(&world.acme, incident.id, Page::default())
        .await
        .unwrap()
        .unwrap()
        .items;
    assert_eq!(
        (attached[0].component.id, attached[0].status, attached.len()),
        (api, ComponentStatus::Degraded, 1)
    );
    let (mail, dns) = (world.component("Mail").await, world.component("DNS").await);
    let unattached = async |page| {
        let found = database.unattached(&world.acme, incident.id, page).await;
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
    assert_none(database.attached(&world.acme, unknown, Page::default())).await;
    assert_none(database.unattached(&world.acme, unknown, Page::default())).await;
}

async fn a_deleted_component_leaves_its_incidents(database: &Database) {
    let world = World::new(database, "acme").await;
    let api = world.component("API").await;
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    world.delete_component(api).await;
    let attached = database
        .attached(&world.acme, incident.id, Page::default())
        .await
        .unwrap()
        .unwrap();
    assert!(attached.items.is_empty());
    world.edit(incident.id, set(IncidentStatus::Resolved)).await;
}

async fn nobody_attaches_to_the_incident_of_another_organisation(database: &Database) {
    let (world, other) = (
        World::new(database, "acme").await,
        World::new(database, "other").await,
    );
    let (api, theirs) = (world.component("API").await, other.component("API").await);
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    let attached = vec![open_on(theirs, ComponentStatus::Degraded)];
    assert_none(database.attach(
        &other.acme,
        incident.id,
        attached.clone(),
        attaching(&attached),
    ))
    .await;
    assert_none(database.detach(&other.acme, incident.id, vec![api], detaching(vec![api]))).await;
    assert_none(database.attached(&other.acme, incident.id, Page::default())).await;
}
