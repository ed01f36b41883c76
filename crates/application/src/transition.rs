//! How services hand rules to storage.

use allclear_domain::event::Changed;

use crate::error::Error;
use crate::outbox::Commit;
use crate::stamp::Stamp;

/// A rule to run on the stored state inside the transaction that writes its result, so that what it read is still true
/// when its answer is stored and no concurrent edit is lost. The stamp is the commit's.
pub type Transition<T, U = T> = Box<dyn FnOnce(T, Stamp) -> Result<Changed<U>, Error> + Send>;

/// A rule that makes something new, run inside the transaction that stores it. What it makes bears the identifier and the
/// time of the stamp.
pub type CreateTransition<T> = Box<dyn FnOnce(Stamp) -> Result<Changed<T>, Error> + Send>;

/// What a write left behind.
#[derive(Debug, Clone)]
pub struct Written<T> {
    /// The state as stored, at its new version.
    pub state: T,
    /// What was committed with it; none when the rule changed nothing.
    pub commit: Option<Commit>,
}
