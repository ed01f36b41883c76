//! Clerk, the hosted identity provider.
//!
//! The formats are those of Clerk's documentation and its back-end SDK: <https://clerk.com/docs>
//! and <https://github.com/clerk/javascript>, `packages/backend` and `packages/shared`.

pub mod api;
pub mod application_keys;
mod claims;
mod http;
pub mod jwks;
pub mod verifier;
mod webhook_event;
pub mod webhook_verifier;

#[cfg(test)]
mod fixture;
