//! The tables.
#![expect(unreachable_pub, reason = "SeaORM's derive wants entities public")]

pub(crate) mod component;
pub(crate) mod component_status_change;
pub(crate) mod delivery;
pub(crate) mod delivery_count;
pub(crate) mod directory_ending;
pub(crate) mod directory_message;
pub(crate) mod directory_name;
pub(crate) mod incident;
pub(crate) mod incident_component;
pub(crate) mod incident_update;
pub(crate) mod installation;
pub(crate) mod invitation;
pub(crate) mod maintenance;
pub(crate) mod maintenance_update;
pub(crate) mod membership;
pub(crate) mod notice;
pub(crate) mod organisation;
pub(crate) mod outbox;
pub(crate) mod password_reset;
pub(crate) mod session;
pub(crate) mod signing_key;
pub(crate) mod subscriber;
pub(crate) mod user;
pub(crate) mod verification_mail;
pub(crate) mod waiting;
