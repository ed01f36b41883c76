//! The use cases of Allclear, and the ports they need.
//!
//! A service passes a rule of `allclear-domain` to a storage port. The adapter runs the rule inside
//! the transaction that stores everything the rule returns. The [`relay`] then publishes what was
//! committed, and only that.

pub mod account;
pub mod api_key;
pub mod audit;
pub mod background;
pub mod broadcast;
pub mod caller;
pub mod clock;
pub mod component;
pub mod component_group;
pub mod custom_domain;
pub mod dashboard;
pub mod delivery;
pub mod directory;
pub mod error;
pub mod health;
pub mod idempotency;
pub mod incident;
pub mod installation;
pub mod invitation;
pub mod keyed_semaphore;
pub mod line_limit;
pub mod link;
pub mod mail;
pub mod mail_budget;
pub mod maintenance;
pub mod membership;
pub mod message;
pub mod metrics;
pub mod notice;
pub mod openid;
pub mod operator_mail;
pub mod organisation;
pub mod origin;
pub mod outbox;
pub mod page;
pub mod passkey;
pub mod password;
pub mod precondition;
pub mod relay;
pub mod retention;
pub mod review;
pub mod scheduler;
pub mod second_factor;
pub mod secret;
pub mod security_log;
pub mod security_mail;
pub mod session;
pub mod stamp;
pub mod status_page;
pub mod statuspage_api;
pub mod subscriber;
pub mod timestamp;
pub mod transition;
pub mod usage_limit;
pub mod waitlist;
pub mod write_kind;

mod database_time;
mod failure_log;
#[cfg(test)]
mod fixture;
