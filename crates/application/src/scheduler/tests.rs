use super::*;

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use chrono::TimeDelta;
use parking_lot::Mutex;

use crate::broadcast::MockBroadcast;
use crate::clock::TestClock;
use crate::fixture::{kept_log, log_lines};
use crate::maintenance::MockMaintenanceStore;
use crate::outbox::{Commit, MockOutbox};

/// A moment, in milliseconds after the test's beginning.
fn at(millisecond: i64) -> DateTime<Utc> {
    TestClock::START + TimeDelta::milliseconds(millisecond)
}

/// A schedule in memory: changes of organisations, each published once.
#[derive(Default)]
struct Planned {
    changes: Mutex<BTreeMap<DateTime<Utc>, String>>,
    /// What was published, and when.
    published: Mutex<Vec<(String, DateTime<Utc>)>>,
    polls: AtomicUsize,
    /// Number of the next calls that fail.
    failures: AtomicUsize,
    broken: Option<String>,
}

impl Planned {
    fn plan(&self, millisecond: i64, organisation: &str) {
        self.changes
            .lock()
            .insert(at(millisecond), organisation.to_owned());
    }

    fn outcome(&self) -> Result<(), Error> {
        let left = self
            .failures
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |failures| {
                failures.checked_sub(1)
            });
        if left.is_ok() {
            Err(Error::Unavailable("unavailable".into()))
        } else {
            Ok(())
        }
    }

    fn published(&self) -> Vec<(String, i64)> {
        let millisecond = |moment: &DateTime<Utc>| (*moment - at(0)).num_milliseconds();
        self.published
            .lock()
            .iter()
            .map(|(id, moment)| (id.clone(), millisecond(moment)))
            .collect()
    }
}

impl Planned {
    fn next_change(&self) -> Result<Option<DateTime<Utc>>, Error> {
        self.polls.fetch_add(1, Ordering::SeqCst);
        self.outcome()?;
        Ok(self.changes.lock().keys().next().copied())
    }

    fn organisations_due(&self, now: DateTime<Utc>) -> Result<Vec<OrganisationId>, Error> {
        self.outcome()?;
        let changes = self.changes.lock();
        Ok(changes
            .range(..=now)
            .map(|(_, id)| OrganisationId::parse(id).unwrap())
            .collect())
    }

    fn publish_due(
        &self,
        organisation: &OrganisationId,
        now: DateTime<Utc>,
    ) -> Result<Option<Commit>, Error> {
        self.outcome()?;
        let id = organisation.as_str().to_owned();
        if self.broken.as_ref() == Some(&id) {
            return Err(Error::internal("broken"));
        }
        let mut changes = self.changes.lock();
        let before = changes.len();
        changes.retain(|moment, changing| *moment > now || *changing != id);
        if changes.len() == before {
            return Ok(None);
        }
        self.published.lock().push((id.clone(), now));
        Ok(Some(Commit::example(&id, 1, &[])))
    }

    /// A port to this schedule.
    fn store(planned: &Arc<Self>) -> MockMaintenanceStore {
        let mut store = MockMaintenanceStore::new();
        let this = Arc::clone(planned);
        store
            .expect_next_change()
            .returning(move || this.next_change());
        let this = Arc::clone(planned);
        store
            .expect_organisations_due()
            .returning(move |now| this.organisations_due(now));
        let this = Arc::clone(planned);
        store
            .expect_publish_due()
            .returning(move |organisation, now| this.publish_due(organisation, now));
        store
    }
}

struct Node {
    planned: Arc<Planned>,
    clock: Arc<TestClock>,
    wake_timer: Arc<WakeTimer>,
    relay: Arc<Relay>,
}

impl Node {
    /// A scheduler that runs beside the test. Every commit it makes is broadcast.
    async fn start(planned: Planned) -> Self {
        let mut broadcast = MockBroadcast::new();
        broadcast.expect_publish().return_const(());
        let mut outbox = MockOutbox::new();
        outbox
            .expect_revisions()
            .returning(|ids| Ok(ids.iter().map(|id| (id.clone(), Revision(0))).collect()));
        let relay = Arc::new(Relay::new(Arc::new(outbox), Arc::new(broadcast)));
        let clock = TestClock::runtime();
        let node = Self {
            planned: Arc::new(planned),
            clock,
            wake_timer: Arc::default(),
            relay,
        };
        let scheduler = Scheduler::new(
            Arc::new(Planned::store(&node.planned)),
            Arc::clone(&node.relay),
            Arc::clone(&node.clock) as _,
            Arc::clone(&node.wake_timer),
        );
        tokio::spawn(async move { scheduler.run().await });
        // Lets the scheduler poll once.
        pass(1).await;
        node
    }

    fn polls(&self) -> usize {
        self.planned.polls.load(Ordering::SeqCst)
    }
}

/// Lets time pass, with everything that is due in it.
async fn pass(milliseconds: u64) {
    sleep(Duration::from_millis(milliseconds)).await;
}

fn plan(changes: &[(i64, &str)]) -> Planned {
    let planned = Planned::default();
    for (millisecond, organisation) in changes {
        planned.plan(*millisecond, organisation);
    }
    planned
}

#[tokio::test(start_paused = true)]
async fn changes_are_published_at_their_time() {
    let node = Node::start(plan(&[(5_000, "a"), (7_500, "b"), (100_000, "a")])).await;
    let follower = OrganisationId::parse("a").unwrap();
    let position = node.relay.follow(&follower).await.unwrap().unwrap();
    pass(110_000).await;
    let published = [
        ("a".into(), 5_000),
        ("b".into(), 7_500),
        ("a".into(), 100_000),
    ];
    assert_eq!(node.planned.published(), published);
    assert_eq!(position.latest_if_followed(), Some(Revision(1)));
}

#[tokio::test(start_paused = true)]
async fn changes_while_no_node_ran_are_published_at_the_start() {
    let node = Node::start(plan(&[(-3_600_000, "a"), (-1, "b")])).await;
    assert_eq!(node.planned.published().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_change_written_meanwhile_is_not_slept_through() {
    let node = Node::start(plan(&[(20_000, "late")])).await;
    node.planned.plan(4_000, "soon");
    node.wake_timer.set_if_earlier(at(4_000));
    pass(5_000).await;
    assert_eq!(node.planned.published(), [("soon".into(), 4_000)]);
}

#[tokio::test(start_paused = true)]
async fn a_later_change_written_meanwhile_wakes_nobody() {
    let node = Node::start(plan(&[(20_000, "first")])).await;
    node.wake_timer.set_if_earlier(at(25_000));
    pass(10_000).await;
    assert_eq!(node.polls(), 1);
}

#[tokio::test(start_paused = true)]
async fn idle_scheduler_polls_every_half_minute_and_finds_what_another_node_wrote() {
    let node = Node::start(plan(&[])).await;
    pass(29_000).await;
    assert_eq!(node.polls(), 1);
    node.planned.plan(31_000, "a");
    pass(3_000).await;
    assert_eq!(node.planned.published(), [("a".into(), 31_000)]);
}

#[tokio::test(start_paused = true)]
async fn a_published_change_costs_two_polls() {
    let node = Node::start(plan(&[(5_000, "a")])).await;
    pass(20_000).await;
    assert_eq!(node.polls(), 3);
}

#[tokio::test(start_paused = true)]
async fn retries_slow_down_while_the_database_is_unavailable() {
    let planned = plan(&[(-5_000, "a")]);
    planned.failures.store(6, Ordering::SeqCst);
    let node = Node::start(planned).await;
    // 125 ms, then twice as long each time, at most 1 s: six failures take 3,875 ms.
    pass(3_800).await;
    assert_eq!((node.polls(), node.planned.published().len()), (6, 0));
    pass(100).await;
    assert_eq!(
        (node.polls(), node.planned.published()),
        (8, vec![("a".into(), 3_875)])
    );
}

#[tokio::test(start_paused = true)]
async fn one_organisation_that_cannot_be_published_holds_up_no_other() {
    let planned = Planned {
        broken: Some("bad".into()),
        ..plan(&[(1_000, "bad"), (1_001, "good"), (9_000, "good")])
    };
    let node = Node::start(planned).await;
    pass(15_000).await;
    let published = node.planned.published();
    let seconds: Vec<_> = published
        .iter()
        .map(|(id, moment)| (id.as_str(), moment / 1_000))
        .collect();
    assert_eq!(seconds, [("good", 1), ("good", 9)]);
}

#[tokio::test(start_paused = true)]
async fn each_organisation_that_cannot_be_published_is_logged_once_a_minute() {
    let planned = Arc::new(plan(&[(-1_000, "one"), (-999, "two")]));
    let mut store = MockMaintenanceStore::new();
    let this = Arc::clone(&planned);
    store
        .expect_next_change()
        .returning(move || this.next_change());
    let this = Arc::clone(&planned);
    store
        .expect_organisations_due()
        .returning(move |now| this.organisations_due(now));
    store
        .expect_publish_due()
        .returning(|organisation, _| Err(Error::internal(format!("no {organisation}"))));
    let scheduler = Scheduler::new(
        Arc::new(store),
        crate::fixture::relay(0),
        TestClock::runtime(),
        Arc::default(),
    );
    let (_guard, log) = kept_log();
    let mut failures = FailureLog::default();
    for _ in 0..100 {
        let caught_up = scheduler.catch_up(&mut failures).await;
        assert!(caught_up.unwrap().is_none());
        pass(1_000).await;
    }
    let organisations: Vec<_> = log_lines(&log)
        .into_iter()
        .map(|line| line["fields"]["organisation"].clone())
        .collect();
    assert_eq!(organisations, ["one", "two", "one", "two"]);
}

#[tokio::test(start_paused = true)]
async fn a_clock_set_forward_is_noticed_and_one_set_back_makes_it_wait() {
    let node = Node::start(plan(&[(3_600_000, "a")])).await;
    node.clock.advance(TimeDelta::hours(1));
    pass(30_000).await;
    assert_eq!(node.planned.published().len(), 1);

    node.planned.plan(3_640_000, "b");
    node.wake_timer.set_if_earlier(at(3_640_000));
    node.clock.advance(-TimeDelta::minutes(1));
    pass(60_000).await;
    assert_eq!(node.planned.published().len(), 1);
    pass(15_000).await;
    assert_eq!(
        node.planned.published().last(),
        Some(&("b".into(), 3_640_000))
    );
}

#[tokio::test]
async fn maintenance_commit_wakes_every_node() {
    let woken_by = async |kind| {
        let (sender, receiver) = tokio::sync::mpsc::channel(1);
        sender
            .try_send(Arc::new(Commit::example("a", 1, &[kind])))
            .unwrap();
        drop(sender);
        let mut broadcast = crate::broadcast::MockBroadcast::new();
        broadcast.expect_subscribe().return_once(move || receiver);
        let wake_timer = WakeTimer::default();
        listen(&broadcast, &wake_timer).await;
        wake_timer.moment().is_some_and(|moment| moment < at(0))
    };
    assert!(woken_by(EventKind::NewMaintenance).await);
    assert!(woken_by(EventKind::MaintenanceUpdated).await);
    assert!(!woken_by(EventKind::ComponentUpdate).await);
}
