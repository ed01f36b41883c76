//! HTTP: the REST calls, the event stream, the socket, the public pages and the web app.

mod answer;
mod author;
mod caller;
pub mod client_address;
mod component;
pub mod configuration;
mod elsewhere;
mod headers;
pub mod health;
pub mod identity;
mod if_match;
mod incident;
mod input;
mod maintenance;
mod observe;
pub mod openapi;
mod page_query;
mod page_template;
mod path;
mod problem;
pub mod server;
pub mod socket;
pub mod status;
pub mod subscriber;
pub mod throttle;
pub mod web_app;
