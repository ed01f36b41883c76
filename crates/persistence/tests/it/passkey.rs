use allclear_application::passkey::{
    CredentialId, NewCredential, NewPasskey, PasskeyAdditionOutcome, PasskeyStore, PasskeyUse,
    PasskeyUseOutcome, UsedChallenge, VerifiedCredential,
};
use allclear_application::second_factor::{FactorStore, TotpConfirmation};
use allclear_application::secret::{Digest, SecretToken};
use allclear_application::session::SessionStore;
use allclear_domain::account::User;
use allclear_domain::id::{PasskeyId, SessionId};
use allclear_domain::passkey::Passkey;
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use tokio::task::JoinSet;

use crate::account::{account, new_session};
use crate::backend::clock;
use crate::contract;
use crate::session::open_session;

contract!(
    a_passkey_is_added_listed_renamed_and_removed,
    a_credential_belongs_to_one_account,
    a_challenge_adds_one_passkey,
    an_account_has_at_most_twenty_passkeys,
    recovery_codes_are_made_with_the_first_factor_and_removed_with_the_last,
    a_change_of_passkeys_ends_the_other_sessions,
    a_use_stores_the_counter_and_the_time,
    a_counter_goes_only_forward_however_many_uses_come_at_once,
    a_challenge_is_used_once_however_many_uses_come_at_once,
    a_repeated_response_changes_nothing_of_the_passkey,
    a_copy_is_noted_once_for_a_challenge,
    a_counter_that_went_back_leaves_the_challenge_for_the_note_of_the_copy,
    a_reset_removes_every_passkey,
);

fn challenge() -> UsedChallenge {
    UsedChallenge {
        digest: SecretToken::generate().digest(),
        expires_at: clock().now() + TimeDelta::minutes(5),
    }
}

fn codes() -> Vec<Digest> {
    (0..10).map(|_| SecretToken::generate().digest()).collect()
}

async fn open(database: &Database, user: &User) -> SessionId {
    let session = new_session(&SecretToken::generate());
    let id = session.id;
    open_session(database, user.id, session).await;
    id
}

pub(crate) fn new_passkey(user: &User, credential: &str, current_session: SessionId) -> NewPasskey {
    NewPasskey {
        user: user.id,
        passkey: Passkey {
            id: PasskeyId(clock().id()),
            name: credential.into(),
            created_at: clock().now(),
            last_used_at: None,
        },
        credential: NewCredential {
            id: CredentialId(credential.into()),
            credential: "new".into(),
            sign_count: 0,
        },
        challenge: challenge(),
        recovery_codes: codes(),
        current_session,
    }
}

/// An account with a session and this passkey.
pub(crate) async fn with_passkey(
    database: &Database,
    credential: &str,
) -> (User, SessionId, PasskeyId) {
    let ann = account(database, "ann@example.com", "hash").await;
    let session = open(database, &ann).await;
    let new = new_passkey(&ann, credential, session);
    let id = new.passkey.id;
    let stored = database.add_passkey(new).await.unwrap();
    assert_eq!(stored, PasskeyAdditionOutcome::First);
    (ann, session, id)
}

fn used(id: PasskeyId, sign_count: u32) -> PasskeyUse {
    PasskeyUse {
        id,
        credential: VerifiedCredential {
            credential: format!("counted to {sign_count}"),
            sign_count,
        },
        challenge: challenge(),
        now: clock().now(),
    }
}

async fn sessions(database: &Database, user: &User) -> Vec<SessionId> {
    let listed = SessionStore::list(database, user.id, clock().now()).await;
    let listed = listed.unwrap();
    listed.into_iter().map(|session| session.id).collect()
}

async fn a_passkey_is_added_listed_renamed_and_removed(database: &Database) {
    let (ann, session, id) = with_passkey(database, "phone").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let factors = database.factors(ann.id).await.unwrap();
    assert!(factors.is_needed());
    assert_eq!(factors.passkeys[0].id, id);
    assert_eq!(factors.passkeys[0].name, "phone");
    let key = CredentialId("phone".into());
    let found = database.find_passkey(&key).await.unwrap().unwrap();
    assert_eq!((found.account.user.id, found.passkey.id), (ann.id, id));
    assert_eq!(found.credential, "new");
    let listed = database.credentials_of(ann.id).await.unwrap();
    assert_eq!(listed, std::slice::from_ref(&key));

    let name = || "Work phone".to_owned();
    let current_session = open(database, &bob).await;
    let foreign = database
        .rename_passkey(bob.id, id, name(), current_session)
        .await;
    assert_eq!(foreign.unwrap(), None);
    let renamed = database.rename_passkey(ann.id, id, name(), session).await;
    assert_eq!(renamed.unwrap().unwrap().name, "Work phone");
    let factors = database.factors(ann.id).await.unwrap();
    assert_eq!(factors.passkeys[0].name, "Work phone");

    assert!(
        !database
            .remove_passkey(bob.id, id, current_session)
            .await
            .unwrap()
    );
    assert!(database.remove_passkey(ann.id, id, session).await.unwrap());
    assert!(!database.remove_passkey(ann.id, id, session).await.unwrap());
    assert_eq!(database.find_passkey(&key).await.unwrap(), None);
    assert!(!database.factors(ann.id).await.unwrap().is_needed());
}

async fn a_credential_belongs_to_one_account(database: &Database) {
    let (ann, ..) = with_passkey(database, "phone").await;
    let bob = account(database, "bob@example.com", "hash").await;
    let session = open(database, &bob).await;
    let stored = database.add_passkey(new_passkey(&bob, "phone", session));
    assert_eq!(stored.await.unwrap(), PasskeyAdditionOutcome::Known);
    let found = database.find_passkey(&CredentialId("phone".into())).await;
    assert_eq!(found.unwrap().unwrap().account.user.id, ann.id);
    let factors = database.factors(bob.id).await.unwrap();
    assert!(!factors.is_needed() && factors.recovery_codes == 0);
}

async fn a_challenge_adds_one_passkey(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let session = open(database, &ann).await;
    let first = new_passkey(&ann, "phone", session);
    let second = NewPasskey {
        challenge: first.challenge.clone(),
        ..new_passkey(&ann, "key", session)
    };
    let stored = database.add_passkey(first).await.unwrap();
    assert_eq!(stored, PasskeyAdditionOutcome::First);
    let stored = database.add_passkey(second).await.unwrap();
    assert_eq!(stored, PasskeyAdditionOutcome::Known);
}

async fn an_account_has_at_most_twenty_passkeys(database: &Database) {
    let ann = account(database, "ann@example.com", "hash").await;
    let session = open(database, &ann).await;
    let mut adding = JoinSet::new();
    for number in 0..22 {
        let (database, ann) = (database.clone(), ann.clone());
        adding.spawn(async move {
            let new = new_passkey(&ann, &number.to_string(), session);
            database.add_passkey(new).await.unwrap()
        });
    }
    let stored = adding.join_all().await;
    let count = |kind| stored.iter().filter(|stored| **stored == kind).count();
    assert_eq!(count(PasskeyAdditionOutcome::First), 1);
    assert_eq!(count(PasskeyAdditionOutcome::Further), 19);
    assert_eq!(count(PasskeyAdditionOutcome::Full), 2);
}

async fn recovery_codes_are_made_with_the_first_factor_and_removed_with_the_last(
    database: &Database,
) {
    let (ann, session, phone) = with_passkey(database, "phone").await;
    let left = || async { database.factors(ann.id).await.unwrap().recovery_codes };
    assert_eq!(left().await, 10);
    let now = clock().now();
    let began = database.begin_totp(ann.id, "nonce".into(), session, now);
    assert!(began.await.unwrap());
    let confirmation = TotpConfirmation {
        user: ann.id,
        nonce: "nonce".into(),
        step: 7,
        now,
        recovery_codes: codes(),
        current_session: session,
    };
    assert!(database.confirm_totp(confirmation).await.unwrap());
    assert!(database.remove_totp(ann.id, session).await.unwrap());
    assert_eq!(left().await, 10, "the passkey stays");
    let key = new_passkey(&ann, "key", session);
    let id = key.passkey.id;
    let stored = database.add_passkey(key).await.unwrap();
    assert_eq!(stored, PasskeyAdditionOutcome::Further);
    assert!(
        database
            .remove_passkey(ann.id, phone, session)
            .await
            .unwrap()
    );
    assert_eq!(left().await, 10);
    assert!(database.remove_passkey(ann.id, id, session).await.unwrap());
    assert_eq!(left().await, 0);
}

async fn a_change_of_passkeys_ends_the_other_sessions(database: &Database) {
    let (ann, session, id) = with_passkey(database, "phone").await;
    assert_eq!(sessions(database, &ann).await, [session]);
    open(database, &ann).await;
    let key = new_passkey(&ann, "key", session);
    database.add_passkey(key).await.unwrap();
    assert_eq!(sessions(database, &ann).await, [session]);
    open(database, &ann).await;
    assert!(database.remove_passkey(ann.id, id, session).await.unwrap());
    assert_eq!(sessions(database, &ann).await, [session]);
}

async fn a_use_stores_the_counter_and_the_time(database: &Database) {
    let (ann, _, id) = with_passkey(database, "phone").await;
    let first = used(id, 0);
    assert_eq!(
        database.use_passkey(first).await.unwrap(),
        PasskeyUseOutcome::Accepted,
        "an authenticator without a counter"
    );
    let counted = database.use_passkey(used(id, 4)).await.unwrap();
    assert_eq!(counted, PasskeyUseOutcome::Accepted);
    for back in [4, 3, 0] {
        let outcome = database.use_passkey(used(id, back)).await.unwrap();
        assert_eq!(outcome, PasskeyUseOutcome::CounterWentBack, "{back}");
    }
    let found = database.find_passkey(&CredentialId("phone".into())).await;
    assert_eq!(found.unwrap().unwrap().credential, "counted to 4");
    let factors = database.factors(ann.id).await.unwrap();
    assert!(factors.passkeys[0].last_used_at.is_some());
    let unknown = used(PasskeyId(clock().id()), 9);
    let outcome = database.use_passkey(unknown).await.unwrap();
    assert_eq!(outcome, PasskeyUseOutcome::Refused);
}

async fn a_counter_goes_only_forward_however_many_uses_come_at_once(database: &Database) {
    let (_, _, id) = with_passkey(database, "phone").await;
    let mut uses = JoinSet::new();
    for _ in 0..8 {
        let database = database.clone();
        uses.spawn(async move { database.use_passkey(used(id, 1)).await.unwrap() });
    }
    let uses = uses.join_all().await;
    let accepted = uses
        .iter()
        .filter(|used| **used == PasskeyUseOutcome::Accepted);
    assert_eq!(accepted.count(), 1, "{uses:?}");
}

async fn a_challenge_is_used_once_however_many_uses_come_at_once(database: &Database) {
    let (_, _, id) = with_passkey(database, "phone").await;
    let mut uses = JoinSet::new();
    let once = used(id, 0);
    for _ in 0..8 {
        let (database, once) = (database.clone(), once.clone());
        uses.spawn(async move { database.use_passkey(once).await.unwrap() });
    }
    let uses = uses.join_all().await;
    let accepted = uses
        .iter()
        .filter(|used| **used == PasskeyUseOutcome::Accepted);
    assert_eq!(accepted.count(), 1, "{uses:?}");
}

async fn a_repeated_response_changes_nothing_of_the_passkey(database: &Database) {
    let (ann, _, id) = with_passkey(database, "phone").await;
    let first = used(id, 0);
    let repeated = PasskeyUse {
        now: first.now + TimeDelta::minutes(1),
        credential: VerifiedCredential {
            credential: "repeated".into(),
            ..first.credential.clone()
        },
        ..first.clone()
    };
    let accepted = database.use_passkey(first.clone()).await.unwrap();
    assert_eq!(accepted, PasskeyUseOutcome::Accepted);
    let outcome = database.use_passkey(repeated).await.unwrap();
    assert_eq!(outcome, PasskeyUseOutcome::Refused);
    let factors = database.factors(ann.id).await.unwrap();
    assert_eq!(factors.passkeys[0].last_used_at, Some(first.now));
    let found = database.find_passkey(&CredentialId("phone".into())).await;
    let credential = first.credential.credential;
    assert_eq!(found.unwrap().unwrap().credential, credential);
}

async fn a_counter_that_went_back_leaves_the_challenge_for_the_note_of_the_copy(
    database: &Database,
) {
    let (ann, _, id) = with_passkey(database, "phone").await;
    let counted = database.use_passkey(used(id, 4)).await.unwrap();
    assert_eq!(counted, PasskeyUseOutcome::Accepted);
    let copy = used(id, 3);
    let outcome = database.use_passkey(copy.clone()).await.unwrap();
    assert_eq!(outcome, PasskeyUseOutcome::CounterWentBack);
    let passkey = database.factors(ann.id).await.unwrap().passkeys.remove(0);
    let noted = database.record_copied(&passkey, ann.id, copy.challenge.clone());
    assert!(noted.await.unwrap());
    let repeated = database.use_passkey(copy).await.unwrap();
    assert_eq!(repeated, PasskeyUseOutcome::Refused);
}

async fn a_copy_is_noted_once_for_a_challenge(database: &Database) {
    let (ann, ..) = with_passkey(database, "phone").await;
    let passkey = database.factors(ann.id).await.unwrap().passkeys.remove(0);
    let (once, other) = (challenge(), challenge());
    for (challenge, is_first) in [(&once, true), (&once, false), (&other, true)] {
        let noted = database.record_copied(&passkey, ann.id, challenge.clone());
        assert_eq!(noted.await.unwrap(), is_first);
    }
}

async fn a_reset_removes_every_passkey(database: &Database) {
    let (ann, session, _) = with_passkey(database, "phone").await;
    let key = new_passkey(&ann, "key", session);
    database.add_passkey(key).await.unwrap();
    database.reset_factors(ann.id).await.unwrap();
    let factors = database.factors(ann.id).await.unwrap();
    assert!(!factors.is_needed());
    assert_eq!(factors.recovery_codes, 0);
    assert!(sessions(database, &ann).await.is_empty());
}
