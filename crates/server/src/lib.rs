//! The `allclear` binary: configuration, wiring, command line. Nothing else.

pub mod app;
mod clear_text;
mod clerk;
pub mod clock;
pub mod command;
mod delivery;
pub mod demo;
mod features;
mod figures;
mod identity;
mod log;
mod mail;
mod open_files;
mod private;
pub mod settings;
pub mod signals;
