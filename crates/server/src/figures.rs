//! What is counted, for `/metrics`.

use std::sync::OnceLock;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};

/// Seconds: from what a page in memory takes to what nobody waits for.
const BUCKETS: [f64; 11] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0];

/// How often what was recorded is added up.
const UPKEEP: Duration = Duration::from_secs(5);

/// Adds up what was recorded, so that figures nobody asks for do not fill the memory.
pub(crate) async fn upkeep() {
    let mut tick = tokio::time::interval(UPKEEP);
    loop {
        tick.tick().await;
        handle().run_upkeep();
    }
}

/// The process's recorder; every app of the process shares it.
pub(crate) fn handle() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    let make = || {
        let builder = PrometheusBuilder::new();
        let matcher = Matcher::Suffix("_seconds".to_owned());
        let builder = builder.set_buckets_for_metric(matcher, &BUCKETS).unwrap_or_default();
        let recorder = builder.build_recorder();
        let handle = recorder.handle();
        if metrics::set_global_recorder(recorder).is_err() {
            tracing::warn!("another recorder counts in this process");
        }
        handle
    };
    HANDLE.get_or_init(make).clone()
}
