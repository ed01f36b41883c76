//! The last values by organisation and address, for the time in which no newer ones can be read.

use std::hash::Hash;
use std::sync::Arc;

use allclear_domain::id::OrganisationId;
use chrono::{DateTime, Utc};
use quick_cache::sync::Cache;

use super::Version;
use crate::byte_bounded_cache::{BySize, Weigh, cache};

type Address<A> = (OrganisationId, A);

/// The last values. Beyond a size limit the least requested ones are evicted.
pub(super) struct LastValues<A, V: Weigh>(Cache<Address<A>, Arc<LastValue<V>>, BySize>);

/// A value, and whether a newer one could be read.
struct LastValue<V> {
    value: Arc<V>,
    version: Version,
    failed_at: Option<DateTime<Utc>>,
}

impl<V: Weigh> Weigh for LastValue<V> {
    fn weight(&self) -> u64 {
        self.value.weight()
    }
}

impl<A: Copy + Eq + Hash, V: Weigh> LastValues<A, V> {
    pub(super) fn new(items: usize, bytes: u64) -> Self {
        Self(cache(items, bytes))
    }

    pub(super) fn get(&self, organisation: &OrganisationId, address: A) -> Option<Arc<V>> {
        let last = self.0.get(&(organisation.clone(), address))?;
        Some(Arc::clone(&last.value))
    }

    /// Keeps a value, unless that of a newer revision was read meanwhile. Returns the version of the
    /// value that it replaces; `None` if it replaces no value, or one of the same version.
    pub(super) fn insert(
        &self,
        organisation: &OrganisationId,
        address: A,
        version: Version,
        value: &Arc<V>,
    ) -> Option<Version> {
        let key = (organisation.clone(), address);
        let previous = self.0.get(&key).map(|last| last.version);
        if previous.is_some_and(|previous| previous.revision > version.revision) {
            return None;
        }
        let last = LastValue {
            value: Arc::clone(value),
            version,
            failed_at: None,
        };
        self.0.insert(key, Arc::new(last));
        previous.filter(|previous| *previous != version)
    }

    pub(super) fn remove(&self, organisation: &OrganisationId, address: A) {
        self.0.remove(&(organisation.clone(), address));
    }

    /// Records that no newer value could be read.
    pub(super) fn note_failure(
        &self,
        organisation: &OrganisationId,
        address: A,
        now: DateTime<Utc>,
    ) {
        let key = (organisation.clone(), address);
        // Failures alone are not kept: requests for unknown addresses would evict the values.
        if let Some(last) = self.0.get(&key) {
            let failed = LastValue {
                value: Arc::clone(&last.value),
                version: last.version,
                failed_at: Some(now),
            };
            self.0.insert(key, Arc::new(failed));
        }
    }

    /// When the last read failed; `None` if it did not fail, or if there is no last value.
    pub(super) fn failed_at(
        &self,
        organisation: &OrganisationId,
        address: A,
    ) -> Option<DateTime<Utc>> {
        let last = self.0.get(&(organisation.clone(), address))?;
        last.failed_at
    }
}
