//! How often a client may try (OWASP ASVS 5.0, 6.3.1). A bucket of tries that fills again with time for each client or,
//! where passwords are guessed, each mail address.

use std::collections::HashMap;
use std::hash::Hash;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use actix_web::{HttpRequest, web};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::client_address::TrustedProxies;
use crate::problem::Problem;

/// So many tries at once, then so many an hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// At once; none is taken for one.
    pub burst: u32,
    /// An hour; none is taken for one.
    pub per_hour: u32,
}

/// The tries of many.
pub(crate) struct Bucket<K: Hash + Eq + Clone> {
    tries: DefaultKeyedRateLimiter<K>,
    /// Who has failed too often, and until when.
    barred: Mutex<HashMap<K, Instant>>,
    clock: DefaultClock,
    asked: AtomicU32,
}

impl<K: Hash + Eq + Clone> Bucket<K> {
    /// After so many questions, what is full again is forgotten.
    const SWEEP: u32 = 1024;

    /// With this limit.
    pub(crate) fn new(limit: Limit) -> Self {
        let number = |count: u32| NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN);
        let hourly = Quota::per_hour(number(limit.per_hour)).allow_burst(number(limit.burst));
        let (tries, barred) = (RateLimiter::keyed(hourly), Mutex::default());
        Self {
            tries,
            barred,
            clock: DefaultClock::default(),
            asked: AtomicU32::new(0),
        }
    }

    /// Counts a try. 429 with the time to wait where there was one too many.
    pub(crate) fn count(&self, key: &K) -> Result<(), Problem> {
        self.take(key).map_err(refusal)
    }

    /// Whether a try may be made, which is counted only if it [fails](Self::failed).
    pub(crate) fn may_try(&self, key: &K) -> Result<(), Problem> {
        let now = Instant::now();
        match self
            .barred()
            .get(key)
            .map(|until| until.saturating_duration_since(now))
        {
            Some(wait) if !wait.is_zero() => Err(refusal(wait)),
            _ => Ok(()),
        }
    }

    /// Counts a try that failed. Of one too many the client learns nothing but to wait.
    pub(crate) fn failed(&self, key: &K) -> Result<(), Problem> {
        self.take(key).map_err(|wait| {
            self.barred().insert(key.clone(), Instant::now() + wait);
            refusal(wait)
        })
    }

    fn barred(&self) -> MutexGuard<'_, HashMap<K, Instant>> {
        // Every change is one call: a panic while it was held leaves the map whole.
        self.barred.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, key: &K) -> Result<(), Duration> {
        if self.asked.fetch_add(1, Ordering::Relaxed) % Self::SWEEP == Self::SWEEP - 1 {
            self.tries.retain_recent();
            let now = Instant::now();
            self.barred().retain(|_, until| *until > now);
        }
        self.tries
            .check_key(key)
            .map_err(|until| until.wait_time_from(self.clock.now()))
    }
}

fn refusal(wait: Duration) -> Problem {
    Problem::too_many(wait.as_secs() + 1)
}

/// The client, as it is counted: an IPv6 client has a whole network of 2^64 addresses to itself (RFC 6177).
pub(crate) fn client(request: &HttpRequest) -> IpAddr {
    let proxies = request.app_data::<web::Data<TrustedProxies>>();
    let address = proxies.and_then(|proxies| proxies.client(request));
    network(address.unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED)))
}

/// An address as it is counted: of IPv6 the network of 64 bits.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(
            address.to_bits() & !u128::from(u64::MAX),
        )),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError;
    use actix_web::test::TestRequest;

    fn bucket() -> Bucket<u8> {
        Bucket::new(Limit {
            burst: 2,
            per_hour: 60,
        })
    }

    #[test]
    fn one_try_too_many_has_to_wait_and_another_client_does_not() {
        let bucket = bucket();
        assert!(bucket.count(&1).is_ok() && bucket.count(&1).is_ok());
        let refused = bucket.count(&1).unwrap_err().error_response();
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
        assert!(bucket.count(&2).is_ok());
    }

    #[test]
    fn only_failures_count_where_failures_are_counted() {
        let bucket = bucket();
        assert!((0..9).all(|_| bucket.may_try(&1).is_ok()));
        assert!(bucket.failed(&1).is_ok() && bucket.failed(&1).is_ok());
        assert!(bucket.may_try(&1).is_ok());
        assert!(bucket.failed(&1).is_err());
        assert!(bucket.may_try(&1).is_err());
        assert!(bucket.may_try(&2).is_ok());
    }

    #[test]
    fn a_limit_of_none_is_one() {
        let bucket: Bucket<u8> = Bucket::new(Limit {
            burst: 0,
            per_hour: 0,
        });
        assert!(bucket.count(&1).is_ok());
        assert!(bucket.count(&1).is_err());
    }

    #[test]
    fn the_addresses_of_one_ipv6_network_are_one_client() {
        let of = |peer: &str| {
            let proxies = web::Data::new(TrustedProxies::default());
            client(
                &TestRequest::default()
                    .app_data(proxies)
                    .peer_addr(peer.parse().unwrap())
                    .to_http_request(),
            )
        };
        assert_eq!(of("[2001:db8::1]:9"), of("[2001:db8::2:3]:9"));
        assert_ne!(of("[2001:db8::1]:9"), of("[2001:db8:0:1::1]:9"));
        assert_ne!(of("192.0.2.1:9"), of("192.0.2.2:9"));
    }
}
