use super::*;

use allclear_domain::component::{ComponentStatus, StatusSource};
use allclear_domain::event::Event;
use allclear_domain::organisation::Revision;
use allclear_domain::validation::Invalid;
use chrono::DateTime;
use mockall::predicate::{always, eq};
use uuid::Uuid;

use crate::broadcast::MockBroadcast;
use crate::component::history::MockComponentHistoryStore;
use crate::fixture::{clock, now, stamp};
use crate::outbox::{Commit, MockOutbox, PublicEvent};

fn organisation() -> OrganisationId {
    OrganisationId::parse("org_1").unwrap()
}

fn component() -> Component {
    Component {
        id: ComponentId(Uuid::from_u128(1)),
        name: "API".into(),
        description: String::new(),
        status: ComponentStatus::Operational,
        status_source: StatusSource::Operator,
        show_uptime: true,
        start_date: None,
        only_show_when_affected: false,
        created_at: DateTime::default(),
        updated_at: DateTime::default(),
        version: Revision(4),
        history_version: Revision(4),
    }
}

fn committed(state: Component) -> Committed<Component> {
    let event = PublicEvent::new("component-update", &["x"]).unwrap();
    let commit = Commit {
        organisation: "org_1".into(),
        revision: 5,
        events: vec![event],
    };
    Committed {
        state,
        commit: Some(commit),
    }
}

/// A service over this store that is allowed so many broadcasts.
fn service(store: MockComponentStore, broadcasts: usize) -> Components {
    let mut broadcast = MockBroadcast::new();
    broadcast
        .expect_publish()
        .times(broadcasts)
        .return_const(());
    let relay = Relay::new(Arc::new(MockOutbox::new()), Arc::new(broadcast));
    let histories = MockComponentHistoryStore::new();
    Components::new(
        Arc::new(store),
        Arc::new(histories),
        Arc::new(relay),
        clock(),
    )
}

/// A store that runs the rule on [`component`].
fn changing_store() -> MockComponentStore {
    let mut store = MockComponentStore::new();
    store
        .expect_change()
        .returning(|_, _, rule| Ok(Some(committed(rule(component(), stamp())?.state))));
    store
}

#[tokio::test]
async fn a_created_component_is_stored_with_its_event_and_broadcast() {
    let mut store = MockComponentStore::new();
    store.expect_insert().return_once(|_, create| {
        let created = create(stamp())?;
        assert_eq!(created.events, [Event::NewComponent(created.state.id)]);
        Ok(committed(created.state))
    });
    let draft = ComponentDraft {
        name: "API".into(),
        description: String::new(),
        status: ComponentStatus::Operational,
        ..ComponentDraft::default()
    };
    let created = service(store, 1)
        .create(&organisation(), draft)
        .await
        .unwrap();
    assert_eq!((created.id.0, created.created_at), (stamp().id, now()));
}

#[tokio::test]
async fn an_invalid_component_is_neither_stored_nor_broadcast() {
    let draft = ComponentDraft {
        name: "A".into(),
        description: String::new(),
        status: ComponentStatus::Operational,
        ..ComponentDraft::default()
    };
    let mut store = MockComponentStore::new();
    store
        .expect_insert()
        .return_once(|_, create| Ok(committed(create(stamp())?.state)));
    let refused = service(store, 0).create(&organisation(), draft).await;
    assert!(
        matches!(refused, Err(Error::Invalid(invalid)) if invalid == Invalid::field("name", "Name is required"))
    );
}

#[tokio::test]
async fn an_edit_of_the_expected_version_is_stored() {
    let patch = ComponentPatch {
        status: Some(ComponentStatus::MajorOutage),
        ..Default::default()
    };
    let service = service(changing_store(), 1);
    let edited = service
        .edit(
            &organisation(),
            component().id,
            patch,
            Precondition::OneOf(vec![Revision(4)]),
        )
        .await
        .unwrap();
    assert_eq!(edited.status, ComponentStatus::MajorOutage);
}

#[tokio::test]
async fn an_edit_of_another_version_is_stale() {
    let service = service(changing_store(), 0);
    let edited = service
        .edit(
            &organisation(),
            component().id,
            ComponentPatch::default(),
            Precondition::OneOf(vec![Revision(3)]),
        )
        .await;
    assert!(matches!(edited, Err(Error::Stale)));
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    let mut store = MockComponentStore::new();
    store.expect_find().return_once(|_, _| Ok(None));
    store.expect_change().return_once(|_, _, _| Ok(None));
    store
        .expect_delete()
        .with(eq(organisation()), eq(component().id), always())
        .return_once(|_, _, _| Ok(None));
    let service = service(store, 0);
    let id = component().id;
    let edited = service
        .edit(
            &organisation(),
            id,
            ComponentPatch::default(),
            Precondition::Any,
        )
        .await;
    assert!(matches!(edited, Err(Error::NotFound("Component"))));
    assert!(matches!(
        service.find(&organisation(), id).await,
        Err(Error::NotFound("Component"))
    ));
    assert!(matches!(
        service.delete(&organisation(), id).await,
        Err(Error::NotFound("Component"))
    ));
}
