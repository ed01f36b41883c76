use super::*;

use chrono::DateTime;
use uuid::Uuid;

use crate::fixture::{clock, links, mailer, session, unlimited_mail, user};
use crate::mail::MockMailer;
use crate::organisation::MockOrganisationStore;
use crate::second_factor::MockFactorStore;

const ADDRESS: &str = "bob@example.com";

fn service(
    store: MockWaitlistStore,
    invitations: MockOrganisationStore,
    mailer: MockMailer,
) -> Waitlist {
    let invitations = Invitations::new(
        Arc::new(invitations),
        Arc::new(MockFactorStore::new()),
        Arc::new(mailer),
        unlimited_mail(),
        clock(),
        links(),
    );
    Waitlist::new(Arc::new(store), Arc::new(invitations))
}

fn administrator() -> Session {
    session(User {
        administrator: true,
        ..user(1, "ann@example.com")
    })
}

fn place() -> WaitlistId {
    WaitlistId(Uuid::from_u128(3))
}

#[tokio::test]
async fn admitted_address_is_mailed_and_leaves_the_waitlist() {
    let mut store = MockWaitlistStore::new();
    let waiting = Waiting {
        id: place(),
        name: "Bob".into(),
        email: ADDRESS.into(),
        created_at: DateTime::default(),
    };
    store.expect_find().return_once(|_| Ok(Some(waiting)));
    store.expect_remove().times(1).return_once(|_| Ok(true));
    let mut invitations = MockOrganisationStore::new();
    invitations
        .expect_add_invitation()
        .times(1)
        .return_once(|_, _| Ok(()));
    service(store, invitations, mailer(|to, _| to == ADDRESS))
        .invite(&administrator(), place())
        .await
        .unwrap();
}
