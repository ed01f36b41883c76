//! Requests to addresses that people enter. They reach public addresses only, unless the
//! installation allows more.

pub mod address;
mod body;
pub mod client;
pub mod domain_probe;
pub mod lookup;
pub mod messenger;
pub mod target;
