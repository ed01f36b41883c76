//! The storage ports on SQLite and PostgreSQL, one code path for both.

pub mod account;
pub mod backup;
pub mod check;
mod commit;
pub mod component;
pub mod database;
pub mod delivery;
pub mod directory;
mod entity;
mod error;
mod event;
mod group_commit;
mod impact;
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
mod page;
#[cfg(test)]
mod query_plan;
mod readiness;
mod restore;
mod schema;
pub mod session;
pub mod snapshot;
pub mod sqlite_file;
pub mod subscriber;
mod timeline;
mod timeout;
pub mod transport_security;
pub mod waitlist;
