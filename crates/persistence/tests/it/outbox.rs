use allclear_application::incident::IncidentStore;
use allclear_application::origin::Origin;
use allclear_application::outbox::{Backlog, Commit, Outbox};
use allclear_application::write_kind::WriteKind;
use allclear_domain::audit::Actor;
use allclear_domain::id::OrganisationId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::organisation::Revision;
use allclear_persistence::database::Database;
use chrono::TimeDelta;

use crate::backend::{author, clock, name_organisation, organisation};
use crate::contract;
use crate::organisation_fixture::{OrganisationFixture, draft};

contract!(
    a_reader_gets_what_follows_its_revision,
    a_reader_of_the_newest_revision_gets_nothing,
    reader_that_keeps_up_with_a_writer_never_starts_again,
    old_commits_are_pruned_without_a_gap,
    reading_pruned_commits_is_too_old,
    part_of_the_commits_is_returned_whole_or_not_at_all,
    size_of_a_part_is_that_of_its_unpacked_events,
    commit_says_for_which_limits_it_counts,
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
        Backlog::Commits(commits) => commits.iter().map(|commit| commit.revision.0).collect(),
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

/// The revisions of the commits between two revisions, if they have at most so many bytes.
async fn between(
    database: &Database,
    organisation: &OrganisationId,
    (after, to): (i64, i64),
    bytes: usize,
) -> Option<Vec<i64>> {
    let (after, to) = (Revision(after), Revision(to));
    let found = database.between(organisation, after, to, bytes).await;
    let revision = |commit: &Commit| commit.revision.0;
    found
        .unwrap()
        .map(|commits| commits.iter().map(revision).collect())
}

async fn part_of_the_commits_is_returned_whole_or_not_at_all(database: &Database) {
    const BYTES: usize = 10_000;
    let acme = three_revisions(database).await;
    for (part, expected) in [
        ((0, 3), Some(vec![1, 2, 3])),
        ((1, 2), Some(vec![2])),
        ((3, 3), Some(Vec::new())),
        ((2, 4), None),
        ((-1, 3), None),
        ((i64::MIN, 3), None),
    ] {
        let found = between(database, &acme, part, BYTES).await;
        assert_eq!(found, expected, "{part:?}");
    }
    assert_eq!(between(database, &acme, (0, 3), 10).await, None);
    let later = clock().now() + TimeDelta::hours(1);
    database.prune(later, 2).await.unwrap();
    assert_eq!(between(database, &acme, (1, 3), BYTES).await, None);
    assert_eq!(between(database, &acme, (2, 3), BYTES).await, Some(vec![3]));
}

async fn size_of_a_part_is_that_of_its_unpacked_events(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let incident = fixture.open("Down", &[]).await.id;
    // A text that takes some hundred bytes when it is compressed.
    let message = "x".repeat(10_000);
    fixture
        .record(incident, IncidentStatus::Investigating, &message)
        .await;
    let part = async |bytes| between(database, &fixture.id, (1, 2), bytes).await;
    assert_eq!(part(9_000).await, None);
    assert_eq!(part(48 * 1024).await, Some(vec![2]));
}

async fn commit_says_for_which_limits_it_counts(database: &Database) {
    let fixture = OrganisationFixture::new(database, "acme").await;
    let opened = async || {
        let created = IncidentStore::insert(database, &fixture.id, draft("Down", &[]), Vec::new());
        created.await.unwrap().commit.unwrap().counts_as
    };
    for (actor, counts_as) in [
        (Actor::User(author()), Some(WriteKind::Person)),
        (Actor::ApiKey(author()), Some(WriteKind::ApiKey)),
        (Actor::Scheduler, None),
    ] {
        assert_eq!(Origin::of(actor).scope(opened()).await, counts_as);
    }
}

async fn revisions_are_returned_for_existing_organisations(database: &Database) {
    let acme = three_revisions(database).await;
    let nobody = OrganisationId::parse("nobody").unwrap();
    assert_eq!(
        database.revisions(&[acme.clone(), nobody]).await.unwrap(),
        [(acme, Revision(3))]
    );
}
