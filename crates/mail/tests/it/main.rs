//! The mailer against a real mail server.

// Clippy's `allow-…-in-tests` knows `#[test]` functions and `cfg(test)` modules only, not the
// helpers of a test crate.
#![cfg(test)]

mod encryption;
mod failure;
mod mail_server;
mod message;
mod pool;
