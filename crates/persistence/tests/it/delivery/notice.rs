//! What is told to subscribers of what happens.

use allclear_application::incident::IncidentStore;
use allclear_application::maintenance::{MaintenanceStore, UpdateTransition};
use std::sync::Arc;

use allclear_application::component::ComponentStore;
use allclear_application::delivery::{DeliveryKind, DeliveryQueue};
use allclear_application::notice::Notice;
use allclear_application::transition::CreateTransition;
use allclear_domain::component::{Component, ComponentDraft, ComponentStatus};
use allclear_domain::id::ComponentId;
use allclear_domain::impact::Attachment;
use allclear_domain::incident::{IncidentPatch, IncidentStatus};
use allclear_domain::incident_update::{IncidentAndUpdate, IncidentUpdatePatch, UpdateDeletion};
use allclear_domain::maintenance::{MaintenancePatch, MaintenanceStatus, NewEnd};
use allclear_domain::maintenance_update::{MaintenanceUpdate, MaintenanceUpdatePatch};
use allclear_domain::notice::{AffectedComponent, IncidentChange, MaintenanceChange, NoticeChange};
use allclear_persistence::database::Database;
use chrono::TimeDelta;

use super::fixture::{World, later, sent};
use crate::backend::clock;
use crate::contract;
use crate::maintenance::{create, edit, record};

contract!(
    incident_notice_shows_the_incident_as_it_was_at_each_change,
    corrections_and_deletions_have_no_notice,
    edited_update_has_a_notice_exactly_when_it_changes_the_incident,
    maintenance_has_notices_from_its_plan_to_its_end,
    moved_or_cancelled_maintenance_has_a_notice,
    change_by_the_clock_has_one_notice_even_with_an_update,
    without_subscribers_nothing_is_kept,
);

/// Everything told to one subscriber, in order.
async fn notices(world: &World) -> Vec<Arc<Notice>> {
    world.expand().await;
    let mut notices = Vec::new();
    loop {
        let claimed = world.claim_at(later(60 * 24 * 30), 1).await;
        let Some(delivery) = claimed.first() else {
            return notices;
        };
        if let DeliveryKind::Notice(notice) = &delivery.kind {
            notices.push(Arc::clone(notice));
        }
        world
            .database
            .record_results(vec![sent(delivery)])
            .await
            .unwrap();
    }
}

async fn incident_changes(world: &World) -> Vec<(IncidentChange, Option<String>)> {
    let of_incident = |notice: &Arc<Notice>| match &notice.content.change {
        NoticeChange::Incident { change, .. } => (*change, notice.content.message.clone()),
        change @ NoticeChange::Maintenance { .. } => panic!("{change:?}"),
    };
    notices(world).await.iter().map(of_incident).collect()
}

async fn maintenance_changes(
    world: &World,
) -> Vec<(MaintenanceChange, MaintenanceStatus, Option<String>)> {
    let of_maintenance = |notice: &Arc<Notice>| match &notice.content.change {
        NoticeChange::Maintenance { change, status, .. } => {
            (*change, *status, notice.content.message.clone())
        }
        change @ NoticeChange::Incident { .. } => panic!("{change:?}"),
    };
    notices(world).await.iter().map(of_maintenance).collect()
}

async fn world(database: &Database) -> World {
    let world = World::new(database, "acme").await;
    world.subscriber("ann@example.com").await;
    world
}

async fn incident_notice_shows_the_incident_as_it_was_at_each_change(database: &Database) {
    let world = world(database).await;
    let draft = ComponentDraft {
        name: "API".into(),
        description: String::new(),
        status: ComponentStatus::default(),
        ..ComponentDraft::default()
    };
    let api: CreateTransition<Component> = Box::new(move |stamp| {
        Ok(Component::create(
            ComponentId(stamp.id),
            draft,
            stamp.zone,
            stamp.now,
        )?)
    });
    let component_id = ComponentStore::insert(database, &world.acme, api)
        .await
        .unwrap()
        .state
        .id;
    let affected = Attachment {
        component_id,
        status: ComponentStatus::PartialOutage,
    };
    let incident = world.incident_on("Down", vec![affected]).await;
    world
        .edit(
            incident,
            IncidentPatch {
                title: Some("All down".into()),
                ..Default::default()
            },
        )
        .await;
    world
        .record(incident, IncidentStatus::Identified, "A cable")
        .await;
    world
        .record(incident, IncidentStatus::Resolved, "Fixed")
        .await;
    let notices = notices(&world).await;
    assert!(notices.iter().all(|notice| notice.subject == incident.0));
    let read: Vec<_> = notices
        .iter()
        .map(|notice| match &notice.content.change {
            NoticeChange::Incident {
                change,
                status,
                components,
                ..
            } => (
                *change,
                notice.content.title.as_str(),
                *status,
                notice.content.message.as_deref(),
                &components[..],
            ),
            change @ NoticeChange::Maintenance { .. } => panic!("{change:?}"),
        })
        .collect();
    let api = [AffectedComponent {
        name: "API".into(),
        status: ComponentStatus::PartialOutage,
    }];
    assert_eq!(
        read,
        [
            (
                IncidentChange::Created,
                "Down",
                IncidentStatus::Investigating,
                None,
                &api[..]
            ),
            (
                IncidentChange::Updated,
                "All down",
                IncidentStatus::Identified,
                Some("A cable"),
                &api[..]
            ),
            (
                IncidentChange::Resolved,
                "All down",
                IncidentStatus::Resolved,
                Some("Fixed"),
                &api[..]
            ),
        ]
    );
}

async fn corrections_and_deletions_have_no_notice(database: &Database) {
    let world = world(database).await;
    let incident = world.incident("Down").await;
    let first = world
        .record(incident, IncidentStatus::Identified, "one")
        .await;
    let last = world
        .record(incident, IncidentStatus::Identified, "two")
        .await;
    let before = incident_changes(&world).await.len();
    world
        .edit(
            incident,
            IncidentPatch {
                description: Some("Typo".into()),
                ..Default::default()
            },
        )
        .await;
    let deleted =
        Box::new(move |deletion: UpdateDeletion, _| Ok(deletion.delete(&[last], clock().now())?));
    IncidentStore::delete_updates(database, &world.acme, incident, vec![last], deleted)
        .await
        .unwrap()
        .unwrap();
    let typo = IncidentUpdatePatch {
        message: Some("One".into()),
        ..Default::default()
    };
    let corrected =
        Box::new(move |entry: IncidentAndUpdate, _| Ok(entry.edit(typo, clock().now())?));
    IncidentStore::change_update(database, &world.acme, incident, first, corrected)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((before, incident_changes(&world).await), (3, Vec::new()));
}

async fn edited_update_has_a_notice_exactly_when_it_changes_the_incident(database: &Database) {
    let world = world(database).await;
    let incident = world.incident("Down").await;
    let update = world
        .record(incident, IncidentStatus::Identified, "one")
        .await;
    let before = incident_changes(&world).await.len();
    for status in [IncidentStatus::Resolved, IncidentStatus::Monitoring] {
        let patch = IncidentUpdatePatch {
            status: Some(status),
            ..Default::default()
        };
        let moved =
            Box::new(move |entry: IncidentAndUpdate, _| Ok(entry.edit(patch, clock().now())?));
        IncidentStore::change_update(database, &world.acme, incident, update, moved)
            .await
            .unwrap()
            .unwrap();
    }
    let (resolved, reopened) = (IncidentChange::Resolved, IncidentChange::Updated);
    let expected = vec![
        (resolved, Some("one".to_owned())),
        (reopened, Some("one".to_owned())),
    ];
    assert_eq!((before, incident_changes(&world).await), (2, expected));
}

async fn maintenance_has_notices_from_its_plan_to_its_end(database: &Database) {
    let world = world(database).await;
    let (start, end) = (later(60), later(120));
    let planned = create(database, &world.acme, start, Some(end)).await.id;
    record(database, &world.acme, planned, "Soon").await;
    database
        .announce(&world.acme, start)
        .await
        .unwrap()
        .unwrap();
    database
        .announce(&world.acme, later(121))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        maintenance_changes(&world).await,
        [
            (
                MaintenanceChange::Scheduled,
                MaintenanceStatus::Scheduled,
                None
            ),
            (
                MaintenanceChange::Updated,
                MaintenanceStatus::Scheduled,
                Some("Soon".to_owned())
            ),
            (
                MaintenanceChange::Began,
                MaintenanceStatus::InProgress,
                None
            ),
            (MaintenanceChange::Ended, MaintenanceStatus::Completed, None),
        ]
    );
}

async fn moved_or_cancelled_maintenance_has_a_notice(database: &Database) {
    use MaintenanceChange::{Began, Cancelled, Ended, Scheduled, Updated};

    let world = world(database).await;
    let planned = create(database, &world.acme, later(60), None).await.id;
    let status = |status| MaintenancePatch {
        status: Some(status),
        ..Default::default()
    };
    edit(
        database,
        &world.acme,
        planned,
        MaintenancePatch {
            title: Some("Typo".into()),
            ..Default::default()
        },
    )
    .await;
    edit(
        database,
        &world.acme,
        planned,
        MaintenancePatch {
            start_at: Some(later(90)),
            ..Default::default()
        },
    )
    .await;
    edit(
        database,
        &world.acme,
        planned,
        status(MaintenanceStatus::Cancelled),
    )
    .await;
    edit(
        database,
        &world.acme,
        planned,
        status(MaintenanceStatus::Scheduled),
    )
    .await;
    let running = create(database, &world.acme, later(-60), None).await.id;
    let over = MaintenancePatch {
        end_at: Some(NewEnd::At(clock().now())),
        ..Default::default()
    };
    edit(database, &world.acme, running, over).await;
    let changes: Vec<_> = maintenance_changes(&world)
        .await
        .into_iter()
        .map(|(change, _, _)| change)
        .collect();
    assert_eq!(
        changes,
        [Scheduled, Updated, Cancelled, Scheduled, Began, Ended]
    );
}

async fn change_by_the_clock_has_one_notice_even_with_an_update(database: &Database) {
    let world = world(database).await;
    // Five begin at once: one transaction, five notices.
    for _ in 0..5 {
        create(database, &world.acme, later(60), None).await;
    }
    database
        .announce(&world.acme, later(60))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(maintenance_changes(&world).await.len(), 10);

    // Until one is stored before it begins.
    let begun = loop {
        let soon = clock().now() + TimeDelta::milliseconds(50);
        let id = create(database, &world.acme, soon, None).await.id;
        if maintenance_changes(&world).await[0].0 == MaintenanceChange::Scheduled {
            while clock().now() <= soon {
                tokio::task::yield_now().await;
            }
            break id;
        }
    };
    let update = record(database, &world.acme, begun, "It begins").await;
    assert!(
        database
            .announce(&world.acme, clock().now())
            .await
            .unwrap()
            .is_none()
    );
    let patch = MaintenanceUpdatePatch {
        message: Some("It has begun".into()),
        ..Default::default()
    };
    let corrected: UpdateTransition<MaintenanceUpdate> = Box::new(move |(found, update), stamp| {
        Ok(found.with_update(update.edit(patch)?, None, stamp.clock))
    });
    MaintenanceStore::change_update(database, &world.acme, begun, update.id, corrected)
        .await
        .unwrap()
        .unwrap();
    let last = maintenance_changes(&world).await.pop();
    assert_eq!(
        last,
        Some((
            MaintenanceChange::Began,
            MaintenanceStatus::InProgress,
            Some("It begins".to_owned())
        ))
    );
}

async fn without_subscribers_nothing_is_kept(database: &Database) {
    let world = World::new(database, "acme").await;
    world.incident("Down").await;
    create(database, &world.acme, later(60), None).await;
    assert!(!database.expand(clock().now(), 10).await.unwrap());
    world.subscriber("ann@example.com").await;
    assert!(notices(&world).await.is_empty());
}
