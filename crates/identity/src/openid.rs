//! OpenID Connect: the client of a provider (OpenID Connect Core 1.0, Discovery 1.0, RP-Initiated
//! Logout 1.0; RFC 7636, RFC 9207).

mod client;
mod documents;
mod http;
mod person;

pub use self::client::{OpenIdClient, OpenIdClientSettings, issuer};
pub use openidconnect::IssuerUrl;
