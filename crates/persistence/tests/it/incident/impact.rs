use allclear_application::error::Error;
use allclear_application::incident::IncidentStore;
use allclear_application::page::Page;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{ComponentId, IncidentId};
use allclear_domain::incident::IncidentStatus;
use allclear_persistence::database::Database;

use super::fixture::{World, attaching, detaching, open_on, set};
use crate::backend::clock;
use crate::contract;

contract!(
    an_incident_holds_from_its_creation_until_it_is_resolved,
    the_worst_of_several_incidents_shows,
    deleting_an_incident_releases_what_it_holds,
    a_reopened_incident_holds_again,
    a_resolved_incident_holds_nothing_however_it_is_attached,
    what_is_set_by_hand_shows_until_incidents_change_what_they_hold,
    attaching_is_all_or_nothing,
    detaching_is_all_or_nothing,
    what_is_attached_and_what_is_not_make_the_whole,
    a_deleted_component_leaves_its_incidents,
    nobody_attaches_to_the_incident_of_another_organisation,
);

async fn an_incident_holds_from_its_creation_until_it_is_resolved(database: &Database) {
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
        .record(&incident, IncidentStatus::Identified, "Found it")
        .await;
    assert_eq!(
        world.last_names().await,
        ["timeline-updated", "incident-updated"]
    );
    world
        .record(&incident, IncidentStatus::Resolved, "Over")
        .await;
    assert_eq!(
        world.last_names().await,
        ["timeline-updated", "incident-updated", "component-update"]
    );
    assert_eq!(world.status(api).await, ComponentStatus::Operational);
}

async fn the_worst_of_several_incidents_shows(database: &Database) {
    let world = World::new(database, "acme").await;
    let api = world.component("API").await;
    let slow = world
        .open("Slow", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    let down = world.open("Down", &[]).await;
    world.attach(&down, api, ComponentStatus::MajorOutage).await;
    assert_eq!(
        world.last_names().await,
        ["incident-updated", "component-update"]
    );
    assert_eq!(world.status(api).await, ComponentStatus::MajorOutage);
    world.edit(&down, set(IncidentStatus::Resolved)).await;
    assert_eq!(world.status(api).await, ComponentStatus::Degraded);
    world.detach(&slow, api).await;
    assert_eq!(world.status(api).await, ComponentStatus::Operational);
}

async fn deleting_an_incident_releases_what_it_holds(database: &Database) {
    let world = World::new(database, "acme").await;
    let api = world.component("API").await;
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::PartialOutage)])
        .await;
    world.delete(&incident).await;
    assert_eq!(
        world.last_names().await,
        ["incident-deleted", "component-update"]
    );
    assert_eq!(world.status(api).await, ComponentStatus::Operational);
}

async fn a_reopened_incident_holds_again(database: &Database) {
    let world = World::new(database, "acme").await;
    let api = world.component("API").await;
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    world.edit(&incident, set(IncidentStatus::Resolved)).await;
    let reopened = world.edit(&incident, set(IncidentStatus::Monitoring)).await;
    assert_eq!(
        (reopened.resolved_at, world.status(api).await),
        (None, ComponentStatus::Degraded)
    );
}

async fn a_resolved_incident_holds_nothing_however_it_is_attached(database: &Database) {
    let world = World::new(database, "acme").await;
    let (api, web) = (world.component("API").await, world.component("Web").await);
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    world.edit(&incident, set(IncidentStatus::Resolved)).await;
    world
        .attach(&incident, web, ComponentStatus::MajorOutage)
        .await;
    assert_eq!(world.last_names().await, ["incident-updated"]);
    assert_eq!(world.status(web).await, ComponentStatus::Operational);
    world.set_by_hand(api, ComponentStatus::PartialOutage).await;
    world.detach(&incident, api).await;
    world.delete(&incident).await;
    assert_eq!(world.status(api).await, ComponentStatus::PartialOutage);
}

async fn what_is_set_by_hand_shows_until_incidents_change_what_they_hold(database: &Database) {
    let world = World::new(database, "acme").await;
    let api = world.component("API").await;
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::MajorOutage)])
        .await;
    world.set_by_hand(api, ComponentStatus::Degraded).await;
    world
        .record(&incident, IncidentStatus::Identified, "Found it")
        .await;
    assert_eq!(world.status(api).await, ComponentStatus::Degraded);
    let other = world
        .open("Slow", &[open_on(api, ComponentStatus::PartialOutage)])
        .await;
    assert_eq!(world.status(api).await, ComponentStatus::MajorOutage);
    world.delete(&incident).await;
    world.set_by_hand(api, ComponentStatus::Degraded).await;
    world.edit(&other, set(IncidentStatus::Resolved)).await;
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

async fn detaching_is_all_or_nothing(database: &Database) {
    let world = World::new(database, "acme").await;
    let (api, web) = (world.component("API").await, world.component("Web").await);
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    let before = world.events().await.len();
    let refused = database
        .detach(
            &world.acme,
            incident.id,
            vec![api, web],
            detaching(vec![api, web]),
        )
        .await;
    let Err(Error::Invalid(invalid)) = refused else {
        panic!("{refused:?}")
    };
    assert_eq!(invalid.errors[0].field, "componentIds[1]");
    assert_eq!(
        (world.status(api).await, world.events().await.len()),
        (ComponentStatus::Degraded, before)
    );
}

async fn what_is_attached_and_what_is_not_make_the_whole(database: &Database) {
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
    let others = database
        .unattached(&world.acme, incident.id, Page::default())
        .await
        .unwrap()
        .unwrap()
        .items;
    assert_eq!(
        others
            .iter()
            .map(|component| component.id)
            .collect::<Vec<_>>(),
        [web]
    );
    let unknown = IncidentId(clock().id());
    assert!(
        database
            .attached(&world.acme, unknown, Page::default())
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        database
            .unattached(&world.acme, unknown, Page::default())
            .await
            .unwrap()
            .is_none()
    );
}

async fn a_deleted_component_leaves_its_incidents(database: &Database) {
    use allclear_application::component::ComponentStore;
    let world = World::new(database, "acme").await;
    let api = world.component("API").await;
    let incident = world
        .open("Down", &[open_on(api, ComponentStatus::Degraded)])
        .await;
    ComponentStore::delete(
        database,
        &world.acme,
        api,
        allclear_domain::component::Component::delete(api),
    )
    .await
    .unwrap()
    .unwrap();
    let attached = database
        .attached(&world.acme, incident.id, Page::default())
        .await
        .unwrap()
        .unwrap();
    assert!(attached.items.is_empty());
    world.edit(&incident, set(IncidentStatus::Resolved)).await;
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
    assert!(
        database
            .attach(
                &other.acme,
                incident.id,
                attached.clone(),
                attaching(&attached)
            )
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        database
            .detach(&other.acme, incident.id, vec![api], detaching(vec![api]))
            .await
            .unwrap()
            .is_none()
    );
    assert!(
        database
            .attached(&other.acme, incident.id, Page::default())
            .await
            .unwrap()
            .is_none()
    );
}
