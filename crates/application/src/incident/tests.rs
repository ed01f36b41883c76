use super::*;

use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{ComponentId, IncidentUpdateId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::organisation::Revision;
use allclear_domain::update::{UpdateDraft, UpdatePatch};
use chrono::DateTime;
use uuid::Uuid;

use crate::fixture::{author, committed, now, organisation, relay, stamp};

fn incident() -> Incident {
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "All of it".into(),
        status: IncidentStatus::Investigating,
        occured_at: None,
        ..Default::default()
    };
    let id = IncidentId(Uuid::from_u128(1));
    let created = Incident::create(id, draft, &[], true, DateTime::default()).unwrap();
    Incident {
        version: Revision(4),
        ..created.state
    }
}

#[tokio::test]
async fn an_edit_is_broadcast_if_the_version_is_the_expected_one() {
    let mut store = MockIncidentStore::new();
    store.expect_change().returning(|_, _, rule| {
        Ok(Some(committed(IncidentReport {
            incident: rule(incident(), stamp())?.state,
            timeline: Vec::new(),
            timeline_truncated: false,
        })))
    });
    let service = Incidents::new(Arc::new(store), relay(1));
    let edit = |version| {
        let patch = IncidentPatch {
            status: Some(IncidentStatus::Resolved),
            ..Default::default()
        };
        let precondition = Precondition::OneOf(vec![Revision(version)]);
        let (service, organisation) = (&service, organisation());
        async move {
            let id = incident().id;
            service.edit(&organisation, id, patch, precondition).await
        }
    };
    assert!(matches!(edit(3).await, Err(Error::Stale)));
    let edited = edit(4).await.unwrap();
    assert_eq!(edited.incident.resolved_at, Some(now()));
}

#[tokio::test]
async fn a_deletion_is_broadcast_if_the_version_is_the_expected_one() {
    let mut store = MockIncidentStore::new();
    store.expect_delete().returning(|_, _, precondition, _| {
        precondition.check(incident().version)?;
        Ok(Some(committed(())))
    });
    let service = Incidents::new(Arc::new(store), relay(1));
    let delete = |version| {
        let precondition = Precondition::OneOf(vec![Revision(version)]);
        let (service, organisation) = (&service, organisation());
        async move {
            let id = incident().id;
            service.delete(&organisation, id, precondition).await
        }
    };
    assert!(matches!(delete(3).await, Err(Error::Stale)));
    delete(4).await.unwrap();
}

#[tokio::test]
async fn a_missing_incident_or_update_is_not_found() {
    let mut store = MockIncidentStore::new();
    store.expect_find().returning(|_, _| Ok(None));
    store.expect_change().returning(|_, _, _| Ok(None));
    store.expect_delete().returning(|_, _, _, _| Ok(None));
    store.expect_attach().returning(|_, _, _, _| Ok(None));
    store.expect_detach().returning(|_, _, _, _| Ok(None));
    store
        .expect_change_impacts()
        .returning(|_, _, _, _| Ok(None));
    store.expect_attached().returning(|_, _, _| Ok(None));
    store.expect_unattached().returning(|_, _, _| Ok(None));
    store.expect_list_updates().returning(|_, _, _| Ok(None));
    store.expect_find_update().returning(|_, _, _| Ok(None));
    store
        .expect_change_update()
        .returning(|_, _, _, _| Ok(None));
    store
        .expect_insert_update()
        .returning(|_, _, _, _| Ok(None));
    store
        .expect_delete_updates()
        .returning(|_, _, _, _| Ok(None));
    let service = Incidents::new(Arc::new(store), relay(0));
    let attachment = Attachment {
        component_id: ComponentId(Uuid::from_u128(7)),
        status: ComponentStatus::Degraded,
    };
    let draft = UpdateDraft {
        message: "m".into(),
        status: IncidentStatus::Monitoring,
        ..Default::default()
    };
    let (acme, id) = (organisation(), IncidentId(Uuid::from_u128(1)));
    let (component, update) = (
        ComponentId(Uuid::from_u128(7)),
        IncidentUpdateId(Uuid::from_u128(7)),
    );
    let (patch, page) = (IncidentPatch::default(), Page::default());
    let refusals = [
        service.find(&acme, id).await.map(drop),
        service
            .edit(&acme, id, patch, Precondition::Any)
            .await
            .map(drop),
        service.delete(&acme, id, Precondition::Any).await,
        service.components(&acme, id, page).await.map(drop),
        service.unattached(&acme, id, page).await.map(drop),
        service.attach(&acme, id, vec![attachment]).await.map(drop),
        service
            .change_impacts(&acme, id, vec![attachment])
            .await
            .map(drop),
        service.detach(&acme, id, vec![component]).await.map(drop),
        service.updates(&acme, id, page).await.map(drop),
        service
            .record_update(&acme, id, draft, Vec::new(), author())
            .await
            .map(drop),
        service.delete_updates(&acme, id, vec![update], None).await,
    ];
    assert!(
        refusals
            .iter()
            .all(|refused| matches!(refused, Err(Error::NotFound(Resource::Incident)))),
        "{refusals:?}"
    );
    let patch = UpdatePatch::default();
    for refused in [
        service.find_update(&acme, id, update).await,
        service
            .edit_update(&acme, id, update, patch, Precondition::Any)
            .await,
    ] {
        assert!(matches!(
            refused,
            Err(Error::NotFound(Resource::IncidentUpdate))
        ));
    }
}

#[tokio::test]
async fn an_update_changes_impacts_on_components_that_it_names_once() {
    let slow = Attachment {
        component_id: ComponentId(Uuid::from_u128(7)),
        status: ComponentStatus::Degraded,
    };
    let mut store = MockIncidentStore::new();
    store
        .expect_insert_update()
        .once()
        .returning(move |_, _, components, rule| {
            assert_eq!(components, [slow]);
            let latest = IncidentAndNewest {
                incident: incident(),
                newest: None,
            };
            let changed = rule(latest, stamp())?;
            assert!(changed.impacts.is_some());
            Ok(Some(committed(changed.state.update)))
        });
    let service = Incidents::new(Arc::new(store), relay(1));
    let (acme, id) = (organisation(), incident().id);
    let record = |components| {
        let draft = UpdateDraft {
            message: "m".into(),
            ..Default::default()
        };
        service.record_update(&acme, id, draft, components, author())
    };
    let twice = record(vec![slow, slow]).await;
    assert!(matches!(twice, Err(Error::Invalid(_))), "{twice:?}");
    record(vec![slow]).await.unwrap();
}

#[tokio::test]
async fn deleting_the_newest_update_notifies_as_chosen_or_by_default() {
    let update = |number, status| IncidentUpdate {
        id: IncidentUpdateId(Uuid::from_u128(number)),
        incident_id: incident().id,
        status,
        message: "m".into(),
        author: author(),
        created_at: now(),
        display_at: now(),
        version: Revision(4),
    };
    let left = update(8, IncidentStatus::Identified);
    let newest = update(9, IncidentStatus::Monitoring);
    let id = newest.id;
    let deletion = IncidentUpdateDeletion {
        incident: Incident {
            status: newest.status,
            ..incident()
        },
        known: vec![id],
        newest: Some(newest),
        left: Some(left),
    };
    for (notify, notices) in [(None, 1), (Some(true), 1), (Some(false), 0)] {
        let deletion = deletion.clone();
        let mut store = MockIncidentStore::new();
        store
            .expect_delete_updates()
            .returning(move |_, _, _, rule| {
                let changed = rule(deletion.clone(), stamp())?;
                assert_eq!(changed.notices.len(), notices);
                Ok(Some(committed(())))
            });
        let service = Incidents::new(Arc::new(store), relay(1));
        service
            .delete_updates(&organisation(), incident().id, vec![id], notify)
            .await
            .unwrap();
    }
}
