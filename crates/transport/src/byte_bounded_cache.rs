//! Caches that are bounded by the bytes of their values.

use std::hash::Hash;
use std::rc::Rc;
use std::sync::Arc;

use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

/// Memory of a cached value besides its contents, in bytes.
pub(crate) const SLOT_BYTES: u64 = 512;

/// A value with a size in memory.
pub(crate) trait Weigh {
    /// Approximate size in bytes.
    fn weight(&self) -> u64;
}

impl<V: Weigh> Weigh for Arc<V> {
    fn weight(&self) -> u64 {
        V::weight(self)
    }
}

impl<V: Weigh> Weigh for Rc<V> {
    fn weight(&self) -> u64 {
        V::weight(self)
    }
}

/// Weighs values by their bytes.
#[derive(Debug, Clone)]
pub(crate) struct BySize;

impl<K, V: Weigh> Weighter<K, V> for BySize {
    fn weight(&self, _: &K, value: &V) -> u64 {
        value.weight()
    }
}

/// A cache for about `items` values of together `bytes`, with one shard, so that a single value may
/// take nearly all of it. One that does not fit would be read for every visitor.
pub(crate) fn cache<K: Eq + Hash, V: Weigh + Clone>(
    items: usize,
    bytes: u64,
) -> Cache<K, V, BySize> {
    let options = OptionsBuilder::new()
        .estimated_items_capacity(items)
        .weight_capacity(bytes)
        .shards(1)
        .build();
    let options = match options {
        Ok(options) => options,
        Err(error) => unreachable!("both capacities are set: {error}"),
    };
    Cache::with_options(
        options,
        BySize,
        DefaultHashBuilder::default(),
        DefaultLifecycle::default(),
    )
}
