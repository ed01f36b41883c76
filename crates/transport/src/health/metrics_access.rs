//! Access to the metrics: from this machine, from configured networks, or with a token.

use actix_web::HttpRequest;
use actix_web::http::{StatusCode, header};
use allclear_application::secret::{Digest, SecretToken};
use subtle::ConstantTimeEq;

use crate::request::caller::bearer_token;
use crate::response::problem::Problem;
use crate::server::client_address::TrustedProxies;

/// The networks and the token that give access.
#[derive(Debug)]
pub struct MetricsAccess {
    networks: TrustedProxies,
    token: Option<Digest>,
}

impl MetricsAccess {
    /// Parses addresses and CIDR ranges. Only a digest of `token` is kept.
    ///
    /// # Errors
    /// The first network that is neither an address nor a range.
    pub fn new<'a>(
        networks: impl IntoIterator<Item = &'a str>,
        token: Option<&str>,
    ) -> Result<Self, String> {
        let digest = |token: &str| SecretToken::presented(token.to_owned()).digest();
        Ok(Self {
            networks: TrustedProxies::parse(networks)?,
            token: token.map(digest),
        })
    }

    /// 403 if the client has no access.
    pub(crate) fn check(
        &self,
        request: &HttpRequest,
        proxies: &TrustedProxies,
    ) -> Result<(), Problem> {
        if self.has_token(request) || self.is_from_allowed_network(request, proxies) {
            return Ok(());
        }
        Err(Problem::new(
            StatusCode::FORBIDDEN,
            "These figures are for this machine, ALLCLEAR_METRICS_NETWORKS and the bearer of ALLCLEAR_METRICS_TOKEN",
        ))
    }

    fn has_token(&self, request: &HttpRequest) -> bool {
        let presented = request.headers().get(header::AUTHORIZATION);
        let presented = presented.and_then(|value| bearer_token(value.to_str().ok()?));
        let (Some(token), Some(presented)) = (&self.token, presented) else {
            return false;
        };
        let presented = SecretToken::presented(presented.to_owned()).digest();
        token
            .as_str()
            .as_bytes()
            .ct_eq(presented.as_str().as_bytes())
            .into()
    }

    fn is_from_allowed_network(&self, request: &HttpRequest, proxies: &TrustedProxies) -> bool {
        let client = proxies
            .client(request)
            .filter(|_| proxies.is_certain(request));
        client.is_some_and(|client| client.is_loopback() || self.networks.is_trusted(client))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    const TOKEN: &str = "a token of sixteen or more";

    /// Whether a request from this peer with these headers has access.
    fn may_read(proxies: &[&str], peer: &str, headers: &[(&str, &str)]) -> bool {
        let access = MetricsAccess::new(["192.0.2.0/24"], Some(TOKEN)).unwrap();
        let proxies = TrustedProxies::parse(proxies.iter().copied()).unwrap();
        let mut request = TestRequest::default().peer_addr(peer.parse().unwrap());
        for header in headers {
            request = request.append_header(*header);
        }
        access.check(&request.to_http_request(), &proxies).is_ok()
    }

    #[test]
    fn only_this_machine_and_configured_networks_may_read() {
        for peer in [
            "127.0.0.1:9",
            "127.8.0.1:9",
            "[::1]:9",
            "[::ffff:127.0.0.1]:9",
            "192.0.2.7:9",
        ] {
            assert!(may_read(&[], peer, &[]), "{peer}");
        }
        for peer in ["203.0.113.1:9", "10.0.0.1:9", "[2001:db8::1]:9"] {
            assert!(!may_read(&[], peer, &[]), "{peer}");
        }
    }

    #[test]
    fn forwarded_address_counts_only_from_a_trusted_proxy() {
        let forwarded = |address| [("x-forwarded-for", address)];
        assert!(!may_read(&[], "203.0.113.1:9", &forwarded("127.0.0.1")));
        assert!(!may_read(&[], "127.0.0.1:9", &forwarded("127.0.0.1")));
        for header in FORWARDED {
            assert!(!may_read(&[], "127.0.0.1:9", &[(header, "x")]), "{header}");
        }
        let proxy = ["10.0.0.1"];
        assert!(may_read(&proxy, "10.0.0.1:9", &forwarded("127.0.0.1")));
        assert!(may_read(&proxy, "10.0.0.1:9", &forwarded("192.0.2.7")));
        assert!(!may_read(&proxy, "10.0.0.1:9", &forwarded("203.0.113.1")));
        assert!(!may_read(
            &proxy,
            "10.0.0.1:9",
            &forwarded("127.0.0.1, 203.0.113.1")
        ));
        let local = ["127.0.0.1"];
        assert!(!may_read(&local, "127.0.0.1:9", &forwarded("203.0.113.1")));
        assert!(may_read(&local, "127.0.0.1:9", &[]));
        assert!(!may_read(
            &local,
            "127.0.0.1:9",
            &[("x-real-ip", "203.0.113.1")]
        ));
    }

    const FORWARDED: [&str; 3] = ["x-real-ip", "via", "forwarded"];

    #[test]
    fn bearer_of_the_token_may_read_from_anywhere() {
        let bearer = |token: &str| {
            let value = format!("Bearer {token}");
            may_read(&[], "203.0.113.1:9", &[("authorization", &value)])
        };
        assert!(bearer(TOKEN));
        assert!(!bearer("another token of that length"));
        assert!(!bearer(""));
        let without = MetricsAccess::new([], None).unwrap();
        let request = TestRequest::default()
            .peer_addr("203.0.113.1:9".parse().unwrap())
            .append_header(("authorization", "Bearer "))
            .to_http_request();
        assert!(without.check(&request, &TrustedProxies::default()).is_err());
    }
}
