//! Domains of organisations.

use allclear_application::custom_domain::hosts::HostSettings;
use allclear_outbound::client::OutboundSettings;
use allclear_outbound::domain_probe::HttpDomainProbe;
use clap::Args;
use url::Url;

/// The organisations of hosts, and the check of domains.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Addresses")]
pub(crate) struct DomainSettings {
    /// Organisation, by identifier or code, whose status page a host shows that no organisation has
    /// verified [default: such a host shows the whole installation]
    #[arg(long, env = "ALLCLEAR_DEFAULT_ORGANISATION")]
    default_organisation: Option<String>,

    /// Host and port that the check of a domain connects to, by http, instead of the domain's
    /// own addresses
    #[arg(long, env = "ALLCLEAR_DOMAIN_CHECK_ADDRESS", value_parser = host_and_port)]
    domain_check_address: Option<Url>,
}

impl DomainSettings {
    /// The organisations of hosts, given the public address.
    pub(crate) fn hosts(&self, public_url: &str) -> HostSettings {
        let url = Url::parse(public_url).ok();
        let own = url.and_then(|url| url.host_str().map(str::to_owned));
        let default = self.default_organisation.clone();
        HostSettings {
            own: own.unwrap_or_default(),
            default_organisation: default.filter(|text| !text.is_empty()),
        }
    }

    /// The check of domains.
    pub(crate) fn probe(&self, outbound: OutboundSettings) -> HttpDomainProbe {
        HttpDomainProbe::new(outbound.allowed, self.domain_check_address.clone())
    }
}

/// The URL of the server with this host and port.
fn host_and_port(text: &str) -> Result<Url, String> {
    let url = Url::parse(&format!("http://{text}/")).ok();
    let plain = url.filter(|url| url.path() == "/" && url.username().is_empty());
    let is_complete = text
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.parse::<u16>().is_ok_and(|port| port > 0));
    match plain {
        Some(url) if is_complete && url.host().is_some() => Ok(url),
        _ => Err("it must be a host and a port, such as 127.0.0.1:8080".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_address_is_a_host_and_a_port() {
        for (good, url) in [
            ("127.0.0.1:8080", "http://127.0.0.1:8080/"),
            ("[::1]:8080", "http://[::1]:8080/"),
            ("proxy.internal:80", "http://proxy.internal/"),
        ] {
            assert_eq!(host_and_port(good).unwrap().as_str(), url);
        }
        for bad in [
            "",
            "127.0.0.1",
            "a:0",
            "a:x",
            "http://a:80",
            "a:80/x",
            "ann@a:80",
        ] {
            assert!(host_and_port(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn own_host_is_that_of_the_public_address() {
        let settings = DomainSettings::default();
        for (address, own) in [
            ("https://Status.Example.com", "status.example.com"),
            ("http://localhost:8080", "localhost"),
            ("http://[::1]:8080", "[::1]"),
        ] {
            assert_eq!(settings.hosts(address).own, own);
        }
    }
}
