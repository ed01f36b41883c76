//! Nodes whose clocks differ, and clocks that are set back.

use std::sync::Arc;

use allclear_application::clock::TestClock;
use allclear_application::delivery::worker::DeliveryWorker;
use allclear_application::delivery::{
    DeliveryKind, DeliveryQueue, DeliveryRoute, DeliverySender, MailComposer, MailSender,
    MessageComposer, MessagePorts, MessageSender, WakeSignal,
};
use allclear_application::error::Error;
use allclear_application::link::Links;
use allclear_application::mail::{Mail, MailContent, MailPreview, Mailer, SendError};
use allclear_application::message::{Message, MessageError, Messenger};
use allclear_application::secret::HmacKey;
use allclear_domain::channel::{Channel, Target};
use allclear_domain::rate_limit::RateLimit;
use allclear_domain::subscriber::SubscriberDraft;
use allclear_persistence::database::Database;
use async_trait::async_trait;
use chrono::TimeDelta;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::fixture::later;
use crate::backend::clock;
use crate::contract;
use crate::maintenance::{create, record};
use crate::organisation_fixture::OrganisationFixture;

contract!(
    by url: nodes_with_other_clocks_send_each_mail_once, nodes_with_other_clocks_send_each_request_once,
    notice_of_a_maintenance_has_the_time_of_its_update_after_a_clock_is_set_back
);

const LIMIT: RateLimit = RateLimit {
    burst: 3,
    per_hour: 1,
};

/// Holds every message back until it is opened, and counts those that were started.
struct Gate {
    started: watch::Sender<usize>,
    opened: Semaphore,
}

impl Gate {
    async fn pass(&self) {
        self.started.send_modify(|started| *started += 1);
        let _ = self.opened.acquire().await;
    }
}

#[async_trait]
impl Mailer for Gate {
    async fn send(&self, _: Mail) -> Result<(), SendError> {
        self.pass().await;
        Ok(())
    }

    fn preview(&self, _: &MailContent) -> Result<MailPreview, Error> {
        Ok(MailPreview::default())
    }
}

#[async_trait]
impl Messenger for Gate {
    async fn check(&self, _: &Target) -> Result<(), String> {
        Ok(())
    }

    async fn send(&self, _: Message) -> Result<(), MessageError> {
        self.pass().await;
        Ok(())
    }

    fn preview(&self, _: &Message) -> String {
        String::new()
    }
}

struct Node {
    stop: CancellationToken,
    running: JoinHandle<()>,
}

/// A node whose clock is this many hours ahead.
async fn start(url: &str, hours: i64, route: DeliveryRoute, gate: &Arc<Gate>) -> Node {
    let clock = TestClock::system();
    clock.advance(TimeDelta::hours(hours));
    let database = Database::connect(url, Arc::clone(&clock) as _)
        .await
        .unwrap();
    let worker = DeliveryWorker {
        sender: sender(&database, clock, route, gate),
        queue: Arc::new(database),
        route,
        wake_signal: Arc::new(WakeSignal::default()),
        concurrency: 8,
        observe: |_, _| {},
    };
    let stop = CancellationToken::new();
    let running = tokio::spawn(Arc::new(worker).run(stop.clone()));
    Node { stop, running }
}

fn sender(
    database: &Database,
    clock: Arc<TestClock>,
    route: DeliveryRoute,
    gate: &Arc<Gate>,
) -> Arc<dyn DeliverySender> {
    let links = Links::new("https://status.example.com");
    let key = HmacKey::new("a secret").unwrap();
    let store = Arc::new(database.clone());
    match route {
        DeliveryRoute::Mail => Arc::new(MailSender {
            composer: MailComposer::new(store, clock, links, key, LIMIT),
            mailer: Arc::clone(gate) as _,
        }),
        DeliveryRoute::Message => {
            let ports = MessagePorts {
                subscribers: Arc::clone(&store) as _,
                states: store,
                clock,
            };
            Arc::new(MessageSender {
                composer: MessageComposer::new(ports, links, key, LIMIT),
                messenger: Arc::clone(gate) as _,
            })
        }
    }
}

async fn nodes_with_other_clocks_send_each_mail_once(url: &str) {
    each_message_is_sent_once(url, DeliveryRoute::Mail, Channel::Email, |number| {
        format!("person{number}@example.com")
    })
    .await;
}

async fn nodes_with_other_clocks_send_each_request_once(url: &str) {
    each_message_is_sent_once(url, DeliveryRoute::Message, Channel::Webhook, |number| {
        format!("https://hooks.example/{number}")
    })
    .await;
}

async fn each_message_is_sent_once(
    url: &str,
    route: DeliveryRoute,
    channel: Channel,
    target: fn(usize) -> String,
) {
    let database = Database::connect(url, clock()).await.unwrap();
    let fixture = OrganisationFixture::new(&database, "acme").await;
    for number in 0..5 {
        let target = Target::parse(channel, &target(number)).unwrap();
        let draft = SubscriberDraft::of_everything(target);
        fixture.subscriber_of(draft, clock().now()).await;
    }
    fixture.incident("Down").await;
    let (started, mut seen) = watch::channel(0);
    let gate = Arc::new(Gate {
        started,
        opened: Semaphore::new(0),
    });

    let first = start(url, 0, route, &gate).await;
    seen.wait_for(|started| *started == 5).await.unwrap();
    // The second node ends by itself once it has found nothing that is due.
    for hours in [1, -1] {
        let second = start(url, hours, route, &gate).await;
        second.stop.cancel();
        second.running.await.unwrap();
    }
    assert_eq!(*seen.borrow(), 5);
    gate.opened.add_permits(5);
    first.stop.cancel();
    first.running.await.unwrap();
    assert_eq!(database.waiting().await.unwrap(), 0);
    assert_eq!(fixture.counts().await.sent, 5);
}

/// A webhook receives the updates that are not newer than the notice.
async fn notice_of_a_maintenance_has_the_time_of_its_update_after_a_clock_is_set_back(url: &str) {
    let clock = TestClock::system();
    let database = Database::connect(url, Arc::clone(&clock) as _)
        .await
        .unwrap();
    let fixture = OrganisationFixture::new(&database, "acme").await;
    fixture.subscriber("ann@example.com").await;
    let planned = create(&database, &fixture.id, later(60), None).await.id;
    clock.advance(-TimeDelta::minutes(1));
    let update = record(&database, &fixture.id, planned, "Soon").await;
    fixture.expand().await;
    let scheduled = fixture.claim(10).await;
    fixture.sent(&scheduled).await;
    let updated = fixture.claim(10).await;
    let DeliveryKind::Notice(notice) = &updated[0].kind else {
        panic!("no notice: {updated:?}")
    };
    assert_eq!(notice.content.message.as_deref(), Some("Soon"));
    assert_eq!(notice.at, update.created_at);
}
