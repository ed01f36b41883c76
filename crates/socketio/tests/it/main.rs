//! Sessions at frame level, against a real actix server on a free port.

// Clippy's `allow-…-in-tests` knows `#[test]` functions and `cfg(test)` modules only, not the
// helpers of a test crate.
#![cfg(test)]

mod fuzz;
mod handlers;
mod misbehaving;
mod origins;
mod rooms;
mod sessions;
mod support;
