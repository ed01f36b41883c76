use super::*;

use std::sync::atomic::{AtomicUsize, Ordering};

use allclear_domain::component::{Component, ComponentDraft};
use allclear_domain::id::ComponentId;
use allclear_domain::incident::IncidentStatus;
use allclear_domain::notice::{IncidentChange, NoticeChange, NoticeContent};
use allclear_domain::organisation::Organisation;
use allclear_domain::time_zone::TimeZone;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use futures_util::future::join_all;

use crate::clock::TestClock;
use crate::component::ComponentReport;
use crate::delivery::fixture::{delivery, pending, subscribed};
use crate::fixture::{clock, hmac_key, links, now, organisation};
use crate::notice::Notice;
use crate::statuspage_api::MockStatuspageStateStore;
use crate::subscriber::MockSubscriberStore;

/// A state with this many bytes of descriptions.
fn state(bytes: usize) -> StatuspageState {
    let draft = ComponentDraft {
        name: "API".into(),
        ..ComponentDraft::default()
    };
    let id = ComponentId(Uuid::from_u128(3));
    let created = Component::create(id, draft, TimeZone::default(), now()).unwrap();
    let component = Component {
        description: "d".repeat(bytes),
        ..created.state
    };
    StatuspageState {
        organisation: Organisation::new(organisation(), "Acme".into()),
        url: "https://status.example/status/org_1".into(),
        updated_at: now(),
        groups: Vec::new(),
        components: vec![ComponentReport {
            component,
            under_maintenance: false,
        }],
        incidents: Vec::new(),
        maintenances: Vec::new(),
        read_at: now(),
    }
}

/// A composer that must read a state of this size exactly `reads` times.
fn composer(bytes: usize, reads: usize) -> MessageComposer {
    composer_at(clock(), bytes, reads)
}

fn composer_at(clock: Arc<dyn Clock>, bytes: usize, reads: usize) -> MessageComposer {
    let mut states = MockStatuspageStateStore::new();
    let read = move |_: &_, read_at| {
        Ok(Some(StatuspageState {
            read_at,
            ..state(bytes)
        }))
    };
    states
        .expect_statuspage_state()
        .times(reads)
        .returning(read);
    composer_over(Arc::new(states), clock)
}

fn composer_over(states: Arc<dyn StatuspageStateStore>, clock: Arc<dyn Clock>) -> MessageComposer {
    let ports = MessagePorts {
        subscribers: Arc::new(MockSubscriberStore::new()),
        states,
        clock,
    };
    let limit = RateLimit {
        burst: 3,
        per_hour: 1,
    };
    MessageComposer::new(ports, links(), hmac_key(), limit)
}

async fn compose(composer: &MessageComposer, notice: u128) {
    compose_at(composer, notice, now()).await;
}

/// Composes the message about a change at this time.
async fn compose_at(composer: &MessageComposer, notice: u128, at: DateTime<Utc>) {
    let content = NoticeContent {
        title: "Down".into(),
        description: "All of it".into(),
        message: None,
        unnamed_components: 0,
        change: NoticeChange::Incident {
            change: IncidentChange::Created,
            status: IncidentStatus::Investigating,
            update_status: None,
            shown_at: None,
            occurred_at: now(),
            resolved_at: None,
            components: Vec::new(),
        },
    };
    let notice = Notice {
        id: Uuid::from_u128(notice),
        subject: Uuid::from_u128(5),
        at,
        content,
    };
    let delivery = delivery(1, subscribed(), DeliveryKind::Notice(Arc::new(notice)));
    assert!(composer.compose(&delivery).await.unwrap().is_some());
}

#[tokio::test]
async fn state_is_read_once_for_each_notice() {
    let composer = composer(10, 2);
    for notice in [7, 8, 7, 8] {
        compose(&composer, notice).await;
    }
}

#[tokio::test]
async fn state_shows_the_change_although_the_clock_is_a_little_behind() {
    let (limit, minute) = (MessageComposer::MAX_CLOCK_DIFFERENCE, TimeDelta::minutes(1));
    let little = TimeDelta::milliseconds(100);
    for (ahead, expected) in [
        (-minute, TimeDelta::zero()),
        (little, little),
        (minute, limit),
    ] {
        let mut states = MockStatuspageStateStore::new();
        states
            .expect_statuspage_state()
            .withf(move |_, read_at| *read_at == now() + expected)
            .returning(|_, _| Ok(Some(state(10))));
        let composer = composer_over(Arc::new(states), clock());
        compose_at(&composer, 7, now() + ahead).await;
    }
}

#[tokio::test]
async fn verifications_and_tests_share_the_state_of_their_organisation() {
    let composer = composer(10, 1);
    let mut verification = delivery(1, pending(), DeliveryKind::Verification);
    // The limit of the target counts first attempts only.
    verification.claim.attempt = 2;
    let test = |id| {
        let kind = DeliveryKind::Test(Uuid::from_u128(id));
        delivery(1, subscribed(), kind)
    };
    for delivery in [verification, test(1), test(2)] {
        assert!(composer.compose(&delivery).await.unwrap().is_some());
    }
}

/// A store that counts the reads that run at the same time.
#[derive(Default)]
struct CountingStates {
    running: AtomicUsize,
    most: AtomicUsize,
}

#[async_trait]
impl StatuspageStateStore for CountingStates {
    async fn statuspage_state(
        &self,
        _: &OrganisationId,
        read_at: DateTime<Utc>,
    ) -> Result<Option<StatuspageState>, Error> {
        let running = self.running.fetch_add(1, Ordering::Relaxed) + 1;
        self.most.fetch_max(running, Ordering::Relaxed);
        tokio::task::yield_now().await;
        self.running.fetch_sub(1, Ordering::Relaxed);
        Ok(Some(StatuspageState {
            read_at,
            ..state(10)
        }))
    }
}

#[tokio::test]
async fn few_states_are_read_at_the_same_time() {
    let states = Arc::new(CountingStates::default());
    let composer = composer_over(Arc::clone(&states) as _, clock());
    join_all((0..10).map(|notice| compose(&composer, notice))).await;
    let most = states.most.load(Ordering::Relaxed);
    assert_eq!(most, MessageComposer::MAX_CONCURRENT_READS);
}

#[tokio::test]
async fn a_retry_reads_the_state_again() {
    let clock = TestClock::stopped();
    let composer = composer_at(clock.clone(), 10, 2);
    compose(&composer, 7).await;
    clock.advance(MessageComposer::MAX_STATE_AGE);
    compose(&composer, 7).await;
}

#[tokio::test]
async fn kept_states_have_a_size_limit_and_the_newest_is_kept() {
    let bytes = usize::try_from(MessageComposer::MAX_RECENT_BYTES).unwrap() / 2;
    let composer = composer(bytes, 3);
    for notice in [7, 7, 8, 8, 7] {
        compose(&composer, notice).await;
    }
    assert_eq!(composer.recent.lock().len(), 1);
}
