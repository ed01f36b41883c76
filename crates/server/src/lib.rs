//! The `allclear` binary: configuration, wiring, command line. Nothing else.

pub mod app;
mod clerk;
pub mod clock;
pub mod command;
mod delivery;
pub mod demo;
mod features;
mod figures;
mod identity;
mod mail;
mod open_files;
pub mod settings;
