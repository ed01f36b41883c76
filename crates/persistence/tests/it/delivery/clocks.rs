//! Nodes whose clocks differ share one queue.

use std::sync::Arc;

use allclear_application::clock::TestClock;
use allclear_application::delivery::worker::DeliveryWorker;
use allclear_application::delivery::{DeliveryQueue, MailComposer, MailSender, Route, WakeSignal};
use allclear_application::link::Links;
use allclear_application::mail::{Mail, Mailer, SendError};
use allclear_application::secret::HmacKey;
use allclear_domain::mail_limit::MailLimit;
use allclear_persistence::database::Database;
use async_trait::async_trait;
use chrono::TimeDelta;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::backend::clock;
use crate::contract;
use crate::world::World;

contract!(by url: nodes_with_other_clocks_send_each_mail_once);

/// Holds every mail back until it is opened, and tells how many were begun.
struct GatedMailer {
    begun: watch::Sender<usize>,
    gate: Semaphore,
}

#[async_trait]
impl Mailer for GatedMailer {
    async fn send(&self, _: Mail) -> Result<(), SendError> {
        self.begun.send_modify(|begun| *begun += 1);
        let _ = self.gate.acquire().await;
        Ok(())
    }
}

struct Node {
    stop: CancellationToken,
    running: JoinHandle<()>,
}

async fn start(url: &str, hours: i64, mailer: &Arc<GatedMailer>) -> Node {
    let clock = TestClock::system();
    clock.advance(TimeDelta::hours(hours));
    let database = Database::connect(url, Arc::clone(&clock) as _)
        .await
        .unwrap();
    let store = Arc::new(database);
    let limit = MailLimit {
        burst: 3,
        per_hour: 1,
    };
    let composer = MailComposer::new(
        Arc::clone(&store) as _,
        clock,
        Links::new("https://status.example.com"),
        HmacKey::new("a secret").unwrap(),
        limit,
    );
    let worker = DeliveryWorker {
        queue: store,
        route: Route::Mail,
        sender: Arc::new(MailSender {
            composer,
            mailer: Arc::clone(mailer) as _,
        }),
        wake_signal: Arc::new(WakeSignal::default()),
        concurrency: 8,
        observe: |_, _| {},
    };
    let stop = CancellationToken::new();
    let running = tokio::spawn(Arc::new(worker).run(stop.clone()));
    Node { stop, running }
}

async fn nodes_with_other_clocks_send_each_mail_once(url: &str) {
    let database = Database::connect(url, clock()).await.unwrap();
    let world = World::new(&database, "acme").await;
    world.subscribed(5).await;
    world.incident("Down").await;
    let (begun, mut seen) = watch::channel(0);
    let mailer = Arc::new(GatedMailer {
        begun,
        gate: Semaphore::new(0),
    });

    let first = start(url, 0, &mailer).await;
    seen.wait_for(|begun| *begun == 5).await.unwrap();
    // The second node ends by itself once it has found nothing that is due.
    for hours in [1, -1] {
        let second = start(url, hours, &mailer).await;
        second.stop.cancel();
        second.running.await.unwrap();
    }
    assert_eq!(*seen.borrow(), 5);
    mailer.gate.add_permits(5);
    first.stop.cancel();
    first.running.await.unwrap();
    assert_eq!(database.waiting().await.unwrap(), 0);
    assert_eq!(world.counts().await.sent, 5);
}
