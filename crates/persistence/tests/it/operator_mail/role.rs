//! Mails whose recipients get another role before they are sent.

use allclear_application::membership::MemberTransition;
use allclear_application::operator_mail::OperatorMailStore;
use allclear_application::organisation::OrganisationStore;
use allclear_domain::membership::Role;
use allclear_persistence::database::Database;
use chrono::TimeDelta;

use super::{Operators, after};
use crate::backend::clock;
use crate::contract;

contract!(mail_that_waits_is_dropped_when_its_recipient_loses_the_role);

async fn become_role(database: &Database, operators: &Operators, role: Role) {
    let transition: MemberTransition = Box::new(move |_| Ok(Some(role)));
    let (id, bob) = (&operators.fixture.id, operators.bob.id);
    let changed = OrganisationStore::change_member(database, id, bob, None, transition);
    changed.await.unwrap().unwrap();
}

async fn mail_that_waits_is_dropped_when_its_recipient_loses_the_role(database: &Database) {
    let operators = Operators::with_reminders(database, 1).await;
    become_role(database, &operators, Role::Admin).await;
    operators.fail(&["eve@example.com"], clock().now()).await;
    let mut now = after(1);
    assert_eq!(database.queue_reminders(now).await.unwrap(), 1);
    assert_eq!(database.queue_digests(now).await.unwrap().len(), 1);
    // An editor is sent the reminder only.
    for (role, count) in [(Role::Admin, 2), (Role::Editor, 1), (Role::Viewer, 0)] {
        become_role(database, &operators, role).await;
        let until = now + TimeDelta::minutes(5);
        let claimed = database.claim_mails(now, until, 8).await.unwrap();
        let (to_bob, others): (Vec<_>, Vec<_>) = claimed
            .mails
            .iter()
            .partition(|mail| mail.to == operators.bob.email);
        assert_eq!((to_bob.len(), others.len()), (count, 2), "{role}");
        now = until;
    }
}
