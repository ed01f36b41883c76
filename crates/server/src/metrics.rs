//! The metrics recorder, for `/metrics`.

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

/// Interval of the recorder's upkeep.
pub(crate) const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Drains recorded samples into histograms, which would otherwise grow without scrapes, and updates the relay's lag.
pub(crate) fn upkeep(relay: &Relay) {
    #[expect(
        clippy::cast_precision_loss,
        reason = "a gauge is a float; the lag is far below 2^52"
    )]
    metrics::gauge!("allclear_outbox_lag_commits").set(relay.lag() as f64);
    handle().run_upkeep();
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
        // An alert on an increase needs the counters from the start.
        for name in [
            "allclear_resyncs_total",
            "allclear_broadcast_messages_rejected_total",
        ] {
            metrics::counter!(name).increment(0);
        }
        handle
    };
    HANDLE.get_or_init(make).clone()
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
}
