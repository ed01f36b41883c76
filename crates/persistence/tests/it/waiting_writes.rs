//! Writes that wait for another write of the same rows.

use std::pin::{Pin, pin};
use std::sync::{Arc, mpsc};
use std::task::Poll;
use std::time::Duration;

use allclear_application::clock::{Clock, TestClock};
use allclear_application::delivery::DeliveryOutcome;
use allclear_application::organisation::OrganisationStore;
use allclear_application::subscriber::{SubscriberKey, SubscriberStore, SubscriberTransition};
use allclear_application::transition::Transition;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::organisation::{Organisation, OrganisationPatch};
use allclear_domain::subscriber::{Subscriber, SubscriberStatus};
use allclear_persistence::database::Database;
use chrono::{DateTime, TimeDelta, Utc};
use sea_orm::{ConnectionTrait, DbBackend, Statement, TransactionTrait};
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::backend::{clock, connected};
use crate::contract;
use crate::delivery::fixture::{enter, later, result, retried};
use crate::organisation_fixture::{OrganisationFixture, set};

contract!(
    by url:
    an_update_that_waits_for_the_lock_has_the_time_after_the_wait,
    incident_that_waits_for_the_first_confirmation_is_sent_to_that_subscriber,
    a_subscription_that_the_receiver_ends_during_an_edit_stays_ended,
);

/// A rule that has begun, and waits until it is released.
struct Blocked {
    has_begun: oneshot::Receiver<()>,
    release: mpsc::Sender<()>,
}

impl Blocked {
    async fn begins(&mut self) {
        (&mut self.has_begun).await.unwrap();
    }

    fn release(&self) {
        self.release.send(()).unwrap();
    }
}

/// The part of [`Blocked`] that its rule has.
struct Gate {
    begun: oneshot::Sender<()>,
    released: mpsc::Receiver<()>,
}

fn blocked() -> (Gate, Blocked) {
    let (begun, has_begun) = oneshot::channel();
    let (release, released) = mpsc::channel();
    (Gate { begun, released }, Blocked { has_begun, release })
}

impl Gate {
    /// Blocks the thread of the rule.
    fn pass(self) {
        self.begun.send(()).unwrap();
        self.released.recv().unwrap();
    }
}

/// Whether a write to PostgreSQL waits for a lock. Writes to SQLite wait in this process as soon as
/// they have begun.
async fn has_waiting(connection: &impl ConnectionTrait) -> bool {
    let backend = connection.get_database_backend();
    if backend == DbBackend::Sqlite {
        return true;
    }
    let waiting = "SELECT 1 FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let found = connection.query_one_raw(Statement::from_string(backend, waiting));
    found.await.unwrap().is_some()
}

/// Waits until this number of writes to PostgreSQL wait for a lock.
async fn until_waiting(connection: &impl ConnectionTrait, count: i64) {
    let sql = "SELECT count(*) AS count FROM pg_stat_activity \
        WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let waits = async {
        loop {
            let waiting = Statement::from_string(DbBackend::Postgres, sql);
            let row = connection.query_one_raw(waiting).await.unwrap().unwrap();
            if row.try_get::<i64>("", "count").unwrap() == count {
                return;
            }
        }
    };
    let waits = timeout(Duration::from_mins(1), waits).await;
    waits.expect("the writes wait");
}

/// Runs a write until it waits, then `release`, and then the write to its end.
async fn finish<T>(url: &str, write: impl Future<Output = T>, release: impl FnOnce()) -> T {
    let connection = sea_orm::Database::connect(url).await.unwrap();
    let mut write = pin!(write);
    let waits = async {
        loop {
            let is_over = is_over(write.as_mut()).await;
            assert!(!is_over, "the write did not wait");
            if has_waiting(&connection).await {
                return;
            }
        }
    };
    let waits = timeout(Duration::from_mins(1), waits).await;
    waits.expect("the write waits");
    release();
    write.await
}

/// Polls a write once.
async fn is_over<T>(mut write: Pin<&mut impl Future<Output = T>>) -> bool {
    std::future::poll_fn(|context| Poll::Ready(write.as_mut().poll(context).is_ready())).await
}

async fn an_update_that_waits_for_the_lock_has_the_time_after_the_wait(url: &str) {
    let clock = TestClock::system();
    let database = Database::connect(url, Arc::clone(&clock) as _).await;
    let database = &database.unwrap();
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (gate, mut blocked) = blocked();
    let incident = fixture.open("Down", &[]).await;
    let (store, acme) = (database.clone(), fixture.id.clone());
    let rule_clock = Arc::clone(&clock);
    let rule: Transition<Organisation> = Box::new(move |organisation, _| {
        gate.pass();
        let patch = OrganisationPatch {
            page_title: Some(Some(rule_clock.now().to_rfc3339())),
            ..Default::default()
        };
        Ok(organisation.edit(patch)?)
    });
    let editing = spawn_blocking(move || {
        Handle::current().block_on(OrganisationStore::change(&store, &acme, rule))
    });
    blocked.begins().await;
    let recording = fixture.record(incident.id, IncidentStatus::Monitoring, "Half way");
    // Longer than a commit's time may be older than its lock.
    let release = || {
        clock.advance(TimeDelta::seconds(1));
        blocked.release();
    };
    let update = finish(url, recording, release).await;
    let edited = editing.await.unwrap().unwrap().unwrap().state;
    let edited_at: DateTime<Utc> = edited.page_title.unwrap().parse().unwrap();
    assert!(update.created_at >= edited_at);
    let latest = fixture
        .edit(incident.id, set(IncidentStatus::Resolved))
        .await;
    assert!(latest.resolved_at.unwrap() >= update.created_at);
}

async fn incident_that_waits_for_the_first_confirmation_is_sent_to_that_subscriber(url: &str) {
    let database = &connected(url).await;
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (gate, mut blocked) = blocked();
    let ann = enter(database, &fixture.id, "ann@example.com").await;
    fixture.sent(&fixture.claim(10).await).await;
    let now = clock().now();
    let confirm: SubscriberTransition = Box::new(move |known| {
        gate.pass();
        let confirmed = known
            .unwrap()
            .verify(now + Subscriber::VERIFICATION_LIFETIME, now);
        Ok(confirmed.unwrap())
    });
    let (store, acme) = (database.clone(), fixture.id.clone());
    let confirming = spawn_blocking(move || {
        let confirmed = store.save(&acme, SubscriberKey::Id(ann.id), confirm);
        Handle::current().block_on(confirmed)
    });
    blocked.begins().await;
    finish(url, fixture.incident("Down"), || blocked.release()).await;
    confirming.await.unwrap().unwrap();
    fixture.expand().await;
    let claimed = fixture.claim(10).await;
    let receivers: Vec<_> = claimed
        .iter()
        .map(|delivery| delivery.subscriber.id)
        .collect();
    assert_eq!(receivers, [ann.id]);
}

async fn a_subscription_that_the_receiver_ends_during_an_edit_stays_ended(url: &str) {
    let database = &connected(url).await;
    let fixture = OrganisationFixture::new(database, "acme").await;
    let (gate, mut blocked) = blocked();
    let ann = fixture.subscriber("ann@example.com").await;
    fixture.incident("Down").await;
    fixture.expand().await;
    let claimed = fixture.claim(10).await;
    let edit: SubscriberTransition = Box::new(move |known| {
        gate.pass();
        Ok(Subscriber {
            mute_maintenances: true,
            ..known.unwrap()
        })
    });
    let key = SubscriberKey::Id(ann.id);
    let (store, acme, edited) = (database.clone(), fixture.id.clone(), key.clone());
    let editing =
        spawn_blocking(move || Handle::current().block_on(store.save(&acme, edited, edit)));
    blocked.begins().await;
    let ended = result(claimed[0].claim, DeliveryOutcome::Ended);
    finish(url, fixture.results(vec![ended]), || blocked.release()).await;
    editing.await.unwrap().unwrap();
    let found = SubscriberStore::find(database, &fixture.id, &key).await;
    let found = found.unwrap().unwrap();
    assert_eq!(
        (found.status, found.round, found.mute_maintenances),
        (SubscriberStatus::Unsubscribed, ann.round + 1, true)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn results_and_the_withdrawal_of_their_notice_lock_in_one_order() {
    let Some(url) = allclear_test_support::postgres() else {
        return;
    };
    let database = connected(&url).await;
    let fixture = OrganisationFixture::new(&database, "acme").await;
    fixture.subscribed(2).await;
    let incident = fixture.incident("Down").await;
    fixture.expand().await;
    let claimed = fixture.claim(10).await;
    let mut claims: Vec<_> = claimed.iter().map(|delivery| delivery.claim).collect();
    claims.sort_by_key(|claim| claim.id);
    let [first, last] = claims[..] else {
        panic!("two deliveries: {claimed:?}");
    };
    let connection = sea_orm::Database::connect(&url).await.unwrap();
    let holding = connection.begin().await.unwrap();
    let id = first.id;
    let hold = format!("SELECT 1 FROM deliveries WHERE id = {id} FOR UPDATE");
    holding.execute_unprepared(&hold).await.unwrap();
    let recording = async {
        until_waiting(&connection, 1).await;
        let outcome = retried(later(1), "451");
        let retried = [last, first].map(|claim| result(claim, outcome.clone()));
        fixture.results(retried.into()).await;
    };
    let releasing = async {
        until_waiting(&connection, 2).await;
        holding.commit().await.unwrap();
    };
    // Each fails if the two wait for each other.
    tokio::join!(fixture.delete(incident), recording, releasing);
    assert_eq!(fixture.counts().await.waiting, 0);
}
