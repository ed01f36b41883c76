use super::*;

use allclear_application::caller::Role;
use allclear_application::error::Error;
use allclear_application::session::{AdminSession, MockSessionStore, TokenClaims, TokenIssuer};
use allclear_domain::membership::Membership;

use crate::built_in::fixture::{claims, key_ring, organisation, signer};
use crate::fixture::clock;

fn bearer(role: Option<Role>) -> Bearer {
    let membership = role.map(|role| Membership {
        organisation: organisation(),
        name: "Acme Ltd".into(),
        role,
    });
    Bearer {
        name: "Anna".into(),
        authenticated_at: claims().issued_at,
        membership,
    }
}

async fn verify(
    claims: &TokenClaims,
    stands: Result<Option<Bearer>, Error>,
) -> Result<Caller, TokenError> {
    let mut sessions = MockSessionStore::new();
    sessions.expect_bearer().return_once(|_, _, _, _| stands);
    let token = signer(1).issue(claims).unwrap();
    BuiltInVerifier::new(key_ring(1), Arc::new(sessions), clock(0))
        .verify(&token)
        .await
}

#[tokio::test]
async fn a_caller_is_what_stands_behind_the_token_now() {
    let caller = verify(&claims(), Ok(Some(bearer(Some(Role::Editor)))))
        .await
        .unwrap();
    assert_eq!(caller.name.as_deref(), Some("Anna"));
    let session = AdminSession {
        id: claims().session,
        user: claims().user,
    };
    assert_eq!(caller.admin_session(), Some(session));
    let membership = caller.membership.unwrap();
    assert_eq!(
        (membership.organisation_name.as_deref(), membership.role),
        (Some("Acme Ltd"), Role::Editor)
    );
    assert_eq!(caller.expires_at, Some(claims().expires_at));
    assert_eq!(caller.authenticated_at, Some(claims().issued_at));
}

#[tokio::test]
async fn a_token_of_an_ended_session_is_refused() {
    assert!(matches!(
        verify(&claims(), Ok(None)).await,
        Err(TokenError::Bad(_))
    ));
}

#[tokio::test]
async fn a_token_of_a_removed_member_is_refused() {
    assert!(matches!(
        verify(&claims(), Ok(Some(bearer(None)))).await,
        Err(TokenError::Bad(_))
    ));
}

#[tokio::test]
async fn a_token_without_an_organisation_needs_no_membership() {
    let caller = verify(
        &TokenClaims {
            membership: None,
            ..claims()
        },
        Ok(Some(bearer(None))),
    )
    .await
    .unwrap();
    assert_eq!(caller.membership, None);
}

#[tokio::test]
async fn an_unavailable_database_refuses_nobody_for_good() {
    let unavailable = verify(&claims(), Err(Error::Unavailable("down".into()))).await;
    assert!(matches!(unavailable, Err(TokenError::Unavailable(_))));
}
