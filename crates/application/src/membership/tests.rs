use super::*;

use uuid::Uuid;

use crate::fixture::{
    clock, committed, kept_log, log_lines, memberships, organisation, relay, requirement, session,
    user,
};
use crate::organisation::MockOrganisationStore;
use crate::second_factor::MockFactorStore;
use crate::transition::Committed;

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
    assert!(matches!(refused, Err(Error::NotFound(Resource::Member))));
}

#[tokio::test]
async fn a_name_and_a_role_are_recorded_only_if_they_change() {
    let mut store = memberships(Some(Role::Admin));
    let mut renamings = [committed(()), Committed::unchanged(())].into_iter();
    store
        .expect_rename()
        .times(2)
        .returning(move |_, _, _| Ok(renamings.next().unwrap()));
    let mut roles = [Role::Viewer, Role::Editor].into_iter();
    store
        .expect_change_member()
        .times(2)
        .returning(move |_, _, _, _| Ok(roles.next()));
    let (store, factors) = (Arc::new(store), Arc::new(requirement(false)));
    let service = Memberships::new(store, factors, relay(1), clock());
    let (ann, acme) = (ann(), organisation());
    let (_guard, log) = kept_log();
    for _ in 0..2 {
        service.rename(&ann, &acme, draft("Ours")).await.unwrap();
        let changed = service.set_role(&ann, &acme, other(), Role::Editor);
        changed.await.unwrap();
    }
    let lines = log_lines(&log);
    let [renamed, role] = &lines[..] else {
        panic!("{lines:?}")
    };
    assert_eq!(renamed["fields"]["event"], "organisation-renamed");
    assert_eq!(renamed["fields"]["organisation"], "org_1");
    assert_eq!(role["fields"]["event"], "role-changed");
    assert_eq!(role["fields"]["organisation"], "org_1");
    assert_eq!(role["fields"]["object"], other().to_string());
    assert_eq!(role["fields"]["detail"], "editor");
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
        .returning(|_, _, _, _| Ok(Some(Role::Admin)));
    let service = service(store, requirement(true));
    let (ann, acme) = (ann(), organisation());
    for refused in [
        service.rename(&ann, &acme, draft("Ours")).await.map(drop),
        service.delete(&ann, &acme).await,
        service
            .members(&ann, &acme, Page::default())
            .await
            .map(drop),
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
