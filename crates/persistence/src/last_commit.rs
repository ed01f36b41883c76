//! The last commit of a write that changed rows, of any caller. It shows that the database can be
//! written to.

use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::watch;

/// Time of the last commit; `None` before the first one, and after one of SQLite's that failed.
#[derive(Debug, Clone)]
pub(crate) struct LastCommit(Arc<watch::Sender<Option<Instant>>>);

impl LastCommit {
    pub(crate) fn new() -> Self {
        Self(Arc::new(watch::Sender::new(None)))
    }

    pub(crate) fn succeeded(&self) {
        self.0.send_replace(Some(Instant::now()));
    }

    pub(crate) fn failed(&self) {
        self.0.send_replace(None);
    }

    /// Whether the last commit has succeeded and is younger than `age`.
    pub(crate) fn is_within(&self, age: Duration) -> bool {
        self.0.borrow().is_some_and(|at| at.elapsed() < age)
    }

    /// Waits for a commit that succeeds at `began` or later.
    pub(crate) async fn reached(&self, began: Instant) {
        let mut commits = self.0.subscribe();
        let is_later = |at: &Option<Instant>| at.is_some_and(|at| at >= began);
        // An error would mean that the sender is gone, and this handle has it.
        let _ = commits.wait_for(is_later).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    const LONG: Duration = Duration::from_hours(1);

    #[test]
    fn commit_counts_until_one_fails_or_it_is_old() {
        let commits = LastCommit::new();
        assert!(!commits.is_within(LONG));
        commits.succeeded();
        assert!(commits.is_within(LONG));
        assert!(!commits.is_within(Duration::ZERO));
        commits.failed();
        assert!(!commits.is_within(LONG));
    }

    #[test]
    fn only_a_later_commit_that_succeeds_is_waited_for() {
        let commits = LastCommit::new();
        commits.succeeded();
        let began = Instant::now() + LONG;
        assert!(commits.reached(began).now_or_never().is_none());
        let began = Instant::now();
        let mut waiting = Box::pin(commits.reached(began));
        commits.failed();
        assert!(waiting.as_mut().now_or_never().is_none());
        commits.succeeded();
        assert!(waiting.now_or_never().is_some());
    }
}
