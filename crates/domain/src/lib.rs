//! The rules of Allclear: what a component, an incident, a maintenance and a subscriber are, and
//! how they change.
//!
//! Everything here is a value or a pure function. Time and identifiers are arguments; nothing
//! waits, reads or writes. A rule refuses with a typed error, which carries a message for people.

pub mod account;
pub mod api_key;
pub mod audit;
pub mod author;
pub mod channel;
pub mod code;
pub mod component;
pub mod component_group;
pub mod custom_domain;
pub mod display_time;
pub mod email;
pub mod event;
pub mod failure_digest;
pub mod headline;
pub mod history;
pub mod id;
pub mod impact;
pub mod incident;
pub mod incident_update;
pub mod mail_name;
pub mod maintenance;
pub mod maintenance_update;
pub mod markdown;
pub mod membership;
pub mod metrics;
pub mod notice;
pub mod openid;
pub mod organisation;
pub mod page_order;
pub mod passkey;
pub mod permission;
pub mod rate_limit;
pub mod reminder;
pub mod retry;
pub mod review;
pub mod rollup;
pub mod status_period;
pub mod statuspage_entry;
pub mod subscriber;
pub mod text;
pub mod time_zone;
pub mod tone;
pub mod update;
pub mod uptime;
pub mod validation;
pub mod web_address;
