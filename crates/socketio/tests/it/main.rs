//! Sessions at frame level, against a real actix server on a free port.

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers of tests fail as tests do; the configuration knows test functions only"
)]

mod fuzz;
mod handlers;
mod misbehaving;
mod origins;
mod rooms;
mod sessions;
mod support;
