//! The `allclear` binary: configuration, wiring and command line.

pub mod app;
mod app_services;
mod automation;
mod clear_text;
mod clerk;
pub mod clock;
pub mod command;
mod connect;
mod delivery;
pub mod demo;
mod domain;
mod identity;
mod infrastructure;
mod installation;
mod log;
mod mail;
mod metrics;
mod openid;
mod postgresql;
mod private;
mod public_services;
mod rlimit;
mod services;
pub mod settings;
pub mod signals;
mod tasks;
mod user;
