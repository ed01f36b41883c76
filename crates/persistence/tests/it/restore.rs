//! What follows a restore.

use allclear_application::outbox::{Backlog, Outbox};
use allclear_domain::organisation::Revision;
use allclear_persistence::restore::raise_revisions;

use crate::backend::{connected, name_organisation};
use crate::contract;
use crate::outbox::{after, three_revisions};

contract!(by url: after_a_restore_revisions_jump_and_no_reader_waits_for_those_between);

async fn after_a_restore_revisions_jump_and_no_reader_waits_for_those_between(url: &str) {
    let database = &connected(url).await;
    let acme = three_revisions(database).await;
    assert_eq!(raise_revisions(url).await.unwrap(), 1);
    let jumped = 3 + (1_i64 << 32);
    let read = async |revision| database.after(&acme, Revision(revision), 10).await.unwrap();
    // Viewers of the common past, of the restored state, and of the lost future.
    for revision in [1, 3, 5] {
        assert!(
            matches!(read(revision).await, Backlog::TooOld),
            "{revision}"
        );
    }
    assert!(after(database, &acme, jumped, 10).await.is_empty());
    name_organisation(database, &acme, "four").await;
    assert_eq!(after(database, &acme, jumped, 10).await, [jumped + 1]);
    for revision in [1, 3, 5] {
        assert!(
            matches!(read(revision).await, Backlog::TooOld),
            "{revision}"
        );
    }
}
