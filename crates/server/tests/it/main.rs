#![cfg(test)]
//! Tests of a real server on a free port.

mod app;
mod backup;
mod binary;
mod clerk;
mod client_limits;
mod component;
mod component_group;
mod conformance;
mod delivery;
mod events;
mod faults;
mod identity;
mod incident;
mod injection;
mod keys;
mod log;
mod mail_budget;
mod maintenance;
mod metrics;
mod nodes;
mod organisation;
mod page;
mod private;
mod problem;
mod process;
mod proxy;
mod raw_http;
mod request_rules;
mod socket;
mod status;
mod storage;
mod subscriber;
mod tenant_isolation;
mod tls;
mod usage;
