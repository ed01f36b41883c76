//! The metrics recorder, for `/metrics`.

mod process;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use allclear_application::outbox::Commit;
use allclear_application::relay::{CommitListener, Relay};
use allclear_domain::id::OrganisationId;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Buckets of durations, in seconds.
const BUCKETS: [f64; 11] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0,
];

/// Counter of failed attempts to send mails about accounts.
pub(crate) const ACCOUNT_MAILS_FAILED: &str = "allclear_account_mails_failed_total";

/// Counter of commits that the database has lost.
const LOST_COMMITS: &str = "allclear_lost_commits_total";

/// The counters, described to readers of `/metrics`.
const COUNTERS: [(&str, &str); 9] = [
    ("allclear_http_requests_total", "Responses."),
    (
        "allclear_events_published_total",
        "Events that this node has published to its viewers.",
    ),
    (
        "allclear_resyncs_total",
        "Organisations whose viewers had to read everything again.",
    ),
    (
        LOST_COMMITS,
        "Commits that this node has sent to its viewers and that the database has lost.",
    ),
    (
        "allclear_broadcast_messages_rejected_total",
        "Messages from Redis with a wrong signature.",
    ),
    (
        "allclear_responses_cut_total",
        "Large responses that were cut because their clients did not receive them while others needed the memory.",
    ),
    ("allclear_deliveries_total", "Messages to subscribers."),
    (
        ACCOUNT_MAILS_FAILED,
        "Failed attempts to send mails about accounts. A mail is lost after three of them, or when it is refused.",
    ),
    (
        "allclear_task_failures_total",
        "Failures of background tasks by a defect.",
    ),
];

/// The gauges, described to readers of `/metrics`.
const GAUGES: [(&str, &str); 10] = [
    (
        "allclear_event_stream_viewers",
        "Open event streams of this node.",
    ),
    ("allclear_sockets", "Open sockets of this node."),
    (
        "allclear_clock_ahead_seconds",
        "How far the clock of this node is ahead of PostgreSQL's.",
    ),
    (
        "allclear_outbox_lag_commits",
        "Commits that this node has not sent to its viewers.",
    ),
    (
        "allclear_redis_connected",
        "1 while this node receives the commits of other nodes through Redis, otherwise 0.",
    ),
    (
        "allclear_deliveries_waiting",
        "Messages to subscribers that wait, of the whole installation.",
    ),
    (
        "allclear_build_info",
        "1, with the version of this node as a label.",
    ),
    (
        process::MEMORY,
        "Memory of the process in bytes (resident set).",
    ),
    (
        process::DESCRIPTORS,
        "Open file descriptors of the process.",
    ),
    (
        process::START,
        "Start of the process in seconds since 1970.",
    ),
];

/// Interval of the recorder's upkeep.
pub(crate) const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Drains recorded samples into histograms, which would otherwise grow without scrapes, and updates
/// the relay's lag and the numbers of the process. It reads files, so it may block.
pub(crate) fn upkeep(relay: &Relay) {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a gauge is a float; the lag is far below 2^52"
    )]
    metrics::gauge!("allclear_outbox_lag_commits").set(relay.lag() as f64);
    process::record();
    handle().run_upkeep();
}

/// Installs the recorder. What was recorded before is lost.
pub(crate) fn install() {
    handle();
}

/// The recorder, shared by all servers of the process.
pub(crate) fn handle() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    let make = || {
        let builder = PrometheusBuilder::new();
        let matcher = Matcher::Suffix("_seconds".to_owned());
        let builder = builder
            .set_buckets_for_metric(matcher, &BUCKETS)
            .unwrap_or_default();
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::warn!("this process already has another metrics recorder");
        }
        describe();
        metrics::gauge!("allclear_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        process::record_start();
        process::record();
        // An alert on an increase needs the counters from the start.
        for name in [
            ACCOUNT_MAILS_FAILED,
            "allclear_resyncs_total",
            LOST_COMMITS,
            "allclear_broadcast_messages_rejected_total",
            "allclear_responses_cut_total",
        ] {
            metrics::counter!(name).increment(0);
        }
        handle
    };
    HANDLE.get_or_init(make).clone()
}

/// Describes the metrics to readers of `/metrics`.
fn describe() {
    for (name, text) in COUNTERS {
        metrics::describe_counter!(name, text);
    }
    metrics::describe_histogram!(
        "allclear_http_request_seconds",
        "Times of responses in seconds."
    );
    for (name, text) in GAUGES {
        metrics::describe_gauge!(name, text);
    }
}

/// Counts the events that this node sends to its viewers.
pub(crate) struct EventCounter;

impl CommitListener for EventCounter {
    fn on_commit(&self, commit: &Arc<Commit>) {
        for event in &commit.events {
            metrics::counter!("allclear_events_published_total", "event" => event.name.clone())
                .increment(1);
        }
    }

    fn resync(&self, _: &OrganisationId) {
        metrics::counter!("allclear_resyncs_total").increment(1);
    }

    fn on_lost_commits(&self, count: u64) {
        metrics::counter!(LOST_COMMITS).increment(count);
    }
}
