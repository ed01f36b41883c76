use super::*;

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
        let membership = role.map(|role| Belonging {
            organisation: organisation(),
            name: "Acme".into(),
            role,
        });
        Ok(Some(Bearer {
            name: "Ann".into(),
            membership,
        }))
    });
    Sessions::new(Arc::new(store), Arc::new(issuer()), clock())
}

#[tokio::test]
async fn a_token_for_an_organisation_makes_it_the_active_one() {
    let mut store = MockSessionStore::new();
    store
        .expect_activate()
        .withf(|_, id| *id == organisation())
        .times(1)
        .return_once(|_, _| Ok(()));
    let session = session(user(1, "ann@example.com"));
    let issued = service(store, Some(Role::Member))
        .token(&session, Some(&organisation()))
        .await
        .unwrap();
    assert_eq!(
        issued,
        IssuedToken {
            token: "org_1".into(),
            expires_at: now() + Sessions::TOKEN_LIFE
        }
    );
    assert!(
        !format!("{issued:?}").contains("org_1"),
        "it shows in no log"
    );
}

#[tokio::test]
async fn the_active_organisation_is_not_written_again() {
    let session = Session {
        active_organisation: Some(organisation()),
        ..session(user(1, "ann@example.com"))
    };
    let service = service(MockSessionStore::new(), Some(Role::Admin));
    assert!(service.token(&session, Some(&organisation())).await.is_ok());
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

#[tokio::test]
async fn a_session_slides_at_most_once_a_day() {
    let fresh = session(user(1, "ann@example.com"));
    assert_eq!(
        service(MockSessionStore::new(), None)
            .extend(&fresh)
            .await
            .unwrap(),
        None
    );
    let mut store = MockSessionStore::new();
    store.expect_extend().times(1).return_once(|_, _| Ok(()));
    let used = Session {
        expires_at: now() + TimeDelta::days(29),
        ..fresh
    };
    assert_eq!(
        service(store, None).extend(&used).await.unwrap(),
        Some(now() + Sessions::LIFE)
    );
}
