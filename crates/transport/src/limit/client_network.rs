//! The addresses that limits count as one client, and as one site.

use std::net::{IpAddr, Ipv6Addr};

use actix_web::{HttpRequest, web};
use allclear_domain::rate_limit::RateLimit;

use crate::server::client_address::TrustedProxies;

/// Attempts of a site, in those of a client: providers assign up to 2^16 networks of clients to one
/// customer (RFC 6177). That customer may not guess as often as so many clients.
const SITE_ATTEMPTS: u32 = 16;

/// Open connections and streams of a site, in those of a client: fewer than attempts, because what
/// is open takes memory and file descriptors that all clients share.
pub(crate) const SITE_SLOTS: usize = 4;

/// Permits of a site, in those of a client, for what the clients of an organisation share: the
/// fewest, so that one site leaves a part to others.
pub(crate) const SITE_PERMITS: usize = 2;

/// The limit of a [`site`], given that of a client.
pub(crate) const fn limit_of_site(limit: RateLimit) -> RateLimit {
    RateLimit {
        burst: limit.burst.saturating_mul(SITE_ATTEMPTS),
        per_hour: limit.per_hour.saturating_mul(SITE_ATTEMPTS),
    }
}

/// The client address as rate limits count it: one IPv6 client has a whole network of 2^64
/// addresses (RFC 6177).
pub(crate) fn client(request: &HttpRequest) -> IpAddr {
    let proxies = request.app_data::<web::Data<TrustedProxies>>();
    let address = proxies.and_then(|proxies| proxies.client(request));
    network(address.unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED)))
}

/// The address itself, or the 64-bit network of an IPv6 address.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => first_bits(address, 64),
        address @ IpAddr::V4(_) => address,
    }
}

/// The site of an IPv6 address: its 48-bit network.
pub(crate) fn site(address: IpAddr) -> Option<IpAddr> {
    match address {
        IpAddr::V6(address) => Some(first_bits(address, 48)),
        IpAddr::V4(_) => None,
    }
}

fn first_bits(address: Ipv6Addr, length: u32) -> IpAddr {
    IpAddr::V6(Ipv6Addr::from_bits(
        address.to_bits() & !(u128::MAX >> length),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    #[test]
    fn the_addresses_of_one_ipv6_network_are_one_client() {
        let of = |peer: &str| {
            let proxies = web::Data::new(TrustedProxies::default());
            client(
                &TestRequest::default()
                    .app_data(proxies)
                    .peer_addr(peer.parse().unwrap())
                    .to_http_request(),
            )
        };
        assert_eq!(of("[2001:db8::1]:9"), of("[2001:db8::2:3]:9"));
        assert_ne!(of("[2001:db8::1]:9"), of("[2001:db8:0:1::1]:9"));
        assert_ne!(of("192.0.2.1:9"), of("192.0.2.2:9"));
    }
}
