//! How services pass rules to storage.

use allclear_domain::event::Changed;

use crate::error::Error;
use crate::outbox::Commit;
use crate::stamp::Stamp;

/// A rule that storage runs on the stored state, inside the transaction that stores the result. So
/// what the rule read is still true when its result is stored, and no concurrent edit is lost. The
/// stamp is the commit's.
pub type Transition<T, U = T> = Box<dyn FnOnce(T, Stamp) -> Result<Changed<U>, Error> + Send>;

/// A rule that creates something, run inside the transaction that stores it. Identifier and time
/// come from the stamp.
pub type CreateTransition<T> = Box<dyn FnOnce(Stamp) -> Result<Changed<T>, Error> + Send>;

/// The result of a write.
#[derive(Debug, Clone)]
pub struct Committed<T> {
    /// The state as stored, at its new version.
    pub state: T,
    /// The commit that holds it; `None` if the rule changed nothing.
    pub commit: Option<Commit>,
}

impl<T> Committed<T> {
    /// The result of a write that changed nothing.
    pub const fn unchanged(state: T) -> Self {
        Self {
            state,
            commit: None,
        }
    }
}
