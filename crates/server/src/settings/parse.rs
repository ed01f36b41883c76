//! Values of the settings, from their texts.

use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

use allclear_transport::server::client_address::TrustedProxies;
use url::{ParseError, Url};

pub(super) fn listen(text: &str) -> Result<SocketAddr, String> {
    let found = text
        .to_socket_addrs()
        .map_err(|error| format!("it must be address:port: {error}"))?;
    let addresses: Vec<_> = found.collect();
    preferred(&addresses).ok_or_else(|| "it has no address".to_owned())
}

/// The address to listen at. Proxies connect to the IPv4 address of localhost, which some systems
/// give second.
fn preferred(addresses: &[SocketAddr]) -> Option<SocketAddr> {
    let ipv4 = addresses.iter().find(|address| address.is_ipv4());
    ipv4.or(addresses.first()).copied()
}

pub(super) fn web_address(text: &str) -> Result<Url, String> {
    if text.is_empty() {
        return Err("it is empty: leave the setting out for its default".to_owned());
    }
    let url = Url::parse(text).map_err(|error| match error {
        ParseError::RelativeUrlWithoutBase => "it must begin with http:// or https://".to_owned(),
        error => error.to_string(),
    })?;
    if matches!(url.scheme(), "http" | "https") {
        Ok(url)
    } else {
        Err("it must begin with http:// or https://".to_owned())
    }
}

pub(super) fn origin(text: &str) -> Result<String, String> {
    let url = web_address(text.trim())?;
    if url.host_str().is_some_and(|host| host.contains('*')) {
        return Err("each origin must be listed: it may not contain *".to_owned());
    }
    let plain = url.path() == "/" && url.query().is_none();
    if plain {
        Ok(url.origin().ascii_serialization())
    } else {
        Err("an origin has no path".to_owned())
    }
}

pub(super) fn milliseconds(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(number @ 1..) => Ok(Duration::from_millis(number)),
        _ => Err("it must be a number of milliseconds, 1 or more".to_owned()),
    }
}

pub(super) fn delay(text: &str) -> Result<Duration, String> {
    match text.parse() {
        Ok(number @ 0..=3_600_000) => Ok(Duration::from_millis(number)),
        _ => Err("it must be a number of milliseconds from 0 to 3600000, an hour".to_owned()),
    }
}

pub(super) fn concurrency(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number @ 1..=1000) => Ok(number),
        _ => Err("it must be a number from 1 to 1000".to_owned()),
    }
}

pub(super) fn audit_days(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(days @ 1..=3650) => Ok(days),
        _ => Err("it must be a number of days from 1 to 3650".to_owned()),
    }
}

pub(super) fn network(text: &str) -> Result<String, String> {
    let text = text.trim();
    TrustedProxies::parse([text])
        .map_err(|_| "it is neither an address nor a CIDR range".to_owned())?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_to_listen_at_is_its_ipv4_address_if_it_has_one() {
        let [six, four] = ["[::1]:80", "127.0.0.1:80"].map(|text| text.parse().unwrap());
        assert_eq!(preferred(&[six, four]), Some(four));
        assert_eq!(preferred(&[six]), Some(six));
    }
}
