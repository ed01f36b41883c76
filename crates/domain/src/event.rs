//! What happened, named as the public hears of it.

use crate::id::ComponentId;

/// A change that viewers and operators are told of. It names the thing; its public form is read in the transaction
/// that stores the event, so both always agree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A component was created.
    NewComponent(ComponentId),
    /// A component's name, description or status changed.
    ComponentUpdate(ComponentId),
    /// A component was deleted.
    ComponentDeleted(ComponentId),
}

/// What a rule answers: the new state and the events it causes. Without events nothing changed, and nothing is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed<T> {
    /// The state after the change.
    pub state: T,
    /// What happened, in order.
    pub events: Vec<Event>,
}
