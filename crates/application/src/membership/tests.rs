use super::*;

use uuid::Uuid;

use crate::fixture::{clock, memberships, organisation, relay, session, user};
use crate::organisation::MockOrganisationStore;

fn service(store: MockOrganisationStore) -> Memberships {
    Memberships::new(Arc::new(store), relay(0), clock())
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

#[tokio::test]
async fn who_creates_an_organisation_is_its_admin() {
    let mut store = MockOrganisationStore::new();
    let matching =
        |new: &NewOrganisation| new.creator == ann().user.id && new.id.as_str().len() == 28;
    store
        .expect_create()
        .withf(matching)
        .times(1)
        .return_once(|_| Ok(()));
    let made = service(store).create(&ann(), draft("Acme")).await.unwrap();
    assert!(made.organisation.as_str().starts_with("org_"));
    assert_eq!((made.name.as_str(), made.role), ("Acme", Role::Admin));
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
