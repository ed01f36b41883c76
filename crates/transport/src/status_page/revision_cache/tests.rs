use super::*;

use allclear_application::clock::TestClock;
use chrono::TimeDelta;
use futures_util::future::join_all;
use parking_lot::Mutex;
use tokio::time::Instant;

use crate::status_page::page_cache::tests::{organisation, relay, written};
use crate::status_page::stale_if_error::RETRY_DELAY;

const LIFETIME: i64 = 60;

type Value = &'static str;

impl Weigh for Value {
    fn weight(&self) -> u64 {
        1
    }
}

/// A cache whose reads have these outcomes, one after the other.
struct CacheFixture {
    relay: Arc<Relay>,
    clock: Arc<TestClock>,
    cache: RevisionCache<(), Value>,
    outcomes: Arc<Mutex<Vec<Result<Value, Error>>>>,
}

impl CacheFixture {
    fn new(outcomes: impl IntoIterator<Item = Result<Value, Error>>) -> Self {
        let (relay, clock) = (relay(), TestClock::stopped());
        let mut outcomes: Vec<_> = outcomes.into_iter().collect();
        outcomes.reverse();
        Self {
            cache: RevisionCache::new(&relay, &(Arc::clone(&clock) as _), 2, 8, 8),
            relay,
            clock,
            outcomes: Arc::new(Mutex::new(outcomes)),
        }
    }

    async fn get(&self) -> Result<Option<Value>, Error> {
        let outcomes = Arc::clone(&self.outcomes);
        let read = |_| async move { outcomes.lock().pop().unwrap().map(Arc::new) };
        let value = self
            .cache
            .get((&organisation(), None), (), LIFETIME, read)
            .await?;
        Ok(value.map(|value| *value))
    }

    fn reads_left(&self) -> usize {
        self.outcomes.lock().len()
    }

    fn lifetime_ends(&self) {
        self.clock.advance(TimeDelta::seconds(LIFETIME));
    }
}

fn unavailable() -> Result<Value, Error> {
    Err(Error::Unavailable("the database is unavailable".into()))
}

fn gone() -> Result<Value, Error> {
    Err(Error::NotFound(Resource::Page))
}

#[actix_web::test]
async fn last_value_is_served_while_the_database_is_unavailable_or_unreadable() {
    let unreadable = Err(Error::internal("the stored value is damaged"));
    let fixture = CacheFixture::new([Ok("old"), unavailable(), unreadable, Ok("new")]);
    assert_eq!(fixture.get().await.unwrap(), Some("old"));
    for left in [2, 1] {
        fixture.lifetime_ends();
        assert_eq!(fixture.get().await.unwrap(), Some("old"));
        assert_eq!(fixture.get().await.unwrap(), Some("old"));
        assert_eq!(
            fixture.reads_left(),
            left,
            "a read that just failed is not tried again"
        );
    }
    fixture.clock.advance(RETRY_DELAY);
    assert_eq!(fixture.get().await.unwrap(), Some("new"));
    assert_eq!(fixture.get().await.unwrap(), Some("new"));
}

#[tokio::test(start_paused = true)]
async fn last_value_is_served_while_the_database_hangs() {
    let fixture = CacheFixture::new([Ok("old")]);
    assert_eq!(fixture.get().await.unwrap(), Some("old"));
    fixture.lifetime_ends();
    let start = Instant::now();
    for _ in 0..3 {
        let hangs = |_| std::future::pending();
        let value = fixture
            .cache
            .get((&organisation(), None), (), LIFETIME, hangs)
            .await;
        assert_eq!(value.unwrap().as_deref(), Some(&"old"));
        assert_eq!(
            start.elapsed(),
            READ_TIMEOUT,
            "further requests do not wait"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn value_of_a_slow_read_is_served_by_the_next_request() {
    let fixture = CacheFixture::new([Ok("old")]);
    assert_eq!(fixture.get().await.unwrap(), Some("old"));
    fixture.lifetime_ends();
    let slow = |_| async {
        tokio::time::sleep(READ_TIMEOUT * 2).await;
        Ok(Arc::new("new"))
    };
    let value = fixture
        .cache
        .get((&organisation(), None), (), LIFETIME, slow)
        .await;
    assert_eq!(value.unwrap().as_deref(), Some(&"old"));
    tokio::time::sleep(READ_TIMEOUT * 2).await;
    fixture.clock.advance(RETRY_DELAY);
    assert_eq!(
        fixture.get().await.unwrap(),
        Some("new"),
        "without another read"
    );
}

#[tokio::test(start_paused = true)]
async fn read_of_a_request_that_has_gone_serves_the_waiting_one() {
    let fixture = CacheFixture::new([]);
    let organisation = organisation();
    let slow = |_| async {
        tokio::time::sleep(READ_TIMEOUT).await;
        Ok(Arc::new("new"))
    };
    let mut first = Box::pin(fixture.cache.get((&organisation, None), (), LIFETIME, slow));
    assert!(timeout(READ_TIMEOUT / 2, first.as_mut()).await.is_err());
    let second = fixture.get();
    drop(first);
    assert_eq!(second.await.unwrap(), Some("new"), "without another read");
}

#[actix_web::test]
async fn waiting_requests_share_one_failure() {
    let fixture = CacheFixture::new([Ok("old"), unavailable()]);
    fixture.get().await.unwrap();
    fixture.lifetime_ends();
    for value in join_all((0..20).map(|_| fixture.get())).await {
        assert_eq!(value.unwrap(), Some("old"));
    }
}

#[actix_web::test]
async fn value_that_is_gone_does_not_return() {
    let fixture = CacheFixture::new([Ok("old"), gone(), unavailable()]);
    assert_eq!(fixture.get().await.unwrap(), Some("old"));
    written(&fixture.relay, 2).await;
    assert_eq!(fixture.get().await.unwrap(), None);
    assert!(matches!(fixture.get().await, Err(Error::Unavailable(_))));
}

#[actix_web::test]
async fn first_read_that_fails_is_an_error() {
    let fixture = CacheFixture::new([unavailable(), Ok("new")]);
    assert!(matches!(fixture.get().await, Err(Error::Unavailable(_))));
    assert_eq!(fixture.get().await.unwrap(), Some("new"));
}

#[actix_web::test]
async fn value_of_an_older_revision_does_not_replace_a_newer_one() {
    let last = LastValues::<(), Value>::new(8, 8);
    let organisation = organisation();
    let version = |revision| Version::new(Revision(revision), DateTime::default(), LIFETIME);
    for (revision, value) in [(2, "newer"), (1, "older"), (2, "newer")] {
        let replaced = last.insert(&organisation, (), version(revision), &Arc::new(value));
        assert_eq!(replaced, None);
    }
    assert_eq!(last.get(&organisation, ()).as_deref(), Some(&"newer"));
    let replaced = last.insert(&organisation, (), version(3), &Arc::new("newest"));
    assert_eq!(replaced, Some(version(2)));
}

#[actix_web::test]
async fn value_of_an_earlier_revision_is_not_kept() {
    let fixture = CacheFixture::new([Ok("old"), Ok("new")]);
    let organisation = organisation();
    let version = || {
        let version = fixture.cache.version(organisation.as_str(), LIFETIME);
        version.unwrap()
    };
    let is_kept = |version| {
        let value = fixture
            .cache
            .current
            .get(organisation.as_str(), version, ());
        value.is_some()
    };
    assert_eq!(fixture.get().await.unwrap(), Some("old"));
    let first = version();
    assert!(is_kept(first));
    written(&fixture.relay, 2).await;
    assert_eq!(fixture.get().await.unwrap(), Some("new"));
    assert!(!is_kept(first) && is_kept(version()));
}

#[tokio::test]
async fn a_value_may_take_nearly_the_whole_cache() {
    struct Large;
    impl Weigh for Large {
        fn weight(&self) -> u64 {
            900
        }
    }
    let cache = VersionCache::new(1000, 1000);
    let version = Version::new(Revision(1), DateTime::default(), LIFETIME);
    let organisation = organisation();
    let made = cache.get_or_make(&organisation, version, (), async { Ok(Arc::new(Large)) });
    made.await.unwrap();
    assert!(cache.get(organisation.as_str(), version, ()).is_some());
}

#[actix_web::test]
async fn one_client_has_a_part_of_the_places_of_an_organisation() {
    let (relay, clock) = (relay(), TestClock::stopped());
    let cache = RevisionCache::<usize, Value>::new(&relay, &(clock as _), 1, 8, 8);
    let organisation = organisation();
    let client = |last| Some(IpAddr::from([192, 0, 2, last]));
    let hangs = |_| std::future::pending();
    let mut waiting = Vec::new();
    for address in 0..READS_PER_CLIENT {
        let mut read = Box::pin(cache.get((&organisation, client(1)), address, LIFETIME, hangs));
        assert!(futures_util::poll!(read.as_mut()).is_pending());
        waiting.push(read);
    }
    let of = |last| {
        cache.get(
            (&organisation, client(last)),
            READS_PER_CLIENT,
            LIFETIME,
            hangs,
        )
    };
    assert!(matches!(of(1).await, Err(Error::TooMany { .. })));
    assert!(futures_util::poll!(Box::pin(of(2)).as_mut()).is_pending());
}
