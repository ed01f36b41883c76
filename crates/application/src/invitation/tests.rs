use super::*;

use crate::fixture::{
    clock, links, mailer, memberships, no_mail_left, now, organisation, requirement, session,
    unlimited_mail, user,
};
use crate::mail::MockMailer;
use crate::organisation::MockOrganisationStore;

const ADDRESS: &str = "bob@example.com";

fn service(store: MockOrganisationStore, mailer: MockMailer) -> Invitations {
    Invitations::new(
        Arc::new(store),
        Arc::new(requirement(false)),
        Arc::new(mailer),
        unlimited_mail(),
        clock(),
        links(),
    )
}

fn ann() -> Session {
    session(user(1, "ann@example.com"))
}

fn draft() -> AddressDraft {
    AddressDraft {
        email: ADDRESS.into(),
    }
}

#[tokio::test]
async fn an_invitation_is_stored_by_its_digest_and_mailed_with_its_token() {
    let mut store = memberships(Some(Role::Admin));
    store
        .expect_add_invitation()
        .withf(|invitation, _, admin| {
            invitation.role == Role::Admin
                && invitation.expires_at == now() + Invitations::LIFETIME
                && *admin == Some(AdminSession::from(&ann()))
        })
        .times(1)
        .return_once(|_, _, _| Ok(()));
    let mailer = mailer(|to, content| match content {
        MailContent::Invitation {
            organisation,
            inviter,
            link,
        } => {
            let mailed = (to, organisation.as_deref(), inviter.as_deref());
            let token = link.strip_prefix("https://status.example.com/login?invitation=");
            mailed == (ADDRESS, Some("Acme"), Some("User 1"))
                && token.is_some_and(|token| token.len() == 43)
        }
        _ => false,
    });
    let service = service(store, mailer);
    let made = service
        .invite(&ann(), &organisation(), draft(), Role::Admin)
        .await
        .unwrap();
    assert_eq!(made.organisation.unwrap().name, "Acme");
}

#[tokio::test]
async fn invitation_beyond_the_mail_budget_is_refused_and_not_stored() {
    let mut service = service(memberships(Some(Role::Admin)), MockMailer::new());
    service.mail_budget = no_mail_left();
    let refused = service
        .invite(&ann(), &organisation(), draft(), Role::Editor)
        .await;
    assert!(
        matches!(refused, Err(Error::MailLimitReached { .. })),
        "{refused:?}"
    );
}

#[tokio::test]
async fn the_command_line_gets_the_link_that_was_mailed() {
    let mut store = MockOrganisationStore::new();
    store
        .expect_add_invitation()
        .withf(|made, _, admin| made.organisation.is_none() && admin.is_none())
        .times(1)
        .return_once(|_, _, _| Ok(()));
    let mailer =
        mailer(|to, content| to == ADDRESS && matches!(content, MailContent::Invitation { .. }));
    let stored = service(store, mailer).admit(draft(), None).await.unwrap();
    assert!(
        stored
            .link
            .starts_with("https://status.example.com/login?invitation=")
    );
    assert!(stored.mailed.is_ok());
}

/// A mailer that cannot send.
fn failing_mailer() -> MockMailer {
    let mut mailer = MockMailer::new();
    mailer.expect_send().return_once(|_| {
        Err(SendError::Temporary {
            reason: "no mail server".into(),
        })
    });
    mailer
}

#[tokio::test]
async fn admin_is_told_that_an_invitation_is_stored_whose_mail_failed() {
    let mut store = memberships(Some(Role::Admin));
    store
        .expect_add_invitation()
        .times(1)
        .return_once(|_, _, _| Ok(()));
    let failed = service(store, failing_mailer())
        .invite(&ann(), &organisation(), draft(), Role::Editor)
        .await
        .unwrap_err();
    assert_eq!(
        failed.to_string(),
        "The invitation is stored, but its mail could not be sent: no mail server"
    );
}

#[tokio::test]
async fn the_command_line_gets_the_link_of_a_mail_that_failed() {
    let mut store = MockOrganisationStore::new();
    store
        .expect_add_invitation()
        .times(1)
        .return_once(|_, _, _| Ok(()));
    let service = service(store, failing_mailer());
    let stored = service.admit(draft(), None).await.unwrap();
    assert!(stored.link.contains("/login?invitation="));
    assert!(stored.mailed.is_err());
}

#[tokio::test]
async fn a_required_factor_binds_invitations() {
    let mut service = service(memberships(Some(Role::Admin)), MockMailer::new());
    service.factors = Arc::new(requirement(true));
    let (ann, acme, id) = (ann(), organisation(), InvitationId(uuid::Uuid::nil()));
    for refused in [
        service.list(&ann, &acme, Page::default()).await.map(drop),
        service
            .invite(&ann, &acme, draft(), Role::Admin)
            .await
            .map(drop),
        service.revoke(&ann, &acme, id).await,
    ] {
        assert!(
            matches!(refused, Err(Error::SecondFactorRequired)),
            "{refused:?}"
        );
    }
}
