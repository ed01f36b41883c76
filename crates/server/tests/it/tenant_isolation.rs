//! Requests without permission: each route of the OpenAPI document and each event of the socket, by
//! every kind of client that must be refused. A route or an event without a row in the table fails.

mod audited;
mod custom_domain;
mod document;
mod forged;
pub(crate) mod host;
pub(crate) mod public_path;
mod recent;
mod repeat;
mod role;
mod route;
mod sample;
mod socket;
pub(crate) mod tenant;
mod walk;
