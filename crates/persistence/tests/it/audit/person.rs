//! Items about people: their own changes are theirs, also in a request without a session.

use std::net::Ipv4Addr;

use allclear_application::account::{
    AccountStore, Admission, CreationOutcome, DeletionOutcome, ResetOutcome,
};
use allclear_application::audit::{AuditFilter, AuditItem, AuditStore};
use allclear_application::openid::{ProvidedMembership, ProviderSignIn};
use allclear_application::organisation::OrganisationStore;
use allclear_application::origin::Origin;
use allclear_application::page::Page;
use allclear_application::password::PasswordHash;
use allclear_application::secret::SecretToken;
use allclear_application::session::{SessionStore, Sessions};
use allclear_domain::account::User;
use allclear_domain::audit::{Action, ActorType};
use allclear_domain::id::{OrganisationId, SessionId};
use allclear_domain::membership::Role;
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use serde_json::{Value, json};

use crate::account::{account, new_account, new_session, pending_reset};
use crate::backend::clock;
use crate::contract;
use crate::membership::{found, invite};
use crate::openid::{sign_in, signed_in};
use crate::session::{open_session, opened};

contract!(
    change_in_a_request_without_a_session_is_the_persons,
    refused_sign_in_is_not_the_persons,
    membership_that_a_provider_gives_is_the_providers,
    deleted_account_leaves_no_address_of_its_requests,
    session_that_a_sign_in_replaces_or_displaces_is_audited,
);

const CLIENT: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 7);

/// Runs `work` as a request whose caller is unknown.
async fn without_session<T>(work: impl Future<Output = T>) -> T {
    Origin::of_request(Some("r1".into()), Some(CLIENT.into()), work).await
}

/// The items of an action, newest first.
async fn items(
    database: &Database,
    organisation: &OrganisationId,
    action: Action,
) -> Vec<AuditItem> {
    let filter = AuditFilter {
        action: Some(action),
        ..AuditFilter::default()
    };
    let found = AuditStore::list(database, organisation, &filter, Page::default()).await;
    found.unwrap().items
}

async fn newest(database: &Database, organisation: &OrganisationId, action: Action) -> AuditItem {
    items(database, organisation, action).await.remove(0)
}

fn assert_by(item: &AuditItem, person: &User) {
    let id = person.id.to_string();
    assert_eq!(
        (item.actor_type, item.actor_id.as_deref()),
        (ActorType::User, Some(&*id)),
        "{item:?}"
    );
    assert_eq!((&item.actor_name, &item.target_id), (&person.name, &id));
    assert_eq!(item.address.as_deref(), Some("192.0.2.7"));
}

fn assert_by_provider(item: &AuditItem) {
    assert_eq!(
        (item.actor_type, item.actor_id.as_deref()),
        (ActorType::Provider, None),
        "{item:?}"
    );
}

/// The owner of an address sets a password by a link.
async fn reset(database: &Database, person: &User) {
    let token = pending_reset(database, person, TimeDelta::hours(1)).await;
    let (digest, hash) = (token.digest(), PasswordHash::new("new hash".into()));
    let stored = without_session(database.use_reset(&digest, hash, clock().now())).await;
    assert_eq!(stored.unwrap(), ResetOutcome::Stored);
}

async fn change_in_a_request_without_a_session_is_the_persons(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    reset(database, &ann).await;
    assert_by(
        &newest(database, &acme, Action::PasswordChanged).await,
        &ann,
    );

    let token = SecretToken::generate();
    let opening = open_session(database, ann.id, new_session(&token));
    without_session(opening).await;
    assert_by(&newest(database, &acme, Action::SessionCreated).await, &ann);
    let ended = without_session(SessionStore::end(database, &token.digest())).await;
    ended.unwrap();
    assert_by(&newest(database, &acme, Action::SessionDeleted).await, &ann);

    let link = invite(database, Some(&acme), Role::Editor).await;
    let invited = Admission::Invitation(link.digest());
    let account = new_account("bob@example.com", "hash", invited);
    let joined = without_session(AccountStore::create(database, account)).await;
    let CreationOutcome::Created(bob) = joined.unwrap() else {
        panic!("not made")
    };
    assert_by(&newest(database, &acme, Action::MemberAdded).await, &bob);
}

async fn refused_sign_in_is_not_the_persons(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let recorded = without_session(database.record_refused_sign_in(ann.id)).await;
    recorded.unwrap();
    assert_by_provider(&newest(database, &acme, Action::SessionRefused).await);
}

async fn membership_that_a_provider_gives_is_the_providers(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let arriving = ProviderSignIn {
        membership: Some(ProvidedMembership {
            organisation: acme.clone(),
            role: Some(Role::Editor),
        }),
        ..sign_in("1", "grace@example.com")
    };
    let arrived = without_session(signed_in(database, arriving)).await;
    let grace = arrived.unwrap().user;
    assert_by_provider(&newest(database, &acme, Action::MemberAdded).await);
    assert_by(
        &newest(database, &acme, Action::SessionCreated).await,
        &grace,
    );
}

async fn deleted_account_leaves_no_address_of_its_requests(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let link = invite(database, Some(&acme), Role::Editor).await;
    let digest = link.digest();
    let accepted = database.accept_invitation(&digest, bob.id, clock().now());
    without_session(accepted).await.unwrap();
    for person in [&ann, &bob] {
        reset(database, person).await;
        let refused = without_session(database.record_refused_sign_in(person.id));
        refused.await.unwrap();
    }
    let session = opened(database, bob.id).await;
    let deleted = AccountStore::delete(database, bob.id, None, session).await;
    assert_eq!(deleted.unwrap(), DeletionOutcome::Deleted);
    for action in [Action::PasswordChanged, Action::SessionRefused] {
        let addresses: Vec<_> = items(database, &acme, action)
            .await
            .into_iter()
            .map(|item| (item.target_id == bob.id.to_string(), item.address))
            .collect();
        assert_eq!(
            addresses,
            [(true, None), (false, Some("192.0.2.7".to_owned()))],
            "{action}"
        );
    }
    assert_eq!(
        newest(database, &acme, Action::MemberAdded).await.address,
        None
    );
}

async fn session_that_a_sign_in_replaces_or_displaces_is_audited(database: &Database) {
    let first = sign_in("1", "grace@example.com");
    let before = first.session.id;
    let grace = signed_in(database, first).await.unwrap().user;
    let acme = found(database, &grace).await;
    let second = ProviderSignIn {
        before: Some(before),
        ..sign_in("1", "grace@example.com")
    };
    let displaced = second.session.id;
    without_session(signed_in(database, second)).await;
    let ended = async || items(database, &acme, Action::SessionDeleted).await;
    let replaced = ended().await;
    assert_eq!(replaced.len(), 1, "{replaced:?}");
    assert_by(&replaced[0], &grace);
    assert_eq!(states(&replaced[0]), of_session(before));

    for _ in 0..Sessions::PER_ACCOUNT {
        opened(database, grace.id).await;
    }
    let ended = ended().await;
    assert_eq!(ended.len(), 2, "{ended:?}");
    assert_eq!(states(&ended[0]), of_session(displaced));
}

/// The states before and after a change.
fn states(item: &AuditItem) -> (Value, Value) {
    let read = |state: &Option<String>| {
        let text = state.as_deref().unwrap_or("null");
        serde_json::from_str(text).unwrap()
    };
    (read(&item.before), read(&item.after))
}

fn of_session(id: SessionId) -> (Value, Value) {
    (json!({"id": id.to_string()}), Value::Null)
}
