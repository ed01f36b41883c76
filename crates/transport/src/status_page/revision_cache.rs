//! Caches of values that are made from the public state of organisations: once per revision, for
//! any number of requests. While the database is unavailable, the last values are served.
//!
//! The status page itself is in the [`PageCache`](super::page_cache::PageCache) instead, which
//! serves any page that was read after the request. Here a client may choose among many addresses,
//! so reads are bounded, and documents made from a state are kept under its version.

mod last_values;

use std::hash::Hash;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;

use allclear_application::clock::Clock;
use allclear_application::error::{Error, Resource};
use allclear_application::keyed_semaphore::KeyedSemaphore;
use allclear_application::relay::Relay;
use allclear_domain::id::OrganisationId;
use allclear_domain::organisation::Revision;
use chrono::{DateTime, Utc};
use quick_cache::Equivalent;
use quick_cache::sync::Cache;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use self::last_values::LastValues;
use crate::byte_bounded_cache::{BySize, Weigh, cache};
use crate::limit::client_semaphore::ClientSemaphore;
use crate::status_page::stale_if_error::{READ_TIMEOUT, is_unavailable, log_failed_read};

/// Maximum number of reads of one organisation that wait. Further ones are refused.
const MAX_WAITING: usize = 64;
/// Maximum number of reads of one organisation that requests of one client have begun or wait for.
/// Requests for what is being read already do not count.
const READS_PER_CLIENT: usize = 16;

/// A state of an organisation: its revision, and the part of time in which nothing else changes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Version {
    revision: Revision,
    /// Number of lifetimes since 1970.
    lifetime: i64,
}

impl Version {
    /// The state of a revision at a time. `lifetime` is how long it stays the same, in seconds.
    pub(crate) fn new(revision: Revision, at: DateTime<Utc>, lifetime: i64) -> Self {
        Self {
            revision,
            lifetime: at.timestamp().div_euclid(lifetime),
        }
    }
}

/// An address at a version. `O` identifies the organisation: an [`OrganisationId`] in the cache,
/// its text in a look-up, which therefore allocates nothing.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key<O, A> {
    organisation: O,
    version: Version,
    address: A,
}

impl<A: Eq + Hash> Equivalent<Key<OrganisationId, A>> for Key<&str, A> {
    fn equivalent(&self, key: &Key<OrganisationId, A>) -> bool {
        self.organisation == key.organisation.as_str()
            && self.version == key.version
            && self.address == key.address
    }
}

/// Values by organisation, version and address.
pub(crate) struct VersionCache<A, V: Weigh>(Cache<Key<OrganisationId, A>, Arc<V>, BySize>);

impl<A: Copy + Eq + Hash, V: Weigh> VersionCache<A, V> {
    /// An empty cache for about `items` values of together `bytes`. Beyond that the least requested
    /// values are evicted.
    pub(crate) fn new(items: usize, bytes: u64) -> Self {
        Self(cache(items, bytes))
    }

    /// The value at an address, if it is in memory.
    pub(crate) fn get(&self, organisation: &str, version: Version, address: A) -> Option<Arc<V>> {
        self.0.get(&Key {
            organisation,
            version,
            address,
        })
    }

    /// The value at an address, made once for all requests that wait for it.
    pub(crate) async fn get_or_make(
        &self,
        organisation: &OrganisationId,
        version: Version,
        address: A,
        make: impl Future<Output = Result<Arc<V>, Error>>,
    ) -> Result<Arc<V>, Error> {
        let key = Key {
            organisation: organisation.clone(),
            version,
            address,
        };
        self.0.get_or_insert_async(&key, make).await
    }

    fn insert(&self, organisation: OrganisationId, version: Version, address: A, value: Arc<V>) {
        let key = Key {
            organisation,
            version,
            address,
        };
        self.0.insert(key, value);
    }

    /// Removes a value that is requested no more.
    fn remove(&self, organisation: &str, version: Version, address: A) {
        self.0.remove(&Key {
            organisation,
            version,
            address,
        });
    }
}

/// The values of the newest known revision by organisation and address.
pub(crate) struct RevisionCache<A, V: Weigh> {
    relay: Arc<Relay>,
    clock: Arc<dyn Clock>,
    current: Arc<VersionCache<A, V>>,
    last: Arc<LastValues<A, V>>,
    /// One read of each organisation at a time, so that requests for one do not delay those
    /// for others.
    organisations: KeyedSemaphore<OrganisationId>,
    clients: ClientSemaphore,
    reads: Arc<Semaphore>,
    runtime: Handle,
}

impl<A, V> RevisionCache<A, V>
where
    A: Copy + Eq + Hash + Send + Sync + 'static,
    V: Weigh + Send + Sync + 'static,
{
    /// An empty cache for about `items` values of together `bytes`, and as many last values, which
    /// mostly are the same ones. Beyond that the least requested values are evicted. At most
    /// `reads` values are read concurrently, in the current runtime, so requests for many addresses
    /// cannot load the database without bound.
    pub(crate) fn new(
        relay: &Arc<Relay>,
        clock: &Arc<dyn Clock>,
        reads: usize,
        items: usize,
        bytes: u64,
    ) -> Self {
        Self {
            relay: Arc::clone(relay),
            clock: Arc::clone(clock),
            current: Arc::new(VersionCache::new(items, bytes)),
            last: Arc::new(LastValues::new(items, bytes)),
            organisations: KeyedSemaphore::new(1, MAX_WAITING),
            clients: ClientSemaphore::new(READS_PER_CLIENT),
            reads: Arc::new(Semaphore::new(reads)),
            runtime: Handle::current(),
        }
    }

    /// The newest known version of an organisation; `None` if this node does not follow it.
    pub(crate) fn version(&self, organisation: &str, lifetime: i64) -> Option<Version> {
        let revision = self.relay.followed(organisation)?.latest_if_followed()?;
        Some(Version::new(revision, self.clock.now(), lifetime))
    }

    /// The value at an address for the newest known revision, if it is in memory.
    pub(crate) fn cached(&self, organisation: &str, address: A, lifetime: i64) -> Option<Arc<V>> {
        let version = self.version(organisation, lifetime)?;
        self.current.get(organisation, version, address)
    }

    /// The value at an address for the newest known revision; `None` if there is none.
    /// `lifetime` is how long a value may stay the same under a revision, in seconds. `read`
    /// makes the value as of a time, once for all requests that wait for it;
    /// [`Error::NotFound`] means that there is none. While the database is unavailable, the
    /// last value is served. [`Error::TooMany`] if too many reads wait; `client` is the one
    /// whose reads count, if it may choose among many addresses.
    pub(crate) async fn get<R>(
        &self,
        (organisation, client): (&OrganisationId, Option<IpAddr>),
        address: A,
        lifetime: i64,
        read: impl FnOnce(DateTime<Utc>) -> R,
    ) -> Result<Option<Arc<V>>, Error>
    where
        R: Future<Output = Result<Arc<V>, Error>> + Send + 'static,
    {
        if let Some(last) = self.last.get(organisation, address)
            && self.is_unavailable(organisation, address)
        {
            return Ok(Some(last));
        }
        let current = self.current((organisation, client), address, lifetime, read);
        match self.unless_overdue(organisation, address, current).await {
            Ok(value) => Ok(Some(value)),
            Err(Error::NotFound(_)) => {
                self.last.remove(organisation, address);
                Ok(None)
            }
            Err(error @ (Error::Unavailable(_) | Error::Internal(_) | Error::TooMany { .. })) => {
                self.last.get(organisation, address).map(Some).ok_or(error)
            }
            Err(error) => Err(error),
        }
    }

    /// Waits for a value, but not for longer than [`READ_TIMEOUT`] while there is a last one.
    async fn unless_overdue(
        &self,
        organisation: &OrganisationId,
        address: A,
        value: impl Future<Output = Result<Arc<V>, Error>>,
    ) -> Result<Arc<V>, Error> {
        let mut value = pin!(value);
        if let Ok(made) = timeout(READ_TIMEOUT, value.as_mut()).await {
            return made;
        }
        let Some(last) = self.last.get(organisation, address) else {
            return value.await;
        };
        self.last
            .note_failure(organisation, address, self.clock.now());
        Ok(last)
    }

    /// The value for the newest known revision.
    async fn current<R>(
        &self,
        (organisation, client): (&OrganisationId, Option<IpAddr>),
        address: A,
        lifetime: i64,
        read: impl FnOnce(DateTime<Utc>) -> R,
    ) -> Result<Arc<V>, Error>
    where
        R: Future<Output = Result<Arc<V>, Error>> + Send + 'static,
    {
        let followed = self.relay.follow(organisation).await;
        if let Err(Error::Unavailable(_) | Error::Internal(_)) = &followed {
            self.last
                .note_failure(organisation, address, self.clock.now());
        }
        let position = followed?.ok_or(Error::NotFound(Resource::Organisation))?;
        let now = self.clock.now();
        let revision = position.latest_if_followed().unwrap_or_default();
        let version = Version::new(revision, now, lifetime);
        let made = self.read((organisation, client), address, version, read(now));
        self.current
            .get_or_make(organisation, version, address, made)
            .await
    }

    /// Reads a value in the runtime, where no request of a worker queues behind it.
    async fn read(
        &self,
        (organisation, client): (&OrganisationId, Option<IpAddr>),
        address: A,
        version: Version,
        read: impl Future<Output = Result<Arc<V>, Error>> + Send + 'static,
    ) -> Result<Arc<V>, Error> {
        let too_many = || {
            let message = "Too many visitors wait for this page, please try again in a moment";
            Error::TooMany {
                message: message.to_owned(),
                retry_after: 1,
            }
        };
        let client_permit = self.clients.acquire(organisation, client, 1).await;
        let client_permit = client_permit.ok_or_else(too_many)?;
        let organisation_permit = self.organisations.acquire(organisation).await;
        let organisation_permit = organisation_permit.ok_or_else(too_many)?;
        let read_permit = Arc::clone(&self.reads).acquire_owned().await;
        let read_permit = read_permit.map_err(Error::internal)?;
        // The read of a request that has gone may have ended while this one waited.
        if let Some(value) = self.current.get(organisation.as_str(), version, address) {
            return Ok(value);
        }
        // Another read may have failed while this one waited.
        if self.is_unavailable(organisation, address) {
            return Err(Error::Unavailable(
                "the last read failed a moment ago".into(),
            ));
        }
        let (current, last) = (Arc::clone(&self.current), Arc::clone(&self.last));
        let key = organisation.clone();
        let read = self.runtime.spawn(async move {
            let _permits = (client_permit, organisation_permit, read_permit);
            let read = read.await;
            // No request may wait for it any more.
            if let Ok(value) = &read {
                if let Some(replaced) = last.insert(&key, address, version, value) {
                    current.remove(key.as_str(), replaced, address);
                }
                current.insert(key, version, address, Arc::clone(value));
            }
            read
        });
        let read = read.await.map_err(Error::internal)?;
        if let Err(error @ (Error::Unavailable(_) | Error::Internal(_))) = &read {
            self.last
                .note_failure(organisation, address, self.clock.now());
            log_failed_read(organisation, error, "reading a public document failed");
        }
        read
    }

    /// Whether a read would fail, or wait for a database that is known to be unavailable.
    fn is_unavailable(&self, organisation: &OrganisationId, address: A) -> bool {
        let failed_at = self.last.failed_at(organisation, address);
        is_unavailable(&self.relay, failed_at, self.clock.now())
    }
}

#[cfg(test)]
mod tests;
