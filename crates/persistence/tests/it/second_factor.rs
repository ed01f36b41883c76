use allclear_application::passkey::PasskeyStore;
use allclear_application::password::PasswordHash;
use allclear_application::second_factor::{
    FactorStore, Factors, TotpConfirmation, TotpFactor, UsedCode,
};
use allclear_application::secret::{Digest, SecretToken};
use allclear_application::session::{SessionStore, SignInProof};
use allclear_domain::account::User;
use allclear_domain::id::SessionId;
use allclear_persistence::database::Database;
use tokio::task::JoinSet;

use crate::account::{account, new_session};
use crate::backend::{clock, organisation};
use crate::contract;
use crate::membership::found;
use crate::passkey::new_passkey;
use crate::session::{admin_session, open_session, opens};

contract!(
    an_app_is_enrolled_confirmed_and_removed,
    only_the_newest_enrolment_can_be_confirmed_and_only_once,
    a_time_step_is_used_once_and_in_order,
    a_recovery_code_is_used_once_however_many_come_at_once,
    a_code_of_a_factor_that_was_replaced_opens_no_session,
    a_change_of_factors_ends_the_other_sessions,
    a_reset_removes_every_factor_and_ends_every_session,
    a_requirement_belongs_to_one_organisation,
    an_enrolment_at_the_same_time_leaves_a_confirmed_app_as_it_is,
    a_passkey_added_while_the_app_is_removed_has_recovery_codes,
    a_requirement_is_set_by_however_many_at_once,
);

/// How often two changes are made at the same time, so that they overlap in some of them.
const ROUNDS: usize = 20;

fn digests(count: usize) -> Vec<Digest> {
    (0..count)
        .map(|_| SecretToken::generate().digest())
        .collect()
}

async fn open(database: &Database, user: &User) -> SessionId {
    let session = new_session(&SecretToken::generate());
    let id = session.id;
    open_session(database, user.id, session).await;
    id
}

async fn confirm(
    database: &Database,
    user: &User,
    nonce: &str,
    codes: Vec<Digest>,
    current_session: SessionId,
) -> bool {
    let confirmation = TotpConfirmation {
        user: user.id,
        nonce: nonce.into(),
        step: 7,
        now: clock().now(),
        recovery_codes: codes,
        current_session,
    };
    database.confirm_totp(confirmation).await.unwrap()
}

/// An account with a confirmed app, these recovery codes, and a session.
async fn enrolled(database: &Database, codes: Vec<Digest>) -> (User, SessionId) {
    let ann = account(database, "ann@example.com", "hash").await;
    let session = open(database, &ann).await;
    let now = clock().now();
    let began = database
        .begin_totp(ann.id, "nonce".into(), session, now)
        .await;
    assert!(began.unwrap());
    assert!(confirm(database, &ann, "nonce", codes, session).await);
    (ann, session)
}

async fn sessions(database: &Database, user: &User) -> Vec<SessionId> {
    let listed = database.list(user.id, clock().now()).await.unwrap();
    listed.into_iter().map(|session| session.id).collect()
}

async fn an_app_is_enrolled_confirmed_and_removed(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let session = open(database, &ann).await;
    let none = Factors::default();
    assert_eq!(database.factors(ann.id).await.unwrap(), none);
    let now = clock().now();
    let began = database
        .begin_totp(ann.id, "nonce".into(), session, now)
        .await;
    assert!(began.unwrap());
    let totp = TotpFactor {
        nonce: "nonce".into(),
        last_step: 0,
        created_at: now,
        confirmed_at: None,
    };
    let waiting = Factors {
        totp: Some(totp.clone()),
        passkeys: Vec::new(),
        recovery_codes: 0,
    };
    assert_eq!(database.factors(ann.id).await.unwrap(), waiting);
    assert!(!database.remove_totp(ann.id, session).await.unwrap());
    assert!(confirm(database, &ann, "nonce", digests(10), session).await);
    let found = database.factors(ann.id).await.unwrap();
    assert_eq!(found.recovery_codes, 10);
    let found = found.totp.unwrap();
    assert!(found.confirmed_at.is_some_and(|at| at >= now));
    assert_eq!((found.nonce, found.last_step), (totp.nonce, 7));
    assert_eq!(database.factors(bob.id).await.unwrap(), none);
    assert!(database.remove_totp(ann.id, session).await.unwrap());
    assert!(!database.remove_totp(ann.id, session).await.unwrap());
    assert_eq!(database.factors(ann.id).await.unwrap(), none);
}

async fn only_the_newest_enrolment_can_be_confirmed_and_only_once(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let session = open(database, &ann).await;
    let now = clock().now();
    for nonce in ["first", "second"] {
        let began = database
            .begin_totp(ann.id, nonce.into(), session, now)
            .await;
        assert!(began.unwrap());
    }
    assert!(!confirm(database, &ann, "first", digests(10), session).await);
    let codes = digests(10);
    assert!(confirm(database, &ann, "second", codes.clone(), session).await);
    assert!(!confirm(database, &ann, "second", digests(10), session).await);
    let began = database
        .begin_totp(ann.id, "third".into(), session, now)
        .await;
    assert!(!began.unwrap());
    let left = database.use_recovery_code(ann.id, &codes[0]).await;
    assert_eq!(
        left.unwrap(),
        Some(9),
        "the codes are those of the first confirmation"
    );
}

async fn a_time_step_is_used_once_and_in_order(database: &Database) {
    let (ann, _) = enrolled(database, digests(10)).await;
    let mut arriving = JoinSet::new();
    for _ in 0..10 {
        let database = database.clone();
        arriving.spawn(async move { database.use_step(ann.id, 8).await.unwrap() });
    }
    let used = arriving.join_all().await;
    assert_eq!(used.iter().filter(|used| **used).count(), 1);
    for (step, accepted) in [(7, false), (8, false), (9, true)] {
        let used = database.use_step(ann.id, step).await.unwrap();
        assert_eq!(used, accepted, "{step}");
    }
}

async fn a_recovery_code_is_used_once_however_many_come_at_once(database: &Database) {
    let codes = digests(10);
    let (ann, session) = enrolled(database, codes.clone()).await;
    let bob = account(database, "bob@example.com", "hash").await;
    let stolen = database.use_recovery_code(bob.id, &codes[0]).await;
    assert_eq!(stolen.unwrap(), None);
    let mut arriving = JoinSet::new();
    for _ in 0..10 {
        let (database, code) = (database.clone(), codes[0].clone());
        arriving.spawn(async move { database.use_recovery_code(ann.id, &code).await.unwrap() });
    }
    let used = arriving.join_all().await;
    assert_eq!(used.into_iter().flatten().collect::<Vec<_>>(), [9]);
    let fresh = digests(10);
    database
        .set_recovery_codes(ann.id, fresh.clone(), session)
        .await
        .unwrap();
    let old = database.use_recovery_code(ann.id, &codes[1]).await;
    assert_eq!(old.unwrap(), None);
    let new = database.use_recovery_code(ann.id, &fresh[1]).await;
    assert_eq!(new.unwrap(), Some(9));
}

async fn a_code_of_a_factor_that_was_replaced_opens_no_session(database: &Database) {
    let codes = digests(10);
    let (ann, session) = enrolled(database, codes.clone()).await;
    let entered = |code| SignInProof::Password {
        hash: PasswordHash::new("hash".into()),
        code: Some(code),
    };
    let app = |nonce: &str| {
        entered(UsedCode::Totp {
            nonce: nonce.into(),
        })
    };
    let used = database.use_recovery_code(ann.id, &codes[0]).await;
    let left = used.unwrap().unwrap();
    let recovery_code = || entered(UsedCode::RecoveryCode { left });
    assert!(opens(database, &ann, app("nonce")).await);
    assert!(opens(database, &ann, recovery_code()).await);
    assert!(database.remove_totp(ann.id, session).await.unwrap());
    let now = clock().now();
    let began = database
        .begin_totp(ann.id, "new nonce".into(), session, now)
        .await;
    assert!(began.unwrap());
    assert!(!opens(database, &ann, app("new nonce")).await);
    assert!(confirm(database, &ann, "new nonce", digests(10), session).await);
    assert!(!opens(database, &ann, app("nonce")).await);
    assert!(!opens(database, &ann, recovery_code()).await);
    assert!(opens(database, &ann, app("new nonce")).await);
}

async fn a_change_of_factors_ends_the_other_sessions(database: &Database) {
    let (ann, here) = enrolled(database, digests(10)).await;
    assert_eq!(sessions(database, &ann).await, [here]);
    open(database, &ann).await;
    database
        .set_recovery_codes(ann.id, digests(10), here)
        .await
        .unwrap();
    assert_eq!(sessions(database, &ann).await, [here]);
    open(database, &ann).await;
    assert!(database.remove_totp(ann.id, here).await.unwrap());
    assert_eq!(sessions(database, &ann).await, [here]);
}

async fn a_reset_removes_every_factor_and_ends_every_session(database: &Database) {
    let (ann, _) = enrolled(database, digests(10)).await;
    let bob = account(database, "bob@example.com", "hash").await;
    database.reset_factors(ann.id).await.unwrap();
    let found = database.factors(ann.id).await.unwrap();
    assert_eq!(found, Factors::default());
    assert!(sessions(database, &ann).await.is_empty());
    assert_eq!(sessions(database, &bob).await.len(), 1);
}

async fn a_requirement_belongs_to_one_organisation(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let other = organisation(database, "other").await;
    let admin = admin_session(database, ann.id).await;
    let required = async |id| database.is_factor_required(id).await.unwrap();
    assert!(!required(&acme).await);
    for is_change in [true, false] {
        let set = database.require_factor(&acme, true, admin).await;
        assert_eq!(set.unwrap(), is_change);
        assert!(required(&acme).await && !required(&other).await);
    }
    for is_change in [true, false] {
        let set = database.require_factor(&acme, false, admin).await;
        assert_eq!(set.unwrap(), is_change);
        assert!(!required(&acme).await);
    }
}

async fn an_enrolment_at_the_same_time_leaves_a_confirmed_app_as_it_is(database: &Database) {
    for round in 0..ROUNDS {
        let ann = account(database, &format!("ann{round}@example.com"), "hash").await;
        let session = open(database, &ann).await;
        let now = clock().now();
        let began = database
            .begin_totp(ann.id, "first".into(), session, now)
            .await;
        assert!(began.unwrap());
        let (confirmed, began) = tokio::join!(
            confirm(database, &ann, "first", digests(10), session),
            database.begin_totp(ann.id, "second".into(), session, now)
        );
        let began = began.unwrap();
        let totp = database.factors(ann.id).await.unwrap().totp.unwrap();
        let expected = if confirmed { "first" } else { "second" };
        assert_eq!(totp.nonce, expected, "{round}");
        assert_eq!(totp.confirmed_at.is_some(), confirmed, "{round}");
        assert_eq!(began, !confirmed, "{round}");
    }
}

async fn a_passkey_added_while_the_app_is_removed_has_recovery_codes(database: &Database) {
    for round in 0..ROUNDS {
        let ann = account(database, &format!("ann{round}@example.com"), "hash").await;
        let session = open(database, &ann).await;
        let began = database.begin_totp(ann.id, "nonce".into(), session, clock().now());
        assert!(began.await.unwrap());
        assert!(confirm(database, &ann, "nonce", digests(10), session).await);
        let new = new_passkey(&ann, &format!("phone{round}"), session);
        let (removed, added) = tokio::join!(
            database.remove_totp(ann.id, session),
            database.add_passkey(new)
        );
        assert!(removed.unwrap());
        added.unwrap();
        let factors = database.factors(ann.id).await.unwrap();
        assert_eq!((factors.passkeys.len(), factors.recovery_codes), (1, 10));
    }
}

async fn a_requirement_is_set_by_however_many_at_once(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let acme = found(database, &ann).await;
    let admin = admin_session(database, ann.id).await;
    let mut setting = JoinSet::new();
    for _ in 0..10 {
        let (database, acme) = (database.clone(), acme.clone());
        setting.spawn(async move { database.require_factor(&acme, true, admin).await });
    }
    for set in setting.join_all().await {
        set.unwrap();
    }
    assert!(database.is_factor_required(&acme).await.unwrap());
}
