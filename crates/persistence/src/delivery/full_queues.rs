//! Organisations with so many unsent deliveries that their later notices wait. Otherwise frequent updates to many subscribers would
//! fill the disk while receivers are slow.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How long an organisation counts as full before its deliveries are counted again.
const RECOUNT_AFTER: Duration = Duration::from_secs(10);
/// Most organisations that a query leaves out.
const MAX_LEFT_OUT: usize = 500;

/// The organisations whose queue was full at the last count.
#[derive(Debug, Clone, Default)]
pub(crate) struct FullQueues(Arc<Mutex<HashMap<String, Instant>>>);

impl FullQueues {
    /// The organisations that were full a moment ago.
    pub(super) fn organisations(&self) -> Vec<String> {
        let mut full = self.0.lock();
        full.retain(|_, counted_at| counted_at.elapsed() < RECOUNT_AFTER);
        full.keys().take(MAX_LEFT_OUT).cloned().collect()
    }

    /// Records that an organisation is full now.
    pub(super) fn add(&self, organisation: String) {
        self.0.lock().insert(organisation, Instant::now());
    }
}
