//! Limits for what clients, organisations and accounts use.

pub(crate) mod bucket;
pub mod client_limits;
pub(crate) mod client_network;
pub(crate) mod client_semaphore;
pub(crate) mod concurrency;
pub(crate) mod descriptors;
pub mod key_usage;
pub(crate) mod slots;
pub mod usage;
