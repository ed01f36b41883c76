//! Measures what 10,000 subscribers by mail and 1,000 webhooks cost an operator that records an
//! update, how fast the messages are sent to sinks on this machine, and how long the messages of
//! other organisations wait meanwhile.
#![expect(clippy::unwrap_used, reason = "a bench ends by a panic")]

mod sink;
mod site;

use std::sync::atomic::Ordering;
use std::time::Duration;

use allclear_bench_support::{Bench, Limit, peer::resident, percentile};
use serde_json::json;

use crate::site::{Counts, Server};

const FEW: Counts = Counts {
    mails: 10,
    webhooks: 1,
    silent: 0,
};
const MANY: Counts = Counts {
    mails: 10_000,
    webhooks: 1_000,
    silent: 0,
};
const MAILS: Counts = Counts {
    mails: 10_000,
    webhooks: 0,
    silent: 0,
};
const ONE: Counts = Counts {
    mails: 1,
    webhooks: 0,
    silent: 0,
};
const ONE_SILENT: Counts = Counts {
    mails: 0,
    webhooks: 99,
    silent: 1,
};
const SAVES: usize = 15;
/// Maximum duration of a save with many subscribers, as a multiple of that with few. It is measured
/// while no mails are sent, in turns.
const SLOWER: Limit = Limit::AtMost(1.2);
/// Mails and webhook requests per second.
const RATE: Limit = Limit::AtLeast(4_000.0);
/// Maximum memory after the last round of messages, as a multiple of that after the first.
const GROWTH: Limit = Limit::AtMost(1.1);
/// Number of deliveries of one organisation that wait while a message of another one is sent.
const QUEUED: u64 = 100_000;
/// Number of updates that cause these deliveries.
const UPDATES: usize = 11;
/// Maximum time that a message waits because of other messages, in milliseconds.
const WAIT: Limit = Limit::AtMost(1_000.0);
const BENCH: Bench = Bench("deliveries");

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Resident memory of this process, in KiB.
#[expect(clippy::cast_precision_loss, reason = "a measurement to read")]
fn memory() -> f64 {
    resident(std::process::id()).unwrap() as f64 / 1024.0
}

/// Measures saves with few and with many subscribers, and the messages to the many.
async fn rates() {
    let servers = (Server::start().await, Server::start().await);
    let few = servers.0.organisation("acme", FEW).await;
    let many = servers.1.organisation("acme", MANY).await;
    many.all_sent().await;
    let before = memory();
    let (mut beside_few, mut beside_many, mut sending) = (Vec::new(), Vec::new(), Duration::MAX);
    for number in 1..=SAVES {
        beside_few.push(few.save_and_send(number).await.0);
        few.all_sent().await;
        let (saved, sent) = many.save_and_send(number).await;
        many.all_sent().await;
        beside_many.push(saved);
        sending = sending.min(sent);
    }
    let after = memory();
    servers.0.stop().await;
    servers.1.stop().await;

    let (beside_few, beside_many) = (percentile(&beside_few, 50), percentile(&beside_many, 50));
    #[expect(clippy::cast_precision_loss, reason = "a count of messages")]
    let rate = MANY.reached() as f64 / sending.as_secs_f64();
    let (few, many) = (FEW.reached(), MANY.reached());
    BENCH.measurement(
        "save, milliseconds",
        json!({"besideFew": beside_few, "besideMany": beside_many}),
    );
    BENCH.budget(
        &format!("save beside {many} subscribers, of beside {few}"),
        beside_many / beside_few,
        SLOWER,
    );
    BENCH.budget(
        &format!(
            "mails and webhooks a second to {} and {} subscribers",
            MANY.mails, MANY.webhooks
        ),
        rate.round(),
        RATE,
    );
    BENCH.measurement(
        "memory, KiB",
        json!({"afterTheFirstMessages": before, "afterTheLastMessages": after}),
    );
    BENCH.budget(
        &format!("memory after {SAVES} times {many} messages, of after the first"),
        after / before,
        GROWTH,
    );
}

/// Measures a message of one organisation while many of another one wait.
async fn beside_a_full_queue() {
    let server = Server::start().await;
    let other = server.organisation("beta", ONE).await;
    let large = server.organisation("acme", MAILS).await;
    server.mails.taken.is_slow.store(true, Ordering::Relaxed);
    for _ in 0..UPDATES {
        large.save().await;
    }
    large.queued(QUEUED).await;
    server.mails.taken.is_slow.store(false, Ordering::Relaxed);
    let mut longest = Duration::ZERO;
    for number in 1..=5 {
        longest = longest.max(other.save_and_send(number).await.1);
    }
    let waiting = large.waiting().await;
    BENCH.measurement(
        "the other organisation's deliveries at the end",
        json!({"waiting": waiting}),
    );
    BENCH.budget(
        &format!("first delivery beside {QUEUED} of another organisation, milliseconds"),
        milliseconds(longest),
        WAIT,
    );
    server.stop().await;
}

/// Measures messages to webhooks of which one does not respond.
async fn beside_a_silent_receiver() {
    let server = Server::start().await;
    let site = server.organisation("acme", ONE_SILENT).await;
    let mut longest = Duration::ZERO;
    for number in 1..=SAVES {
        longest = longest.max(site.save_and_send(number).await.1);
    }
    BENCH.budget(
        "messages to 99 webhooks beside one that does not respond, milliseconds",
        milliseconds(longest),
        WAIT,
    );
    server.stop().await;
}

#[tokio::main]
async fn main() {
    // The client needs a cryptography provider even without TLS.
    let _ = rustls::crypto::ring::default_provider().install_default();
    rates().await;
    beside_a_full_queue().await;
    beside_a_silent_receiver().await;
}
