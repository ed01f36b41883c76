use super::*;

use allclear_domain::membership::Membership;

use crate::fixture::{clock, now, organisation, session, user};

fn issuer() -> MockTokenIssuer {
    let mut issuer = MockTokenIssuer::new();
    issuer.expect_issue().returning(|claims| {
        let organisation = claims
            .membership
            .as_ref()
            .map(|found| found.organisation.to_string());
        Ok(organisation.unwrap_or_else(|| "none".into()))
    });
    issuer
}

/// A service whose callers have this role in [`organisation`]; `None` if they are not members.
fn service(mut store: MockSessionStore, role: Option<Role>) -> Sessions {
    store.expect_bearer().returning(move |_, _, _, _| {
        let membership = role.map(|role| Membership {
            organisation: organisation(),
            name: "Acme".into(),
            role,
        });
        Ok(Some(Bearer {
            name: "Ann".into(),
            authenticated_at: now(),
            membership,
        }))
    });
    Sessions::new(Arc::new(store), Arc::new(issuer()), clock())
}

#[tokio::test]
async fn a_member_gets_a_token_for_an_organisation() {
    let session = session(user(1, "ann@example.com"));
    let issued = service(MockSessionStore::new(), Some(Role::Editor))
        .token(&session, Some(&organisation()))
        .await
        .unwrap();
    assert_eq!(
        issued,
        IssuedToken {
            token: "org_1".into(),
            expires_at: now() + Sessions::TOKEN_LIFETIME
        }
    );
    assert!(
        !format!("{issued:?}").contains("org_1"),
        "it shows in no log"
    );
}

#[tokio::test]
async fn an_organisation_becomes_the_active_one() {
    let mut store = MockSessionStore::new();
    store
        .expect_activate()
        .withf(|_, id| *id == organisation())
        .times(1)
        .return_once(|_, _| Ok(()));
    let session = session(user(1, "ann@example.com"));
    let service = service(store, Some(Role::Editor));
    assert!(service.activate(&session, &organisation()).await.is_ok());
}

#[tokio::test]
async fn the_active_organisation_is_not_written_again() {
    let session = Session {
        active_organisation: Some(organisation()),
        ..session(user(1, "ann@example.com"))
    };
    let service = service(MockSessionStore::new(), Some(Role::Admin));
    assert!(service.activate(&session, &organisation()).await.is_ok());
}

#[tokio::test]
async fn a_token_does_not_outlive_its_session() {
    let end = now() + TimeDelta::minutes(2);
    let session = Session {
        expires_at: end,
        ..session(user(1, "ann@example.com"))
    };
    let issued = service(MockSessionStore::new(), None)
        .token(&session, None)
        .await
        .unwrap();
    assert_eq!(issued.expires_at, end);
}

/// A session that began `created` ago and was last used `used` ago.
fn used(created: TimeDelta, used: TimeDelta) -> Session {
    Session {
        created_at: now() - created,
        used_at: now() - used,
        ..session(user(1, "ann@example.com"))
    }
}

/// A service that has to store this expiry.
fn extending(end: DateTime<Utc>) -> Sessions {
    let mut store = MockSessionStore::new();
    store
        .expect_touch()
        .withf(move |_, used_at, expires_at| (*used_at, *expires_at) == (now(), end))
        .times(1)
        .return_once(|_, _, _| Ok(()));
    service(store, None)
}

#[tokio::test]
async fn use_of_a_session_is_stored_at_most_once_an_hour() {
    let session = used(TimeDelta::days(1), TimeDelta::minutes(59));
    let quiet = service(MockSessionStore::new(), None);
    quiet.touch(&session).await.unwrap();
    let session = used(TimeDelta::days(1), TimeDelta::minutes(60));
    let storing = extending(now() + Sessions::IDLE);
    storing.touch(&session).await.unwrap();
}

#[tokio::test]
async fn use_does_not_prolong_a_session_beyond_its_absolute_lifetime() {
    let session = used(TimeDelta::days(28), TimeDelta::hours(2));
    let storing = extending(now() + TimeDelta::days(2));
    storing.touch(&session).await.unwrap();
}

#[test]
fn authentication_is_recent_for_ten_minutes() {
    let ago = |minutes, seconds| {
        let at = now() - TimeDelta::minutes(minutes) - TimeDelta::seconds(seconds);
        require_recent(Some(at), now())
    };
    assert!(ago(0, 0).is_ok() && ago(10, 0).is_ok());
    let refused = ago(10, 1);
    assert!(matches!(refused, Err(Error::ReauthenticationRequired)));
    assert!(
        require_recent(None, now()).is_ok(),
        "the provider does not say"
    );
}
