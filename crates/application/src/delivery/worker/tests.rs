use super::*;

use std::collections::VecDeque;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use allclear_domain::id::OrganisationId;
use allclear_domain::rate_limit::RateLimit;
use async_trait::async_trait;
use futures_util::FutureExt as _;
use parking_lot::Mutex;
use tokio::time::timeout;

use crate::clock::TestClock;
use crate::delivery::fixture::{delivery, pending};
use crate::delivery::{
    Claim, DeliveryCounts, DeliveryKind, MailComposer, MailSender, MockDeliverySender,
};
use crate::fixture::{kept_log, links, log_lines, now};
use crate::mail::{MAIL_TIMEOUT, Mail, MailContent, MailPreview, Mailer, SendError};
use crate::secret::HmacKey;
use crate::subscriber::MockSubscriberStore;

/// A queue in memory.
#[derive(Default)]
struct Queued {
    /// The due deliveries, each with its time.
    due: Mutex<Vec<(DateTime<Utc>, Delivery)>>,
    /// The deliveries that each expansion makes due.
    notices: Mutex<VecDeque<Vec<Delivery>>>,
    results: Mutex<Vec<AttemptRecord>>,
    renewed: Mutex<Vec<Claim>>,
    polls: AtomicUsize,
    /// Number of the next calls that fail.
    failures: AtomicUsize,
    /// Whether statements never end.
    hangs: AtomicBool,
    /// When its clock was read first.
    started: OnceLock<Instant>,
}

impl Queued {
    fn of(count: i64) -> Self {
        let due = (1..=count).map(|id| (now(), mail(id))).collect();
        Self {
            due: Mutex::new(due),
            ..Self::default()
        }
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

    /// The attempt after the one with this claim.
    fn again(&self, claim: Claim) -> Delivery {
        let results = self.results.lock();
        let of_it = results.iter().filter(|result| result.claim.id == claim.id);
        let unconfirmed = of_it.filter(|result| is_unconfirmed(&result.outcome));
        let attempt = claim.attempt + 1;
        Delivery {
            claim: Claim { attempt, ..claim },
            scheduled_attempt: attempt,
            unconfirmed: u32::try_from(unconfirmed.count()).unwrap(),
            ..mail(claim.id)
        }
    }

    fn sent(&self) -> Vec<i64> {
        let results = self.results.lock();
        let sent = results
            .iter()
            .filter(|result| result.outcome == DeliveryOutcome::Sent);
        let mut sent: Vec<_> = sent.map(|result| result.claim.id).collect();
        sent.sort_unstable();
        sent
    }
}

#[async_trait]
impl DeliveryQueue for Queued {
    async fn database_time(&self) -> Result<DateTime<Utc>, Error> {
        if self.hangs.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        let started = self.started.get_or_init(Instant::now);
        Ok(now() + TimeDelta::from_std(started.elapsed()).unwrap())
    }

    async fn expand(&self, now: DateTime<Utc>, _: u64) -> Result<bool, Error> {
        let notice = self.notices.lock().pop_front();
        let expanded = notice.is_some();
        self.due
            .lock()
            .extend(notice.into_iter().flatten().map(|delivery| (now, delivery)));
        Ok(expanded)
    }

    async fn claim(&self, request: ClaimRequest) -> Result<Vec<Delivery>, Error> {
        let ClaimRequest {
            results,
            now,
            limit,
            ..
        } = request;
        self.polls.fetch_add(1, Ordering::SeqCst);
        self.record_results(results).await?;
        let mut due = self.due.lock();
        let (mut ready, later): (Vec<_>, Vec<_>) =
            due.drain(..).partition(|(moment, _)| *moment <= now);
        let left = ready.split_off(ready.len().min(usize::try_from(limit).unwrap()));
        *due = left.into_iter().chain(later).collect();
        Ok(ready.into_iter().map(|(_, delivery)| delivery).collect())
    }

    async fn renew(&self, claims: Vec<Claim>, _: DateTime<Utc>) -> Result<(), Error> {
        self.renewed.lock().extend(claims);
        Ok(())
    }

    async fn record_results(&self, results: Vec<AttemptRecord>) -> Result<(), Error> {
        self.outcome()?;
        for one in results {
            let retried_at = match one.outcome {
                DeliveryOutcome::Retried { at, .. } => Some(at),
                _ => None,
            };
            let claim = one.claim;
            self.results.lock().push(one);
            if let Some(at) = retried_at {
                let again = self.again(claim);
                self.due.lock().push((at, again));
            }
        }
        Ok(())
    }

    async fn next_due(&self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, Error> {
        Ok(self
            .due
            .lock()
            .iter()
            .map(|(moment, _)| *moment)
            .filter(|moment| *moment > now)
            .min())
    }

    async fn waiting(&self) -> Result<u64, Error> {
        Ok(self.due.lock().len() as u64)
    }

    async fn counts(&self, _: &OrganisationId, _: DateTime<Utc>) -> Result<DeliveryCounts, Error> {
        Ok(DeliveryCounts::default())
    }

    async fn prune(&self, _: DateTime<Utc>, _: u64) -> Result<u64, Error> {
        Ok(0)
    }

    async fn prune_counts(&self, _: DateTime<Utc>) -> Result<(), Error> {
        Ok(())
    }
}

fn is_unconfirmed(outcome: &DeliveryOutcome) -> bool {
    matches!(
        outcome,
        DeliveryOutcome::Retried {
            is_unconfirmed: true,
            ..
        }
    )
}

fn mail(id: i64) -> Delivery {
    delivery(id, pending(), DeliveryKind::Verification)
}

/// How the mail server responds to a mail.
type Server = Box<dyn Fn() -> Result<(), SendError> + Send + Sync>;

/// A mail server that takes a while for each mail.
struct SlowMailer {
    duration: Duration,
    busy: AtomicUsize,
    busiest: AtomicUsize,
    outcome: Server,
}

#[async_trait]
impl Mailer for SlowMailer {
    async fn send(&self, _: Mail) -> Result<(), SendError> {
        let busy = self.busy.fetch_add(1, Ordering::SeqCst) + 1;
        self.busiest.fetch_max(busy, Ordering::SeqCst);
        sleep(self.duration).await;
        self.busy.fetch_sub(1, Ordering::SeqCst);
        (self.outcome)()
    }

    fn preview(&self, _: &MailContent) -> Result<MailPreview, Error> {
        Ok(MailPreview::default())
    }
}

fn slow(duration: Duration) -> Arc<SlowMailer> {
    slow_mailer(duration, Box::new(|| Ok(())))
}

fn slow_mailer(duration: Duration, outcome: Server) -> Arc<SlowMailer> {
    Arc::new(SlowMailer {
        duration,
        busy: AtomicUsize::new(0),
        busiest: AtomicUsize::new(0),
        outcome,
    })
}

struct Node {
    queue: Arc<Queued>,
    wake_signal: Arc<WakeSignal>,
    stop: CancellationToken,
    running: tokio::task::JoinHandle<()>,
}

/// A worker that sends four mails at a time and runs beside the test.
fn start(queue: Queued, mailer: Arc<dyn Mailer>) -> Node {
    let clock = TestClock::runtime();
    let mut store = MockSubscriberStore::new();
    store
        .expect_count_verification()
        .returning(|_, _, _| Ok(true));
    let limit = RateLimit {
        burst: 3,
        per_hour: 1,
    };
    let composer = MailComposer::new(
        Arc::new(store),
        clock,
        links(),
        HmacKey::new("a secret").unwrap(),
        limit,
    );
    let (queue, wake_signal, stop) = (
        Arc::new(queue),
        Arc::new(WakeSignal::default()),
        CancellationToken::new(),
    );
    let worker = DeliveryWorker {
        queue: Arc::clone(&queue) as _,
        route: DeliveryRoute::Mail,
        sender: Arc::new(MailSender { composer, mailer }),
        wake_signal: Arc::clone(&wake_signal),
        concurrency: 4,
        observe: |_, _| {},
    };
    let running = tokio::spawn(Arc::new(worker).run(stop.clone()));
    Node {
        queue,
        wake_signal,
        stop,
        running,
    }
}

async fn pass(milliseconds: u64) {
    sleep(Duration::from_millis(milliseconds)).await;
}

#[tokio::test(start_paused = true)]
async fn everything_due_is_sent_once_and_never_more_at_once_than_allowed() {
    let mailer = slow(Duration::from_millis(100));
    let node = start(Queued::of(10), Arc::clone(&mailer) as _);
    pass(301).await;
    assert_eq!(node.queue.sent(), (1..=10).collect::<Vec<_>>());
    assert_eq!(mailer.busiest.load(Ordering::SeqCst), 4);
}

#[tokio::test(start_paused = true)]
async fn worker_that_queues_deliveries_wakes_that_of_the_other_route() {
    let node = start(Queued::default(), slow(Duration::ZERO));
    pass(1_000).await;
    let is_other_woken = || {
        let notified = node.wake_signal.notified(DeliveryRoute::Message);
        notified.now_or_never().is_some()
    };
    assert!(!is_other_woken());
    node.queue.notices.lock().push_back(Vec::new());
    node.wake_signal.notify();
    assert!(is_other_woken(), "it may look while the notice is locked");
    pass(1).await;
    assert!(is_other_woken(), "the deliveries are queued");
}

#[tokio::test(start_paused = true)]
async fn delivery_queued_while_the_worker_sleeps_is_sent_when_it_is_woken() {
    let node = start(Queued::default(), slow(Duration::ZERO));
    pass(1_000).await;
    node.queue
        .notices
        .lock()
        .extend([vec![mail(1), mail(2)], vec![mail(3)]]);
    pass(1_000).await;
    assert!(node.queue.sent().is_empty());
    node.wake_signal.notify();
    pass(1).await;
    assert_eq!(node.queue.sent(), [1, 2, 3]);
}

#[tokio::test(start_paused = true)]
async fn delivery_claimed_again_while_it_is_sent_is_sent_once() {
    let mailer = slow(Duration::from_secs(10));
    let node = start(Queued::of(2), Arc::clone(&mailer) as _);
    pass(1_000).await;
    // The clock was set forward by a day, so the claims have expired and are made again.
    let claim = Claim { id: 1, attempt: 2 };
    node.queue
        .due
        .lock()
        .push((now(), Delivery { claim, ..mail(1) }));
    node.wake_signal.notify();
    pass(20_000).await;
    let results: Vec<_> = node
        .queue
        .results
        .lock()
        .iter()
        .map(|result| result.claim)
        .collect();
    assert_eq!(results.len(), 2, "{results:?}");
    assert!(
        results.contains(&claim),
        "the last claim is the one that counts: {results:?}"
    );
    assert_eq!(mailer.busiest.load(Ordering::SeqCst), 2);
}

#[tokio::test(start_paused = true)]
async fn idle_worker_polls_every_half_minute_and_finds_what_another_node_queued() {
    let node = start(Queued::default(), slow(Duration::ZERO));
    pass(29_000).await;
    assert_eq!(node.queue.polls.load(Ordering::SeqCst), 1);
    node.queue.due.lock().push((now(), mail(1)));
    pass(1_001).await;
    assert_eq!(node.queue.sent(), [1]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_that_may_pass_is_tried_again_at_its_time_until_it_passes() {
    let left = AtomicUsize::new(3);
    let busy = move || match left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
        left.checked_sub(1)
    }) {
        Ok(_) => Err(SendError::Temporary {
            reason: "451 Try again later".into(),
        }),
        Err(_) => Ok(()),
    };
    let node = start(Queued::of(1), slow_mailer(Duration::ZERO, Box::new(busy)));
    // At most 2, 4 and 8 seconds.
    pass(14_100).await;
    assert_eq!(node.queue.sent(), [1]);
    let results = node.queue.results.lock();
    let attempts: Vec<_> = results.iter().map(|result| result.claim.attempt).collect();
    assert_eq!(attempts, [1, 2, 3, 4]);
    assert!(
        matches!(&results[0].outcome, DeliveryOutcome::Retried { reason, .. } if reason == "451 Try again later")
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_for_good_is_given_up_at_once_with_its_reason() {
    let gone = || {
        Err(SendError::Permanent {
            reason: "550 No such user".into(),
        })
    };
    let node = start(Queued::of(1), slow_mailer(Duration::ZERO, Box::new(gone)));
    pass(60_000).await;
    let results = node.queue.results.lock();
    assert_eq!(results.len(), 1);
    assert_eq!(
        results[0].outcome,
        DeliveryOutcome::GivenUp {
            reason: "550 No such user".into()
        }
    );
}

#[tokio::test(start_paused = true)]
async fn mail_that_is_never_confirmed_is_sent_three_times_within_an_hour() {
    let unconfirmed = || {
        Err(SendError::Unconfirmed {
            reason: "no reply".into(),
        })
    };
    let node = start(
        Queued::of(1),
        slow_mailer(Duration::ZERO, Box::new(unconfirmed)),
    );
    pass(61 * 60_000).await;
    let results = node.queue.results.lock();
    let outcomes: Vec<_> = results.iter().map(|result| &result.outcome).collect();
    assert!(
        matches!(
            outcomes[..],
            [
                DeliveryOutcome::Retried { .. },
                DeliveryOutcome::Retried { .. },
                DeliveryOutcome::GivenUp { .. }
            ]
        ),
        "{outcomes:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn mail_that_failed_for_an_hour_is_retried_after_its_first_missing_confirmation() {
    let begun = Instant::now();
    let reason = || "451 Try again later".to_owned();
    let busy_then_silent = move || {
        Err(if begun.elapsed() < Duration::from_mins(70) {
            SendError::Temporary { reason: reason() }
        } else {
            SendError::Unconfirmed { reason: reason() }
        })
    };
    let node = start(
        Queued::of(1),
        slow_mailer(Duration::ZERO, Box::new(busy_then_silent)),
    );
    pass(170 * 60_000).await;
    let results = node.queue.results.lock();
    let copies = results
        .iter()
        .filter(|result| is_unconfirmed(&result.outcome));
    assert_eq!(copies.count(), 2, "{results:?}");
    let last = results.last().map(|result| &result.outcome);
    assert!(
        matches!(last, Some(DeliveryOutcome::GivenUp { .. })),
        "the third copy is the last: {last:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn message_is_retried_by_its_place_in_the_schedule_and_not_by_its_attempts() {
    let mut sender = MockDeliverySender::new();
    sender.expect_send().returning(|_| {
        Ok(AttemptResult::Temporary {
            reason: "503".into(),
            retry_after: None,
        })
    });
    let worker = DeliveryWorker {
        queue: Arc::new(Queued::default()),
        route: DeliveryRoute::Message,
        sender: Arc::new(sender),
        wake_signal: Arc::default(),
        concurrency: 1,
        observe: |_, _| {},
    };
    let brought_forward = Delivery {
        claim: Claim { id: 1, attempt: 9 },
        scheduled_attempt: 4,
        ..mail(1)
    };
    let time = DatabaseTime::of(now());
    let result = worker.deliver(brought_forward, time).await;
    let DeliveryOutcome::Retried { at, early_at, .. } = result.outcome else {
        panic!("retried: {result:?}");
    };
    // Two hours, up to a fifth earlier or later.
    let wait = at - now();
    assert!(
        (TimeDelta::minutes(96)..=TimeDelta::minutes(144)).contains(&wait),
        "{wait}"
    );
    assert_eq!(early_at, Some(now() + TimeDelta::minutes(5)));
}

#[tokio::test(start_paused = true)]
async fn notice_brings_a_refused_mail_forward_and_no_unconfirmed_one() {
    let reason = || "421".to_owned();
    let refused = AttemptResult::Temporary {
        reason: reason(),
        retry_after: None,
    };
    let unconfirmed = AttemptResult::Unconfirmed { reason: reason() };
    let worker = DeliveryWorker {
        queue: Arc::new(Queued::default()),
        route: DeliveryRoute::Mail,
        sender: Arc::new(MockDeliverySender::new()),
        wake_signal: Arc::default(),
        concurrency: 1,
        observe: |_, _| {},
    };
    let tenth = Delivery {
        scheduled_attempt: 10,
        ..mail(1)
    };
    for (result, expected) in [
        (refused, Some(now() + TimeDelta::minutes(1))),
        (unconfirmed, None),
    ] {
        let outcome = worker.outcome(&tenth, result, now());
        let DeliveryOutcome::Retried { early_at, .. } = outcome else {
            panic!("retried: {outcome:?}");
        };
        assert_eq!(early_at, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn slow_delivery_keeps_its_claim() {
    let node = start(Queued::of(1), slow(MAIL_TIMEOUT));
    pass(779_000).await;
    let renewed = node.queue.renewed.lock().clone();
    // The claim of 20 seconds is renewed every 5.
    assert!(
        renewed.len() >= 150
            && renewed
                .iter()
                .all(|claim| *claim == Claim { id: 1, attempt: 1 }),
        "{renewed:?}"
    );
    pass(1_100).await;
    assert_eq!(node.queue.sent(), [1]);
}

#[tokio::test(start_paused = true)]
async fn worker_that_is_never_idle_polls_too() {
    let node = start(Queued::of(1), slow(MAIL_TIMEOUT));
    pass(1).await;
    // Nothing notifies the worker of this notice.
    node.queue.notices.lock().push_back(vec![mail(2)]);
    pass(31_000).await;
    assert!(node.queue.notices.lock().is_empty());
}

#[tokio::test(start_paused = true)]
async fn nothing_is_lost_or_sent_twice_while_the_database_is_unavailable() {
    let mailer = slow(Duration::from_millis(10));
    let node = start(Queued::of(4), Arc::clone(&mailer) as _);
    pass(1).await;
    // The mails are in flight. Storing their results fails five times.
    node.queue.failures.store(5, Ordering::SeqCst);
    pass(10_000).await;
    assert_eq!(node.queue.sent(), [1, 2, 3, 4]);
    assert_eq!(node.queue.results.lock().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn outage_of_the_database_is_logged_once_a_minute() {
    let (_guard, log) = kept_log();
    let node = start(Queued::of(4), slow(Duration::from_millis(10)));
    pass(1).await;
    // They take 73 seconds.
    node.queue.failures.store(20, Ordering::SeqCst);
    pass(120_000).await;
    let lines = log_lines(&log);
    let levels: Vec<_> = lines
        .iter()
        .filter(|line| line["fields"]["message"].to_string().contains("the queue"))
        .map(|line| &line["level"])
        .collect();
    assert_eq!(levels, ["WARN", "WARN", "INFO"]);
}

#[tokio::test(start_paused = true)]
async fn after_a_long_outage_other_nodes_store_their_results_before_anything_is_claimed() {
    let node = start(Queued::of(4), slow(Duration::from_millis(10)));
    pass(1).await;
    // Storing the results of the four fails for 13 seconds.
    node.queue.failures.store(7, Ordering::SeqCst);
    pass(12_000).await;
    // Another node has sent this one, and its claim has expired.
    node.queue.due.lock().push((now(), mail(5)));
    pass(20_500).await;
    assert_eq!(node.queue.sent(), [1, 2, 3, 4]);
    pass(1_000).await;
    assert_eq!(node.queue.sent(), [1, 2, 3, 4, 5]);
}

#[tokio::test(start_paused = true)]
async fn worker_that_claims_nothing_after_an_outage_does_not_wake_the_other_one() {
    let node = start(Queued::of(4), slow(Duration::from_millis(10)));
    pass(1).await;
    node.queue.failures.store(7, Ordering::SeqCst);
    pass(13_000).await;
    let notified = node.wake_signal.notified(DeliveryRoute::Message);
    assert!(notified.now_or_never().is_none());
}

#[tokio::test(start_paused = true)]
async fn stopping_worker_sends_what_is_due_and_ends() {
    let node = start(Queued::default(), slow(Duration::from_millis(100)));
    pass(1_000).await;
    // Nothing notifies the worker of these.
    node.queue
        .due
        .lock()
        .extend((1..=9).map(|id| (now(), mail(id))));
    node.stop.cancel();
    timeout(Duration::from_millis(400), node.running)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(node.queue.sent().len(), 9);
}

#[tokio::test(start_paused = true)]
async fn stopping_worker_sends_what_a_worker_with_a_faster_clock_has_queued() {
    let node = start(Queued::default(), slow(Duration::ZERO));
    pass(1_000).await;
    let due = [(1, 1_030), (2, 4_000)];
    let due =
        due.map(|(id, milliseconds)| (now() + TimeDelta::milliseconds(milliseconds), mail(id)));
    node.queue.due.lock().extend(due);
    node.stop.cancel();
    timeout(Duration::from_millis(400), node.running)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(node.queue.sent(), [1]);
}

#[tokio::test(start_paused = true)]
async fn stopping_worker_leaves_the_rest_when_its_grace_is_over() {
    let node = start(Queued::of(100), slow(Duration::from_secs(1)));
    pass(500).await;
    node.stop.cancel();
    timeout(Duration::from_secs(7), node.running)
        .await
        .unwrap()
        .unwrap();
    let sent = node.queue.sent().len();
    assert!((20..=28).contains(&sent), "{sent}");

    let stuck = start(Queued::of(1), slow(Duration::from_secs(80)));
    pass(500).await;
    stuck.stop.cancel();
    timeout(Duration::from_secs(16), stuck.running)
        .await
        .unwrap()
        .unwrap();
    assert!(stuck.queue.sent().is_empty());
}

#[tokio::test(start_paused = true)]
async fn stopping_worker_does_not_wait_for_a_database_that_hangs() {
    let node = start(Queued::default(), slow(Duration::ZERO));
    pass(1_000).await;
    node.queue.hangs.store(true, Ordering::SeqCst);
    pass(60_000).await;
    node.stop.cancel();
    timeout(Duration::from_millis(15_100), node.running)
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_mail_whose_writing_breaks_down_is_given_up_and_the_others_are_sent() {
    let first = AtomicUsize::new(0);
    let breaks_down = move || {
        assert!(first.fetch_add(1, Ordering::SeqCst) > 0, "breaks down");
        Ok(())
    };
    let node = start(
        Queued::of(3),
        slow_mailer(Duration::ZERO, Box::new(breaks_down)),
    );
    pass(1_000).await;
    assert_eq!(node.queue.sent().len(), 2);
    let results = node.queue.results.lock();
    assert!(
        results
            .iter()
            .any(|result| matches!(result.outcome, DeliveryOutcome::GivenUp { .. })),
        "{results:?}"
    );
}
