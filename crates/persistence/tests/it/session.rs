use std::fmt::Debug;

use allclear_application::account::{AccountStore, PasswordChange};
use allclear_application::error::Error;
use allclear_application::passkey::PasskeyStore;
use allclear_application::password::PasswordHash;
use allclear_application::second_factor::{FactorStore, TotpConfirmation, UsedCode};
use allclear_application::secret::SecretToken;
use allclear_application::session::{
    AdminSession, NewSession, Session, SessionStore, Sessions, SignInProof,
};
use allclear_domain::account::User;
use allclear_domain::id::{PasskeyId, SessionId, UserId};
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};

use crate::account::{account, new_session};
use crate::backend::{assert_none, clock};
use crate::contract;
use crate::passkey::{new_passkey, with_passkey};

contract!(
    a_session_reads_as_it_was_opened,
    use_and_authentication_of_a_session_are_stored,
    a_session_that_has_ended_is_not_authenticated,
    a_session_ends_at_its_expiry_and_at_its_absolute_lifetime,
    changed_password_opens_no_session,
    sign_in_that_began_before_the_factors_changed_opens_no_session,
    sessions_are_listed_by_their_last_use,
    only_the_owner_of_a_session_ends_it,
    only_a_session_of_the_account_that_has_not_ended_changes_it,
    of_a_new_passkey_and_the_end_of_its_session_at_the_same_time_one_is_stored,
    the_least_used_session_ends_when_there_are_too_many,
);

async fn open(database: &Database, user: &User) -> SecretToken {
    let token = SecretToken::generate();
    open_session(database, user.id, new_session(&token)).await;
    token
}

async fn find(database: &Database, token: &SecretToken) -> Option<Session> {
    SessionStore::find(database, &token.digest(), clock().now())
        .await
        .unwrap()
}

async fn a_session_reads_as_it_was_opened(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let token = SecretToken::generate();
    let new = new_session(&token);
    open_session(database, ann.id, new.clone()).await;
    let expected = Session {
        id: new.id,
        user: ann,
        active_organisation: None,
        created_at: new.created_at,
        authenticated_at: new.created_at,
        used_at: new.created_at,
        expires_at: new.expires_at,
    };
    assert_eq!(find(database, &token).await, Some(expected));
}

async fn use_and_authentication_of_a_session_are_stored(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let (token, other) = (open(database, &ann).await, open(database, &ann).await);
    let before = find(database, &token).await.unwrap();
    let untouched = find(database, &other).await;
    let (used, authenticated) = (
        before.created_at + TimeDelta::hours(1),
        before.created_at + TimeDelta::hours(2),
    );
    let end = used + Sessions::IDLE;
    database.touch(before.id, used, end).await.unwrap();
    let fresh = SecretToken::generate();
    database
        .authenticate(before.id, fresh.digest(), true, authenticated)
        .await
        .unwrap();
    assert_eq!(find(database, &token).await, None, "it has another token");
    let expected = Session {
        used_at: used,
        authenticated_at: authenticated,
        expires_at: end,
        ..before
    };
    assert_eq!(find(database, &fresh).await.as_ref(), Some(&expected));
    assert_eq!(find(database, &other).await, untouched);
    let bearer = database
        .bearer(expected.id, ann.id, None, clock().now())
        .await
        .unwrap()
        .unwrap();
    assert_eq!(bearer.authenticated_at, authenticated);
}

async fn a_session_that_has_ended_is_not_authenticated(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let here = opened(database, ann.id).await;
    let ended = opened(database, ann.id).await;
    assert!(database.end_one(ann.id, ended, here).await.unwrap());
    let (now, digest) = (clock().now(), || SecretToken::generate().digest());
    for second_factor in [false, true] {
        let authenticated = database.authenticate(ended, digest(), second_factor, now);
        assert_ended(authenticated.await);
    }
    assert_ended(database.prove_factor(ended, digest()).await);
}

async fn a_session_ends_at_its_expiry_and_at_its_absolute_lifetime(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let token = SecretToken::generate();
    let new = NewSession {
        // As sessions were before they had an absolute lifetime.
        expires_at: clock().now() + TimeDelta::days(90),
        ..new_session(&token)
    };
    let (id, begun) = (new.id, new.created_at);
    open_session(database, ann.id, new).await;
    let alive = async |now: DateTime<Utc>| {
        let found = SessionStore::find(database, &token.digest(), now).await;
        let bearer = database.bearer(id, ann.id, None, now).await.unwrap();
        let listed = database.list(ann.id, now).await.unwrap();
        let listed = listed.iter().any(|listed| listed.id == id);
        let found = found.unwrap().is_some();
        assert_eq!((found, listed), (bearer.is_some(), bearer.is_some()));
        found
    };
    assert!(alive(begun + Sessions::LIFETIME - TimeDelta::seconds(1)).await);
    assert!(!alive(begun + Sessions::LIFETIME).await);
    let end = begun + Sessions::IDLE;
    database.touch(id, begun, end).await.unwrap();
    assert!(alive(end - TimeDelta::seconds(1)).await);
    assert!(!alive(end).await);
}

/// Opens a session with a proof that is enough.
pub(crate) async fn open_session(database: &Database, user: UserId, session: NewSession) {
    let account = AccountStore::find(database, user).await.unwrap().unwrap();
    let factors = FactorStore::factors(database, user).await.unwrap();
    let left = factors.recovery_codes;
    let code = UsedCode::RecoveryCode { left };
    let proof = SignInProof::Password {
        hash: account.password,
        code: factors.is_needed().then_some(code),
    };
    database.open(user, proof, session).await.unwrap();
}

/// Opens a session of an account.
pub(crate) async fn opened(database: &Database, user: UserId) -> SessionId {
    let session = new_session(&SecretToken::generate());
    let id = session.id;
    open_session(database, user, session).await;
    id
}

/// Opens a session of an account, for a change that only an admin may make.
pub(crate) async fn admin_session(database: &Database, user: UserId) -> AdminSession {
    let id = opened(database, user).await;
    AdminSession { id, user }
}

/// Whether a sign-in with this proof opens a session.
pub(crate) async fn opens(database: &Database, user: &User, proof: SignInProof) -> bool {
    let token = SecretToken::generate();
    let opened = database.open(user.id, proof, new_session(&token)).await;
    assert_eq!(find(database, &token).await.is_some(), opened.is_ok());
    if let Err(error) = &opened {
        assert!(matches!(error, Error::Unauthenticated(_)), "{error:?}");
    }
    opened.is_ok()
}

async fn changed_password_opens_no_session(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let entered = |hash: &str| SignInProof::Password {
        hash: PasswordHash::new(hash.to_owned()),
        code: None,
    };
    assert!(opens(database, &ann, entered("hash")).await);
    assert!(!opens(database, &ann, entered("an earlier hash")).await);
}

async fn sign_in_that_began_before_the_factors_changed_opens_no_session(database: &Database) {
    let (ann, session, id) = with_passkey(database, "credential").await;
    let password = |code| SignInProof::Password {
        hash: PasswordHash::new("hash".to_owned()),
        code,
    };
    let recovery_code = || Some(UsedCode::RecoveryCode { left: 10 });
    assert!(!opens(database, &ann, password(None)).await);
    assert!(opens(database, &ann, password(recovery_code())).await);
    assert!(opens(database, &ann, SignInProof::Passkey(id)).await);
    let removed = database.remove_passkey(ann.id, id, session).await;
    assert!(removed.unwrap());
    assert!(!opens(database, &ann, password(recovery_code())).await);
    assert!(!opens(database, &ann, SignInProof::Passkey(id)).await);
    assert!(opens(database, &ann, password(None)).await);
}

async fn sessions_are_listed_by_their_last_use(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let (first, second) = (open(database, &ann).await, open(database, &ann).await);
    let first = find(database, &first).await.unwrap();
    let second = find(database, &second).await.unwrap();
    let later = second.created_at + TimeDelta::hours(1);
    database
        .touch(first.id, later, first.expires_at)
        .await
        .unwrap();
    let listed = database.list(ann.id, clock().now()).await.unwrap();
    assert_eq!(listed.len(), 3, "one came with the account");
    assert_eq!((listed[0].id, listed[0].used_at), (first.id, later));
    assert_eq!(listed[1].id, second.id);
    assert_eq!(listed[0].device.as_deref(), Some("Firefox on Linux"));
    assert_eq!(listed[0].address.as_deref(), Some("192.0.2.1"));
    let other = database.list(bob.id, clock().now()).await.unwrap();
    assert_eq!(other.len(), 1);
}

async fn only_the_owner_of_a_session_ends_it(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let (here, there) = (open(database, &ann).await, open(database, &ann).await);
    let bobs = open(database, &bob).await;
    let there_id = find(database, &there).await.unwrap().id;
    let here_id = find(database, &here).await.unwrap().id;
    let bobs_id = find(database, &bobs).await.unwrap().id;
    let ended = async |user, current_session| {
        database
            .end_one(user, there_id, current_session)
            .await
            .unwrap()
    };
    assert!(!ended(bob.id, bobs_id).await);
    assert!(find(database, &there).await.is_some());
    assert!(ended(ann.id, here_id).await);
    assert!(!ended(ann.id, here_id).await);
    assert_none(SessionStore::find(database, &there.digest(), clock().now())).await;
    let ended = database.end_others(ann.id, here_id).await.unwrap();
    assert_eq!(ended, 1, "the one that came with the account");
    assert!(find(database, &here).await.is_some());
    assert!(find(database, &bobs).await.is_some());
}

pub(crate) fn assert_ended<T: Debug>(result: Result<T, Error>) {
    let error = result.unwrap_err();
    let is_ended = matches!(error, Error::Unauthenticated("Please sign in"));
    assert!(is_ended, "{error:?}");
}

async fn only_a_session_of_the_account_that_has_not_ended_changes_it(database: &Database) {
    let (ann, here, passkey) = with_passkey(database, "phone").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let ended = opened(database, ann.id).await;
    assert!(database.end_one(ann.id, ended, here).await.unwrap());
    let late = NewSession {
        expires_at: clock().now(),
        ..new_session(&SecretToken::generate())
    };
    let expired = late.id;
    open_session(database, ann.id, late).await;
    let foreign = opened(database, bob.id).await;
    let factors = database.factors(ann.id).await.unwrap();
    for session in [ended, expired, foreign] {
        changes_nothing(database, &ann, passkey, session).await;
        assert_ended(database.end_one(ann.id, here, session).await);
    }
    let found = AccountStore::find(database, ann.id).await.unwrap();
    let found = found.unwrap();
    assert_eq!(found.password, PasswordHash::new("hash".to_owned()));
    assert_eq!(found.user, ann);
    assert_eq!(database.factors(ann.id).await.unwrap(), factors);
    let listed = database.list(ann.id, clock().now()).await.unwrap();
    assert_eq!(listed.len(), 1);
    assert_eq!(listed[0].id, here);
}

/// Asserts that a session changes neither the account nor its factors.
async fn changes_nothing(database: &Database, ann: &User, passkey: PasskeyId, session: SessionId) {
    let now = clock().now();
    let hash = |text: &str| PasswordHash::new(text.to_owned());
    let change = PasswordChange {
        user: ann.id,
        verified: hash("hash"),
        new: hash("new"),
        current_session: session,
    };
    assert_ended(database.change_password(change).await);
    let name = || "Eve".to_owned();
    assert_ended(AccountStore::rename(database, ann.id, name(), session).await);
    let deleted = AccountStore::delete(database, ann.id, Some(hash("hash")), session);
    assert_ended(deleted.await);
    let link = SecretToken::generate().digest();
    let confirmed = database.confirm_address(&link, ann.id, session, now);
    assert_ended(confirmed.await);
    let added = database.add_passkey(new_passkey(ann, "key", session));
    assert_ended(added.await);
    let renamed = database.rename_passkey(ann.id, passkey, name(), session);
    assert_ended(renamed.await);
    assert_ended(database.remove_passkey(ann.id, passkey, session).await);
    let began = database.begin_totp(ann.id, "nonce".into(), session, now);
    assert_ended(began.await);
    let confirmation = TotpConfirmation {
        user: ann.id,
        nonce: "nonce".into(),
        step: 7,
        now,
        recovery_codes: Vec::new(),
        current_session: session,
    };
    assert_ended(database.confirm_totp(confirmation).await);
    assert_ended(database.remove_totp(ann.id, session).await);
    let codes = database.set_recovery_codes(ann.id, Vec::new(), session);
    assert_ended(codes.await);
    assert_ended(database.end_others(ann.id, session).await);
}

async fn of_a_new_passkey_and_the_end_of_its_session_at_the_same_time_one_is_stored(
    database: &Database,
) {
    for round in 0..20 {
        let ann = account(database, &format!("ann{round}@example.com"), "hash").await;
        let (here, there) = (
            opened(database, ann.id).await,
            opened(database, ann.id).await,
        );
        let passkey = new_passkey(&ann, &format!("phone{round}"), there);
        let (added, ended) = tokio::join!(
            database.add_passkey(passkey),
            database.end_one(ann.id, there, here),
        );
        let factors = database.factors(ann.id).await.unwrap();
        assert_eq!(factors.is_needed(), added.is_ok(), "{round}");
        // The first one ends the session of the other.
        assert_ne!(ended.is_ok(), added.is_ok(), "{round}");
        assert_ended(added.map(drop).and(ended.map(drop)));
    }
}

async fn the_least_used_session_ends_when_there_are_too_many(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let first = open(database, &ann).await;
    let used = open(database, &ann).await;
    let session = find(database, &used).await.unwrap();
    let later = session.created_at + TimeDelta::hours(1);
    database
        .touch(session.id, later, session.expires_at)
        .await
        .unwrap();
    for _ in 0..Sessions::PER_ACCOUNT {
        open(database, &ann).await;
    }
    let listed = database.list(ann.id, clock().now()).await.unwrap();
    assert_eq!(listed.len() as u64, Sessions::PER_ACCOUNT);
    assert!(find(database, &first).await.is_none());
    assert!(find(database, &used).await.is_some());
}
