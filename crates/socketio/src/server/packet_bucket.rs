//! The rate at which the packets of a client are handled.

use tokio::time::{Instant, sleep};

use crate::settings::PacketRate;

/// The packets that a client may send without a wait. They are refilled with time.
#[derive(Debug, Default)]
pub(super) struct PacketBucket {
    /// When the bucket is full again; `None` before the first packet.
    full_at: Option<Instant>,
}

impl PacketBucket {
    /// Takes one packet, and waits until it may be handled.
    pub(super) async fn take(&mut self, rate: PacketRate) {
        let now = Instant::now();
        let full_at = self.full_at.map_or(now, |at| at.max(now)) + rate.interval;
        self.full_at = Some(full_at);
        let full_in = full_at.saturating_duration_since(now);
        let wait = full_in.saturating_sub(rate.interval * rate.burst.max(1));
        if !wait.is_zero() {
            sleep(wait).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::advance;

    use super::*;

    const RATE: PacketRate = PacketRate {
        burst: 3,
        interval: Duration::from_millis(20),
    };

    /// How long so many packets wait together, in milliseconds.
    async fn take(bucket: &mut PacketBucket, packets: usize) -> u128 {
        let began = Instant::now();
        for _ in 0..packets {
            bucket.take(RATE).await;
        }
        began.elapsed().as_millis()
    }

    #[tokio::test(start_paused = true)]
    async fn packets_beyond_a_burst_wait_for_the_rate() {
        let mut bucket = PacketBucket::default();
        assert_eq!(take(&mut bucket, 3).await, 0);
        assert_eq!(take(&mut bucket, 10).await, 200);
    }

    #[tokio::test(start_paused = true)]
    async fn burst_is_refilled_and_does_not_grow() {
        let mut bucket = PacketBucket::default();
        take(&mut bucket, 3).await;
        advance(Duration::from_millis(40)).await;
        assert_eq!(take(&mut bucket, 2).await, 0);
        assert_eq!(take(&mut bucket, 1).await, 20);
        advance(Duration::from_hours(1)).await;
        assert_eq!(take(&mut bucket, 3).await, 0);
        assert_eq!(take(&mut bucket, 1).await, 20);
    }
}
