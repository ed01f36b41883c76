use super::*;

use allclear_domain::event::EventKind;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use tokio::sync::mpsc;

/// An outbox with a list of commits, and a broadcast that the test drives.
struct FakeOutbox {
    commits: Vec<Commit>,
    oldest: i64,
    arriving: Mutex<Option<mpsc::Receiver<Arc<Commit>>>>,
}

#[async_trait]
impl Outbox for FakeOutbox {
    async fn after(
        &self,
        _: &OrganisationId,
        revision: Revision,
        limit: u64,
    ) -> Result<Backlog, Error> {
        if revision.0 + 1 < self.oldest {
            return Ok(Backlog::TooOld);
        }
        let later = self
            .commits
            .iter()
            .filter(|commit| commit.revision > revision);
        Ok(Backlog::Commits(
            later
                .take(usize::try_from(limit).unwrap())
                .cloned()
                .collect(),
        ))
    }

    async fn between(
        &self,
        _: &OrganisationId,
        _: Revision,
        _: Revision,
        _: usize,
    ) -> Result<Option<Vec<Commit>>, Error> {
        unreachable!("only viewers read a part")
    }

    async fn prune(&self, _: DateTime<Utc>, _: u64) -> Result<u64, Error> {
        Ok(0)
    }

    async fn revisions(
        &self,
        wanted: &[OrganisationId],
    ) -> Result<Vec<(OrganisationId, Revision)>, Error> {
        let newest = self.commits.last();
        let newest = newest.map_or(Revision(0), |commit| commit.revision);
        Ok(wanted
            .iter()
            .filter(|id| id.as_str() == "org")
            .map(|id| (id.clone(), newest))
            .collect())
    }
}

#[async_trait]
impl Broadcast for FakeOutbox {
    async fn publish(&self, _: Arc<Commit>) {}

    async fn subscribe(&self) -> mpsc::Receiver<Arc<Commit>> {
        self.arriving.lock().take().unwrap()
    }
}

#[derive(Default)]
struct Recorder {
    revisions: Mutex<Vec<i64>>,
    resyncs: Mutex<usize>,
}

impl CommitListener for Recorder {
    fn on_commit(&self, commit: &Arc<Commit>) {
        self.revisions.lock().push(commit.revision.0);
    }

    fn resync(&self, _: &OrganisationId) {
        *self.resyncs.lock() += 1;
    }
}

fn commit(revision: i64) -> Commit {
    Commit::example("org", revision, &[EventKind::ComponentDeleted])
}

/// A relay over an outbox with these commits.
fn relay_of(commits: Vec<Commit>) -> Relay {
    let committed = Arc::new(FakeOutbox {
        commits,
        oldest: 1,
        arriving: Mutex::default(),
    });
    Relay::new(Arc::clone(&committed) as Arc<dyn Outbox>, committed)
}

/// Follows from revision `from`, lets these broadcasts arrive, and returns what the
/// listener recorded.
async fn delivered_after(from: i64, oldest: i64, arriving: &[i64]) -> (Vec<i64>, usize) {
    let (sender, receiver) = mpsc::channel(arriving.len());
    let highest = arriving.iter().copied().max().unwrap_or(from);
    let committed = Arc::new(FakeOutbox {
        commits: (1..=highest)
            .filter(|revision| *revision >= oldest)
            .map(commit)
            .collect(),
        oldest,
        arriving: Mutex::new(Some(receiver)),
    });
    let relay = Relay::new(Arc::clone(&committed) as Arc<dyn Outbox>, committed);
    let organisation = OrganisationId::parse("org").unwrap();
    relay
        .positions
        .lock()
        .insert(organisation, StreamPosition::from(Revision(from)));
    for revision in arriving {
        sender.try_send(Arc::new(commit(*revision))).unwrap();
    }
    drop(sender);
    let recorder = Arc::new(Recorder::default());
    relay
        .run(&[Arc::clone(&recorder) as Arc<dyn CommitListener>])
        .await;
    let resyncs = *recorder.resyncs.lock();
    let revisions = recorder.revisions.lock().clone();
    (revisions, resyncs)
}

#[tokio::test]
async fn commits_are_delivered_once_in_order_whatever_the_broadcast_does() {
    for (what, from, arriving, delivered) in [
        ("in order", 0, &[1, 2, 3][..], 1..=3),
        ("reordered and repeated", 0, &[3, 1, 2, 2, 3], 1..=3),
        ("lost, so read from the outbox", 1, &[5], 2..=5),
        ("a long gap, read in parts", 0, &[600], 1..=600),
    ] {
        let expected = (delivered.collect(), 0);
        assert_eq!(delivered_after(from, 1, arriving).await, expected, "{what}");
    }
}

#[tokio::test]
async fn viewers_read_the_page_again_after_a_run_that_failed() {
    let committed = Arc::new(FakeOutbox {
        commits: vec![commit(1)],
        oldest: 1,
        arriving: Mutex::default(),
    });
    let outbox = Arc::clone(&committed) as Arc<dyn Outbox>;
    let relay = Relay::new(outbox, Arc::clone(&committed) as Arc<dyn Broadcast>);
    let organisation = OrganisationId::parse("org").unwrap();
    let position = StreamPosition::from(Revision(1));
    relay.positions.lock().insert(organisation, position);
    let recorder = Arc::new(Recorder::default());
    for resyncs in [0, 1] {
        let (_, receiver) = mpsc::channel(1);
        *committed.arriving.lock() = Some(receiver);
        relay
            .run(&[Arc::clone(&recorder) as Arc<dyn CommitListener>])
            .await;
        assert_eq!(*recorder.resyncs.lock(), resyncs);
    }
}

#[tokio::test]
async fn a_gap_that_was_pruned_makes_viewers_resync() {
    assert_eq!(delivered_after(1, 4, &[5]).await, (vec![], 1));
}

#[tokio::test]
async fn an_organisation_that_does_not_exist_is_not_followed() {
    let relay = relay_of(vec![commit(1)]);
    assert_eq!(
        relay
            .follow(&OrganisationId::parse("nobody").unwrap())
            .await
            .unwrap()
            .map(|it| it.delivered()),
        None
    );
    let position = relay
        .follow(&OrganisationId::parse("org").unwrap())
        .await
        .unwrap();
    assert_eq!(position.map(|it| it.delivered()), Some(Revision(1)));
}

#[tokio::test]
async fn a_published_commit_moves_the_position_at_once() {
    let relay = relay_of(vec![commit(1)]);
    let organisation = OrganisationId::parse("org").unwrap();
    let position = relay.follow(&organisation).await.unwrap().unwrap();
    relay
        .publish(Committed {
            state: (),
            commit: Some(commit(2)),
        })
        .await;
    assert_eq!(position.latest_if_followed(), Some(Revision(2)));
}

#[tokio::test]
async fn the_lag_is_what_is_known_and_not_delivered() {
    let relay = relay_of(Vec::new());
    for (organisation, delivered) in [("a", 3), ("b", 7)] {
        let position = StreamPosition::from(Revision(delivered));
        position.note(Revision(7));
        relay
            .positions
            .lock()
            .insert(OrganisationId::parse(organisation).unwrap(), position);
    }
    assert_eq!(relay.lag(), 4);
    relay.note_revision(&OrganisationId::parse("b").unwrap(), Revision(9));
    assert_eq!(relay.lag(), 6);
}

/// A listener whose interest the test decides.
#[derive(Default)]
struct Interested(std::sync::atomic::AtomicBool);

impl CommitListener for Interested {
    fn on_commit(&self, _: &Arc<Commit>) {}

    fn resync(&self, _: &OrganisationId) {}

    fn is_interested(&self, _: &OrganisationId) -> bool {
        self.0.load(std::sync::atomic::Ordering::Relaxed)
    }
}

#[tokio::test]
async fn an_organisation_without_requests_and_listeners_is_no_longer_followed() {
    let relay = relay_of(vec![commit(1)]);
    let organisation = OrganisationId::parse("org").unwrap();
    let interested = Arc::new(Interested::default());
    let listeners = [Arc::clone(&interested) as Arc<dyn CommitListener>];
    let is_followed = || relay.positions.lock().contains_key(&organisation);

    let position = relay.follow(&organisation).await.unwrap().unwrap();
    relay.forget_idle(&listeners);
    assert!(is_followed(), "it was requested");
    interested
        .0
        .store(true, std::sync::atomic::Ordering::Relaxed);
    relay.forget_idle(&listeners);
    assert!(is_followed(), "a listener is interested");
    interested
        .0
        .store(false, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(position.latest_if_followed(), Some(Revision(1)));
    relay.forget_idle(&listeners);
    assert!(is_followed(), "it was requested again");
    relay.forget_idle(&listeners);
    assert!(!is_followed());
    assert_eq!(
        position.latest_if_followed(),
        None,
        "a kept position shows that"
    );
    assert_eq!(
        relay
            .follow(&organisation)
            .await
            .unwrap()
            .unwrap()
            .latest_if_followed(),
        Some(Revision(1))
    );
}

/// Counts outages.
#[derive(Default)]
struct OutageCount(Mutex<usize>);

impl CommitListener for OutageCount {
    fn on_commit(&self, _: &Arc<Commit>) {}

    fn resync(&self, _: &OrganisationId) {}

    fn on_outage(&self) {
        *self.0.lock() += 1;
    }
}

#[tokio::test(start_paused = true)]
async fn an_unreadable_outbox_is_an_outage_until_it_can_be_read_again() {
    let unavailable = Arc::new(AtomicBool::new(false));
    let mut outbox = crate::outbox::MockOutbox::new();
    let silent = Arc::clone(&unavailable);
    outbox.expect_revisions().returning(move |ids| {
        if silent.load(Ordering::SeqCst) {
            return Err(Error::Unavailable("unavailable".into()));
        }
        Ok(ids.iter().map(|id| (id.clone(), Revision(1))).collect())
    });
    let mut broadcast = crate::broadcast::MockBroadcast::new();
    let (arrives, arriving) = mpsc::channel(1);
    broadcast.expect_subscribe().return_once(move || arriving);
    broadcast.expect_publish().return_const(());
    let relay = Arc::new(Relay::new(Arc::new(outbox), Arc::new(broadcast)));
    relay
        .follow(&OrganisationId::parse("org").unwrap())
        .await
        .unwrap();
    let outages = Arc::new(OutageCount::default());
    let (running, listener) = (
        Arc::clone(&relay),
        Arc::clone(&outages) as Arc<dyn CommitListener>,
    );
    tokio::spawn(async move { running.run(&[listener]).await });
    let pass = async |milliseconds| {
        tokio::time::sleep(Duration::from_millis(milliseconds)).await;
        (relay.is_stale(), *outages.0.lock())
    };
    assert_eq!(pass(10_500).await, (false, 0));
    unavailable.store(true, Ordering::SeqCst);
    assert_eq!(
        pass(4_000).await,
        (false, 0),
        "it may be a matter of seconds"
    );
    arrives.try_send(Arc::new(commit(2))).unwrap();
    assert_eq!(
        pass(1_000).await,
        (true, 1),
        "another node's commit does not prove that this node can read"
    );
    assert_eq!(
        pass(2_000).await,
        (true, 3),
        "repeated for viewers who came meanwhile"
    );
    // A commit proves that the database is available.
    relay
        .publish(Committed {
            state: (),
            commit: Some(commit(1)),
        })
        .await;
    assert!(!relay.is_stale());
    assert_eq!(pass(6_000).await, (true, 4));
    unavailable.store(false, Ordering::SeqCst);
    assert_eq!(pass(1_000).await, (false, 4));
}

#[tokio::test]
async fn one_slow_read_holds_back_no_other_organisation_but_two_end_the_sweep() {
    for (slow, delivered) in [(0, 3), (1, 2), (2, 0)] {
        let mut outbox = crate::outbox::MockOutbox::new();
        outbox
            .expect_revisions()
            .returning(|ids| Ok(ids.iter().map(|id| (id.clone(), Revision(1))).collect()));
        let mut reads = 0;
        outbox.expect_after().returning(move |_, revision, _| {
            if revision == Revision(1) {
                return Ok(Backlog::Commits(Vec::new()));
            }
            reads += 1;
            if reads <= slow {
                return Err(Error::Unavailable("slow".into()));
            }
            Ok(Backlog::Commits(vec![commit(1)]))
        });
        let broadcast = crate::broadcast::MockBroadcast::new();
        let relay = Relay::new(Arc::new(outbox), Arc::new(broadcast));
        for name in ["one", "two", "three"] {
            let organisation = OrganisationId::parse(name).unwrap();
            relay
                .positions
                .lock()
                .insert(organisation, StreamPosition::from(Revision(0)));
        }
        let recorder = Arc::new(Recorder::default());
        let swept = relay
            .sweep(&[Arc::clone(&recorder) as Arc<dyn CommitListener>])
            .await;
        assert_eq!(swept.is_err(), slow > 0, "{slow} slow reads");
        let revisions = recorder.revisions.lock();
        assert_eq!(revisions.len(), delivered, "{slow} slow reads");
    }
}

#[tokio::test]
async fn a_flood_of_unknown_organisations_is_looked_up_a_few_at_a_time() {
    /// An outbox that knows no organisation, and how many look-ups it handles and has handled
    /// at a time.
    #[derive(Default)]
    struct Unknown(Mutex<(usize, usize)>);

    #[async_trait]
    impl Outbox for Unknown {
        async fn after(&self, _: &OrganisationId, _: Revision, _: u64) -> Result<Backlog, Error> {
            unreachable!("no organisation is followed")
        }

        async fn between(
            &self,
            _: &OrganisationId,
            _: Revision,
            _: Revision,
            _: usize,
        ) -> Result<Option<Vec<Commit>>, Error> {
            unreachable!("only viewers read a part")
        }

        async fn prune(&self, _: DateTime<Utc>, _: u64) -> Result<u64, Error> {
            Ok(0)
        }

        async fn revisions(
            &self,
            _: &[OrganisationId],
        ) -> Result<Vec<(OrganisationId, Revision)>, Error> {
            {
                let (now, most) = &mut *self.0.lock();
                *now += 1;
                *most = (*most).max(*now);
            }
            tokio::task::yield_now().await;
            self.0.lock().0 -= 1;
            Ok(Vec::new())
        }
    }

    let outbox = Arc::new(Unknown::default());
    let broadcast = crate::broadcast::MockBroadcast::new();
    let relay = Relay::new(Arc::clone(&outbox) as Arc<dyn Outbox>, Arc::new(broadcast));
    let lookups = (0..20).map(|number| {
        let relay = &relay;
        async move {
            let organisation = OrganisationId::parse(&format!("org{number}")).unwrap();
            relay.follow(&organisation).await.unwrap().is_none()
        }
    });
    let unknown = futures_util::future::join_all(lookups).await;
    assert_eq!(unknown, [true; 20]);
    assert_eq!(*outbox.0.lock(), (0, Relay::MAX_LOOKUPS));
}
