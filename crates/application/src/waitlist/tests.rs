use super::*;

use chrono::DateTime;
use uuid::Uuid;

use crate::fixture::{clock, links, mail_budget, mailer, session, user};
use crate::mail::MockMailer;
use crate::mail_budget::{MailBudgetLimits, MailScope, MockMailCountStore};
use crate::organisation::MockOrganisationStore;
use crate::second_factor::MockFactorStore;

const ADDRESS: &str = "bob@example.com";

fn service(
    store: MockWaitlistStore,
    invitations: MockOrganisationStore,
    mailer: MockMailer,
) -> Waitlist {
    // A mail counts for the administrator that causes it, and not for strangers.
    let mut counts = MockMailCountStore::new();
    let account = administrator().user.id.to_string();
    counts
        .expect_take()
        .withf(move |_, counts, _| {
            let mut keys = counts.iter().map(|count| (count.scope, count.key.as_str()));
            keys.clone()
                .any(|key| key == (MailScope::Account, &account))
                && keys.all(|(_, key)| key != "strangers")
        })
        .returning(|_, _, _| Ok(()));
    let limits = MailBudgetLimits {
        account: Some(10),
        installation: Some(10),
        ..MailBudgetLimits::default()
    };
    let invitations = Invitations::new(
        Arc::new(invitations),
        Arc::new(MockFactorStore::new()),
        Arc::new(mailer),
        mail_budget(counts, limits),
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
        .return_once(|_, _, _| Ok(()));
    service(store, invitations, mailer(|to, _| to == ADDRESS))
        .invite(&administrator(), place())
        .await
        .unwrap();
}
