//! Look-ups that concurrent requests share.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use parking_lot::Mutex;
use quick_cache::unsync::Cache;
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, timeout};

use super::Lookup;

/// Names whose results are kept.
const MAX_NAMES: usize = 10_000;
/// How long a result is used: of a name with addresses, and of a name without. A name server that
/// does not reply occupies a thread for many seconds, so such a name is asked for less often.
const CACHED_FOR: Duration = Duration::from_secs(10);
const EMPTY_CACHED_FOR: Duration = Duration::from_secs(15);
/// How long a look-up waits for others to end. A request for its result waits no longer.
const MAX_WAIT: Duration = Duration::from_secs(3);

/// Shares each look-up between all requests for the name, also with those of the next seconds. A
/// name whose servers do not reply occupies at most one thread.
pub struct SharedLookup {
    lookup: Arc<dyn Lookup>,
    permits: Arc<Semaphore>,
    known: Mutex<Cache<String, Result>>,
}

/// `None` until it is known.
type Result = watch::Receiver<Option<Found>>;

#[derive(Clone)]
struct Found {
    addresses: Vec<IpAddr>,
    until: Instant,
}

impl SharedLookup {
    /// Shares the results of another look-up, of which so many may run at the same time.
    #[must_use]
    pub fn new(lookup: Arc<dyn Lookup>, concurrent: usize) -> Self {
        Self {
            lookup,
            permits: Arc::new(Semaphore::new(concurrent)),
            known: Mutex::new(Cache::new(MAX_NAMES)),
        }
    }

    /// The result that is known or awaited; a new look-up if there is none.
    fn result(&self, host: &str) -> Result {
        let (sender, receiver) = watch::channel(None);
        {
            // One lock, so that of requests at the same time one starts a look-up. A panic under it
            // leaves the cache consistent.
            let mut known = self.known.lock();
            if let Some(known) = known.get(host).filter(|known| is_usable(known)) {
                return known.clone();
            }
            known.insert(host.to_owned(), receiver.clone());
        }
        let lookup = Arc::clone(&self.lookup);
        let permits = Arc::clone(&self.permits);
        let host = host.to_owned();
        // A task, so that it continues for later requests if this one is cancelled.
        tokio::spawn(async move {
            let Ok(_permit) = timeout(MAX_WAIT, permits.acquire()).await else {
                return;
            };
            let addresses = lookup.addresses(&host).await;
            let kept = if addresses.is_empty() {
                EMPTY_CACHED_FOR
            } else {
                CACHED_FOR
            };
            sender.send_replace(Some(Found {
                addresses,
                until: Instant::now() + kept,
            }));
        });
        receiver
    }
}

fn is_usable(result: &Result) -> bool {
    match &*result.borrow() {
        Some(found) => Instant::now() < found.until,
        // The task of an unfinished look-up holds the sender, unless its runtime has ended.
        None => result.has_changed().is_ok(),
    }
}

#[async_trait]
impl Lookup for SharedLookup {
    async fn addresses(&self, host: &str) -> Vec<IpAddr> {
        let mut result = self.result(host);
        let found = result.wait_for(Option::is_some).await;
        found
            .ok()
            .and_then(|found| found.clone())
            .map_or_else(Vec::new, |found| found.addresses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;
    use tokio::sync::Notify;
    use tokio::time::advance;

    /// A look-up that counts, and whose servers reply on request.
    #[derive(Default)]
    struct CountingLookup {
        count: AtomicUsize,
        reply: Notify,
        addresses: Vec<IpAddr>,
    }

    #[async_trait]
    impl Lookup for CountingLookup {
        async fn addresses(&self, _: &str) -> Vec<IpAddr> {
            self.count.fetch_add(1, Ordering::SeqCst);
            self.reply.notified().await;
            self.addresses.clone()
        }
    }

    fn counting(addresses: &[&str]) -> (Arc<CountingLookup>, SharedLookup) {
        let counting = Arc::new(CountingLookup {
            addresses: addresses.iter().map(|text| text.parse().unwrap()).collect(),
            ..CountingLookup::default()
        });
        let shared = SharedLookup::new(Arc::clone(&counting) as Arc<dyn Lookup>, 1);
        (counting, shared)
    }

    #[tokio::test(start_paused = true)]
    async fn lookup_does_not_wait_long_for_others() {
        let (counting, shared) = counting(&["8.8.8.8"]);
        let first = shared.addresses("dead.example");
        let second = async {
            assert!(shared.addresses("a.example").await.is_empty());
            assert!(shared.addresses("a.example").await.is_empty());
            assert_eq!(counting.count.load(Ordering::SeqCst), 1);
            counting.reply.notify_one();
        };
        assert_eq!(tokio::join!(first, second).0.len(), 1);
        counting.reply.notify_one();
        assert_eq!(shared.addresses("a.example").await.len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn concurrent_requests_share_a_lookup() {
        let (counting, shared) = counting(&["8.8.8.8"]);
        counting.reply.notify_one();
        let requests = (0..50).map(|_| shared.addresses("a.example"));
        for addresses in join_all(requests).await {
            assert_eq!(addresses, counting.addresses);
        }
        assert_eq!(counting.count.load(Ordering::SeqCst), 1);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn requests_of_several_threads_share_a_lookup() {
        let shared = Arc::new(counting(&[]).1);
        for round in 0..500 {
            let host = format!("{round}.example");
            let together = Arc::new(Barrier::new(4));
            let requests = (0..4).map(|_| {
                let (shared, host) = (Arc::clone(&shared), host.clone());
                let together = Arc::clone(&together);
                tokio::task::spawn_blocking(move || {
                    together.wait();
                    shared.result(&host)
                })
            });
            let results: Vec<_> = join_all(requests).await;
            let first = results[0].as_ref().unwrap();
            let mut results = results.iter().flatten();
            assert!(results.all(|result| result.same_channel(first)));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_result_is_used_for_seconds_only() {
        for (addresses, kept) in [(&["8.8.8.8"][..], CACHED_FOR), (&[], EMPTY_CACHED_FOR)] {
            let (counting, shared) = counting(addresses);
            for (passed, expected) in [
                (Duration::ZERO, 1),
                (kept.checked_sub(Duration::from_millis(1)).unwrap(), 1),
                (Duration::from_millis(1), 2),
            ] {
                advance(passed).await;
                counting.reply.notify_one();
                shared.addresses("a.example").await;
                assert_eq!(counting.count.load(Ordering::SeqCst), expected);
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_name_without_a_reply_is_looked_up_once() {
        let (counting, shared) = counting(&["8.8.8.8"]);
        for _ in 0..5 {
            let given_up = timeout(Duration::from_secs(3), shared.addresses("a.example")).await;
            assert!(given_up.is_err());
        }
        counting.reply.notify_one();
        assert_eq!(shared.addresses("a.example").await, counting.addresses);
        assert_eq!(counting.count.load(Ordering::SeqCst), 1);
    }
}
