//! A cache of what is made from the public state of organisations: once per revision, however many requests there are.

use std::hash::Hash;
use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::error::Error;
use allclear_application::relay::Relay;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use chrono::{DateTime, Utc};
use quick_cache::Weighter;
use quick_cache::sync::Cache;

/// Something with a size in memory.
pub(crate) trait Weigh {
    /// About the size in bytes.
    fn weight(&self) -> u64;
}

/// An address at a revision.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key<A> {
    organisation: OrganisationId,
    revision: Revision,
    /// Number of its lifetime since 1970.
    lifetime: i64,
    address: A,
}

/// Weighs values by their bytes.
#[derive(Debug, Clone)]
struct BySize;

impl<K, V: Weigh> Weighter<K, Arc<V>> for BySize {
    fn weight(&self, _: &K, value: &Arc<V>) -> u64 {
        value.weight()
    }
}

/// The values by organisation and address.
pub(crate) struct RevisionCache<A, V: Weigh> {
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
    current: Cache<Key<A>, Arc<V>, BySize>,
}

impl<A: Copy + Eq + Hash, V: Weigh> RevisionCache<A, V> {
    /// An empty cache for about `items` values of together `bytes`. Beyond that the least requested values are evicted.
    pub(crate) fn new(relay: Arc<Relay>, clock: Arc<dyn Clock>, items: usize, bytes: u64) -> Self {
        Self {
            relay,
            clock,
            current: Cache::with_weighter(items, bytes, BySize),
        }
    }

    /// The value at an address, if it is in memory for the newest known revision.
    pub(crate) fn cached(
        &self,
        organisation: &OrganisationId,
        address: A,
        lifetime: i64,
    ) -> Option<Arc<V>> {
        let revision = self.relay.followed(organisation)?.latest()?;
        self.current.get(&Key {
            organisation: organisation.clone(),
            revision,
            lifetime: self.clock.now().timestamp().div_euclid(lifetime),
            address,
        })
    }

    /// The value at an address for the newest known revision; `None` if there is none. `lifetime` is how long a value may stay the
    /// same under a revision, in seconds. `read` makes the value as of a time, once for all requests that wait for it;
    /// [`Error::NotFound`] means that there is none.
    pub(crate) async fn get<R>(
        &self,
        organisation: &OrganisationId,
        address: A,
        lifetime: i64,
        read: impl FnOnce(DateTime<Utc>) -> R,
    ) -> Result<Option<Arc<V>>, Error>
    where
        R: Future<Output = Result<Arc<V>, Error>>,
    {
        let Some(position) = self.relay.follow(organisation).await? else {
            return Ok(None);
        };
        let now = self.clock.now();
        let key = Key {
            organisation: organisation.clone(),
            revision: position.latest().unwrap_or_default(),
            lifetime: now.timestamp().div_euclid(lifetime),
            address,
        };
        match self.current.get_or_insert_async(&key, read(now)).await {
            Ok(value) => Ok(Some(value)),
            Err(Error::NotFound(_)) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
