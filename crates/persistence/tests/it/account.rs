use allclear_application::account::{
    AccountStore, Admission, Candidates, ConfirmationOutcome, CreationOutcome, Credentials,
    DeletionOutcome, NewAccount, PasswordChange, PendingAddress, Reset, ResetOutcome,
};
use allclear_application::error::Error;
use allclear_application::installation::{InstallationStore, Secrets, SigningKey};
use allclear_application::organisation::OrganisationStore;
use allclear_application::password::PasswordHash;
use allclear_application::secret::SecretToken;
use allclear_application::session::{NewSession, SessionStore, Sessions};
use allclear_domain::account::User;
use allclear_domain::email::EmailKey;
use allclear_domain::id::{SessionId, UserId};
use allclear_domain::membership::Role;
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use tokio::task::JoinSet;

use crate::backend::{assert_none, clock, organisation};
use crate::contract;
use crate::membership::{found, invite, invite_by};
use crate::session::{admin_session, open_session, opened};

contract!(
    a_stored_account_reads_as_it_was_written,
    an_address_has_one_account_however_many_come_at_once,
    of_twenty_first_accounts_one_is_the_first,
    an_account_that_has_to_be_the_first_is_refused_after_it,
    an_account_comes_with_its_session_and_its_invitation,
    a_refused_account_leaves_its_invitation_alone,
    an_account_is_renamed,
    only_the_hash_that_was_verified_is_upgraded,
    a_new_password_ends_the_other_sessions_and_the_resets,
    a_new_password_ends_the_link_of_a_new_address,
    a_new_address_ends_the_other_sessions_and_the_resets,
    only_the_password_that_was_verified_is_changed_and_deletes_the_account,
    of_a_reset_and_a_change_at_the_same_time_one_sets_the_password,
    an_account_is_deleted_while_its_other_session_invites,
    a_reset_works_once_and_not_after_its_end,
    expired_rows_are_pruned,
    nodes_that_start_at_once_share_one_set_of_secrets,
);

pub(crate) fn new_session(token: &SecretToken) -> NewSession {
    let created_at = clock().now();
    NewSession {
        id: SessionId(clock().id()),
        digest: token.digest(),
        created_at,
        expires_at: created_at + Sessions::IDLE,
        device: Some("Firefox on Linux".into()),
        address: Some("192.0.2.1".into()),
    }
}

pub(crate) fn new_account(email: &str, password: &str, admission: Admission) -> NewAccount {
    let (id, created_at) = (UserId(clock().id()), clock().now());
    NewAccount {
        user: User {
            id,
            name: "Ann".into(),
            email: email.into(),
            administrator: false,
            needs_address: false,
            created_at,
        },
        password: PasswordHash::new(password.into()),
        admission,
        session: new_session(&SecretToken::generate()),
    }
}

pub(crate) async fn account(database: &Database, email: &str, password: &str) -> User {
    match AccountStore::create(database, new_account(email, password, Admission::Proven))
        .await
        .unwrap()
    {
        CreationOutcome::Created(user) => user,
        other => panic!("{other:?}"),
    }
}

async fn open(database: &Database, user: &User) -> SecretToken {
    let token = SecretToken::generate();
    open_session(database, user.id, new_session(&token)).await;
    token
}

async fn is_alive(database: &Database, token: &SecretToken) -> bool {
    SessionStore::find(database, &token.digest(), clock().now())
        .await
        .unwrap()
        .is_some()
}

pub(crate) async fn pending_reset(
    database: &Database,
    user: &User,
    life: TimeDelta,
) -> SecretToken {
    let (token, reset) = reset_of(user, life);
    assert!(database.add_reset(reset).await.unwrap());
    token
}

/// A reset whose link is mailed to this address of an account.
fn reset_of(user: &User, life: TimeDelta) -> (SecretToken, Reset) {
    let token = SecretToken::generate();
    let reset = Reset {
        digest: token.digest(),
        user: user.id,
        address: EmailKey::of(&user.email),
        expires_at: clock().now() + life,
    };
    (token, reset)
}

async fn a_stored_account_reads_as_it_was_written(database: &Database) {
    assert!(!database.any().await.unwrap());
    let made = account(database, "Ann@Example.com", "hash").await;
    assert!(made.administrator && database.any().await.unwrap());
    let found = AccountStore::find(database, made.id)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (found.user, found.password),
        (made, PasswordHash::new("hash".into()))
    );
}

async fn an_address_has_one_account_however_many_come_at_once(database: &Database) {
    account(database, "bob@example.com", "hash").await;
    let mut arriving = JoinSet::new();
    for spelling in [
        "ann@exämple.com",
        "ANN@exämple.com",
        "Ann@xn--exmple-cua.com",
    ] {
        let database = database.clone();
        let account = new_account(spelling, "hash", Admission::Proven);
        arriving.spawn(async move { AccountStore::create(&database, account).await.unwrap() });
    }
    let outcomes = arriving.join_all().await;
    let taken = outcomes
        .iter()
        .filter(|outcome| **outcome == CreationOutcome::Taken);
    assert_eq!(taken.count(), 2, "{outcomes:?}");
    let key = EmailKey::of("ann@EXÄMPLE.com");
    let owner = database.owner(&key).await.unwrap().unwrap();
    assert!(outcomes.contains(&CreationOutcome::Created(owner.user.clone())));
    let candidates = database.candidates(&key).await.unwrap();
    let wanted = Candidates {
        owner: Some(owner),
        ..Candidates::default()
    };
    assert_eq!(candidates, wanted);
    let nobody = EmailKey::of("cy@example.com");
    let candidates = database.candidates(&nobody).await.unwrap();
    assert_eq!(candidates, Candidates::default());
}

async fn of_twenty_first_accounts_one_is_the_first(database: &Database) {
    let mut arriving = JoinSet::new();
    for number in 0..20 {
        let database = database.clone();
        arriving.spawn(async move {
            let account = new_account(&format!("{number}@example.com"), "hash", Admission::First);
            AccountStore::create(&database, account).await.unwrap()
        });
    }
    let outcomes = arriving.join_all().await;
    let made: Vec<_> = outcomes
        .iter()
        .filter(|outcome| **outcome != CreationOutcome::NotFirst)
        .collect();
    assert!(
        matches!(made[..], [CreationOutcome::Created(user)] if user.administrator),
        "{made:?}"
    );
}

async fn an_account_that_has_to_be_the_first_is_refused_after_it(database: &Database) {
    account(database, "ann@example.com", "hash").await;
    let second = new_account("bob@example.com", "hash", Admission::First);
    assert_eq!(
        AccountStore::create(database, second).await.unwrap(),
        CreationOutcome::NotFirst
    );
    assert!(
        !account(database, "bob@example.com", "hash")
            .await
            .administrator
    );
}

async fn an_account_comes_with_its_session_and_its_invitation(database: &Database) {
    let acme = organisation(database, "acme").await;
    let (link, token) = (
        invite(database, Some(&acme), Role::Admin).await,
        SecretToken::generate(),
    );
    let account = NewAccount {
        session: new_session(&token),
        ..new_account(
            "bob@example.com",
            "hash",
            Admission::Invitation(link.digest()),
        )
    };
    let CreationOutcome::Created(user) = AccountStore::create(database, account).await.unwrap()
    else {
        panic!("not made")
    };
    let session = SessionStore::find(database, &token.digest(), clock().now())
        .await
        .unwrap()
        .unwrap();
    let bearer = database
        .bearer(session.id, user.id, Some(acme), clock().now())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(bearer.membership.map(|found| found.role), Some(Role::Admin));
    assert_none(OrganisationStore::find_invitation(
        database,
        &link.digest(),
        clock().now(),
    ))
    .await;
}

async fn a_refused_account_leaves_its_invitation_alone(database: &Database) {
    let link = invite(database, None, Role::Editor).await;
    account(database, "bob@example.com", "hash").await;
    let second = new_account(
        "bob@example.com",
        "hash",
        Admission::Invitation(link.digest()),
    );
    assert_eq!(
        AccountStore::create(database, second).await.unwrap(),
        CreationOutcome::Taken
    );
    assert!(
        OrganisationStore::find_invitation(database, &link.digest(), clock().now())
            .await
            .unwrap()
            .is_some()
    );
    let wrong = Admission::Invitation(SecretToken::generate().digest());
    let result =
        AccountStore::create(database, new_account("eve@example.com", "hash", wrong)).await;
    assert!(matches!(result, Err(Error::BadCode(_))));
    assert_none(database.owner(&EmailKey::of("eve@example.com"))).await;
}

async fn only_the_hash_that_was_verified_is_upgraded(database: &Database) {
    let ann = account(database, "ann@example.com", "old hash").await;
    let hash = |text: &str| PasswordHash::new(text.to_owned());
    let stored = async || {
        let found = AccountStore::find(database, ann.id).await.unwrap();
        found.unwrap().password
    };
    let upgrade = async |outdated: &str, stronger: &str| {
        let (outdated, stronger) = (hash(outdated), hash(stronger));
        database.upgrade_password(ann.id, outdated, stronger).await
    };
    let is_upgraded = upgrade("a hash that a reset has replaced", "new hash").await;
    assert!(!is_upgraded.unwrap());
    assert_eq!(stored().await, hash("old hash"));
    assert!(upgrade("old hash", "new hash").await.unwrap());
    assert_eq!(stored().await, hash("new hash"));
}

async fn an_account_is_renamed(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let session = opened(database, ann.id).await;
    let renamed = AccountStore::rename(database, ann.id, "Anna".into(), session).await;
    let renamed = renamed.unwrap();
    assert_eq!(renamed.name, "Anna");
    let found = AccountStore::find(database, ann.id).await.unwrap();
    assert_eq!(found.unwrap().user, renamed);
    assert_eq!(
        AccountStore::find(database, bob.id)
            .await
            .unwrap()
            .unwrap()
            .user
            .name,
        "Ann"
    );
}

async fn a_new_password_ends_the_other_sessions_and_the_resets(database: &Database) {
    let ann = account(database, "ann@example.com", "old").await;
    let bob = account(database, "bob@example.com", "old").await;
    let (here, there, other) = (
        open(database, &ann).await,
        open(database, &ann).await,
        open(database, &bob).await,
    );
    let reset = pending_reset(database, &ann, TimeDelta::hours(1)).await;
    let kept = SessionStore::find(database, &here.digest(), clock().now())
        .await
        .unwrap()
        .unwrap()
        .id;
    let changed = change(&ann, "old", "new", kept);
    assert!(database.change_password(changed).await.unwrap());
    assert!(is_alive(database, &here).await && is_alive(database, &other).await);
    assert!(!is_alive(database, &there).await);
    assert_none(database.find_reset(&reset.digest(), clock().now())).await;
    let changed = AccountStore::find(database, ann.id).await.unwrap().unwrap();
    assert_eq!(changed.password, PasswordHash::new("new".into()));
}

/// A new address of an account, which waits for its link.
async fn pending_address(database: &Database, user: &User, email: &str) -> SecretToken {
    let token = SecretToken::generate();
    let pending = PendingAddress {
        digest: token.digest(),
        user: user.id,
        email: email.into(),
        expires_at: clock().now() + TimeDelta::hours(1),
    };
    database.add_address(pending).await.unwrap();
    token
}

async fn a_new_password_ends_the_link_of_a_new_address(database: &Database) {
    let ann = account(database, "ann@example.com", "old").await;
    let session = opened(database, ann.id).await;
    let link = pending_address(database, &ann, "ann@new.example").await;
    let changed = change(&ann, "old", "new", session);
    assert!(database.change_password(changed).await.unwrap());
    let confirmed = database
        .confirm_address(&link.digest(), ann.id, session, clock().now())
        .await;
    assert_eq!(confirmed.unwrap(), ConfirmationOutcome::Unknown);
}

async fn a_new_address_ends_the_other_sessions_and_the_resets(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let (here, there, other) = (
        open(database, &ann).await,
        open(database, &ann).await,
        open(database, &bob).await,
    );
    let reset = pending_reset(database, &ann, TimeDelta::hours(1)).await;
    let kept = pending_reset(database, &bob, TimeDelta::hours(1)).await;
    let digest = here.digest();
    let session = SessionStore::find(database, &digest, clock().now()).await;
    let session = session.unwrap().unwrap().id;
    let confirm = async |link: &SecretToken| {
        let digest = link.digest();
        let confirmed = database.confirm_address(&digest, ann.id, session, clock().now());
        confirmed.await.unwrap()
    };
    let taken = pending_address(database, &ann, "BOB@example.com").await;
    assert_eq!(confirm(&taken).await, ConfirmationOutcome::Taken);
    assert!(is_alive(database, &there).await);
    let link = pending_address(database, &ann, "Ann@New.example").await;
    let expected = Credentials {
        user: User {
            email: "Ann@New.example".into(),
            ..ann.clone()
        },
        password: PasswordHash::new("hash".into()),
    };
    let confirmed = confirm(&link).await;
    assert_eq!(confirmed, ConfirmationOutcome::Confirmed(expected.clone()));
    assert_eq!(confirm(&link).await, ConfirmationOutcome::Unknown);
    let owner = database.owner(&EmailKey::of("ann@new.example")).await;
    assert_eq!(owner.unwrap(), Some(expected));
    assert_none(database.owner(&EmailKey::of("ann@example.com"))).await;
    assert!(is_alive(database, &here).await && is_alive(database, &other).await);
    assert!(!is_alive(database, &there).await);
    assert_none(database.find_reset(&reset.digest(), clock().now())).await;
    let kept = database.find_reset(&kept.digest(), clock().now()).await;
    assert_eq!(kept.unwrap().unwrap().user, bob);
    // A reset that was requested before, and is stored after the change.
    let (link, late) = reset_of(&ann, TimeDelta::hours(1));
    assert!(!database.add_reset(late).await.unwrap());
    assert_none(database.find_reset(&link.digest(), clock().now())).await;
}

fn change(user: &User, verified: &str, new: &str, current_session: SessionId) -> PasswordChange {
    PasswordChange {
        user: user.id,
        verified: PasswordHash::new(verified.into()),
        new: PasswordHash::new(new.into()),
        current_session,
    }
}

async fn only_the_password_that_was_verified_is_changed_and_deletes_the_account(
    database: &Database,
) {
    let ann = account(database, "ann@example.com", "present").await;
    let session = opened(database, ann.id).await;
    let late = change(&ann, "former", "new", session);
    assert!(!database.change_password(late).await.unwrap());
    let former = Some(PasswordHash::new("former".into()));
    let deleted = AccountStore::delete(database, ann.id, former, session).await;
    assert_eq!(deleted.unwrap(), DeletionOutcome::PasswordChanged);
    let found = AccountStore::find(database, ann.id).await.unwrap();
    let present = PasswordHash::new("present".into());
    assert_eq!(found.unwrap().password, present);
    let deleted = AccountStore::delete(database, ann.id, Some(present), session).await;
    assert_eq!(deleted.unwrap(), DeletionOutcome::Deleted);
}

async fn of_a_reset_and_a_change_at_the_same_time_one_sets_the_password(database: &Database) {
    for round in 0..20 {
        let ann = account(database, &format!("ann{round}@example.com"), "old").await;
        let session = opened(database, ann.id).await;
        let token = pending_reset(database, &ann, TimeDelta::hours(1)).await;
        let (digest, new) = (token.digest(), PasswordHash::new("reset".into()));
        let (reset, changed) = tokio::join!(
            database.use_reset(&digest, new, clock().now()),
            database.change_password(change(&ann, "old", "changed", session)),
        );
        let expected = match reset.unwrap() {
            ResetOutcome::Stored => {
                assert!(matches!(changed, Err(Error::Unauthenticated(_))), "{round}");
                "reset"
            }
            ResetOutcome::Gone => {
                assert!(changed.unwrap(), "{round}");
                "changed"
            }
        };
        let found = AccountStore::find(database, ann.id).await.unwrap();
        let expected = PasswordHash::new(expected.into());
        assert_eq!(found.unwrap().password, expected, "{round}");
    }
}

async fn an_account_is_deleted_while_its_other_session_invites(database: &Database) {
    for round in 0..10 {
        let ann = account(database, &format!("ann{round}@example.com"), "hash").await;
        let acme = found(database, &ann).await;
        let here = opened(database, ann.id).await;
        let there = admin_session(database, ann.id).await;
        let (deleted, _) = tokio::join!(
            AccountStore::delete(database, ann.id, None, here),
            invite_by(database, Some(&acme), Role::Admin, Some(there)),
        );
        assert_eq!(deleted.unwrap(), DeletionOutcome::Deleted, "{round}");
        let left = OrganisationStore::find(database, &acme).await.unwrap();
        assert_eq!(left, None, "{round}");
    }
}

async fn a_reset_works_once_and_not_after_its_end(database: &Database) {
    let ann = account(database, "ann@example.com", "old").await;
    let here = open(database, &ann).await;
    let late = pending_reset(database, &ann, TimeDelta::zero()).await;
    let new = || PasswordHash::new("new".into());
    assert_eq!(
        database
            .use_reset(&late.digest(), new(), clock().now())
            .await
            .unwrap(),
        ResetOutcome::Gone
    );
    let reset = pending_reset(database, &ann, TimeDelta::hours(1)).await;
    assert_eq!(
        database
            .find_reset(&reset.digest(), clock().now())
            .await
            .unwrap()
            .unwrap()
            .user,
        ann
    );
    assert_eq!(
        database
            .use_reset(&reset.digest(), new(), clock().now())
            .await
            .unwrap(),
        ResetOutcome::Stored
    );
    assert_eq!(
        database
            .use_reset(&reset.digest(), new(), clock().now())
            .await
            .unwrap(),
        ResetOutcome::Gone
    );
    assert!(!is_alive(database, &here).await);
}

async fn expired_rows_are_pruned(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let (here, link) = (
        open(database, &ann).await,
        invite(database, None, Role::Editor).await,
    );
    database.prune(clock().now()).await.unwrap();
    assert!(is_alive(database, &here).await);
    database
        .prune(clock().now() + TimeDelta::days(31))
        .await
        .unwrap();
    assert!(!is_alive(database, &here).await);
    assert_none(OrganisationStore::find_invitation(
        database,
        &link.digest(),
        clock().now(),
    ))
    .await;
}

async fn nodes_that_start_at_once_share_one_set_of_secrets(database: &Database) {
    let mut nodes = JoinSet::new();
    for number in 0..10 {
        let database = database.clone();
        nodes.spawn(async move {
            let key = SigningKey {
                id: format!("key{number}"),
                private: "p".into(),
                created_at: clock().now(),
            };
            database
                .secrets(Secrets {
                    salt: format!("salt{number}"),
                    signing_keys: vec![key],
                })
                .await
                .unwrap()
        });
    }
    let secrets = nodes.join_all().await;
    assert!(
        secrets
            .iter()
            .all(|found| *found == secrets[0] && found.signing_keys.len() == 1),
        "{secrets:?}"
    );
}
