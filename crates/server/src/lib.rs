//! The `allclear` binary: configuration, wiring, command line. Nothing else.

pub mod app;
mod clear_text;
mod clerk;
pub mod clock;
pub mod command;
mod delivery;
pub mod demo;
mod identity;
mod log;
mod mail;
mod metrics;
mod private;
mod rlimit;
mod services;
pub mod settings;
pub mod signals;
