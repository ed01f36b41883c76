//! The host of a request (RFC 9112, section 3.2).

use actix_web::dev::RequestHead;
use actix_web::http::{Version, header};

/// Longest host, in bytes: a name of 253 characters with a trailing dot.
const MAX_LENGTH: usize = 254;

/// A host in lower case, without a port and without a trailing dot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Host {
    bytes: [u8; MAX_LENGTH],
    length: usize,
}

/// A request with a host that is missing, repeated or not valid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct BadHost;

impl Host {
    /// Reads a host with an optional port.
    pub(crate) fn parse(text: &str) -> Result<Self, BadHost> {
        let (host, port) = match text.rfind(']') {
            Some(end) => text.split_at(end + 1),
            None => text.split_at(text.find(':').unwrap_or(text.len())),
        };
        let is_port = |port: &str| port.len() <= 5 && port.bytes().all(|b| b.is_ascii_digit());
        if !port.is_empty() && !port.strip_prefix(':').is_some_and(is_port) {
            return Err(BadHost);
        }
        let host = host.strip_suffix('.').unwrap_or(host);
        let literal = host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        let is_valid = match literal {
            Some(address) => address.parse::<std::net::Ipv6Addr>().is_ok(),
            None => is_name(host),
        };
        if !is_valid || host.len() > MAX_LENGTH {
            return Err(BadHost);
        }
        let mut bytes = [0; MAX_LENGTH];
        bytes[..host.len()].copy_from_slice(host.as_bytes());
        bytes.make_ascii_lowercase();
        Ok(Self {
            bytes,
            length: host.len(),
        })
    }

    /// The host as text.
    pub(crate) fn as_str(&self) -> &str {
        // It was copied from a text.
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

/// Whether a text is a name: labels of letters, digits, hyphens and underscores.
fn is_name(text: &str) -> bool {
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    text.split('.')
        .all(|label| !label.is_empty() && label.bytes().all(is_valid))
}

/// The host of a request: that of its target if it names one, otherwise that of the `Host` header.
/// `None` for a request of HTTP/1.0 without one.
pub(crate) fn host_of(head: &RequestHead) -> Result<Option<Host>, BadHost> {
    let mut headers = head.headers.get_all(header::HOST);
    let header = headers.next();
    if headers.next().is_some() {
        return Err(BadHost);
    }
    let header = header
        .map(|value| value.to_str().map_err(|_| BadHost))
        .transpose()?;
    if let Some(authority) = head.uri.authority() {
        // The header is ignored then, but an invalid one is refused.
        if let Some(text) = header {
            Host::parse(text)?;
        }
        return Host::parse(authority.as_str()).map(Some);
    }
    match header {
        Some(text) => Host::parse(text).map(Some),
        None if head.version < Version::HTTP_11 => Ok(None),
        None => Err(BadHost),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Option<String> {
        Host::parse(text).ok().map(|host| host.as_str().to_owned())
    }

    #[test]
    fn port_case_and_trailing_dot_do_not_count() {
        for (text, host) in [
            ("status.acme.example", "status.acme.example"),
            ("STATUS.Acme.Example", "status.acme.example"),
            ("status.acme.example.", "status.acme.example"),
            ("status.acme.example:443", "status.acme.example"),
            ("status.acme.example.:8080", "status.acme.example"),
            ("status.acme.example:", "status.acme.example"),
            ("localhost:8080", "localhost"),
            ("my_service:80", "my_service"),
            ("127.0.0.1:80", "127.0.0.1"),
            ("[::1]:8080", "[::1]"),
            ("[2001:DB8::1]", "[2001:db8::1]"),
        ] {
            assert_eq!(parsed(text).as_deref(), Some(host), "{text}");
        }
    }

    #[test]
    fn other_texts_are_no_host() {
        let long = "a.".repeat(130) + "example";
        for text in [
            "",
            ".",
            ":80",
            "a..b",
            "a.example..",
            "a.example:port",
            "a.example:123456",
            "a.example:80:80",
            "a.example/x",
            "ann@a.example",
            "a.example, b.example",
            "a.example b.example",
            "a.example?x",
            "a.example\0",
            "a%2eexample",
            "exämple.com",
            "[::1",
            "[::1]x",
            "::1",
            "[a.example]",
            &long,
        ] {
            assert_eq!(parsed(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn reading_a_host_again_changes_nothing(text in "\\PC{0,40}") {
            if let Some(host) = parsed(&text) {
                prop_assert_eq!(parsed(&host), Some(host));
            }
        }
    }
}
