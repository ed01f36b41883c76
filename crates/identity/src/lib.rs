//! The identity ports: the built-in provider, sign-in by OpenID Connect, and Clerk; and what they
//! share: the checks of JSON Web Tokens and the HTTP client.

pub mod built_in;
pub mod clerk;
pub mod http_client;
mod jwt;
pub mod openid;
pub mod secrets;

#[cfg(test)]
mod fixture;
