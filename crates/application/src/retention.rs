//! How long commits and items of the audit log are kept.

use std::sync::Arc;

use chrono::TimeDelta;

use crate::audit::AuditStore;
use crate::clock::Clock;
use crate::error::Error;
use crate::outbox::Outbox;

/// Removes old commits from the outbox, and old items of the audit log. Viewers that were
/// disconnected for longer than commits are kept read the present state.
pub struct Retention {
    outbox: Arc<dyn Outbox>,
    audit: Arc<dyn AuditStore>,
    max_audit_age: TimeDelta,
    clock: Arc<dyn Clock>,
}

impl Retention {
    /// How long commits are kept.
    pub const COMMIT_RETENTION: TimeDelta = TimeDelta::hours(24);

    /// Few enough that a write hardly waits for them.
    const BATCH: u64 = 200;

    /// Prunes this outbox, and this audit log of items older than `max_audit_age`.
    #[must_use]
    pub fn new(
        outbox: Arc<dyn Outbox>,
        audit: Arc<dyn AuditStore>,
        max_audit_age: TimeDelta,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self {
            outbox,
            audit,
            max_audit_age,
            clock,
        }
    }

    /// Deletes commits older than [`Self::COMMIT_RETENTION`] and old items of the audit log.
    /// Returns the number of commits. Every node may do so at any time.
    pub async fn prune(&self) -> Result<u64, Error> {
        let now = self.clock.now();
        // A failure of one must not let the other grow.
        let items_before = now - self.max_audit_age;
        let items = prune_in_batches(Self::BATCH, |limit| self.audit.prune(items_before, limit));
        let items = items.await;
        let commits_before = now - Self::COMMIT_RETENTION;
        let commits = prune_in_batches(Self::BATCH, |limit| {
            self.outbox.prune(commits_before, limit)
        });
        items.and(commits.await)
    }
}

/// Deletes in batches of this size, until one is not full. Returns the number of all that
/// was deleted.
pub(crate) async fn prune_in_batches<F>(batch: u64, delete: impl Fn(u64) -> F) -> Result<u64, Error>
where
    F: Future<Output = Result<u64, Error>>,
{
    let mut all = 0;
    loop {
        let deleted = delete(batch).await?;
        all += deleted;
        if deleted < batch {
            return Ok(all);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::MockAuditStore;
    use crate::clock::TestClock;
    use crate::outbox::MockOutbox;
    use mockall::Sequence;

    #[tokio::test]
    async fn commits_older_than_a_day_are_pruned_in_batches() {
        let now = TestClock::START;
        let clock = TestClock::stopped();
        let (mut outbox, mut order) = (MockOutbox::new(), Sequence::new());
        for deleted in [200, 203, 7] {
            let prune = outbox.expect_prune().times(1).in_sequence(&mut order);
            prune
                .withf(move |before, _| *before == now - TimeDelta::hours(24))
                .returning(move |_, _| Ok(deleted));
        }
        let mut audit = MockAuditStore::new();
        audit
            .expect_prune()
            .withf(move |before, _| *before == now - TimeDelta::days(30))
            .returning(|_, _| Ok(199));
        assert_eq!(
            Retention::new(
                Arc::new(outbox),
                Arc::new(audit),
                TimeDelta::days(30),
                clock
            )
            .prune()
            .await
            .unwrap(),
            410
        );
    }

    #[tokio::test]
    async fn commits_are_pruned_if_the_audit_log_cannot_be() {
        let mut outbox = MockOutbox::new();
        outbox.expect_prune().times(1).returning(|_, _| Ok(1));
        let mut audit = MockAuditStore::new();
        audit
            .expect_prune()
            .returning(|_, _| Err(Error::internal("broken")));
        let age = TimeDelta::days(30);
        let retention =
            Retention::new(Arc::new(outbox), Arc::new(audit), age, TestClock::stopped());
        assert!(retention.prune().await.is_err());
    }
}
