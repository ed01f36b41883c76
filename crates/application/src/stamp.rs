//! Time, identifier, revision and settings of a commit.

use allclear_domain::maintenance::ChangeContext;
use allclear_domain::organisation::Revision;
use allclear_domain::time_zone::TimeZone;
use chrono::{DateTime, TimeDelta, Utc};
use uuid::{Builder, Uuid};

use crate::clock::Clock;

/// Settings of an organisation that its changes depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StampSettings {
    /// The time zone of the organisation's page.
    pub zone: TimeZone,
    /// Whether the organisation's changes notify subscribers if the operator does not say.
    pub notify_by_default: bool,
}

/// Time, identifier and revision of one commit of an organisation, with its settings, taken once
/// under the organisation's lock. So revisions, identifiers and creation times have the same order,
/// whatever the clocks of the nodes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Time of the commit, in whole milliseconds; never before the organisation's previous commit.
    pub committed_at: DateTime<Utc>,
    /// What this node's clock showed; before `committed_at` if the clock of another node is ahead.
    /// It decides the status of maintenances. For a change of a maintenance, also one that only
    /// time causes, it is the time of the clock that all nodes share.
    pub wall_time: DateTime<Utc>,
    /// The revision that the commit makes.
    pub revision: Revision,
    /// A `UUIDv7` for what the commit creates; greater than every identifier of the organisation's
    /// previous commits.
    pub id: Uuid,
    /// The time zone of the organisation's page.
    pub zone: TimeZone,
    /// Whether the organisation's changes notify subscribers if the operator does not say.
    pub notify_by_default: bool,
}

impl Stamp {
    /// The stamp of the commit that makes `revision`. `last` is the time of the organisation's
    /// previous commit.
    ///
    /// The caller must hold the organisation's lock.
    #[must_use]
    pub fn next(
        clock: &dyn Clock,
        last: DateTime<Utc>,
        revision: Revision,
        settings: StampSettings,
    ) -> Self {
        let wall_time = clock.now();
        let committed_at = wall_time.max(last);
        Self::at(wall_time, committed_at, revision, clock.id(), settings)
    }

    /// The stamp of the commit that makes `revision` at the time `committed_at`, when the clock
    /// showed `wall_time`. `random` makes its identifier differ from those of other organisations.
    #[must_use]
    pub fn at(
        wall_time: DateTime<Utc>,
        committed_at: DateTime<Utc>,
        revision: Revision,
        random: Uuid,
        settings: StampSettings,
    ) -> Self {
        Self {
            committed_at,
            wall_time,
            revision,
            id: identifier(committed_at, revision, random),
            zone: settings.zone,
            notify_by_default: settings.notify_by_default,
        }
    }

    /// The times and the setting on which a change of a maintenance depends.
    #[must_use]
    pub const fn change_context(&self) -> ChangeContext {
        ChangeContext {
            recorded_at: self.committed_at,
            now: self.wall_time,
            notify_by_default: self.notify_by_default,
        }
    }
}

/// A `UUIDv7` (RFC 9562, section 5.7): milliseconds, then a counter (section 6.2, method 1), then
/// random bits. The counter is the low 42 bits of the revision, so that two commits of the same
/// millisecond are in order; the 32 random bits are those of `random`, so that two organisations do
/// not make the same identifier.
#[must_use]
pub fn identifier(now: DateTime<Utc>, revision: Revision, random: Uuid) -> Uuid {
    // Times before 1970 have no place in a UUIDv7.
    let since_1970 = (now - DateTime::UNIX_EPOCH).max(TimeDelta::zero());
    let milliseconds = since_1970.num_milliseconds().unsigned_abs();
    let counter = revision.0.unsigned_abs() & ((1 << 42) - 1);
    let [.., a, b, c, d] = *random.as_bytes();
    let mut tail = [0; 10];
    // 12 bits behind the version, 30 bits behind the variant.
    let (high, low) = (counter >> 30, counter & ((1 << 30) - 1));
    let [.., h0, h1] = high.to_be_bytes();
    let [.., l0, l1, l2, l3] = low.to_be_bytes();
    tail.copy_from_slice(&[h0, h1, l0, l1, l2, l3, a, b, c, d]);
    Builder::from_unix_timestamp_millis(milliseconds, &tail).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MockClock;
    use proptest::prelude::*;

    fn clock(milliseconds: i64, random: u128) -> MockClock {
        let mut clock = MockClock::new();
        let now = DateTime::from_timestamp_millis(milliseconds).unwrap();
        clock.expect_now().return_const(now);
        clock.expect_id().return_const(Uuid::from_u128(random));
        clock
    }

    fn settings() -> StampSettings {
        StampSettings {
            zone: TimeZone::default(),
            notify_by_default: true,
        }
    }

    proptest! {
        #[test]
        fn identifiers_and_times_follow_the_revisions_whatever_the_clocks_say(
            first in 0_i64..(1 << 50),
            commits in proptest::collection::vec((0_i64..20, any::<u128>(), 1_i64..3), 2..20),
        ) {
            let (mut last, mut revision) = (DateTime::UNIX_EPOCH, first);
            let mut stamps = Vec::new();
            for (milliseconds, random, step) in commits {
                revision += step;
                let clock = clock(milliseconds, random);
                let stamp = Stamp::next(&clock, last, Revision(revision), settings());
                last = stamp.committed_at;
                stamps.push(stamp);
            }
            // The counter overflows after 2^42 revisions.
            prop_assume!(first >> 42 == revision >> 42);
            prop_assert!(stamps.is_sorted_by(|a, b| a.committed_at <= b.committed_at && a.id < b.id));
            prop_assert!(stamps.iter().all(|stamp| stamp.id.get_version_num() == 7));
        }
    }

    #[test]
    fn an_identifier_holds_its_time_and_the_random_bits_of_the_clock() {
        let clock = clock(1_700_000_000_123, 0x0123_4567_89ab_cdef);
        let stamp = Stamp::next(&clock, DateTime::UNIX_EPOCH, Revision(5), settings());
        let (seconds, nanoseconds) = stamp.id.get_timestamp().unwrap().to_unix();
        assert_eq!((seconds, nanoseconds), (1_700_000_000, 123_000_000));
        assert_eq!(
            stamp.id.as_bytes()[12..],
            0x89ab_cdef_u32.to_be_bytes(),
            "{}",
            stamp.id
        );
        assert_eq!(stamp.id.get_variant(), uuid::Variant::RFC4122);
    }
}
