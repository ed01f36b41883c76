//! How long commits and items of the audit log are kept.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};

use crate::audit::AuditStore;
use crate::clock::SharedClock;
use crate::error::Error;
use crate::outbox::Outbox;

/// Removes old commits from the outbox, and old items of the audit log. Viewers that were
/// disconnected for longer than commits are kept read the present state.
pub struct Retention {
    outbox: Arc<dyn Outbox>,
    audit: Arc<dyn AuditStore>,
    max_audit_age: TimeDelta,
    clock: Arc<dyn SharedClock>,
}

impl Retention {
    /// How long commits are kept.
    pub const COMMIT_RETENTION: TimeDelta = TimeDelta::hours(24);
    /// How much of the audit log is removed at a time, from its oldest item on. Nothing brings an
    /// item back, and a clock may be wrong by years: the operator needs time to notice that.
    pub const MAX_AUDIT_REMOVAL: TimeDelta = TimeDelta::days(1);

    /// Few enough that a write hardly waits for them.
    const BATCH: u64 = 200;

    /// Prunes this outbox, and this audit log of items older than `max_audit_age`.
    #[must_use]
    pub fn new(
        outbox: Arc<dyn Outbox>,
        audit: Arc<dyn AuditStore>,
        max_audit_age: TimeDelta,
        clock: Arc<dyn SharedClock>,
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
        let now = self.clock.shared_time().await?;
        // A failure of one must not let the other grow.
        let items = self.prune_audit_log(now).await;
        let commits_before = now - Self::COMMIT_RETENTION;
        let commits = prune_in_batches(Self::BATCH, |limit| {
            self.outbox.prune(commits_before, limit)
        });
        items.and(commits.await)
    }

    /// Deletes old items of the audit log, at most [`Self::MAX_AUDIT_REMOVAL`] of it. Returns their
    /// number.
    async fn prune_audit_log(&self, now: DateTime<Utc>) -> Result<u64, Error> {
        let Some(oldest) = self.audit.oldest().await? else {
            return Ok(0);
        };
        let before = (now - self.max_audit_age).min(oldest + Self::MAX_AUDIT_REMOVAL);
        prune_in_batches(Self::BATCH, |limit| self.audit.prune(before, limit)).await
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
        audit.expect_oldest().returning(|| Ok(None));
        let age = TimeDelta::days(30);
        let retention = Retention::new(Arc::new(outbox), Arc::new(audit), age, clock);
        assert_eq!(retention.prune().await.unwrap(), 410);
    }

    #[tokio::test]
    async fn items_are_removed_when_they_are_old_and_one_day_of_them_at_a_time() {
        let now = TestClock::START;
        let age = TimeDelta::days(30);
        let (hour, day) = (TimeDelta::hours(1), TimeDelta::days(1));
        // The last row is what a clock sees that is far ahead.
        let rows = [
            (now - age - hour, now - age),
            (now - age + hour, now - age),
            (now - age * 10, now - age * 10 + day),
        ];
        for (oldest, expected) in rows {
            let mut outbox = MockOutbox::new();
            outbox.expect_prune().returning(|_, _| Ok(0));
            let (mut audit, mut order) = (MockAuditStore::new(), Sequence::new());
            audit.expect_oldest().returning(move || Ok(Some(oldest)));
            for deleted in [200, 199] {
                let prune = audit.expect_prune().times(1).in_sequence(&mut order);
                prune
                    .withf(move |before, _| *before == expected)
                    .returning(move |_, _| Ok(deleted));
            }
            let clock = TestClock::stopped();
            let retention = Retention::new(Arc::new(outbox), Arc::new(audit), age, clock);
            retention.prune().await.unwrap();
        }
    }

    #[tokio::test]
    async fn commits_are_pruned_if_the_audit_log_cannot_be() {
        let mut outbox = MockOutbox::new();
        outbox.expect_prune().times(1).returning(|_, _| Ok(1));
        let mut audit = MockAuditStore::new();
        audit
            .expect_oldest()
            .returning(|| Err(Error::internal("broken")));
        let age = TimeDelta::days(30);
        let retention =
            Retention::new(Arc::new(outbox), Arc::new(audit), age, TestClock::stopped());
        assert!(retention.prune().await.is_err());
    }
}
