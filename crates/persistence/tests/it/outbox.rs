use allclear_application::outbox::{Backlog, Outbox};
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use allclear_persistence::database::Database;
use chrono::TimeDelta;

use crate::backend::{clock, name_organisation, organisation};
use crate::contract;

contract!(
    a_reader_gets_what_follows_its_revision,
    a_reader_of_the_newest_revision_gets_nothing,
    reader_that_keeps_up_with_a_writer_never_starts_again,
    old_commits_are_pruned_without_a_gap,
    reading_pruned_commits_is_too_old,
    revisions_are_returned_for_existing_organisations,
);

pub(crate) async fn three_revisions(database: &Database) -> OrganisationId {
    let acme = organisation(database, "acme").await;
    for name in ["one", "two", "three"] {
        name_organisation(database, &acme, name).await;
    }
    acme
}

pub(crate) async fn after(
    database: &Database,
    organisation: &OrganisationId,
    revision: i64,
    limit: u64,
) -> Vec<i64> {
    match database
        .after(organisation, Revision(revision), limit)
        .await
        .unwrap()
    {
        Backlog::Commits(commits) => commits.iter().map(|commit| commit.revision).collect(),
        Backlog::TooOld => panic!("nothing was pruned"),
    }
}

async fn a_reader_gets_what_follows_its_revision(database: &Database) {
    let acme = three_revisions(database).await;
    assert_eq!(after(database, &acme, 0, 10).await, [1, 2, 3]);
    assert_eq!(after(database, &acme, 1, 1).await, [2]);
}

async fn a_reader_of_the_newest_revision_gets_nothing(database: &Database) {
    let acme = three_revisions(database).await;
    assert!(after(database, &acme, 3, 10).await.is_empty());
}

async fn reader_that_keeps_up_with_a_writer_never_starts_again(database: &Database) {
    let acme = organisation(database, "acme").await;
    let writing = async {
        for number in 0..100 {
            name_organisation(database, &acme, &format!("Acme {number}")).await;
        }
    };
    let reading = async {
        let mut position = 0;
        while position < 100 {
            let read = after(database, &acme, position, 3).await;
            assert_eq!(read, (position + 1..).take(read.len()).collect::<Vec<_>>());
            position += i64::try_from(read.len()).unwrap();
        }
    };
    tokio::join!(writing, reading);
}

async fn old_commits_are_pruned_without_a_gap(database: &Database) {
    let acme = three_revisions(database).await;
    let now = clock().now();
    assert_eq!(
        database.prune(now - TimeDelta::hours(1), 10).await.unwrap(),
        0
    );
    assert_eq!(after(database, &acme, 0, 10).await, [1, 2, 3]);
    assert_eq!(
        database.prune(now + TimeDelta::hours(1), 2).await.unwrap(),
        2
    );
    assert_eq!(after(database, &acme, 2, 10).await, [3]);
    assert_eq!(
        database.prune(now + TimeDelta::hours(1), 2).await.unwrap(),
        1
    );
    assert!(
        after(database, &acme, 3, 10).await.is_empty(),
        "a reader who knows everything misses nothing"
    );
    name_organisation(database, &acme, "four").await;
    assert_eq!(after(database, &acme, 3, 10).await, [4]);
}

async fn reading_pruned_commits_is_too_old(database: &Database) {
    let acme = three_revisions(database).await;
    database
        .prune(clock().now() + TimeDelta::hours(1), 2)
        .await
        .unwrap();
    let read = async |revision| database.after(&acme, Revision(revision), 10).await.unwrap();
    assert!(
        matches!(read(1).await, Backlog::TooOld),
        "some of it is gone"
    );
    database
        .prune(clock().now() + TimeDelta::hours(1), 2)
        .await
        .unwrap();
    assert!(
        matches!(read(2).await, Backlog::TooOld),
        "all of it is gone"
    );
}

async fn revisions_are_returned_for_existing_organisations(database: &Database) {
    let acme = three_revisions(database).await;
    let nobody = OrganisationId::parse("nobody").unwrap();
    assert_eq!(
        database.revisions(&[acme.clone(), nobody]).await.unwrap(),
        [(acme, Revision(3))]
    );
}
