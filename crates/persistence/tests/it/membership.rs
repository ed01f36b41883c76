use allclear_application::api_key::{self, ApiKeys};
use allclear_application::error::Error;
use allclear_application::invitation::{Invitation, InvitingOrganisation};
use allclear_application::membership::{MemberTransition, NewOrganisation};
use allclear_application::organisation::OrganisationStore;
use allclear_application::page::Page;
use allclear_application::second_factor::FactorStore;
use allclear_application::secret::SecretToken;
use allclear_application::session::{AdminSession, SessionStore};
use allclear_application::transition::CreateTransition;
use allclear_domain::account::User;
use allclear_domain::api_key::{ApiKey, ApiKeyDraft};
use allclear_domain::id::{ApiKeyId, InvitationId, OrganisationId, UserId};
use allclear_domain::membership::Role;
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::account::{account, new_session};
use crate::backend::{assert_none, clock, organisation, two};
use crate::contract;
use crate::session::{admin_session, assert_ended, open_session, opened};

contract!(
    a_founded_organisation_has_one_admin,
    members_are_listed_by_the_time_at_which_they_joined_and_in_parts,
    invitations_are_listed_newest_first_and_in_parts,
    a_session_is_found_activated_and_ended,
    a_token_stands_on_its_session_and_membership,
    a_deleted_organisation_takes_its_memberships_along,
    of_ten_admins_who_leave_at_once_one_stays,
    a_refused_rule_changes_no_member,
    an_account_without_the_role_changes_nothing_as_an_admin,
    an_admin_whose_session_has_ended_gives_no_rights,
    an_invitation_is_accepted_once,
    an_invitation_ends_with_the_role_of_its_inviter,
    an_accepted_invitation_never_takes_a_role_away,
    a_second_invitation_of_an_address_takes_the_place_of_the_first,
);

pub(crate) async fn invite(
    database: &Database,
    organisation: Option<&OrganisationId>,
    role: Role,
) -> SecretToken {
    invite_by(database, organisation, role, None).await.unwrap()
}

pub(crate) async fn invite_by(
    database: &Database,
    organisation: Option<&OrganisationId>,
    role: Role,
    inviter: Option<AdminSession>,
) -> Result<SecretToken, Error> {
    let token = SecretToken::generate();
    let invitation = Invitation {
        role,
        inviter: inviter.map(|admin| admin.user),
        ..invitation_of("bob@example.com", organisation)
    };
    OrganisationStore::add_invitation(database, invitation, token.digest(), inviter).await?;
    Ok(token)
}

/// An invitation of an address as an editor, without an inviter.
fn invitation_of(email: &str, organisation: Option<&OrganisationId>) -> Invitation {
    let created_at = clock().now();
    Invitation {
        id: InvitationId(clock().id()),
        organisation: organisation.map(|id| InvitingOrganisation {
            id: id.clone(),
            name: "Acme".into(),
        }),
        email: email.into(),
        role: Role::Editor,
        inviter: None,
        created_at,
        expires_at: created_at + TimeDelta::days(7),
    }
}

/// Creates an API key for the session of an admin.
async fn create_key(
    database: &Database,
    organisation: &OrganisationId,
    admin: AdminSession,
) -> Result<ApiKey, Error> {
    let text = ApiKeys::generate();
    let digest = SecretToken::generate().digest();
    let draft = ApiKeyDraft {
        name: "Deploys".into(),
        role: Role::Editor,
        expires_at: None,
    };
    let create: CreateTransition<ApiKey> = Box::new(move |stamp| {
        let id = ApiKeyId(stamp.id);
        Ok(ApiKey::create(id, draft, &text, stamp.committed_at)?)
    });
    let store: &dyn api_key::ApiKeyStore = database;
    let created = store.insert(organisation, digest, Some(admin), create);
    Ok(created.await?.state)
}

pub(crate) async fn found(database: &Database, founder: &User) -> OrganisationId {
    let organisation = OrganisationId::parse(&format!("org_{}", founder.id)).unwrap();
    let (name, created_at) = ("Acme".into(), clock().now());
    let new = NewOrganisation {
        id: organisation.clone(),
        name,
        creator: founder.id,
        created_at,
    };
    OrganisationStore::create(database, new).await.unwrap();
    organisation
}

async fn role(database: &Database, organisation: &OrganisationId, user: UserId) -> Option<Role> {
    OrganisationStore::find_membership(database, organisation, user)
        .await
        .unwrap()
        .map(|found| found.role)
}

pub(crate) fn leave() -> MemberTransition {
    Box::new(|member_state| {
        member_state
            .leave()
            .map(|()| None)
            .map_err(|error| Error::Conflict(error.to_string()))
    })
}

async fn a_founded_organisation_has_one_admin(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    assert_eq!(
        OrganisationStore::find(database, &acme)
            .await
            .unwrap()
            .unwrap()
            .name,
        "Acme"
    );
    let members = database.list_members(&acme, Page::default()).await.unwrap();
    let shown: Vec<_> = members
        .items
        .iter()
        .map(|member| (member.user, member.email.as_deref().unwrap(), member.role))
        .collect();
    assert_eq!(shown, [(ann.id, "ann@example.com", Role::Admin)]);
    let memberships = database.memberships_of(ann.id).await.unwrap();
    assert_eq!(
        memberships
            .iter()
            .map(|found| &found.organisation)
            .collect::<Vec<_>>(),
        [&acme]
    );
}

async fn members_are_listed_by_the_time_at_which_they_joined_and_in_parts(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let bob = account(database, "bob@example.com", "hash").await;
    let cid = account(database, "cid@example.com", "hash").await;
    let dan = account(database, "dan@example.com", "hash").await;
    // The account with the first identifier joins last, and two join at the same time.
    let now = clock().now();
    for (user, seconds) in [(&cid, 1), (&dan, 1), (&bob, 2)] {
        let link = invite(database, Some(&acme), Role::Editor).await;
        let joined_at = now + TimeDelta::seconds(seconds);
        let digest = link.digest();
        let accepted = database.accept_invitation(&digest, user.id, joined_at);
        accepted.await.unwrap().unwrap();
    }
    let list = async |before| {
        let listed = database.list_members(&acme, two(before)).await.unwrap();
        let users: Vec<_> = listed.items.iter().map(|member| member.user).collect();
        (users, listed.next)
    };
    let (first, next) = list(None).await;
    assert_eq!((first, next), (vec![bob.id, dan.id], Some(dan.id.0)));
    assert_eq!(list(next).await, (vec![cid.id, ann.id], None));
    let unknown = two(Some(Uuid::from_u128(7)));
    let refused = database.list_members(&acme, unknown).await;
    assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
}

async fn invitations_are_listed_newest_first_and_in_parts(database: &Database) {
    let acme = organisation(database, "acme").await;
    let mut invited = Vec::new();
    for name in ["ann", "bob", "cid"] {
        let invitation = invitation_of(&format!("{name}@example.com"), Some(&acme));
        invited.push(invitation.id);
        let digest = SecretToken::generate().digest();
        let added = OrganisationStore::add_invitation(database, invitation, digest, None);
        added.await.unwrap();
    }
    invited.reverse();
    let list = async |before| {
        let now = clock().now();
        let listed = OrganisationStore::list_invitations(database, &acme, now, two(before));
        let listed = listed.await.unwrap();
        let ids: Vec<_> = listed.items.iter().map(|found| found.id).collect();
        (ids, listed.next)
    };
    let (first, next) = list(None).await;
    assert_eq!((first, next), (invited[..2].to_vec(), Some(invited[1].0)));
    assert_eq!(list(next).await, (invited[2..].to_vec(), None));
}

/// All pending invitations to an organisation.
async fn pending_of(database: &Database, organisation: &OrganisationId) -> Vec<Invitation> {
    let (now, page) = (clock().now(), Page::default());
    let pending = OrganisationStore::list_invitations(database, organisation, now, page);
    pending.await.unwrap().items
}

/// The number of members of an organisation.
pub(crate) async fn member_count(database: &Database, organisation: &OrganisationId) -> usize {
    let members = database.list_members(organisation, Page::default());
    members.await.unwrap().items.len()
}

async fn a_session_is_found_activated_and_ended(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let token = SecretToken::generate();
    open_session(database, ann.id, new_session(&token)).await;
    let session = SessionStore::find(database, &token.digest(), clock().now())
        .await
        .unwrap()
        .unwrap();
    assert_eq!((session.user, session.active_organisation), (ann, None));
    database.activate(session.id, &acme).await.unwrap();
    let session = SessionStore::find(database, &token.digest(), clock().now())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(session.active_organisation, Some(acme));
    database.end(&token.digest()).await.unwrap();
    assert_none(SessionStore::find(database, &token.digest(), clock().now())).await;
}

async fn a_token_stands_on_its_session_and_membership(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let (token, now) = (SecretToken::generate(), clock().now());
    let session = new_session(&token);
    let id = session.id;
    open_session(database, ann.id, session).await;
    let bearer = database
        .bearer(id, ann.id, Some(acme.clone()), now)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        bearer
            .membership
            .map(|found| (found.organisation, found.role)),
        Some((acme, Role::Admin))
    );
    let elsewhere = OrganisationId::parse("org_other").unwrap();
    assert_eq!(
        database
            .bearer(id, ann.id, Some(elsewhere), now)
            .await
            .unwrap()
            .unwrap()
            .membership,
        None
    );
    assert_eq!(database.bearer(id, bob.id, None, now).await.unwrap(), None);
    assert_eq!(
        database
            .bearer(id, ann.id, None, now + TimeDelta::days(31))
            .await
            .unwrap(),
        None
    );
    database.end(&token.digest()).await.unwrap();
    assert_eq!(database.bearer(id, ann.id, None, now).await.unwrap(), None);
}

async fn a_deleted_organisation_takes_its_memberships_along(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let link = invite(database, Some(&acme), Role::Editor).await;
    let token = SecretToken::generate();
    let session = new_session(&token);
    let id = session.id;
    open_session(database, ann.id, session).await;
    database.activate(id, &acme).await.unwrap();
    assert!(
        OrganisationStore::delete(database, &acme, None)
            .await
            .unwrap()
    );
    assert!(database.memberships_of(ann.id).await.unwrap().is_empty());
    assert_none(OrganisationStore::find_invitation(
        database,
        &link.digest(),
        clock().now(),
    ))
    .await;
    let session = SessionStore::find(database, &token.digest(), clock().now())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(session.active_organisation, None);
}

async fn of_ten_admins_who_leave_at_once_one_stays(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let mut admins = vec![ann.id];
    for number in 0..9 {
        let admin = account(database, &format!("{number}@example.com"), "hash")
            .await
            .id;
        let link = invite(database, Some(&acme), Role::Admin).await;
        OrganisationStore::accept_invitation(database, &link.digest(), admin, clock().now())
            .await
            .unwrap()
            .unwrap();
        admins.push(admin);
    }
    let mut leaving = JoinSet::new();
    for admin in admins {
        let (database, acme) = (database.clone(), acme.clone());
        leaving.spawn(async move {
            OrganisationStore::change_member(&database, &acme, admin, None, leave()).await
        });
    }
    let outcomes = leaving.join_all().await;
    assert_eq!(
        outcomes
            .iter()
            .filter(|outcome| matches!(outcome, Err(Error::Conflict(_))))
            .count(),
        1
    );
    assert_eq!(member_count(database, &acme).await, 1);
}

async fn a_refused_rule_changes_no_member(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let nobody = UserId(clock().id());
    assert_none(OrganisationStore::change_member(
        database,
        &acme,
        nobody,
        None,
        leave(),
    ))
    .await;
    assert!(
        OrganisationStore::change_member(database, &acme, ann.id, None, leave())
            .await
            .is_err()
    );
    assert_eq!(role(database, &acme, ann.id).await, Some(Role::Admin));
}

async fn an_account_without_the_role_changes_nothing_as_an_admin(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let bob = account(database, "bob@example.com", "hash").await;
    let link = invite(database, Some(&acme), Role::Editor).await;
    database
        .accept_invitation(&link.digest(), bob.id, clock().now())
        .await
        .unwrap()
        .unwrap();
    let eve = account(database, "eve@example.com", "hash").await;
    invite(database, Some(&acme), Role::Editor).await;
    let pending = pending_of(database, &acme).await[0].id;
    // As after the removal of an admin, or the loss of the role, while a request is under way.
    for former in [bob.id, eve.id] {
        let admin = admin_session(database, former).await;
        let changed = database.change_member(&acme, ann.id, Some(admin), leave());
        let refused = [
            changed.await.map(drop),
            database
                .rename(&acme, "Ours".into(), former)
                .await
                .map(drop),
            database.require_factor(&acme, true, admin).await.map(drop),
            create_key(database, &acme, admin).await.map(drop),
            OrganisationStore::delete_invitation(database, &acme, pending, former)
                .await
                .map(drop),
            OrganisationStore::delete(database, &acme, Some(former))
                .await
                .map(drop),
        ];
        for refused in refused {
            let is_expected = match refused {
                Err(Error::Forbidden(_)) => former == bob.id,
                Err(Error::NotFound(_)) => former == eve.id,
                _ => false,
            };
            assert!(is_expected, "{refused:?}");
        }
    }
    assert_eq!(role(database, &acme, ann.id).await, Some(Role::Admin));
    assert!(!database.is_factor_required(&acme).await.unwrap());
    let stored = OrganisationStore::find(database, &acme).await.unwrap();
    assert_eq!(stored.unwrap().name, "Acme");

    let renamed = database.rename(&acme, "Ours".into(), ann.id).await;
    assert!(renamed.unwrap().commit.is_some());
    let renamed = database.rename(&acme, "Ours".into(), ann.id).await;
    assert!(renamed.unwrap().commit.is_none(), "it has the name already");
    let admin = admin_session(database, ann.id).await;
    let removed = database.change_member(&acme, bob.id, Some(admin), leave());
    assert_eq!(removed.await.unwrap(), Some(Role::Editor));
    let deleted = OrganisationStore::delete(database, &acme, Some(ann.id));
    assert!(deleted.await.unwrap());
    let again = OrganisationStore::delete(database, &acme, Some(ann.id));
    assert!(!again.await.unwrap());
    let renamed = database.rename(&acme, "Ours".into(), ann.id).await;
    assert!(matches!(renamed, Err(Error::NotFound(_))), "{renamed:?}");
}

async fn an_admin_whose_session_has_ended_gives_no_rights(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let link = invite(database, Some(&acme), Role::Editor).await;
    let digest = link.digest();
    let accepted = database.accept_invitation(&digest, bob.id, clock().now());
    accepted.await.unwrap().unwrap();
    let here = opened(database, ann.id).await;
    let ended = admin_session(database, ann.id).await;
    assert!(database.end_one(ann.id, ended.id, here).await.unwrap());
    let foreign = AdminSession {
        id: opened(database, bob.id).await,
        user: ann.id,
    };
    for admin in [ended, foreign] {
        let promote: MemberTransition = Box::new(|_| Ok(Some(Role::Admin)));
        assert_ended(
            database
                .change_member(&acme, bob.id, Some(admin), promote)
                .await,
        );
        assert_ended(invite_by(database, Some(&acme), Role::Admin, Some(admin)).await);
        assert_ended(database.require_factor(&acme, true, admin).await);
        assert_ended(create_key(database, &acme, admin).await);
    }
    let alive = AdminSession {
        id: here,
        user: ann.id,
    };
    let key = create_key(database, &acme, alive).await.unwrap();
    let store: &dyn api_key::ApiKeyStore = database;
    let listed = store.list(&acme, Page::default()).await.unwrap();
    assert_eq!(listed.items, [key]);
    assert_eq!(role(database, &acme, bob.id).await, Some(Role::Editor));
    assert!(pending_of(database, &acme).await.is_empty());
    assert!(!database.is_factor_required(&acme).await.unwrap());
}

async fn an_invitation_is_accepted_once(database: &Database) {
    let acme = organisation(database, "acme").await;
    let link = invite(database, Some(&acme), Role::Editor).await;
    let mut accepting = JoinSet::new();
    for number in 0..5 {
        let user = account(database, &format!("{number}@example.com"), "hash")
            .await
            .id;
        let (database, digest) = (database.clone(), link.digest());
        accepting.spawn(async move {
            database
                .accept_invitation(&digest, user, clock().now())
                .await
                .unwrap()
        });
    }
    let outcomes = accepting.join_all().await;
    assert_eq!(outcomes.iter().flatten().count(), 1);
    assert_eq!(member_count(database, &acme).await, 1);
    let late = invite(database, Some(&acme), Role::Editor).await;
    let after = clock().now() + TimeDelta::days(8);
    assert_none(OrganisationStore::find_invitation(
        database,
        &late.digest(),
        after,
    ))
    .await;
}

async fn an_invitation_ends_with_the_role_of_its_inviter(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let demote = || -> MemberTransition { Box::new(|_| Ok(Some(Role::Editor))) };
    for (end, is_member) in [(demote(), true), (leave(), false)] {
        let bob = account(database, &format!("{}@example.com", clock().id()), "hash").await;
        let link = invite(database, Some(&acme), Role::Admin).await;
        let accepted = database
            .accept_invitation(&link.digest(), bob.id, clock().now())
            .await;
        accepted.unwrap().unwrap();
        let bobs = admin_session(database, bob.id).await;
        let own = invite_by(database, Some(&acme), Role::Admin, Some(bobs))
            .await
            .unwrap();
        let changed = OrganisationStore::change_member(database, &acme, bob.id, None, end).await;
        changed.unwrap().unwrap();
        let found =
            OrganisationStore::find_invitation(database, &own.digest(), clock().now()).await;
        assert_eq!(found.unwrap(), None);
        let result = invite_by(database, Some(&acme), Role::Admin, Some(bobs)).await;
        let is_expected = match result {
            Err(Error::Forbidden(_)) => is_member,
            Err(Error::NotFound(_)) => !is_member,
            _ => false,
        };
        assert!(is_expected);
    }
    let admin = admin_session(database, ann.id).await;
    let anns = invite_by(database, Some(&acme), Role::Editor, Some(admin))
        .await
        .unwrap();
    let found = OrganisationStore::find_invitation(database, &anns.digest(), clock().now()).await;
    assert!(found.unwrap().is_some(), "others' stay");
}

async fn an_accepted_invitation_never_takes_a_role_away(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let link = invite(database, Some(&acme), Role::Editor).await;
    database
        .accept_invitation(&link.digest(), ann.id, clock().now())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(role(database, &acme, ann.id).await, Some(Role::Admin));
}

async fn a_second_invitation_of_an_address_takes_the_place_of_the_first(database: &Database) {
    let (ann, bob) = (
        account(database, "ann@example.com", "hash").await,
        account(database, "bob@example.com", "hash").await,
    );
    let (acme, other) = (found(database, &ann).await, found(database, &bob).await);
    let first = invite(database, Some(&acme), Role::Editor).await;
    invite(database, Some(&acme), Role::Admin).await;
    invite(database, None, Role::Editor).await;
    let pending = pending_of(database, &acme).await;
    assert_eq!(
        pending.iter().map(|found| found.role).collect::<Vec<_>>(),
        [Role::Admin]
    );
    assert_none(OrganisationStore::find_invitation(
        database,
        &first.digest(),
        clock().now(),
    ))
    .await;
    assert!(
        !OrganisationStore::delete_invitation(database, &other, pending[0].id, bob.id)
            .await
            .unwrap()
    );
    assert!(
        OrganisationStore::delete_invitation(database, &acme, pending[0].id, ann.id)
            .await
            .unwrap()
    );
    assert!(pending_of(database, &acme).await.is_empty());
}
