//! Limits the verification messages to a target.

use std::sync::Arc;

use allclear_domain::rate_limit::RateLimit;

use super::Delivery;
use crate::clock::Clock;
use crate::error::Error;
use crate::subscriber::SubscriberStore;

/// The maximum number of verification messages to a target.
pub(super) struct VerificationLimit {
    subscribers: Arc<dyn SubscriberStore>,
    clock: Arc<dyn Clock>,
    limit: RateLimit,
}

impl VerificationLimit {
    pub(super) const fn new(
        subscribers: Arc<dyn SubscriberStore>,
        clock: Arc<dyn Clock>,
        limit: RateLimit,
    ) -> Self {
        Self {
            subscribers,
            clock,
            limit,
        }
    }

    /// Counts a verification message and returns whether the target may be sent it. Only the first
    /// attempt counts.
    pub(super) async fn try_take(&self, delivery: &Delivery) -> Result<bool, Error> {
        if delivery.claim.attempt > 1 {
            return Ok(true);
        }
        let recipient = (&delivery.subscriber.target).into();
        let now = self.clock.now();
        let is_allowed = self
            .subscribers
            .count_verification(recipient, self.limit, now)
            .await?;
        if !is_allowed {
            tracing::info!(organisation = %delivery.organisation, "verification message not sent: the target has reached its limit");
        }
        Ok(is_allowed)
    }
}
