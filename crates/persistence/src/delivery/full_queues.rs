//! Organisations with so many unsent deliveries that their later notices wait. Otherwise frequent
//! updates to many subscribers would fill the disk while receivers are slow.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// How long an organisation counts as full before its deliveries are counted again.
const RECOUNT_AFTER: Duration = Duration::from_secs(10);
/// Most organisations that a query leaves out: a statement of SQLite has at most 32,766 parameters.
/// With more, the notices of all wait until an organisation is counted again.
const MAX_LEFT_OUT: usize = 10_000;

/// The organisations whose queue was full at the last count.
#[derive(Debug, Clone, Default)]
pub(crate) struct FullQueues(Arc<Mutex<HashMap<String, Instant>>>);

impl FullQueues {
    /// The organisations that were full a moment ago.
    pub(super) fn organisations(&self) -> Vec<String> {
        let mut full = self.0.lock();
        full.retain(|_, counted_at| counted_at.elapsed() < RECOUNT_AFTER);
        full.keys().cloned().collect()
    }

    /// Records that an organisation is full now. Returns whether it can be left out.
    pub(super) fn add(&self, organisation: String) -> bool {
        let mut full = self.0.lock();
        let has_room = full.len() < MAX_LEFT_OUT;
        if has_room {
            full.insert(organisation, Instant::now());
        }
        has_room
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_many_organisations_are_left_out() {
        let queues = FullQueues::default();
        for number in 0..MAX_LEFT_OUT {
            assert!(queues.add(number.to_string()));
        }
        assert!(!queues.add("another".to_owned()));
        assert_eq!(queues.organisations().len(), MAX_LEFT_OUT);
    }
}
