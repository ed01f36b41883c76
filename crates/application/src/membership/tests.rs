use super::*;

use uuid::Uuid;

use crate::broadcast::MockBroadcast;
use crate::fixture::{clock, memberships, organisation, session, user};
use crate::organisation::MockOrganisationStore;
use crate::outbox::MockOutbox;
use crate::transition::Committed;

fn service(store: MockOrganisationStore) -> Memberships {
    let relay = Relay::new(Arc::new(MockOutbox::new()), Arc::new(MockBroadcast::new()));
    Memberships::new(Arc::new(store), Arc::new(relay), clock())
}

fn ann() -> Session {
    session(user(1, "ann@example.com"))
}

fn other() -> UserId {
    UserId(Uuid::from_u128(2))
}

fn draft(name: &str) -> OrganisationDraft {
    OrganisationDraft { name: name.into() }
}

/// A store that runs rules on this standing.
fn changing(role: Role, member_state: MemberState) -> MockOrganisationStore {
    let mut store = memberships(Some(role));
    store
        .expect_change_member()
        .returning(move |_, _, rule| rule(member_state).map(|_| Some(())));
    store
}

#[tokio::test]
async fn who_creates_an_organisation_is_its_admin() {
    let mut store = MockOrganisationStore::new();
    let holds = |new: &NewOrganisation| new.creator == ann().user.id && new.id.as_str().len() == 28;
    store
        .expect_create()
        .withf(holds)
        .times(1)
        .return_once(|_| Ok(()));
    let made = service(store).create(&ann(), draft("Acme")).await.unwrap();
    assert!(made.organisation.as_str().starts_with("org_"));
    assert_eq!((made.name.as_str(), made.role), ("Acme", Role::Admin));
}

#[tokio::test]
async fn an_organisation_needs_a_name() {
    let refused = service(MockOrganisationStore::new())
        .create(&ann(), draft("A"))
        .await;
    assert!(matches!(refused, Err(Error::Invalid(_))));
}

#[tokio::test]
async fn an_admin_renames_and_deletes_the_organisation() {
    let mut store = memberships(Some(Role::Admin));
    store
        .expect_ensure()
        .withf(|_, name| name.as_deref() == Some("New"))
        .return_once(|_, _| {
            Ok(Committed {
                state: (),
                commit: None,
            })
        });
    store.expect_delete().return_once(|_| Ok(true));
    let service = service(store);
    assert_eq!(
        service
            .rename(&ann(), &organisation(), draft("New"))
            .await
            .unwrap()
            .name,
        "New"
    );
    service.delete(&ann(), &organisation()).await.unwrap();
}

#[tokio::test]
async fn a_member_may_not_do_what_an_admin_may() {
    let service = service(memberships(Some(Role::Member)));
    let id = organisation();
    assert!(matches!(
        service.rename(&ann(), &id, draft("New")).await,
        Err(Error::Forbidden(_))
    ));
    assert!(matches!(
        service.delete(&ann(), &id).await,
        Err(Error::Forbidden(_))
    ));
    assert!(matches!(
        service.set_role(&ann(), &id, other(), Role::Admin).await,
        Err(Error::Forbidden(_))
    ));
    assert!(matches!(
        service.remove(&ann(), &id, other()).await,
        Err(Error::Forbidden(_))
    ));
}

#[tokio::test]
async fn who_is_no_member_finds_no_organisation() {
    let service = service(memberships(None));
    assert!(matches!(
        service.members(&ann(), &organisation()).await,
        Err(Error::NotFound("Organisation"))
    ));
    assert!(matches!(
        service.delete(&ann(), &organisation()).await,
        Err(Error::NotFound("Organisation"))
    ));
    let left = service.remove(&ann(), &organisation(), ann().user.id).await;
    assert!(matches!(left, Err(Error::NotFound("Organisation"))));
}

#[tokio::test]
async fn a_member_may_leave() {
    let store = changing(
        Role::Member,
        MemberState {
            role: Role::Member,
            other_admins: 1,
        },
    );
    let service = service(store);
    service
        .remove(&ann(), &organisation(), ann().user.id)
        .await
        .unwrap();
}

#[tokio::test]
async fn the_last_admin_neither_leaves_nor_becomes_a_member() {
    let store = changing(
        Role::Admin,
        MemberState {
            role: Role::Admin,
            other_admins: 0,
        },
    );
    let service = service(store);
    let id = ann().user.id;
    assert!(matches!(
        service.remove(&ann(), &organisation(), id).await,
        Err(Error::Conflict(_))
    ));
    let demoted = service
        .set_role(&ann(), &organisation(), id, Role::Member)
        .await;
    assert!(matches!(demoted, Err(Error::Conflict(_))));
}

#[tokio::test]
async fn a_member_who_is_not_there_is_not_found() {
    let mut store = memberships(Some(Role::Admin));
    store.expect_change_member().returning(|_, _, _| Ok(None));
    let refused = service(store)
        .remove(&ann(), &organisation(), other())
        .await;
    assert!(matches!(refused, Err(Error::NotFound("Member"))));
}
