//! Requests to addresses that people enter. They reach public addresses only, unless the
//! installation allows more.

mod address;
mod body;
pub mod client;
pub mod domain_probe;
pub mod lookup;
pub mod messenger;
pub mod target;
