use allclear_application::account::{AccountStore, ResetOutcome};
use allclear_application::openid::{
    AccountOrigin, MembershipOutcome, OpenIdStore, ProvidedMembership, ProviderSession,
    ProviderSignIn, ProviderSignInOutcome, ProviderSignedIn, Reauthentication,
    ReauthenticationOutcome,
};
use allclear_application::passkey::PasskeyStore;
use allclear_application::password::PasswordHash;
use allclear_application::second_factor::{FactorStore, SessionProof};
use allclear_application::secret::SecretToken;
use allclear_application::session::SessionStore;
use allclear_domain::account::User;
use allclear_domain::id::{OrganisationId, UserId};
use allclear_domain::membership::Role;
use allclear_domain::openid::LOWEST_ROLE;
use allclear_persistence::database::Database;
use chrono::TimeDelta;
use tokio::task::JoinSet;

use crate::account::{new_session, pending_reset};
use crate::backend::clock;
use crate::contract;
use crate::membership::found;
use crate::passkey::new_passkey;
use crate::session::open_session;

contract!(
    of_ten_uses_of_a_state_one_succeeds,
    of_ten_first_arrivals_of_a_person_all_have_one_account,
    a_sign_in_without_a_password_makes_no_account,
    another_subject_of_an_issuer_does_not_get_the_account,
    a_role_is_given_and_the_last_admin_stays,
    the_origin_of_a_session_ends_with_it,
    a_session_knows_where_its_second_factor_was_checked,
    a_factor_is_proven_while_another_one_is_added,
    an_authentication_counts_for_the_account_of_the_session_only,
    an_account_that_a_provider_made_has_no_password_until_one_is_set,
);

pub(crate) fn sign_in(subject: &str, email: &str) -> ProviderSignIn {
    let session = new_session(&SecretToken::generate());
    ProviderSignIn {
        issuer: "https://a.example".into(),
        subject: subject.into(),
        user: User {
            id: UserId(clock().id()),
            name: "Grace".into(),
            email: email.into(),
            administrator: false,
            needs_address: false,
            created_at: session.created_at,
        },
        password: Some(PasswordHash::new("hash".into())),
        session,
        before: None,
        origin: ProviderSession {
            provider: "okta".parse().unwrap(),
            id_token: "token".into(),
            second_factor: false,
        },
        membership: None,
    }
}

/// Signs a person in. `None` if the account of the address is another person's.
pub(crate) async fn signed_in(
    database: &Database,
    sign_in: ProviderSignIn,
) -> Option<ProviderSignedIn> {
    match OpenIdStore::sign_in(database, sign_in).await.unwrap() {
        ProviderSignInOutcome::SignedIn(signed_in) => Some(signed_in),
        ProviderSignInOutcome::AnotherPerson => None,
        outcome @ ProviderSignInOutcome::AccountGone => panic!("{outcome:?}"),
    }
}

async fn of_ten_uses_of_a_state_one_succeeds(database: &Database) {
    let (state, now) = (SecretToken::generate(), clock().now());
    let mut uses = JoinSet::new();
    for _ in 0..10 {
        let (database, digest) = (database.clone(), state.digest());
        let end = now + TimeDelta::minutes(10);
        uses.spawn(async move { database.use_state(&digest, end, now).await.unwrap() });
    }
    let results = uses.join_all().await;
    assert_eq!(results.iter().filter(|first| **first).count(), 1);
    // An expired mark is removed; the state itself has expired then, too.
    let later = now + TimeDelta::minutes(11);
    let other = SecretToken::generate().digest();
    assert!(database.use_state(&other, later, later).await.unwrap());
    assert!(
        database
            .use_state(&state.digest(), later, later)
            .await
            .unwrap()
    );
}

async fn of_ten_first_arrivals_of_a_person_all_have_one_account(database: &Database) {
    let mut sign_ins = JoinSet::new();
    for _ in 0..10 {
        let database = database.clone();
        sign_ins.spawn(async move {
            let first = sign_in("1", "grace@example.com");
            signed_in(&database, first).await.unwrap()
        });
    }
    let signed_in = sign_ins.join_all().await;
    let made = signed_in
        .iter()
        .filter(|signed_in| signed_in.account == AccountOrigin::Created);
    assert_eq!(made.count(), 1);
    assert!(
        signed_in
            .iter()
            .all(|one| one.user.id == signed_in[0].user.id)
    );
    assert!(signed_in[0].user.administrator);
}

async fn a_sign_in_without_a_password_makes_no_account(database: &Database) {
    let late = ProviderSignIn {
        password: None,
        ..sign_in("1", "grace@example.com")
    };
    let outcome = OpenIdStore::sign_in(database, late).await.unwrap();
    assert_eq!(outcome, ProviderSignInOutcome::AccountGone);
    assert!(!AccountStore::any(database).await.unwrap());
}

async fn another_subject_of_an_issuer_does_not_get_the_account(database: &Database) {
    let first = signed_in(database, sign_in("1", "grace@example.com"))
        .await
        .unwrap();
    let result = signed_in(database, sign_in("2", "Grace@example.com")).await;
    assert_eq!(result, None);
    let elsewhere = ProviderSignIn {
        issuer: "https://b.example".into(),
        ..sign_in("2", "grace@example.com")
    };
    let linked = signed_in(database, elsewhere).await.unwrap();
    assert_eq!(
        (linked.user.id, linked.account),
        (first.user.id, AccountOrigin::Linked)
    );
    let renamed = signed_in(database, sign_in("1", "hopper@example.com"))
        .await
        .unwrap();
    assert_eq!(
        (renamed.user.id, renamed.account),
        (first.user.id, AccountOrigin::Existing)
    );
    assert_eq!(renamed.user.email, "grace@example.com");
}

async fn a_role_is_given_and_the_last_admin_stays(database: &Database) {
    let founder = signed_in(database, sign_in("1", "grace@example.com"))
        .await
        .unwrap()
        .user;
    let organisation = found(database, &founder).await;
    let with = |subject: &str, organisation: &OrganisationId, role| ProviderSignIn {
        membership: Some(ProvidedMembership {
            organisation: organisation.clone(),
            role,
        }),
        ..sign_in(subject, &format!("person{subject}@example.com"))
    };
    for (subject, role, expected) in [
        ("1", Some(LOWEST_ROLE), MembershipOutcome::LastAdmin),
        ("1", None, MembershipOutcome::Unchanged),
        ("2", None, MembershipOutcome::Changed(LOWEST_ROLE)),
        (
            "2",
            Some(Role::Admin),
            MembershipOutcome::Changed(Role::Admin),
        ),
        ("2", Some(Role::Admin), MembershipOutcome::Unchanged),
        (
            "1",
            Some(LOWEST_ROLE),
            MembershipOutcome::Changed(LOWEST_ROLE),
        ),
    ] {
        let signed_in = signed_in(database, with(subject, &organisation, role))
            .await
            .unwrap();
        assert_eq!(signed_in.membership, expected, "{subject} {role:?}");
    }
    let missing = OrganisationId::parse("org_missing").unwrap();
    let signed_in = signed_in(database, with("3", &missing, None))
        .await
        .unwrap();
    assert_eq!(signed_in.membership, MembershipOutcome::NoOrganisation);
}

async fn the_origin_of_a_session_ends_with_it(database: &Database) {
    let first = sign_in("1", "grace@example.com");
    let (id, origin) = (first.session.id, first.origin.clone());
    let user = signed_in(database, first).await.unwrap().user.id;
    assert_eq!(
        database.session_origin(id, user).await.unwrap(),
        Some(origin)
    );
    let stranger = UserId(clock().id());
    assert_eq!(database.session_origin(id, stranger).await.unwrap(), None);
    let token = SecretToken::generate();
    let second = ProviderSignIn {
        session: new_session(&token),
        before: Some(id),
        ..sign_in("1", "grace@example.com")
    };
    let second_id = second.session.id;
    signed_in(database, second).await.unwrap();
    assert_eq!(database.session_origin(id, user).await.unwrap(), None);
    SessionStore::end(database, &token.digest()).await.unwrap();
    assert_eq!(
        database.session_origin(second_id, user).await.unwrap(),
        None
    );
}

fn reauthentication(sign_in: &ProviderSignIn, subject: &str, email: &str) -> Reauthentication {
    Reauthentication {
        session: sign_in.session.id,
        issuer: "https://a.example".into(),
        subject: subject.into(),
        email: email.into(),
        at: sign_in.session.created_at + TimeDelta::minutes(1),
        second_factor: false,
        digest: SecretToken::generate().digest(),
    }
}

async fn a_session_knows_where_its_second_factor_was_checked(database: &Database) {
    let first = sign_in("1", "grace@example.com");
    let (id, now) = (first.session.id, first.session.created_at);
    let grace = signed_in(database, first.clone()).await.unwrap().user;
    let local = new_session(&SecretToken::generate());
    let local_id = local.id;
    open_session(database, grace.id, local).await;
    let proofs = async || {
        (
            database.session_proof(id).await.unwrap(),
            database.session_proof(local_id).await.unwrap(),
        )
    };
    assert_eq!(
        proofs().await,
        (SessionProof::Missing, SessionProof::Account)
    );

    let token = SecretToken::generate();
    database.prove_factor(id, token.digest()).await.unwrap();
    assert_eq!(
        proofs().await,
        (SessionProof::Account, SessionProof::Account)
    );
    let found = SessionStore::find(database, &token.digest(), now).await;
    assert_eq!(found.unwrap().map(|session| session.id), Some(id));

    let vouched = Reauthentication {
        second_factor: true,
        ..reauthentication(&first, "1", "grace@example.com")
    };
    let done = OpenIdStore::reauthenticate(database, vouched, now).await;
    assert!(matches!(
        done.unwrap(),
        ReauthenticationOutcome::Done { .. }
    ));
    assert_eq!(
        proofs().await,
        (SessionProof::Provider, SessionProof::Account)
    );
}

async fn a_factor_is_proven_while_another_one_is_added(database: &Database) {
    for round in 0..20 {
        let first = sign_in(&round.to_string(), &format!("grace{round}@example.com"));
        let session = first.session.id;
        let grace = signed_in(database, first).await.unwrap().user;
        let digest = SecretToken::generate().digest();
        let passkey = new_passkey(&grace, &format!("phone{round}"), session);
        let (proven, added) = tokio::join!(
            database.prove_factor(session, digest),
            database.add_passkey(passkey),
        );
        proven.unwrap();
        added.unwrap();
        let proof = database.session_proof(session).await.unwrap();
        assert_eq!(proof, SessionProof::Account, "{round}");
    }
}

async fn an_authentication_counts_for_the_account_of_the_session_only(database: &Database) {
    let first = sign_in("1", "grace@example.com");
    let (before, now) = (first.session.digest.clone(), first.session.created_at);
    let grace = signed_in(database, first.clone()).await.unwrap().user;
    signed_in(database, sign_in("2", "mallory@example.com"))
        .await
        .unwrap();
    for (subject, email) in [
        ("2", "mallory@example.com"),
        ("2", "grace@example.com"),
        ("3", "grace@example.com"),
        ("3", "stranger@example.com"),
    ] {
        let other = reauthentication(&first, subject, email);
        let result = database.reauthenticate(other, now).await.unwrap();
        let expected = ReauthenticationOutcome::AnotherAccount;
        assert_eq!(result, expected, "{subject} {email}");
    }
    let same = reauthentication(&first, "1", "renamed@example.com");
    let done = database.reauthenticate(same.clone(), now).await.unwrap();
    let expected = ReauthenticationOutcome::Done {
        user: grace,
        linked: false,
    };
    assert_eq!(done, expected);
    let session = SessionStore::find(database, &same.digest, now).await;
    let session = session.unwrap().unwrap();
    assert_eq!(session.authenticated_at, same.at);
    let old = SessionStore::find(database, &before, now).await.unwrap();
    assert_eq!(old, None, "the token was replaced");
    let ended = database.end_one(session.user.id, session.id, session.id);
    assert!(ended.await.unwrap());
    let ended = database.reauthenticate(same, now).await.unwrap();
    assert_eq!(ended, ReauthenticationOutcome::Ended);
}

async fn an_account_that_a_provider_made_has_no_password_until_one_is_set(database: &Database) {
    let sign_in = sign_in("1", "grace@example.com");
    let user = signed_in(database, sign_in).await.unwrap().user;
    let ways = database.sign_in_methods(user.id).await.unwrap();
    let issuers = vec!["https://a.example".to_owned()];
    assert_eq!((ways.password, ways.issuers), (false, issuers));
    let hash = PasswordHash::new("another".into());
    let token = pending_reset(database, &user, TimeDelta::hours(1)).await;
    let digest = token.digest();
    let stored = database.use_reset(&digest, hash, clock().now());
    assert_eq!(stored.await.unwrap(), ResetOutcome::Stored);
    assert!(database.sign_in_methods(user.id).await.unwrap().password);
}
