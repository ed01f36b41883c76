//! How services hand rules to storage.

use allclear_domain::event::Changed;

use crate::error::Error;
use crate::outbox::Commit;

/// A rule to run on the stored state inside the transaction that writes its result, so that what it read is still true
/// when its answer is stored and no concurrent edit is lost.
pub type Rule<T, U = T> = Box<dyn FnOnce(T) -> Result<Changed<U>, Error> + Send>;

/// What a write left behind.
#[derive(Debug, Clone)]
pub struct Written<T> {
    /// The state as stored, at its new version.
    pub state: T,
    /// What was committed with it; none when the rule changed nothing.
    pub commit: Option<Commit>,
}
