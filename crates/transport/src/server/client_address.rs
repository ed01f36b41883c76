//! The address of the client, also behind proxies.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};

use actix_web::HttpRequest;
use actix_web::http::header::HeaderMap;
use ipnet::IpNet;

/// Headers that proxies add to forwarded requests.
const FORWARDING_HEADERS: [&str; 6] = [
    "forwarded",
    "via",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-proto",
    "x-real-ip",
];

/// The proxies whose `X-Forwarded-For` is trusted.
#[derive(Debug, Clone, Default)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Parses addresses and CIDR ranges.
    ///
    /// # Errors
    /// The first text that is neither an address nor a range.
    pub fn parse<'a>(texts: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let network = |text: &str| {
            let address = text.parse::<IpAddr>().map(IpNet::from);
            address
                .or_else(|_| text.parse::<IpNet>())
                .map_err(|_| text.to_owned())
        };
        texts
            .into_iter()
            .map(network)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// The address of the client. It is the peer's address, unless the peer is a trusted proxy;
    /// then it is the last address of `X-Forwarded-For` that is not a trusted proxy. Addresses
    /// forged by a client come earlier in the header and are ignored.
    #[must_use]
    pub fn client(&self, request: &HttpRequest) -> Option<IpAddr> {
        let peer = request.peer_addr()?.ip().to_canonical();
        Some(self.walk(peer, request.headers()).0)
    }

    /// Whether [`Self::client`] is certain to be the client: no proxy forwarded the request, or
    /// only trusted proxies did and named the client. Behind an untrusted proxy, the address says
    /// nothing about the client.
    pub(crate) fn is_certain(&self, request: &HttpRequest) -> bool {
        let headers = request.headers();
        let is_forwarded = FORWARDING_HEADERS
            .iter()
            .any(|name| headers.contains_key(*name));
        let is_named = request
            .peer_addr()
            .is_some_and(|peer| self.walk(peer.ip().to_canonical(), headers).1);
        if is_forwarded && let Some(peer) = request.peer_addr() {
            self.warn_of_unknown_proxy(peer.ip().to_canonical());
        }
        !is_forwarded || is_named
    }

    /// Warns about a forwarded request of a peer that is not trusted, once per process, if the peer
    /// is probably the operator's proxy.
    fn warn_of_unknown_proxy(&self, peer: IpAddr) {
        static HAS_WARNED: AtomicBool = AtomicBool::new(false);
        if HAS_WARNED.load(Ordering::Relaxed)
            || self.is_trusted(peer)
            || !is_local(peer)
            || HAS_WARNED.swap(true, Ordering::Relaxed)
        {
            return;
        }
        tracing::warn!(
            address = %peer,
            "a proxy that is not in ALLCLEAR_TRUSTED_PROXIES forwards requests: all its clients have its address and share their limits"
        );
    }

    /// The last address that is not a trusted proxy, and whether trusted proxies have named it.
    /// What cannot be read ends the walk: a client may have sent it to hide the addresses
    /// before it.
    fn walk(&self, peer: IpAddr, headers: &HeaderMap) -> (IpAddr, bool) {
        let values: Vec<_> = headers
            .get_all("x-forwarded-for")
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        if !values.is_empty() {
            self.warn_of_unknown_proxy(peer);
        }
        let (mut client, mut is_named) = (peer, false);
        for hop in values.iter().flat_map(|value| value.split(',')).rev() {
            if !self.is_trusted(client) {
                break;
            }
            let Some(address) = address(hop.trim()) else {
                return (client, false);
            };
            (client, is_named) = (address, true);
        }
        (client, is_named)
    }

    /// Whether an address is in one of the networks.
    pub(crate) fn is_trusted(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }
}

/// Whether an address is of this machine or of a private network (RFC 1918, RFC 4193).
const fn is_local(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => address.is_loopback() || address.is_private(),
        IpAddr::V6(address) => address.is_loopback() || address.is_unique_local(),
    }
}

/// An address as proxies write it; some add the port.
fn address(hop: &str) -> Option<IpAddr> {
    let with_port = || hop.parse::<SocketAddr>().map(|address| address.ip());
    let address = hop.parse().or_else(|_| with_port()).ok()?;
    Some(IpAddr::to_canonical(&address))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;
    use actix_web::test::TestRequest;

    fn client(proxies: &[&str], peer: &str, forwarded: &[&str]) -> String {
        let mut request = TestRequest::default();
        for value in forwarded {
            request = request.append_header(("x-forwarded-for", *value));
        }
        let request = request
            .peer_addr(format!("{peer}:1").parse().unwrap())
            .to_http_request();
        TrustedProxies::parse(proxies.iter().copied())
            .unwrap()
            .client(&request)
            .unwrap()
            .to_string()
    }

    #[test]
    fn forwarded_address_is_used_only_from_a_trusted_proxy() {
        assert_eq!(client(&[], "10.0.0.1", &["203.0.113.7"]), "10.0.0.1");
        assert_eq!(
            client(&["10.0.0.0/8"], "10.0.0.1", &["203.0.113.7"]),
            "203.0.113.7"
        );
    }

    #[test]
    fn forged_addresses_are_ignored() {
        assert_eq!(
            client(
                &["10.0.0.0/8"],
                "10.0.0.1",
                &["1.1.1.1, 203.0.113.7", "10.0.0.2"]
            ),
            "203.0.113.7"
        );
        assert_eq!(
            client(&["10.0.0.1"], "10.0.0.1", &["1.1.1.1, nonsense"]),
            "10.0.0.1"
        );
    }

    #[test]
    fn bytes_that_are_no_text_hide_nothing() {
        let proxies = TrustedProxies::parse(["10.0.0.1"]).unwrap();
        let client = |value: &[u8]| {
            let request = TestRequest::default()
                .peer_addr("10.0.0.1:1".parse().unwrap())
                .append_header(("x-forwarded-for", HeaderValue::from_bytes(value).unwrap()))
                .to_http_request();
            let client = proxies.client(&request).unwrap().to_string();
            (client, proxies.is_certain(&request))
        };
        assert_eq!(
            client(b"\xff, 203.0.113.7"),
            ("203.0.113.7".to_owned(), true)
        );
        assert_eq!(client(b"203.0.113.7, \xff"), ("10.0.0.1".to_owned(), false));
        assert_eq!(client(b"unknown"), ("10.0.0.1".to_owned(), false));
        assert_eq!(
            client(b"203.0.113.7:4711"),
            ("203.0.113.7".to_owned(), true)
        );
    }

    #[test]
    fn only_this_machine_and_private_networks_are_local() {
        for (address, expected) in [
            ("127.0.0.1", true),
            ("10.88.0.1", true),
            ("192.168.1.2", true),
            ("::1", true),
            ("fd00::1", true),
            ("203.0.113.7", false),
            ("2001:db8::1", false),
        ] {
            assert_eq!(is_local(address.parse().unwrap()), expected, "{address}");
        }
    }

    #[test]
    fn text_that_is_not_an_address_is_refused() {
        assert_eq!(
            TrustedProxies::parse(["10.0.0.0/8", "proxy"]).unwrap_err(),
            "proxy"
        );
    }
}
