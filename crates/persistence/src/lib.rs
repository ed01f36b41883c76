//! The storage ports on SQLite and PostgreSQL, one code path for both.

pub mod account;
pub mod component;
pub mod database;
pub mod delivery;
mod entity;
mod error;
mod event;
mod hold;
pub mod incident;
pub mod installation;
pub mod invitation;
pub mod maintenance;
pub mod membership;
mod notice;
pub mod organisation;
pub mod outbox;
pub mod password;
#[cfg(test)]
mod plan;
pub mod scheduler;
pub mod session;
pub mod snapshot;
pub mod subscriber;
pub mod waitlist;
