use super::*;

use uuid::Uuid;

use crate::fixture::{clock, memberships, organisation, relay, requirement, session, user};
use crate::organisation::MockOrganisationStore;
use crate::second_factor::MockFactorStore;

fn service(store: MockOrganisationStore, factors: MockFactorStore) -> Memberships {
    Memberships::new(Arc::new(store), Arc::new(factors), relay(0), clock())
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
async fn creator_of_an_organisation_is_its_admin() {
    let mut store = MockOrganisationStore::new();
    let matching =
        |new: &NewOrganisation| new.creator == ann().user.id && new.id.as_str().len() == 28;
    store
        .expect_create()
        .withf(matching)
        .times(1)
        .return_once(|_| Ok(()));
    let service = service(store, MockFactorStore::new());
    let made = service.create(&ann(), draft("Acme")).await.unwrap();
    assert!(made.organisation.as_str().starts_with("org_"));
    assert_eq!((made.name.as_str(), made.role), ("Acme", Role::Admin));
}

#[tokio::test]
async fn a_member_who_is_not_there_is_not_found() {
    let mut store = memberships(Some(Role::Admin));
    store
        .expect_change_member()
        .withf(|_, user, admin, _| *user == other() && *admin == Some(AdminSession::from(&ann())))
        .returning(|_, _, _, _| Ok(None));
    let refused = service(store, requirement(false))
        .remove(&ann(), &organisation(), other())
        .await;
    assert!(matches!(refused, Err(Error::NotFound("Member"))));
}

#[tokio::test]
async fn a_required_factor_binds_changes_by_admins_and_not_leaving() {
    let mut store = memberships(Some(Role::Admin));
    let leaves =
        |_: &OrganisationId, user: &UserId, admin: &Option<AdminSession>, _: &MemberTransition| {
            *user == ann().user.id && admin.is_none()
        };
    store
        .expect_change_member()
        .withf(leaves)
        .times(1)
        .returning(|_, _, _, _| Ok(Some(())));
    let service = service(store, requirement(true));
    let (ann, acme) = (ann(), organisation());
    for refused in [
        service.rename(&ann, &acme, draft("Ours")).await.map(drop),
        service.delete(&ann, &acme).await,
        service.members(&ann, &acme).await.map(drop),
        service.set_role(&ann, &acme, other(), Role::Admin).await,
        service.remove(&ann, &acme, other()).await,
    ] {
        assert!(
            matches!(refused, Err(Error::SecondFactorRequired)),
            "{refused:?}"
        );
    }
    service.remove(&ann, &acme, ann.user.id).await.unwrap();
}
