//! The storage ports on SQLite and PostgreSQL, one code path for both.

pub mod component;
pub mod database;
mod entity;
mod error;
mod event;
pub mod organisation;
pub mod outbox;
pub mod snapshot;
