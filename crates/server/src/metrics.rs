//! What is counted, for `/metrics`.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use allclear_application::outbox::Commit;
use allclear_application::relay::{CommitListener, Relay};
use allclear_domain::id::OrganisationId;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Seconds: from what a page in memory takes to what nobody waits for.
const BUCKETS: [f64; 11] = [
    0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0,
];

/// How often what was recorded is added up.
const UPKEEP: Duration = Duration::from_secs(5);

/// Adds up what was recorded, so that figures nobody asks for do not fill the memory, and notes how far the relay is behind.
pub(crate) async fn upkeep(relay: Arc<Relay>) {
    let mut tick = tokio::time::interval(UPKEEP);
    loop {
        tick.tick().await;
        #[expect(
            clippy::cast_precision_loss,
            reason = "a gauge is a float; nobody is 2^52 commits behind"
        )]
        metrics::gauge!("allclear_outbox_lag_commits").set(relay.lag() as f64);
        handle().run_upkeep();
    }
}

/// The process's recorder; every app of the process shares it.
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
            tracing::warn!("another recorder counts in this process");
        }
        handle
    };
    HANDLE.get_or_init(make).clone()
}

/// Counts what this node's viewers are told of.
pub(crate) struct Told;

impl CommitListener for Told {
    fn on_commit(&self, commit: &Arc<Commit>) {
        for event in &commit.events {
            metrics::counter!("allclear_events_told_total", "event" => event.name.clone())
                .increment(1);
        }
    }

    fn resync(&self, _: &OrganisationId) {
        metrics::counter!("allclear_resyncs_total").increment(1);
    }
}
