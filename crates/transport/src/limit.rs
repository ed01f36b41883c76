//! Limits for what clients, organisations and accounts use.

pub mod client_slots;
pub mod key_usage;
pub(crate) mod slots;
pub mod throttle;
pub mod usage;
