//! The relay reads the outbox again after a time in which it followed no organisation.

use super::*;

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, AtomicUsize, Ordering};

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use tokio::sync::mpsc;
use tokio::time::sleep;

use crate::broadcast::MockBroadcast;
use crate::outbox::MockOutbox;

/// An outbox that another node writes to, and whose broadcasts are all lost.
#[derive(Default)]
struct Written {
    revision: AtomicI64,
    is_away: AtomicBool,
}

impl Written {
    fn outbox(self: &Arc<Self>) -> MockOutbox {
        let mut outbox = MockOutbox::new();
        let read = Arc::clone(self);
        outbox.expect_revisions().returning(move |wanted| {
            if read.is_away.load(Ordering::SeqCst) {
                return Err(Error::Unavailable("unavailable".into()));
            }
            let revision = Revision(read.revision.load(Ordering::SeqCst));
            Ok(wanted.iter().map(|id| (id.clone(), revision)).collect())
        });
        let read = Arc::clone(self);
        outbox
            .expect_after()
            .returning(move |organisation, after, _| {
                if organisation.as_str() == "unreadable" {
                    return Err(Error::internal("not a commit"));
                }
                let newest = read.revision.load(Ordering::SeqCst);
                let commits = (after.0 + 1..=newest).map(|it| Commit::example("org", it, &[]));
                Ok(Backlog::Commits(commits.collect()))
            });
        outbox
    }
}

/// A running relay whose broadcast never delivers.
fn running(written: &Arc<Written>) -> (Arc<Relay>, mpsc::Sender<Arc<Commit>>) {
    running_with(written, Vec::new())
}

fn running_with(
    written: &Arc<Written>,
    listeners: Vec<Arc<dyn CommitListener>>,
) -> (Arc<Relay>, mpsc::Sender<Arc<Commit>>) {
    let (arrives, arriving) = mpsc::channel(1);
    let mut broadcast = MockBroadcast::new();
    broadcast.expect_subscribe().return_once(move || arriving);
    let relay = Relay::new(Arc::new(written.outbox()), Arc::new(broadcast));
    let relay = Arc::new(relay);
    let runs = Arc::clone(&relay);
    tokio::spawn(async move { runs.run(&listeners).await });
    (relay, arrives)
}

/// What a listener has received.
#[derive(Default)]
struct Received {
    revisions: Mutex<Vec<i64>>,
    resyncs: AtomicUsize,
    lost: AtomicU64,
}

impl CommitListener for Received {
    fn on_commit(&self, commit: &Arc<Commit>) {
        self.revisions.lock().push(commit.revision.0);
    }

    fn resync(&self, _: &OrganisationId) {
        self.resyncs.fetch_add(1, Ordering::SeqCst);
    }

    fn on_lost_commits(&self, count: u64) {
        self.lost.fetch_add(count, Ordering::SeqCst);
    }
}

#[tokio::test(start_paused = true)]
async fn commits_that_the_database_has_lost_are_noticed_and_the_next_ones_delivered() {
    let written = Arc::new(Written::default());
    let received = Arc::new(Received::default());
    let (relay, _arrives) = running_with(&written, vec![Arc::clone(&received) as _]);
    written.revision.store(5, Ordering::SeqCst);
    let organisation = OrganisationId::parse("org").unwrap();
    let before = relay.follow(&organisation).await.unwrap().unwrap();
    // At first, the database is a standby that receives the commits later.
    for stored in [3, 5, 3] {
        written.revision.store(stored, Ordering::SeqCst);
        sleep(Relay::SWEEP * (Relay::LOST_SWEEPS - 3)).await;
        assert_eq!(before.latest_if_followed(), Some(Revision(5)), "{stored}");
    }
    sleep(Relay::SWEEP * 5).await;
    assert_eq!(before.latest_if_followed(), None, "its pages are old");
    let position = relay.followed("org").unwrap();
    assert_eq!(position.latest_if_followed(), Some(Revision(3)));
    let counts = || {
        let resyncs = received.resyncs.load(Ordering::SeqCst);
        (resyncs, received.lost.load(Ordering::SeqCst))
    };
    assert_eq!(counts(), (1, 2));
    written.revision.store(4, Ordering::SeqCst);
    sleep(Relay::SWEEP * 2).await;
    assert_eq!(*received.revisions.lock(), [4]);
    assert_eq!(counts(), (1, 2), "once");
}

#[tokio::test(start_paused = true)]
async fn end_of_a_long_outage_is_noticed_without_a_request() {
    let written = Arc::new(Written::default());
    let (relay, _arrives) = running(&written);
    relay
        .follow(&OrganisationId::parse("org").unwrap())
        .await
        .unwrap();
    written.is_away.store(true, Ordering::SeqCst);
    sleep(Relay::SWEEP * (3 * Relay::IDLE_SWEEPS)).await;
    assert!(relay.is_stale());
    written.is_away.store(false, Ordering::SeqCst);
    sleep(Relay::SWEEP * 2).await;
    assert!(!relay.is_stale());
}

#[tokio::test(start_paused = true)]
async fn lost_commits_are_found_in_time_whenever_an_organisation_is_followed() {
    let written = Arc::new(Written::default());
    let (relay, _arrives) = running(&written);
    let organisation = OrganisationId::parse("org").unwrap();
    for revision in [1, 2] {
        sleep(Duration::from_hours(1)).await;
        let position = relay.follow(&organisation).await.unwrap().unwrap();
        written.revision.store(revision, Ordering::SeqCst);
        sleep(Relay::SWEEP + Duration::from_millis(1)).await;
        assert_eq!(position.delivered(), Revision(revision));
        // Longer than two searches for organisations that nobody requests.
        sleep(Relay::SWEEP * (2 * Relay::IDLE_SWEEPS + 2)).await;
        assert!(relay.positions.lock().is_empty());
    }
}

#[tokio::test(start_paused = true)]
async fn outage_right_after_a_rest_takes_its_time_to_count() {
    let written = Arc::new(Written::default());
    let (relay, _arrives) = running(&written);
    sleep(Duration::from_hours(1)).await;
    let organisation = OrganisationId::parse("org").unwrap();
    relay.follow(&organisation).await.unwrap();
    written.is_away.store(true, Ordering::SeqCst);
    sleep(Duration::from_millis(4_500)).await;
    assert!(!relay.is_stale());
    sleep(Duration::from_secs(1)).await;
    assert!(relay.is_stale());
}

/// An outbox whose commits cannot be read: the database hangs.
#[derive(Default)]
struct Hanging {
    /// Number of reads of revisions, which is the newest revision.
    reads: AtomicI64,
    /// Whether every read of revisions but the first one hangs, too.
    revisions_hang: bool,
}

#[async_trait]
impl Outbox for Hanging {
    async fn after(&self, _: &OrganisationId, _: Revision, _: u64) -> Result<Backlog, Error> {
        std::future::pending().await
    }

    async fn between(
        &self,
        _: &OrganisationId,
        _: Revision,
        _: Revision,
        _: usize,
    ) -> Result<Option<Vec<Commit>>, Error> {
        std::future::pending().await
    }

    async fn prune(&self, _: DateTime<Utc>, _: u64) -> Result<u64, Error> {
        std::future::pending().await
    }

    async fn revisions(
        &self,
        wanted: &[OrganisationId],
    ) -> Result<Vec<(OrganisationId, Revision)>, Error> {
        let reads = self.reads.fetch_add(1, Ordering::SeqCst) + 1;
        if self.revisions_hang && reads > 1 {
            std::future::pending::<()>().await;
        }
        Ok(wanted
            .iter()
            .map(|id| (id.clone(), Revision(reads)))
            .collect())
    }
}

#[tokio::test(start_paused = true)]
async fn database_that_hangs_counts_as_unavailable_in_time() {
    for revisions_hang in [true, false] {
        let (_arrives, arriving) = mpsc::channel(1);
        let mut broadcast = MockBroadcast::new();
        broadcast.expect_subscribe().return_once(move || arriving);
        let outbox = Hanging {
            revisions_hang,
            ..Hanging::default()
        };
        let relay = Arc::new(Relay::new(Arc::new(outbox), Arc::new(broadcast)));
        let runs = Arc::clone(&relay);
        tokio::spawn(async move { runs.run(&[]).await });
        let organisation = OrganisationId::parse("org").unwrap();
        relay.follow(&organisation).await.unwrap();
        sleep(Duration::from_millis(4_500)).await;
        assert!(!relay.is_stale());
        sleep(Relay::SWEEP + Duration::from_secs(1)).await;
        assert!(relay.is_stale(), "revisions hang: {revisions_hang}");
    }
}

#[tokio::test(start_paused = true)]
async fn commits_of_one_organisation_that_cannot_be_read_hold_back_no_other() {
    let written = Arc::new(Written::default());
    let (relay, _arrives) = running(&written);
    let mut positions = Vec::new();
    for name in ["unreadable", "org"] {
        let organisation = OrganisationId::parse(name).unwrap();
        positions.push(relay.follow(&organisation).await.unwrap().unwrap());
    }
    written.revision.store(1, Ordering::SeqCst);
    sleep(Relay::SWEEP * 7).await;
    for position in positions {
        assert_eq!(position.delivered(), Revision(1));
    }
    assert!(!relay.is_stale());
}

#[tokio::test(start_paused = true)]
async fn look_ups_of_an_organisation_are_shared_and_wait_a_short_time_for_those_of_others() {
    let outbox = Arc::new(Hanging {
        revisions_hang: true,
        ..Hanging::default()
    });
    let relay = Arc::new(Relay::new(
        Arc::clone(&outbox) as _,
        Arc::new(MockBroadcast::new()),
    ));
    let follow = |id: &str| {
        let (relay, id) = (Arc::clone(&relay), OrganisationId::parse(id).unwrap());
        async move { relay.follow(&id).await }
    };
    for _ in 0..10 {
        assert!(follow("org").await.unwrap().is_some());
    }
    assert_eq!(outbox.reads.load(Ordering::SeqCst), 1);
    // Each occupies a place for ever.
    for number in 0..Relay::MAX_LOOKUPS {
        tokio::spawn(follow(&format!("hangs{number}")));
    }
    tokio::task::yield_now().await;
    let late = follow("waits").await;
    assert!(matches!(late, Err(Error::Unavailable(_))));
}
