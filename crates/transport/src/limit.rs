//! Limits for what clients, organisations and accounts use.

pub mod client_slots;
pub mod key_usage;
pub mod throttle;
pub mod usage;
