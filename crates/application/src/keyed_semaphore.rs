//! Semaphores by key, so that the work for one organisation does not delay that for another.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A semaphore for each key, made when it is needed.
pub struct KeyedSemaphore<K> {
    permits: usize,
    /// Maximum number of tasks that wait for a permit of a key.
    max_waiting: usize,
    keys: Mutex<Keys<K>>,
}

struct Keys<K> {
    semaphores: HashMap<K, Arc<Semaphore>>,
    /// Number of keys at which those without permits are removed. Grows with the keys that have
    /// permits, so that the work for a new key stays small.
    sweep_at: usize,
}

impl<K: Hash + Eq + Clone> KeyedSemaphore<K> {
    const FIRST_SWEEP: usize = 1024;

    /// Gives `permits` permits for each key. At most `max_waiting` tasks wait for one of a key.
    #[must_use]
    pub fn new(permits: usize, max_waiting: usize) -> Self {
        Self {
            permits,
            max_waiting,
            keys: Mutex::new(Keys {
                semaphores: HashMap::new(),
                sweep_at: Self::FIRST_SWEEP,
            }),
        }
    }

    /// Waits for a permit of a key. `None` if too many tasks wait for one already.
    pub async fn acquire(&self, key: &K) -> Option<OwnedSemaphorePermit> {
        self.acquire_many(key, 1).await
    }

    /// Waits for several permits of a key, or for all of them if it has fewer. `None` if too many
    /// tasks have or want some already. Each task counts as one, however many permits it takes.
    pub async fn acquire_many(&self, key: &K, permits: usize) -> Option<OwnedSemaphorePermit> {
        let semaphore = self.of(key);
        // One for the map, one for each permit that is held, and one for each task that waits, this
        // one included.
        let others = Arc::strong_count(&semaphore).saturating_sub(2);
        if others >= self.permits.saturating_add(self.max_waiting) {
            return None;
        }
        let permits = u32::try_from(permits.min(self.permits)).unwrap_or(u32::MAX);
        semaphore.acquire_many_owned(permits).await.ok()
    }

    fn of(&self, key: &K) -> Arc<Semaphore> {
        // Every change is one call, so the map is valid even after a panic.
        let mut keys = self.keys.lock();
        let Keys {
            semaphores,
            sweep_at,
        } = &mut *keys;
        if let Some(semaphore) = semaphores.get(key) {
            return Arc::clone(semaphore);
        }
        if semaphores.len() >= *sweep_at {
            semaphores.retain(|_, semaphore| Arc::strong_count(semaphore) > 1);
            *sweep_at = (semaphores.len() * 2).max(Self::FIRST_SWEEP);
        }
        let semaphore = Arc::new(Semaphore::new(self.permits));
        semaphores.insert(key.clone(), Arc::clone(&semaphore));
        semaphore
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use futures_util::FutureExt as _;

    #[tokio::test]
    async fn each_key_has_its_own_permits() {
        let semaphores = KeyedSemaphore::new(1, 8);
        let first = semaphores.acquire(&"acme").await;
        assert!(first.is_some());
        assert!(semaphores.acquire(&"acme").now_or_never().is_none());
        assert!(semaphores.acquire(&"other").await.is_some());
        drop(first);
        assert!(semaphores.acquire(&"acme").await.is_some());
    }

    #[tokio::test]
    async fn tasks_that_wait_are_bounded() {
        let semaphores = KeyedSemaphore::new(1, 1);
        let held = semaphores.acquire(&"acme").await;
        let mut waiting = Box::pin(semaphores.acquire(&"acme"));
        assert!(waiting.as_mut().now_or_never().is_none());
        assert!(semaphores.acquire(&"acme").await.is_none());
        drop(held);
        assert!(waiting.await.is_some());
    }

    #[tokio::test]
    async fn task_takes_several_permits_but_never_more_than_there_are() {
        let semaphores = KeyedSemaphore::new(4, 8);
        let first = semaphores.acquire_many(&"acme", 3).await;
        assert!(semaphores.acquire_many(&"acme", 2).now_or_never().is_none());
        drop(first);
        let all = semaphores.acquire_many(&"acme", 9).await;
        assert!(all.is_some());
        assert!(semaphores.acquire(&"acme").now_or_never().is_none());
    }

    #[tokio::test]
    async fn keys_without_permits_are_forgotten() {
        let semaphores = KeyedSemaphore::new(1, 0);
        let held = semaphores.acquire(&usize::MAX).await;
        for key in 0..3 * KeyedSemaphore::<usize>::FIRST_SWEEP {
            assert!(semaphores.acquire(&key).await.is_some());
        }
        let known = semaphores.keys.lock().semaphores.len();
        assert!(known <= KeyedSemaphore::<usize>::FIRST_SWEEP, "{known}");
        assert!(semaphores.acquire(&usize::MAX).await.is_none());
        drop(held);
    }
}
