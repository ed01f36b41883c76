mod full;

use allclear_application::account::{
    AccountStore, Accounts, Confirmation, ConfirmationOutcome, DeletionOutcome, PendingSignUp,
};
use allclear_application::audit::{AuditFilter, AuditItem, AuditStore};
use allclear_application::error::Error;
use allclear_application::organisation::OrganisationStore;
use allclear_application::origin::Origin;
use allclear_application::page::Page;
use allclear_application::password::PasswordHash;
use allclear_application::secret::{Digest, SecretToken};
use allclear_application::session::SessionStore;
use allclear_domain::account::User;
use allclear_domain::audit::{Action, Actor};
use allclear_domain::author::Author;
use allclear_domain::email::EmailKey;
use allclear_domain::id::{OrganisationId, SessionId, UserId};
use allclear_domain::membership::Role;
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use tokio::task::JoinSet;

use crate::account::{account, new_session};
use crate::backend::{assert_none, clock};
use crate::contract;
use crate::membership::{found, invite, member_count};
use crate::session::{open_session, opened};

contract!(
    a_link_makes_exactly_the_account_it_was_mailed_for_and_once,
    of_two_links_of_one_address_the_first_followed_counts,
    a_link_ends_after_a_day,
    the_newest_sign_ups_of_an_address_are_kept,
    an_invitation_that_was_needed_and_is_gone_makes_no_account,
    a_deleted_account_takes_its_own_along_and_leaves_no_members_without_an_admin,
    refused_deletion_of_an_account_is_not_audited,
    item_of_a_deleted_account_has_neither_name_nor_address,
    the_administrator_is_the_last_account_to_be_deleted,
    an_operator_deletes_an_account_by_the_same_rules,
);

fn pending(email: &str, name: &str, invitation: Option<Digest>) -> (SecretToken, PendingSignUp) {
    let (token, created_at) = (SecretToken::generate(), clock().now());
    let pending = PendingSignUp {
        digest: token.digest(),
        name: name.into(),
        email: email.into(),
        password: PasswordHash::new(format!("hash of {name}")),
        invitation,
        created_at,
        expires_at: created_at + Accounts::CONFIRMATION_LIFETIME,
    };
    (token, pending)
}

async fn waits(database: &Database, email: &str, name: &str) -> SecretToken {
    let (token, pending) = pending(email, name, None);
    assert!(database.add_sign_up(pending).await.unwrap());
    token
}

fn follow(token: &SecretToken) -> Confirmation {
    Confirmation {
        digest: token.digest(),
        user: UserId(clock().id()),
        session: new_session(&SecretToken::generate()),
        needs_invitation: true,
        now: clock().now(),
    }
}

async fn a_link_makes_exactly_the_account_it_was_mailed_for_and_once(database: &Database) {
    let link = waits(database, "Ann@example.com", "Ann").await;
    assert!(!database.any().await.unwrap());
    let mut following = JoinSet::new();
    for _ in 0..5 {
        let (database, confirmation) = (database.clone(), follow(&link));
        following.spawn(async move { database.confirm_sign_up(confirmation).await.unwrap() });
    }
    let outcomes = following.join_all().await;
    let made: Vec<_> = outcomes
        .iter()
        .filter_map(|outcome| match outcome {
            ConfirmationOutcome::Confirmed(account) => Some(account),
            _ => None,
        })
        .collect();
    let [account] = made[..] else {
        panic!("{outcomes:?}")
    };
    let stored = AccountStore::find(database, account.user.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(account.password, stored.password);
    assert_eq!(
        (stored.user.name.as_str(), stored.user.email.as_str()),
        ("Ann", "Ann@example.com")
    );
    assert_eq!(stored.password, PasswordHash::new("hash of Ann".into()));
}

async fn of_two_links_of_one_address_the_first_followed_counts(database: &Database) {
    let strangers = waits(database, "ann@example.com", "Eve").await;
    let own = waits(database, "ANN@example.com", "Ann").await;
    let ConfirmationOutcome::Confirmed(account) =
        database.confirm_sign_up(follow(&own)).await.unwrap()
    else {
        panic!("not made")
    };
    assert_eq!(account.user.name, "Ann");
    let late = database.confirm_sign_up(follow(&strangers)).await.unwrap();
    assert_eq!(late, ConfirmationOutcome::Unknown);
    let after = waits(database, "ann@example.com", "Eve").await;
    let taken = database.confirm_sign_up(follow(&after)).await.unwrap();
    assert_eq!(taken, ConfirmationOutcome::Taken);
}

async fn a_link_ends_after_a_day(database: &Database) {
    let link = waits(database, "ann@example.com", "Ann").await;
    let late = Confirmation {
        now: clock().now() + Accounts::CONFIRMATION_LIFETIME + TimeDelta::seconds(1),
        ..follow(&link)
    };
    assert_eq!(
        database.confirm_sign_up(late).await.unwrap(),
        ConfirmationOutcome::Unknown
    );
    let wrong = follow(&SecretToken::generate());
    assert_eq!(
        database.confirm_sign_up(wrong).await.unwrap(),
        ConfirmationOutcome::Unknown
    );
}

async fn the_newest_sign_ups_of_an_address_are_kept(database: &Database) {
    let mut links = Vec::new();
    for number in 0..=Accounts::PENDING_OF_ADDRESS {
        let (token, mut pending) = pending("ann@example.com", "Ann", None);
        pending.created_at += TimeDelta::seconds(i64::try_from(number).unwrap());
        database.add_sign_up(pending).await.unwrap();
        links.push(token);
    }
    let oldest = database.confirm_sign_up(follow(&links[0])).await.unwrap();
    assert_eq!(oldest, ConfirmationOutcome::Unknown);
    let next = database.confirm_sign_up(follow(&links[1])).await.unwrap();
    assert!(matches!(next, ConfirmationOutcome::Confirmed(_)));
}

async fn an_invitation_that_was_needed_and_is_gone_makes_no_account(database: &Database) {
    let link = invite(database, None, Role::Editor).await;
    let (token, pending) = pending("ann@example.com", "Ann", Some(link.digest()));
    database.add_sign_up(pending).await.unwrap();
    let used = account(database, "bob@example.com", "hash").await;
    database
        .accept_invitation(&link.digest(), used.id, clock().now())
        .await
        .unwrap()
        .unwrap();
    let result = database.confirm_sign_up(follow(&token)).await;
    assert!(matches!(result, Err(Error::BadCode(_))));
    let key = EmailKey::of("ann@example.com");
    assert!(database.owner(&key).await.unwrap().is_none());
    let welcome = Confirmation {
        needs_invitation: false,
        ..follow(&token)
    };
    let made = database.confirm_sign_up(welcome).await.unwrap();
    assert!(matches!(made, ConfirmationOutcome::Confirmed(_)));
}

async fn a_deleted_account_takes_its_own_along_and_leaves_no_members_without_an_admin(
    database: &Database,
) {
    account(database, "root@example.com", "hash").await;
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let alone = found(database, &bob).await;
    let acme = found(database, &ann).await;
    join(database, &acme, &bob).await;
    assert_eq!(
        delete(database, &ann).await.unwrap(),
        DeletionOutcome::LastAdmin("Acme".into())
    );
    let token = SecretToken::generate();
    open_session(database, bob.id, new_session(&token)).await;
    assert_eq!(
        delete(database, &bob).await.unwrap(),
        DeletionOutcome::Deleted
    );
    let session = SessionStore::find(database, &token.digest(), clock().now()).await;
    assert!(session.unwrap().is_none());
    assert_eq!(member_count(database, &acme).await, 1);
    assert_none(OrganisationStore::find(database, &alone)).await;
    assert_eq!(
        delete(database, &ann).await.unwrap(),
        DeletionOutcome::Deleted
    );
    let session = SessionId(clock().id());
    let late = AccountStore::delete(database, ann.id, None, session).await;
    assert!(matches!(late, Err(Error::Unauthenticated(_))), "{late:?}");
}

/// Deletes an account, for a new session of it.
async fn delete(database: &Database, user: &User) -> Result<DeletionOutcome, Error> {
    let session = opened(database, user.id).await;
    AccountStore::delete(database, user.id, None, session).await
}

/// Makes an account a member of an organisation.
async fn join(database: &Database, organisation: &OrganisationId, user: &User) {
    let link = invite(database, Some(organisation), Role::Editor).await;
    let (digest, now) = (link.digest(), clock().now());
    let accepted = database.accept_invitation(&digest, user.id, now);
    accepted.await.unwrap().unwrap();
}

async fn newest_item(database: &Database, organisation: &OrganisationId) -> AuditItem {
    let filter = AuditFilter::default();
    let found = AuditStore::list(database, organisation, &filter, Page::default()).await;
    found.unwrap().items.remove(0)
}

async fn refused_deletion_of_an_account_is_not_audited(database: &Database) {
    account(database, "root@example.com", "hash").await;
    let mut people = [
        account(database, "ann@example.com", "hash").await,
        account(database, "bob@example.com", "hash").await,
    ];
    // The deletion looks at the organisations in the order of their identifiers.
    people.sort_by_key(|person| person.id.to_string());
    let [ann, bob] = people;
    let session = opened(database, bob.id).await;
    let (acme, beta) = (found(database, &ann).await, found(database, &bob).await);
    join(database, &acme, &bob).await;
    join(database, &beta, &ann).await;
    let result = AccountStore::delete(database, bob.id, None, session).await;
    let result = result.unwrap();
    assert_eq!(result, DeletionOutcome::LastAdmin("Acme".into()));
    for organisation in [acme, beta] {
        let newest = newest_item(database, &organisation).await;
        assert_eq!(newest.action, Action::MemberAdded);
    }
}

async fn item_of_a_deleted_account_has_neither_name_nor_address(database: &Database) {
    account(database, "root@example.com", "hash").await;
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let acme = found(database, &ann).await;
    join(database, &acme, &bob).await;
    let id = bob.id.to_string();
    let session = opened(database, bob.id).await;
    let address = [192, 0, 2, 7].into();
    let deletion = Origin::of_request(Some("r1".into()), Some(address), async {
        Origin::identify(Actor::User(Author {
            id: id.clone(),
            name: bob.name.clone(),
        }));
        AccountStore::delete(database, bob.id, None, session).await
    });
    assert_eq!(deletion.await.unwrap(), DeletionOutcome::Deleted);
    let item = newest_item(database, &acme).await;
    assert_eq!(item.action, Action::MemberRemoved);
    assert_eq!(item.actor_id.as_deref(), Some(&*id));
    assert_eq!(item.actor_name, Author::DELETED);
    assert_eq!(item.target_name.as_deref(), Some(Author::DELETED));
    assert_eq!(
        (item.request_id.as_deref(), item.address),
        (Some("r1"), None)
    );
}

async fn the_administrator_is_the_last_account_to_be_deleted(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    assert_eq!(
        delete(database, &ann).await.unwrap(),
        DeletionOutcome::Administrator
    );
    delete(database, &bob).await.unwrap();
    assert_eq!(
        delete(database, &ann).await.unwrap(),
        DeletionOutcome::Deleted
    );
    assert!(!database.any().await.unwrap());
}

async fn an_operator_deletes_an_account_by_the_same_rules(database: &Database) {
    let root = account(database, "root@example.com", "hash").await;
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let acme = found(database, &ann).await;
    join(database, &acme, &bob).await;
    let delete = async |address: &str| {
        let deletion = database.delete_account_with(address);
        Origin::of(Actor::CommandLine)
            .scope(deletion)
            .await
            .unwrap()
    };
    assert_eq!(delete("nobody@example.com").await, None);
    let refused = DeletionOutcome::Administrator;
    assert_eq!(delete("ROOT@example.com").await, Some((root.id, refused)));
    let refused = DeletionOutcome::LastAdmin("Acme".into());
    assert_eq!(delete("ann@example.com").await, Some((ann.id, refused)));
    let deleted = DeletionOutcome::Deleted;
    assert_eq!(delete("bob@example.com").await, Some((bob.id, deleted)));
    let item = newest_item(database, &acme).await;
    assert_eq!(item.action, Action::MemberRemoved);
    assert_eq!(item.actor_name, Actor::CommandLine.name());
    assert_eq!(item.target_name.as_deref(), Some(Author::DELETED));
}
