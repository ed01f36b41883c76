//! How much an organisation may write in a time. Counted by each node for itself, in memory.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use actix_web::HttpRequest;
use actix_web::http::header;
use allclear_domain::id::OrganisationId;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::input::BODY_LIMIT;
use crate::problem::Problem;
use crate::throttle::Limit;

const DAY: Duration = Duration::from_hours(24);

/// What an organisation may write; `None` is without a limit.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteLimits {
    /// Calls that write.
    pub writes: Option<Limit>,
    /// Bytes of text a day.
    pub text: Option<NonZeroU32>,
}

/// Counts what each organisation writes.
pub struct WriteUsage {
    writes: Option<Counter<OrganisationId>>,
    text: Option<Counter<OrganisationId>>,
}

impl WriteUsage {
    /// With these limits.
    #[must_use]
    pub fn new(limits: WriteLimits) -> Self {
        let number = |count| NonZeroU32::new(count).unwrap_or(NonZeroU32::MIN);
        let writes = limits.writes.map(|limit| {
            Counter::new(Quota::per_hour(number(limit.per_hour)).allow_burst(number(limit.burst)))
        });
        let text = limits.text.and_then(|bytes| {
            let quota = Quota::with_period(DAY / bytes.get())?;
            Some(Counter::new(quota.allow_burst(bytes)))
        });
        Self { writes, text }
    }

    /// Counts a request of an organisation if it writes.
    ///
    /// # Errors
    /// 429 that names the limit, if there was one request or one byte too many.
    pub(crate) fn count(
        &self,
        organisation: &OrganisationId,
        request: &HttpRequest,
    ) -> Result<(), Problem> {
        if request.method().is_safe() {
            return Ok(());
        }
        if let Some(writes) = &self.writes {
            writes
                .take(organisation, NonZeroU32::MIN)
                .map_err(|wait| refusal("changes", "ALLCLEAR_LIMIT_WRITES", wait))?;
        }
        if let (Some(text), Some(bytes)) = (&self.text, NonZeroU32::new(body_length(request))) {
            text.take(organisation, bytes)
                .map_err(|wait| refusal("text", "ALLCLEAR_LIMIT_TEXT", wait))?;
        }
        Ok(())
    }
}

fn refusal(what: &str, setting: &str, wait: Duration) -> Problem {
    Problem::too_many_of(
        format!(
            "The organisation has written too much {what} of late, please try again later ({setting})"
        ),
        wait.as_secs() + 1,
    )
}

/// Bytes that a request announces. One in chunks announces none, and counts as the largest that is taken.
fn body_length(request: &HttpRequest) -> u32 {
    let headers = request.headers();
    let most = u32::try_from(BODY_LIMIT).unwrap_or(u32::MAX);
    if headers.contains_key(header::TRANSFER_ENCODING) {
        return most;
    }
    headers
        .get(header::CONTENT_LENGTH)
        .and_then(|length| length.to_str().ok()?.parse().ok())
        .map_or(0, |length: u64| u32::try_from(length).unwrap_or(most))
        .min(most)
}

/// A bucket for each of many, which fills again with time.
struct Counter<K: Hash + Eq + Clone> {
    buckets: DefaultKeyedRateLimiter<K>,
    clock: DefaultClock,
    asked: AtomicU32,
}

impl<K: Hash + Eq + Clone> Counter<K> {
    /// After so many questions, buckets that are full again are forgotten.
    const SWEEP: u32 = 4096;

    fn new(quota: Quota) -> Self {
        Self {
            buckets: RateLimiter::keyed(quota),
            clock: DefaultClock::default(),
            asked: AtomicU32::new(0),
        }
    }

    /// Takes that much, or the time until it is there again.
    fn take(&self, key: &K, amount: NonZeroU32) -> Result<(), Duration> {
        if self.asked.fetch_add(1, Ordering::Relaxed) % Self::SWEEP == Self::SWEEP - 1 {
            self.buckets.retain_recent();
        }
        match self.buckets.check_key_n(key, amount) {
            Ok(taken) => taken.map_err(|until| until.wait_time_from(self.clock.now())),
            // More than the bucket holds.
            Err(_) => Err(DAY),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::ResponseError;
    use actix_web::body::to_bytes;
    use actix_web::http::Method;
    use actix_web::test::TestRequest;

    fn usage(writes: Option<(u32, u32)>, text: u32) -> WriteUsage {
        WriteUsage::new(WriteLimits {
            writes: writes.map(|(burst, per_hour)| Limit { burst, per_hour }),
            text: NonZeroU32::new(text),
        })
    }

    fn organisation(id: &str) -> OrganisationId {
        OrganisationId::parse(id).unwrap()
    }

    fn request(method: Method, header: (&str, &str)) -> HttpRequest {
        TestRequest::default()
            .method(method)
            .insert_header(header)
            .to_http_request()
    }

    fn post(bytes: &str) -> HttpRequest {
        request(Method::POST, ("content-length", bytes))
    }

    #[actix_web::test]
    async fn one_write_too_many_is_refused_by_name_and_another_organisation_is_not() {
        let usage = usage(Some((2, 60)), 0);
        let (one, other) = (organisation("one"), organisation("other"));
        for method in [Method::POST, Method::DELETE] {
            let request = request(method, ("content-length", "0"));
            assert!(usage.count(&one, &request).is_ok());
        }
        let refused = usage.count(&one, &post("2")).unwrap_err().error_response();
        assert_eq!(refused.status(), 429);
        let wait = refused.headers().get("retry-after").unwrap().to_str();
        assert!((1..=61).contains(&wait.unwrap().parse::<u64>().unwrap()));
        let body = to_bytes(refused.into_body()).await.unwrap();
        assert!(String::from_utf8_lossy(&body).contains("ALLCLEAR_LIMIT_WRITES"));
        assert!(usage.count(&other, &post("2")).is_ok());
        let read = request(Method::GET, ("accept", "*/*"));
        assert!(usage.count(&one, &read).is_ok());
    }

    #[actix_web::test]
    async fn bytes_of_text_are_counted_also_where_they_are_not_announced() {
        let usage = usage(None, 300_000);
        let one = organisation("one");
        assert!(usage.count(&one, &post("40000")).is_ok());
        let chunked = request(Method::POST, ("transfer-encoding", "chunked"));
        assert!(usage.count(&one, &chunked).is_err(), "it may be 262,144");
        assert!(usage.count(&one, &post("250000")).is_ok());
        let refused = usage.count(&one, &post("250000")).unwrap_err();
        assert!(refused.to_string().contains("ALLCLEAR_LIMIT_TEXT"));
        assert!(usage.count(&one, &post("0")).is_ok());
    }

    #[test]
    fn limits_that_are_off_count_nothing() {
        let usage = usage(None, 0);
        let one = organisation("one");
        assert!((0..1000).all(|_| usage.count(&one, &post("262144")).is_ok()));
    }
}
