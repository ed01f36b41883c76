use super::*;

use allclear_domain::component_group::GroupDisplay;
use chrono::DateTime;
use uuid::Uuid;

use crate::component::history::MockComponentHistoryStore;
use crate::fixture::{clock, committed, organisation, relay, stamp};

fn report() -> ComponentGroupReport {
    ComponentGroupReport {
        group: ComponentGroup {
            id: ComponentGroupId(Uuid::from_u128(1)),
            name: "Edge".into(),
            description: String::new(),
            display: GroupDisplay::Open,
            created_at: DateTime::default(),
            updated_at: DateTime::default(),
            version: Revision(4),
        },
        position: 1,
        status: ComponentStatus::Operational,
        under_maintenance: false,
    }
}

#[tokio::test]
async fn a_refused_deletion_does_not_reach_the_store() {
    let mut store = MockComponentGroupStore::new();
    store.expect_find().returning(|_, _| Ok(Some(report())));
    store.expect_delete().times(1).returning(|_, _, rule| {
        rule(report().group, stamp())?;
        Ok(Some(committed(())))
    });
    let histories = Arc::new(MockComponentHistoryStore::new());
    let service = ComponentGroups::new(Arc::new(store), histories, relay(1), clock());
    let delete = |version| {
        let precondition = Precondition::OneOf(vec![Revision(version)]);
        let (service, organisation) = (&service, organisation());
        async move {
            let id = report().group.id;
            service.delete(&organisation, id, precondition).await
        }
    };
    // A second call of the store would fail the test.
    assert!(matches!(delete(3).await, Err(Error::Stale)));
    delete(4).await.unwrap();
}
