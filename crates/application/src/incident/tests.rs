use super::*;

use allclear_domain::author::Author;
use allclear_domain::component::ComponentStatus;
use allclear_domain::id::{ComponentId, IncidentUpdateId};
use allclear_domain::incident::IncidentStatus;
use allclear_domain::incident_update::{
    IncidentAndNewest, IncidentUpdate, IncidentUpdateDraft, IncidentUpdatePatch,
};
use allclear_domain::organisation::Revision;
use chrono::DateTime;
use uuid::Uuid;

use crate::broadcast::MockBroadcast;
use crate::fixture::{now, organisation, stamp};
use crate::outbox::{Commit, MockOutbox, PublicEvent};

fn incident(status: IncidentStatus) -> Incident {
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "All of it".into(),
        status,
        occured_at: None,
    };
    let created = Incident::create(
        IncidentId(Uuid::from_u128(1)),
        draft,
        &[],
        DateTime::default(),
    )
    .unwrap();
    Incident {
        version: Revision(4),
        ..created.state
    }
}

fn committed<T>(state: T) -> Committed<T> {
    let event = PublicEvent::new("incident-updated", &["x"]).unwrap();
    Committed {
        state,
        commit: Some(Commit {
            organisation: "org_1".into(),
            revision: 5,
            events: vec![event],
        }),
    }
}

fn report(incident: Incident) -> IncidentReport {
    IncidentReport {
        incident,
        timeline: Vec::new(),
        timeline_truncated: false,
    }
}

/// Ports, and how many broadcasts they are allowed.
#[derive(Default)]
struct Ports {
    store: MockIncidentStore,
}

impl Ports {
    fn service(self, broadcasts: usize) -> Incidents {
        let mut broadcast = MockBroadcast::new();
        broadcast
            .expect_publish()
            .times(broadcasts)
            .return_const(());
        let relay = Arc::new(Relay::new(Arc::new(MockOutbox::new()), Arc::new(broadcast)));
        Incidents::new(Arc::new(self.store), relay)
    }

    /// A store that runs rules on this incident.
    fn of(incident: Incident) -> Self {
        let mut ports = Self::default();
        let state = incident.clone();
        let change = move |_: &_, _, rule: Transition<Incident>| {
            Ok(Some(committed(report(rule(state.clone(), stamp())?.state))))
        };
        ports.store.expect_change().returning(change);
        ports
            .store
            .expect_insert_update()
            .returning(move |_, _, rule| {
                let latest = IncidentAndNewest {
                    incident: incident.clone(),
                    newest: None,
                };
                Ok(Some(committed(rule(latest, stamp())?.state.update)))
            });
        ports
    }
}

fn attachment(number: u128) -> Attachment {
    Attachment {
        component_id: ComponentId(Uuid::from_u128(number)),
        status: ComponentStatus::Degraded,
    }
}

fn message(text: &str) -> IncidentUpdateDraft {
    IncidentUpdateDraft {
        message: text.into(),
        status: IncidentStatus::Monitoring,
    }
}

fn ann() -> Author {
    Author {
        id: "user_1".into(),
        name: "Ann".into(),
    }
}

#[tokio::test]
async fn a_created_incident_is_stored_with_its_components_and_broadcast() {
    let mut ports = Ports::default();
    let insert = |_: &_, create: CreateTransition<Incident>, components: Vec<Attachment>| {
        let created = create(stamp())?;
        assert_eq!(
            (created.state.occured_at, created.events.len(), components),
            (now(), 1, vec![attachment(7)])
        );
        Ok(committed(report(created.state)))
    };
    ports.store.expect_insert().return_once(insert);
    let draft = IncidentDraft {
        title: "Down".into(),
        description: "All of it".into(),
        status: IncidentStatus::Investigating,
        occured_at: None,
    };
    let created = ports
        .service(1)
        .create(&organisation(), draft, vec![attachment(7)])
        .await
        .unwrap();
    assert_eq!(created.incident.created_at, now());
}

#[tokio::test]
async fn an_invalid_incident_is_neither_stored_nor_broadcast() {
    let draft = IncidentDraft {
        title: String::new(),
        description: "d".into(),
        status: IncidentStatus::Investigating,
        occured_at: None,
    };
    let twice = vec![attachment(7), attachment(7)];
    let mut ports = Ports::default();
    ports
        .store
        .expect_insert()
        .return_once(|_, create, _| Ok(committed(report(create(stamp())?.state))));
    let refused = ports.service(0).create(&organisation(), draft, twice).await;
    let Err(Error::Invalid(invalid)) = refused else {
        panic!("{refused:?}")
    };
    let fields: Vec<_> = invalid
        .errors
        .iter()
        .map(|error| error.field.as_str())
        .collect();
    assert_eq!(fields, ["title", "components[1].componentId"]);
}

#[tokio::test]
async fn an_edit_is_made_on_the_expected_version_only() {
    let open = incident(IncidentStatus::Investigating);
    let resolve = || IncidentPatch {
        status: Some(IncidentStatus::Resolved),
        ..Default::default()
    };
    let service = Ports::of(open.clone()).service(1);
    let version = |version| Precondition::OneOf(vec![Revision(version)]);
    let stale = service
        .edit(&organisation(), open.id, resolve(), version(3))
        .await;
    assert!(matches!(stale, Err(Error::Stale)));
    let edited = service
        .edit(&organisation(), open.id, resolve(), version(4))
        .await
        .unwrap();
    assert_eq!(edited.incident.resolved_at, Some(now()));
}

#[tokio::test]
async fn an_update_is_recorded_with_its_author() {
    let open = incident(IncidentStatus::Investigating);
    let service = Ports::of(open.clone()).service(1);
    let recorded = service
        .record_update(&organisation(), open.id, message("Found it"), ann())
        .await
        .unwrap();
    assert_eq!((recorded.author, recorded.created_at), (ann(), now()));
}

#[tokio::test]
async fn an_update_of_a_resolved_incident_is_a_conflict_and_an_empty_one_invalid() {
    let resolved = incident(IncidentStatus::Resolved);
    let service = Ports::of(resolved.clone()).service(0);
    let refused = service
        .record_update(&organisation(), resolved.id, message("More"), ann())
        .await;
    assert!(
        matches!(refused, Err(Error::Conflict(sentence)) if sentence.starts_with("This incident is resolved"))
    );
    let refused = service
        .record_update(&organisation(), resolved.id, message(""), ann())
        .await;
    assert!(matches!(refused, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn what_names_nothing_or_a_thing_twice_does_not_reach_the_store() {
    let service = Ports::default().service(0);
    let id = IncidentId(Uuid::from_u128(1));
    let (component, update) = (
        ComponentId(Uuid::from_u128(7)),
        IncidentUpdateId(Uuid::from_u128(7)),
    );
    let refusals = [
        service
            .attach(&organisation(), id, Vec::new())
            .await
            .unwrap_err(),
        service
            .attach(&organisation(), id, vec![attachment(7), attachment(7)])
            .await
            .unwrap_err(),
        service
            .detach(&organisation(), id, Vec::new())
            .await
            .unwrap_err(),
        service
            .detach(&organisation(), id, vec![component, component])
            .await
            .unwrap_err(),
        service
            .delete_updates(&organisation(), id, Vec::new())
            .await
            .unwrap_err(),
        service
            .delete_updates(&organisation(), id, vec![update, update])
            .await
            .unwrap_err(),
    ];
    assert!(
        refusals
            .iter()
            .all(|refused| matches!(refused, Error::Invalid(_))),
        "{refusals:?}"
    );
}

#[tokio::test]
async fn attaching_returns_all_attached_components() {
    let mut ports = Ports::default();
    ports
        .store
        .expect_attach()
        .return_once(|_, _, _, _| Ok(Some(committed(()))));
    ports.store.expect_attached().return_once(|_, _, _| {
        Ok(Some(Listed {
            items: Vec::new(),
            next: None,
        }))
    });
    let id = IncidentId(Uuid::from_u128(1));
    assert!(
        ports
            .service(1)
            .attach(&organisation(), id, vec![attachment(7)])
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let mut ports = Ports::default();
    ports.store.expect_find().returning(|_, _| Ok(None));
    ports.store.expect_change().returning(|_, _, _| Ok(None));
    ports.store.expect_delete().returning(|_, _, _| Ok(None));
    ports.store.expect_attach().returning(|_, _, _, _| Ok(None));
    ports.store.expect_detach().returning(|_, _, _, _| Ok(None));
    ports.store.expect_attached().returning(|_, _, _| Ok(None));
    ports
        .store
        .expect_unattached()
        .returning(|_, _, _| Ok(None));
    ports
        .store
        .expect_list_updates()
        .returning(|_, _, _| Ok(None));
    ports
        .store
        .expect_insert_update()
        .returning(|_, _, _| Ok(None));
    ports
        .store
        .expect_delete_updates()
        .returning(|_, _, _, _| Ok(None));
    let service = ports.service(0);
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
        service.delete(&acme, id).await,
        service.components(&acme, id, page).await.map(drop),
        service.unattached(&acme, id, page).await.map(drop),
        service
            .attach(&acme, id, vec![attachment(7)])
            .await
            .map(drop),
        service.detach(&acme, id, vec![component]).await.map(drop),
        service.updates(&acme, id, page).await.map(drop),
        service
            .record_update(&acme, id, message("m"), ann())
            .await
            .map(drop),
        service.delete_updates(&acme, id, vec![update]).await,
    ];
    assert!(
        refusals
            .iter()
            .all(|refused| matches!(refused, Err(Error::NotFound("Incident")))),
        "{refusals:?}"
    );
}

#[tokio::test]
async fn an_update_that_is_not_there_is_not_found() {
    let mut ports = Ports::default();
    ports
        .store
        .expect_find_update()
        .returning(|_, _, _| Ok(None::<IncidentUpdate>));
    ports
        .store
        .expect_change_update()
        .returning(|_, _, _, _| Ok(None));
    let service = ports.service(0);
    let (acme, id, update) = (
        organisation(),
        IncidentId(Uuid::from_u128(1)),
        IncidentUpdateId(Uuid::from_u128(7)),
    );
    let found = service.find_update(&acme, id, update).await;
    assert!(matches!(found, Err(Error::NotFound("Incident update"))));
    let edited = service
        .edit_update(
            &acme,
            id,
            update,
            IncidentUpdatePatch::default(),
            Precondition::Any,
        )
        .await;
    assert!(matches!(edited, Err(Error::NotFound("Incident update"))));
}
