//! The storage ports on SQLite and PostgreSQL, one code path for both.

pub mod account;
pub mod backup;
pub mod check;
pub mod component;
pub mod database;
pub mod delivery;
pub mod directory;
mod entity;
mod error;
mod event;
mod group_commit;
mod hold;
pub mod incident;
pub mod installation;
pub mod invitation;
pub mod mail_budget;
pub mod maintenance;
pub mod membership;
mod notice;
mod options;
pub mod organisation;
pub mod outbox;
pub mod password;
mod patience;
#[cfg(test)]
mod plan;
mod readiness;
mod restore;
pub mod scheduler;
mod schema;
pub mod session;
pub mod snapshot;
pub mod sqlite_file;
pub mod subscriber;
mod timeline;
pub mod transport_security;
pub mod waitlist;
