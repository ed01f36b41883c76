//! Targets of requests: the addresses of a host that may be connected to.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use ipnet::IpNet;
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use tokio::net::lookup_host;
use tokio::time::timeout;

use crate::address::is_public;

/// Time for the lookup of a name, for a connection, and for a whole request.
const LOOKUP: Duration = Duration::from_secs(5);
const CONNECT: Duration = Duration::from_secs(3);
const REQUEST: Duration = Duration::from_secs(5);

/// Targets that may be connected to although they are not public.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedTargets {
    networks: Vec<IpNet>,
    hosts: Vec<String>,
}

/// The reason why no connection to a target is made, as a sentence for the person that entered the target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The name has no address.
    #[error("{0} has no address")]
    NoAddress(String),
    /// No address may be connected to.
    #[error("{0} has no public address")]
    NotPublic(String),
    /// The connection or the request failed.
    #[error("{0}")]
    Failed(&'static str),
}

impl AllowedTargets {
    /// Reads a list of addresses, CIDR ranges and host names.
    ///
    /// # Errors
    /// The first text that is not an address, a range or a host name.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut allowed = Self::default();
        for text in texts.into_iter().map(str::trim) {
            if let Ok(network) = text.parse::<IpNet>() {
                allowed.networks.push(network);
            } else if let Ok(address) = text.parse::<IpAddr>() {
                allowed.networks.push(address.into());
            } else if is_host_name(text) {
                allowed.hosts.push(text.to_ascii_lowercase());
            } else {
                return Err(text.to_owned());
            }
        }
        Ok(allowed)
    }

    /// Whether a host may be connected to at an address.
    fn allow(&self, host: &str, address: IpAddr) -> bool {
        is_public(address)
            || self.networks.iter().any(|known| known.contains(&address))
            || self
                .hosts
                .iter()
                .any(|known| known.eq_ignore_ascii_case(host))
    }

    /// Looks a host up, once, and returns the addresses that may be connected to, at least one.
    ///
    /// # Errors
    /// If there is none.
    pub async fn resolve(&self, host: &str) -> Result<Vec<SocketAddr>, TargetError> {
        let found = timeout(LOOKUP, lookup_host((host, 0))).await;
        let found: Vec<_> = match found {
            Ok(Ok(addresses)) => addresses.collect(),
            Ok(Err(_)) | Err(_) => Vec::new(),
        };
        if found.is_empty() {
            return Err(TargetError::NoAddress(host.to_owned()));
        }
        let allowed = found.into_iter();
        let allowed: Vec<_> = allowed
            .filter(|address| self.allow(host, address.ip()))
            .collect();
        if allowed.is_empty() {
            return Err(TargetError::NotPublic(host.to_owned()));
        }
        Ok(allowed)
    }
}

fn is_host_name(text: &str) -> bool {
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    !text.is_empty() && text.len() <= 253 && text.bytes().all(valid)
}

/// A client that connects to these addresses of a host, and does not look its name up again. It follows no redirects and uses no proxy.
///
/// # Errors
/// If the client cannot be created.
pub fn client(host: &str, addresses: &[SocketAddr]) -> Result<Client, TargetError> {
    // An error means that a provider of cryptography is installed already, which is used then.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT)
        .timeout(REQUEST)
        .user_agent(concat!("allclear/", env!("CARGO_PKG_VERSION")))
        .resolve_to_addrs(host, addresses)
        .build()
        .map_err(|_| TargetError::Failed("no client can be made"))
}

/// Reads the body of a response as text, at most `limit` bytes.
///
/// # Errors
/// If it is longer, not text, or does not arrive.
pub async fn text(mut response: Response, limit: usize) -> Result<String, TargetError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
        body.extend_from_slice(&chunk);
        if body.len() > limit {
            return Err(TargetError::Failed("the response is too long"));
        }
    }
    String::from_utf8(body).map_err(|_| TargetError::Failed("the response is not a text"))
}

/// The reason of a failed request, without details of the network.
#[must_use]
pub fn failure(error: &reqwest::Error) -> TargetError {
    TargetError::Failed(if error.is_timeout() {
        "there is no response in time"
    } else if error.is_connect() {
        "no connection can be made, or the certificate is not valid"
    } else {
        "the response is not valid"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(texts: &[&str]) -> AllowedTargets {
        AllowedTargets::parse(texts.iter().copied()).unwrap()
    }

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn inner_addresses_are_allowed_by_address_range_and_name() {
        let listed = allowed(&["10.0.0.1", "192.168.0.0/16", "fd00::/8", "Hooks.internal"]);
        for (host, inner, expected) in [
            ("a.example", "10.0.0.1", true),
            ("a.example", "10.0.0.2", false),
            ("a.example", "192.168.7.7", true),
            ("a.example", "fd12::1", true),
            ("a.example", "127.0.0.1", false),
            ("hooks.INTERNAL", "127.0.0.1", true),
            ("x.hooks.internal", "127.0.0.1", false),
        ] {
            assert_eq!(
                listed.allow(host, address(inner)),
                expected,
                "{host} {inner}"
            );
        }
        assert!(allowed(&[]).allow("a.example", address("8.8.8.8")));
    }

    #[test]
    fn wrong_entries_are_named() {
        for wrong in ["", "a b", "10.0.0.0/33", "http://a.example", "a:80"] {
            assert_eq!(AllowedTargets::parse([wrong]), Err(wrong.to_owned()));
        }
    }

    #[tokio::test]
    async fn a_host_without_a_public_address_is_refused() {
        for inner in ["localhost", "127.0.0.1", "169.254.169.254"] {
            let refused = allowed(&[]).resolve(inner).await;
            assert_eq!(refused, Err(TargetError::NotPublic(inner.into())));
        }
        let listed = allowed(&["localhost"]).resolve("localhost").await.unwrap();
        assert!(listed.iter().all(|address| address.ip().is_loopback()));
    }
}
