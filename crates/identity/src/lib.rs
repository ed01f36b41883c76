//! The identity port: the built-in provider, and the checks of JSON Web Tokens that any provider's need.

pub mod jwt;
pub mod password_hasher;
pub mod secrets;
pub mod signing;
pub mod verifier;

#[cfg(test)]
mod fixture;
