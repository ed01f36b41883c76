//! Locking without poison.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after another holder panicked: what our locks guard is valid between any two statements.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
