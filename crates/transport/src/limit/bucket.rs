//! Rate limits per key (OWASP ASVS 5.0, 6.3.1): each client address or mail address has a bucket of
//! attempts that refills with time.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::time::{Duration, Instant};

use allclear_domain::rate_limit::{RateLimit, Refill};
use parking_lot::Mutex;

use crate::limit::client_network::{limit_of_site, site};
use crate::response::problem::Problem;

/// The attempts of each key: a key stores only the time at which its bucket is full again. An
/// attempt is taken before its work begins, so parallel attempts count like successive ones.
pub(crate) struct Bucket<K> {
    refill: Refill,
    keys: Mutex<Keys<K>>,
}

/// What is left of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Level {
    /// Attempts that are left.
    pub(crate) remaining: u32,
    /// Time until the bucket is full.
    pub(crate) full_in: Duration,
}

struct Keys<K> {
    full_at: HashMap<K, Instant>,
    /// Number of keys at which full buckets are removed.
    sweep_at: usize,
}

impl<K: Hash + Eq + Clone> Bucket<K> {
    /// Largest number of keys, however many addresses a flood comes from.
    const MAX_KEYS: usize = 65_536;
    const FIRST_SWEEP: usize = 1024;

    /// Creates full buckets with this limit.
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self::refilled_by(limit.into())
    }

    /// Creates full buckets that refill in this way.
    pub(crate) fn refilled_by(refill: Refill) -> Self {
        Self {
            refill,
            keys: Mutex::new(Keys {
                full_at: HashMap::new(),
                sweep_at: Self::FIRST_SWEEP,
            }),
        }
    }

    /// Takes one attempt. Fails with 429 and `Retry-After` if the limit is used up.
    pub(crate) fn take_or_refuse(&self, key: &K) -> Result<(), Problem> {
        self.take(key, 1).map_err(refused)
    }

    /// Fails like [`Self::take_or_refuse`] if the limit is exceeded. Takes nothing, and stores
    /// nothing about an unknown key.
    pub(crate) fn check(&self, key: &K) -> Result<(), Problem> {
        let full_in = self.keys.lock().full_in(key, Instant::now());
        self.refill.take(full_in, 0).map_err(refused)?;
        Ok(())
    }

    /// Takes `amount` attempts; the error is the time until that many are available.
    pub(crate) fn take(&self, key: &K, amount: u32) -> Result<(), Duration> {
        self.take_at(key, amount, Instant::now())
    }

    /// Takes one attempt, and returns what is left.
    pub(crate) fn take_and_level(&self, key: &K) -> (Result<(), Duration>, Level) {
        let now = Instant::now();
        let taken = self.take_at(key, 1, now);
        let full_in = self.keys.lock().full_in(key, now);
        let level = Level {
            remaining: self.refill.remaining(full_in),
            full_in,
        };
        (taken, level)
    }

    /// Takes attempts that cannot be refused any more. The key waits until they are refilled, also
    /// beyond a whole burst.
    pub(crate) fn charge(&self, key: &K, amount: u32) {
        let now = Instant::now();
        let mut keys = self.keys.lock();
        let full_in = keys.full_in(key, now) + self.refill.interval * amount;
        keys.make_room(now);
        keys.full_at.insert(key.clone(), now + full_in);
    }

    /// Returns an attempt that does not count.
    pub(crate) fn give_back(&self, key: &K) {
        self.give_back_many(key, 1);
    }

    /// Returns `amount` attempts that do not count.
    pub(crate) fn give_back_many(&self, key: &K, amount: u32) {
        let mut keys = self.keys.lock();
        if let Some(full_at) = keys.full_at.get_mut(key) {
            // A time before now means a full bucket, so an attempt that was refilled meanwhile is
            // not returned twice.
            let returned = self.refill.interval * amount;
            *full_at = full_at.checked_sub(returned).unwrap_or(*full_at);
        }
    }

    fn take_at(&self, key: &K, amount: u32, now: Instant) -> Result<(), Duration> {
        let mut keys = self.keys.lock();
        let full_in = self.refill.take(keys.full_in(key, now), amount)?;
        keys.make_room(now);
        keys.full_at.insert(key.clone(), now + full_in);
        Ok(())
    }
}

/// The refusal of an attempt, which may be repeated after this time.
fn refused(wait: Duration) -> Problem {
    Problem::too_many(Problem::seconds_after(wait))
}

impl<K: Hash + Eq + Clone> Keys<K> {
    /// Time until the bucket of this key is full.
    fn full_in(&self, key: &K, now: Instant) -> Duration {
        let full_at = self.full_at.get(key);
        full_at.map_or(Duration::ZERO, |at| at.saturating_duration_since(now))
    }

    /// Removes the keys whose buckets are full. If too many keys remain, the quarter with the
    /// most attempts left is removed too; so a flood of keys cannot evict a key that has used
    /// up its attempts.
    fn make_room(&mut self, now: Instant) {
        if self.full_at.len() < self.sweep_at {
            return;
        }
        self.full_at.retain(|_, full_at| *full_at > now);
        if self.full_at.len() >= Bucket::<K>::MAX_KEYS {
            let mut moments: Vec<Instant> = self.full_at.values().copied().collect();
            let quarter = moments.len() / 4;
            let (_, limit, _) = moments.select_nth_unstable(quarter);
            let (limit, mut left) = (*limit, quarter);
            self.full_at.retain(|_, full_at| {
                let goes = *full_at <= limit && left > 0;
                left -= usize::from(goes);
                !goes
            });
        }
        self.sweep_at =
            (self.full_at.len() * 2).clamp(Bucket::<K>::FIRST_SWEEP, Bucket::<K>::MAX_KEYS);
    }
}

/// The attempts of each client, and of the IPv6 clients of each site together.
pub(crate) struct ClientBucket {
    clients: Bucket<IpAddr>,
    sites: Bucket<IpAddr>,
}

impl ClientBucket {
    /// Creates full buckets with this limit of a client.
    pub(crate) fn new(limit: RateLimit) -> Self {
        Self {
            clients: Bucket::new(limit),
            sites: Bucket::new(limit_of_site(limit)),
        }
    }

    /// Takes one attempt of a client, which is from
    /// [`client`](crate::limit::client_network::client). Fails with 429 and `Retry-After` if a
    /// limit is used up.
    pub(crate) fn take_or_refuse(&self, client: &IpAddr) -> Result<(), Problem> {
        self.clients.take_or_refuse(client)?;
        let Some(site) = site(*client) else {
            return Ok(());
        };
        self.sites
            .take_or_refuse(&site)
            .inspect_err(|_| self.clients.give_back(client))
    }

    /// Returns an attempt that does not count.
    pub(crate) fn give_back(&self, client: &IpAddr) {
        self.clients.give_back(client);
        if let Some(site) = site(*client) {
            self.sites.give_back(&site);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError;

    fn bucket() -> Bucket<u8> {
        Bucket::new(RateLimit {
            burst: 2,
            per_hour: 60,
        })
    }

    #[test]
    fn limit_applies_to_each_client() {
        let bucket = bucket();
        assert!(bucket.take_or_refuse(&1).is_ok() && bucket.take_or_refuse(&1).is_ok());
        let refused = bucket.take_or_refuse(&1).unwrap_err().error_response();
        assert_eq!(refused.status(), 429);
        let seconds: u64 = refused
            .headers()
            .get("retry-after")
            .unwrap()
            .to_str()
            .unwrap()
            .parse()
            .unwrap();
        assert!((1..=61).contains(&seconds), "{seconds}");
        assert!(bucket.take_or_refuse(&2).is_ok());
    }

    #[test]
    fn check_takes_nothing_and_stores_nothing() {
        let bucket = bucket();
        assert!((0..9).all(|_| bucket.check(&1).is_ok()));
        assert!(bucket.keys.lock().full_at.is_empty());
        bucket.charge(&1, 2);
        assert!(bucket.check(&1).is_ok());
        bucket.charge(&1, 1);
        let refused = bucket.check(&1).unwrap_err().error_response();
        assert_eq!(refused.status(), 429);
    }

    #[test]
    fn attempts_are_refilled_up_to_a_burst() {
        let (bucket, start) = (bucket(), Instant::now());
        let after = |seconds| start + Duration::from_secs(seconds);
        assert!((0..2).all(|_| bucket.take_at(&1, 1, start).is_ok()));
        assert_eq!(
            bucket.take_at(&1, 1, after(59)),
            Err(Duration::from_secs(1))
        );
        assert!(bucket.take_at(&1, 1, after(60)).is_ok());
        assert!(bucket.take_at(&1, 1, after(61)).is_err());
        assert!((0..2).all(|_| bucket.take_at(&1, 1, after(9_000)).is_ok()));
        assert!(bucket.take_at(&1, 1, after(9_000)).is_err());
    }

    #[test]
    fn returned_attempt_is_available_again_up_to_a_burst() {
        let bucket = bucket();
        for _ in 0..9 {
            assert!(bucket.take_or_refuse(&1).is_ok());
            bucket.give_back(&1);
            bucket.give_back(&1);
        }
        assert!(bucket.take_or_refuse(&1).is_ok() && bucket.take_or_refuse(&1).is_ok());
        assert!(bucket.take_or_refuse(&1).is_err());
    }

    #[test]
    fn a_limit_of_zero_is_one() {
        let bucket: Bucket<u8> = Bucket::new(RateLimit {
            burst: 0,
            per_hour: 0,
        });
        assert!(bucket.take_or_refuse(&1).is_ok());
        assert!(bucket.take_or_refuse(&1).is_err());
    }

    #[test]
    fn flood_of_keys_is_bounded_and_keeps_used_up_buckets() {
        let bucket: Bucket<u32> = Bucket::new(RateLimit {
            burst: 2,
            per_hour: 1,
        });
        assert!((0..2).all(|_| bucket.take_or_refuse(&0).is_ok()));
        for key in 1..200_000 {
            assert!(bucket.take_or_refuse(&key).is_ok());
        }
        assert!(bucket.keys.lock().full_at.len() <= Bucket::<u32>::MAX_KEYS);
        assert!(bucket.take_or_refuse(&0).is_err());
    }

    #[test]
    fn full_buckets_are_removed() {
        let (bucket, start) = (
            Bucket::<u32>::new(RateLimit {
                burst: 1,
                per_hour: 3600,
            }),
            Instant::now(),
        );
        for key in 0..10_000 {
            let now = start + Duration::from_secs(u64::from(key));
            assert!(bucket.take_at(&key, 1, now).is_ok());
        }
        assert!(bucket.keys.lock().full_at.len() <= Bucket::<u32>::FIRST_SWEEP);
    }

    #[test]
    fn ipv6_clients_of_one_site_have_as_many_attempts_as_sixteen_clients() {
        let bucket = ClientBucket::new(RateLimit {
            burst: 2,
            per_hour: 60,
        });
        let client =
            |site: u16, number: u16| IpAddr::from([0x2001, 0xdb8, site, number, 0, 0, 0, 0]);
        let left = |number| bucket.take_or_refuse(&client(1, number)).is_ok();
        assert_eq!((0..100).filter(|number| left(*number)).count(), 32);
        // Refused attempts are not counted for the client.
        bucket.give_back(&client(1, 0));
        assert!(left(99) && !left(99));
        assert!(bucket.take_or_refuse(&client(2, 0)).is_ok());
        for last in 0..100 {
            assert!(
                bucket
                    .take_or_refuse(&IpAddr::from([192, 0, 2, last]))
                    .is_ok()
            );
        }
    }
}
