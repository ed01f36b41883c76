//! Tests of messages: their bodies, their signatures, and what receivers may do.

// Clippy's `allow-…-in-tests` knows `#[test]` functions and `cfg(test)` modules only, not the
// helpers of a test crate.
#![cfg(test)]
#![recursion_limit = "256"]

mod bodies;
mod content;
mod delivery;
mod limits;
mod receiver;
mod schema;
mod signature;
mod webhook;
