//! Limits for what clients, organisations and accounts use.

pub(crate) mod client_semaphore;
pub mod client_slots;
pub mod key_usage;
pub(crate) mod slots;
pub mod throttle;
pub mod usage;
