use super::*;

use allclear_domain::component::{ComponentStatus, StatusSource};
use allclear_domain::organisation::Revision;
use allclear_domain::page_order::ComponentPlace;
use chrono::DateTime;
use uuid::Uuid;

use crate::component::history::MockComponentHistoryStore;
use crate::fixture::{author, clock, committed, organisation, relay, stamp};

fn component() -> Component {
    Component {
        id: ComponentId(Uuid::from_u128(1)),
        name: "API".into(),
        description: String::new(),
        status: ComponentStatus::Operational,
        status_source: StatusSource::Operator,
        place: ComponentPlace::first(None),
        show_uptime: true,
        start_date: None,
        only_show_when_affected: false,
        created_at: DateTime::default(),
        updated_at: DateTime::default(),
        version: Revision(4),
        history_version: Revision(4),
    }
}

fn report(component: Component) -> ComponentReport {
    ComponentReport {
        component,
        under_maintenance: false,
    }
}

fn service(store: MockComponentStore, broadcasts: usize) -> Components {
    let histories = Arc::new(MockComponentHistoryStore::new());
    Components::new(Arc::new(store), histories, relay(broadcasts), clock())
}

#[tokio::test]
async fn an_edit_is_broadcast_if_the_version_is_the_expected_one() {
    let mut store = MockComponentStore::new();
    store.expect_change().returning(|_, _, rule, _| {
        let component = rule(component(), stamp())?.state;
        Ok(Some(committed(report(component))))
    });
    let service = service(store, 1);
    let edit = |version| {
        let patch = ComponentPatch {
            status: Some(ComponentStatus::MajorOutage),
            ..Default::default()
        };
        let precondition = Precondition::OneOf(vec![Revision(version)]);
        let (service, organisation) = (&service, organisation());
        async move {
            let id = component().id;
            service
                .edit(&organisation, id, patch, author(), precondition)
                .await
        }
    };
    assert!(matches!(edit(3).await, Err(Error::Stale)));
    let edited = edit(4).await.unwrap();
    assert_eq!(edited.component.status, ComponentStatus::MajorOutage);
}

#[tokio::test]
async fn a_deletion_is_broadcast_if_the_version_is_the_expected_one() {
    let mut store = MockComponentStore::new();
    store.expect_delete().returning(|_, _, precondition, rule| {
        precondition.check(component().version)?;
        rule(component(), stamp())?;
        Ok(Some(committed(())))
    });
    let service = service(store, 1);
    let delete = |version| {
        let precondition = Precondition::OneOf(vec![Revision(version)]);
        let (service, organisation) = (&service, organisation());
        async move {
            let id = component().id;
            service.delete(&organisation, id, precondition).await
        }
    };
    assert!(matches!(delete(3).await, Err(Error::Stale)));
    delete(4).await.unwrap();
}

#[tokio::test]
async fn a_missing_component_is_not_found() {
    let mut store = MockComponentStore::new();
    store.expect_find().returning(|_, _| Ok(None));
    store.expect_change().returning(|_, _, _, _| Ok(None));
    store.expect_delete().returning(|_, _, _, _| Ok(None));
    let service = service(store, 0);
    let (acme, id) = (organisation(), component().id);
    let (patch, precondition) = (ComponentPatch::default(), Precondition::Any);
    for outcome in [
        service.find(&acme, id).await.map(drop),
        service
            .edit(&acme, id, patch, author(), precondition)
            .await
            .map(drop),
        service.delete(&acme, id, Precondition::Any).await,
    ] {
        assert!(matches!(outcome, Err(Error::NotFound(Resource::Component))));
    }
}
