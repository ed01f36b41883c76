//! Requests to addresses that people enter. They reach public addresses only, unless the installation allows more.

pub mod address;
pub mod domain_probe;
pub mod target;
