//! Tests of a real server on a free port.

// Clippy's `allow-…-in-tests` knows `#[test]` functions and `cfg(test)` modules only, not the
// helpers of a test crate.
#![cfg(test)]

mod api_key;
mod app;
mod backup;
mod badge;
mod binary;
mod built_in;
mod canary;
mod channel;
mod clerk;
mod client_limits;
mod component;
mod component_group;
mod conformance;
mod custom_domain;
mod custom_domain_proxy;
mod dashboard;
mod delivery;
mod embed;
mod events;
mod faults;
mod history;
mod idempotency;
mod incident;
mod injection;
mod keys;
mod log;
mod mail_budget;
mod maintenance;
mod metrics;
mod nodes;
mod openid;
mod operator_mail;
mod organisation;
mod other_servers;
mod page;
mod private;
mod problem;
mod process;
mod proxy;
mod raw_http;
mod request_rules;
mod socket;
mod status;
mod statuspage;
mod storage;
mod subscriber;
mod tenant_isolation;
mod test_mail;
mod tls;
mod usage;
mod user_command;
