//! The built-in identity provider: passwords, passkeys, and signed tokens.

pub(crate) mod claims;
pub mod key_ring;
pub mod passkey;
pub mod password_hasher;
pub mod signing;
pub mod verifier;

#[cfg(test)]
pub(crate) mod fixture;
