//! Time limits for clients, so that slow or silent ones cannot hold connections: the head of a
//! request, its body, and the time without a request. `docs/decisions/timeouts-beside-actix.md`
//! says which of them actix-web lacks.

pub(crate) mod body;

use std::time::Duration;

/// Time limits of connections.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For the head of a request.
    pub head: Duration,
    /// For the body of a request, from the end of its head.
    pub body: Duration,
    /// For an idle connection to receive the next request.
    pub keep_alive: Duration,
}
