//! The identity port: the built-in provider, Clerk, and the checks of JSON Web Tokens that both need.

pub mod clerk;
mod http_client;
pub mod jwt;
pub mod key_ring;
pub mod openid;
pub mod passkey;
pub mod password_hasher;
pub mod secrets;
pub mod signing;
pub mod verifier;

#[cfg(test)]
mod fixture;
