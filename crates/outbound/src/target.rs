//! Targets of requests: which URLs and which addresses may be connected to.

use std::net::IpAddr;

use ipnet::IpNet;
use url::{Host, Url};

use crate::address::is_public;

/// Targets that may be connected to although they are not public, by HTTP too, and on any port.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AllowedTargets {
    networks: Vec<IpNet>,
    hosts: Vec<String>,
}

/// The reason why no connection to a target is made, as a sentence for the person that entered
/// the target.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The text is not an http or https URL.
    #[error("Must be a link that begins with https://")]
    NotALink,
    /// The URL contains a user name or a password.
    #[error("Must not contain a user name or a password")]
    Credentials,
    /// Plain HTTP is not allowed.
    #[error("Must begin with https://")]
    NotHttps,
    /// The port is not the one of the scheme.
    #[error("Only port {0} is allowed")]
    Port(u16),
    /// The name has no address. The sentence is that of a name with an inner address, which would
    /// reveal names of the network.
    #[error("{0} has no public address")]
    NoAddress(String),
    /// No address may be connected to.
    #[error("{0} has no public address")]
    NotPublic(String),
}

/// The addresses that a URL may lead to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Public addresses and listed targets.
    Public,
    /// Listed targets only, because of the scheme or the port.
    Listed,
}

/// The ports that every target may use. Tests replace them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ports {
    pub(crate) http: u16,
    pub(crate) https: u16,
}

/// What may be connected to.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub(crate) allowed: AllowedTargets,
    pub(crate) allow_http: bool,
    pub(crate) ports: Ports,
}

impl TargetError {
    /// Whether the rules refuse the URL itself, and not what its name means now: a name server
    /// may give wrong addresses for a while, and which inner names it knows must not be seen
    /// from outside.
    #[must_use]
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::NoAddress(_) => false,
            Self::NotPublic(host) => host.trim_matches(['[', ']']).parse::<IpAddr>().is_ok(),
            Self::NotALink | Self::Credentials | Self::NotHttps | Self::Port(_) => true,
        }
    }
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
                allowed.hosts.push(without_final_dot(text).to_owned());
            } else {
                return Err(text.to_owned());
            }
        }
        Ok(allowed)
    }

    /// Those that visitors may enter as well: the addresses and names that are listed one by one. A
    /// range is for operators only, because most of its addresses are no receivers of messages.
    #[must_use]
    pub(crate) fn for_visitors(&self) -> Self {
        let is_address = |network: &&IpNet| network.prefix_len() == network.max_prefix_len();
        Self {
            networks: self.networks.iter().filter(is_address).copied().collect(),
            hosts: self.hosts.clone(),
        }
    }

    /// These targets and the host of a URL.
    #[must_use]
    pub(crate) fn with_host(mut self, url: &Url) -> Self {
        match url.host() {
            Some(Host::Ipv4(address)) => self.networks.push(IpAddr::from(address).into()),
            Some(Host::Ipv6(address)) => self.networks.push(IpAddr::from(address).into()),
            Some(Host::Domain(name)) => self.hosts.push(without_final_dot(name).to_owned()),
            None => {}
        }
        self
    }

    /// Whether a host at an address is among these targets.
    fn contains(&self, host: &str, address: IpAddr) -> bool {
        let host = without_final_dot(host);
        self.networks.iter().any(|known| known.contains(&address))
            || self
                .hosts
                .iter()
                .any(|known| known.eq_ignore_ascii_case(host))
    }
}

impl Default for Ports {
    fn default() -> Self {
        Self {
            http: 80,
            https: 443,
        }
    }
}

impl Rules {
    /// The addresses that a URL may lead to.
    ///
    /// # Errors
    /// If it is not a link, or contains credentials.
    pub(crate) fn reach(&self, url: &Url) -> Result<Reach, TargetError> {
        if !matches!(url.scheme(), "https" | "http") || !url.has_host() {
            return Err(TargetError::NotALink);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetError::Credentials);
        }
        Ok(match self.broken_rule(url) {
            None => Reach::Public,
            Some(_) => Reach::Listed,
        })
    }

    /// Why a target that is not listed may not have this URL; `None` if it may.
    pub(crate) fn broken_rule(&self, url: &Url) -> Option<TargetError> {
        let is_https = url.scheme() == "https";
        let port = if is_https {
            self.ports.https
        } else {
            self.ports.http
        };
        if !is_https && !self.allow_http {
            Some(TargetError::NotHttps)
        } else if url.port_or_known_default() != Some(port) {
            Some(TargetError::Port(port))
        } else {
            None
        }
    }

    /// Returns the addresses of one look-up that may be connected to, at least one.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn filter(
        &self,
        host: &str,
        found: Vec<IpAddr>,
        reach: Reach,
    ) -> Result<Vec<IpAddr>, TargetError> {
        if found.is_empty() {
            return Err(TargetError::NoAddress(host.to_owned()));
        }
        let may = |address: &IpAddr| {
            (reach == Reach::Public && is_public(*address)) || self.allowed.contains(host, *address)
        };
        let kept: Vec<_> = found.into_iter().filter(may).collect();
        if kept.is_empty() {
            return Err(TargetError::NotPublic(host.to_owned()));
        }
        Ok(kept)
    }
}

fn is_host_name(text: &str) -> bool {
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    !text.is_empty() && text.len() <= 253 && text.bytes().all(valid)
}

fn without_final_dot(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_name_means_now_may_change() {
        let not_public = |host: &str| TargetError::NotPublic(host.to_owned());
        for refused in [
            TargetError::NotALink,
            TargetError::Credentials,
            TargetError::NotHttps,
            TargetError::Port(443),
            not_public("10.0.0.1"),
            not_public("[::1]"),
        ] {
            assert!(refused.is_final(), "{refused:?}");
        }
        for refused in [
            not_public("hooks.example"),
            TargetError::NoAddress("hooks.example".to_owned()),
        ] {
            assert!(!refused.is_final(), "{refused:?}");
        }
    }

    fn rules(texts: &[&str], allow_http: bool) -> Rules {
        Rules {
            allowed: AllowedTargets::parse(texts.iter().copied()).unwrap(),
            allow_http,
            ports: Ports::default(),
        }
    }

    #[test]
    fn inner_addresses_are_allowed_by_address_range_and_name() {
        let listed = rules(
            &["10.0.0.1", "192.168.0.0/16", "fd00::/8", "Hooks.internal"],
            false,
        );
        for (host, inner, expected) in [
            ("a.example", "10.0.0.1", true),
            ("a.example", "10.0.0.2", false),
            ("a.example", "192.168.7.7", true),
            ("a.example", "fd12::1", true),
            ("a.example", "127.0.0.1", false),
            ("hooks.INTERNAL", "127.0.0.1", true),
            ("hooks.internal.", "127.0.0.1", true),
            ("x.hooks.internal", "127.0.0.1", false),
        ] {
            let found = vec![inner.parse().unwrap()];
            let kept = listed.filter(host, found, Reach::Public);
            assert_eq!(kept.is_ok(), expected, "{host} {inner}");
        }
    }

    #[test]
    fn listed_ranges_are_not_for_visitors() {
        let listed = [
            "10.0.0.1",
            "10.0.0.2/32",
            "192.168.0.0/16",
            "fd00::1",
            "fd00::/8",
            "hooks.internal",
        ];
        let expected = ["10.0.0.1", "10.0.0.2", "fd00::1", "hooks.internal"];
        let allowed = AllowedTargets::parse(listed).unwrap().for_visitors();
        assert_eq!(allowed, AllowedTargets::parse(expected).unwrap());
    }

    #[test]
    fn public_addresses_of_a_name_are_kept() {
        let found = ["10.0.0.1", "8.8.8.8", "::1"].map(|text| text.parse().unwrap());
        let kept = rules(&[], false).filter("a.example", found.into(), Reach::Public);
        assert_eq!(kept, Ok(vec!["8.8.8.8".parse().unwrap()]));
    }

    #[test]
    fn schemes_and_ports_are_free_for_listed_targets_only() {
        for (url, allow_http, expected) in [
            ("https://a.example/x", false, Ok(Reach::Public)),
            ("https://a.example:443/x", false, Ok(Reach::Public)),
            ("https://a.example:8443/x", false, Ok(Reach::Listed)),
            ("https://a.example:80/x", true, Ok(Reach::Listed)),
            ("http://a.example/x", false, Ok(Reach::Listed)),
            ("http://a.example/x", true, Ok(Reach::Public)),
            ("http://a.example:8080/x", true, Ok(Reach::Listed)),
            ("ftp://a.example/x", true, Err(TargetError::NotALink)),
            ("https://u@a.example/", true, Err(TargetError::Credentials)),
            ("https://:p@a.example/", true, Err(TargetError::Credentials)),
        ] {
            let reach = rules(&[], allow_http).reach(&Url::parse(url).unwrap());
            assert_eq!(reach, expected, "{url}");
        }
    }

    #[test]
    fn wrong_entries_are_named() {
        for wrong in ["", "a b", "10.0.0.0/33", "http://a.example", "a:80"] {
            assert_eq!(AllowedTargets::parse([wrong]), Err(wrong.to_owned()));
        }
    }
}
