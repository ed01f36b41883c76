//! Log lines about work that is repeated until it succeeds: in a long outage each attempt fails.

use std::time::Duration;

use tokio::time::Instant;

/// Decides which failures of repeated work are logged: the first one, and then one a minute.
#[derive(Debug, Default)]
pub(crate) struct FailureLog {
    /// When a failure was logged last; `None` if the last attempt has succeeded.
    logged_at: Option<Instant>,
}

impl FailureLog {
    const INTERVAL: Duration = Duration::from_mins(1);

    /// The work has failed. Returns whether to log that.
    pub(crate) fn failed(&mut self) -> bool {
        let is_due = self
            .logged_at
            .is_none_or(|at| at.elapsed() >= Self::INTERVAL);
        if is_due {
            self.logged_at = Some(Instant::now());
        }
        is_due
    }

    /// The work has succeeded. Returns whether it had failed before.
    pub(crate) fn succeeded(&mut self) -> bool {
        self.logged_at.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn long_outage_is_logged_once_a_minute() {
        let mut failures = FailureLog::default();
        assert!(!failures.succeeded());
        for _ in 0..2 {
            let mut lines = 0;
            for _ in 0..150 {
                lines += usize::from(failures.failed());
                tokio::time::advance(Duration::from_secs(1)).await;
            }
            assert_eq!(lines, 3);
            assert!(failures.succeeded());
            assert!(!failures.succeeded());
        }
    }
}
