//! The check of domains over HTTP.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::custom_domain::{CLAIMANT, DomainProbe, ProbeFailure, TOKEN_PATH};
use allclear_domain::custom_domain::DomainName;
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use reqwest::StatusCode;
use reqwest::header::{HOST, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use crate::client::{OutboundClient, OutboundSettings, RequestError, Response, Timeouts};
use crate::lookup::{Lookup, SharedLookup, SystemLookup};
use crate::target::{AllowedTargets, TargetError};

/// Maximum number of bytes that are read of a response.
const BODY_LIMIT: usize = 4 * 1024;
/// An operator waits for the result.
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(3),
    request: Duration::from_secs(5),
};

/// Maximum number of concurrent look-ups. A name whose servers do not reply occupies a thread for
/// many seconds.
const MAX_CONCURRENT_LOOKUPS: usize = 16;

/// Reads domains at their addresses, or all of them at one address.
pub struct HttpDomainProbe {
    allowed: AllowedTargets,
    check_address: Option<String>,
    lookup: Arc<dyn Lookup>,
}

#[async_trait]
impl DomainProbe for HttpDomainProbe {
    async fn read_tokens(
        &self,
        name: &DomainName,
        organisation: &OrganisationId,
    ) -> Result<String, ProbeFailure> {
        let mut headers = HeaderMap::new();
        if let Ok(claimant) = HeaderValue::from_str(organisation.as_str()) {
            headers.insert(HeaderName::from_static(CLAIMANT), claimant);
        }
        match &self.check_address {
            Some(address) => self.at_check_address(name, address, headers).await,
            None => self.at_own_address(name, &headers).await,
        }
    }
}

impl HttpDomainProbe {
    /// Reads domains. The listed targets may be connected to although they are not public.
    /// `check_address` is the host and port that receive the request by HTTP instead of the
    /// domain's own addresses; `None` for those addresses.
    #[must_use]
    pub fn new(allowed: AllowedTargets, check_address: Option<String>) -> Self {
        Self {
            allowed,
            check_address,
            lookup: Arc::new(SharedLookup::new(
                Arc::new(SystemLookup),
                MAX_CONCURRENT_LOOKUPS,
            )),
        }
    }

    /// Sends a request by HTTPS, then by HTTP, to the addresses of the domain.
    async fn at_own_address(
        &self,
        name: &DomainName,
        headers: &HeaderMap,
    ) -> Result<String, ProbeFailure> {
        let mut reasons = Vec::new();
        for scheme in ["https", "http"] {
            let address = format!("{scheme}://{name}{TOKEN_PATH}");
            match self
                .ask(self.allowed.clone(), &address, headers.clone())
                .await
            {
                Ok(text) => return Ok(text),
                Err(Failure::Request(RequestError::Refused(refused))) => {
                    return Err(ProbeFailure(refused.to_string()));
                }
                Err(error) => reasons.push(format!("by {scheme} {error}")),
            }
        }
        let reasons = reasons.join(", ");
        Err(ProbeFailure(format!("{name} serves no token: {reasons}")))
    }

    async fn at_check_address(
        &self,
        name: &DomainName,
        address: &str,
        mut headers: HeaderMap,
    ) -> Result<String, ProbeFailure> {
        let response = async {
            let address = format!("http://{address}{TOKEN_PATH}");
            let url = Url::parse(&address).map_err(|_| TargetError::NotALink)?;
            // The installation names this address.
            let allowed = self.allowed.clone().with_host(&url);
            let host = HeaderValue::from_str(name.as_str()).map_err(|_| TargetError::NotALink)?;
            headers.insert(HOST, host);
            self.ask(allowed, &address, headers).await
        };
        response
            .await
            .map_err(|error| ProbeFailure(format!("{name} serves no token: by http {error}")))
    }

    /// Reads a text with a client of its own: a domain is read at new connections.
    async fn ask(
        &self,
        allowed: AllowedTargets,
        address: &str,
        headers: HeaderMap,
    ) -> Result<String, Failure> {
        let url = Url::parse(address).map_err(|_| TargetError::NotALink)?;
        let settings = OutboundSettings {
            allowed,
            allow_http: true,
        };
        let client = OutboundClient::with(settings, Arc::clone(&self.lookup), TIMEOUTS)?;
        text(client.get(&url, headers).await?).await
    }
}

/// Why a domain could not be read by one scheme.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Request(#[from] RequestError),
    #[error("{0}")]
    Response(&'static str),
}

impl From<TargetError> for Failure {
    fn from(error: TargetError) -> Self {
        Self::Request(error.into())
    }
}

async fn text(response: Response) -> Result<String, Failure> {
    match response.status() {
        StatusCode::OK => Ok(response.text(BODY_LIMIT).await?),
        StatusCode::NOT_FOUND => Err(Failure::Response("there is no such page")),
        status if status.is_redirection() => Err(Failure::Response(
            "the response is a redirect, which is not followed",
        )),
        _ => Err(Failure::Response("the response is an error")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// Reads from a server that sends this response. Returns the result and the request.
    async fn probe(response: String) -> (Result<String, ProbeFailure>, String) {
        probe_at("127.0.0.1", response).await
    }

    /// Reads from a server with this host.
    async fn probe_at(host: &str, response: String) -> (Result<String, ProbeFailure>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let probe = HttpDomainProbe::new(AllowedTargets::default(), Some(format!("{host}:{port}")));
        let serving = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            // The client may stop reading.
            let _ = stream.write_all(response.as_bytes()).await;
            String::from_utf8(head).unwrap()
        });
        let name = "status.acme.example".parse().unwrap();
        let result = probe.read_tokens(&name, &acme()).await;
        (result, serving.await.unwrap())
    }

    fn acme() -> OrganisationId {
        OrganisationId::parse("acme").unwrap()
    }

    fn with_body(status: &str, body: &str) -> String {
        let length = body.len();
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}")
    }

    #[tokio::test]
    async fn the_check_address_is_asked_for_the_domain() {
        let (result, request) = probe(with_body("200 OK", "t1\nt2\n")).await;
        assert_eq!(result, Ok("t1\nt2\n".to_owned()));
        let request = request.to_ascii_lowercase();
        assert!(request.starts_with("get /.well-known/allclear-domain http/1.1\r\n"));
        assert_eq!(request.matches("\r\nhost: ").count(), 1);
        assert!(request.contains("\r\nallclear-claimant: acme\r\n"));
        assert!(
            request.contains("\r\nhost: status.acme.example\r\n"),
            "{request}"
        );
    }

    #[tokio::test]
    async fn the_check_address_may_be_a_name() {
        let (result, request) = probe_at("localhost", with_body("200 OK", "t1")).await;
        assert_eq!(result, Ok("t1".to_owned()));
        let host = "\r\nhost: status.acme.example\r\n";
        assert!(request.to_ascii_lowercase().contains(host), "{request}");
    }

    #[tokio::test]
    async fn other_responses_are_refused_with_a_reason() {
        let redirect =
            "HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n";
        for (response, reason) in [
            (redirect.to_owned(), "redirect"),
            (with_body("404 Not Found", "t1"), "no such page"),
            (with_body("500 Oops", "t1"), "an error"),
            (with_body("200 OK", &"x".repeat(BODY_LIMIT + 1)), "too long"),
            ("SSH-2.0-OpenSSH\r\n\r\n".to_owned(), "not valid"),
        ] {
            let (result, _) = probe(response).await;
            let failure = result.unwrap_err().to_string();
            assert!(failure.contains(reason), "{failure}");
        }
    }

    #[tokio::test]
    async fn a_domain_of_the_inner_network_is_not_asked() {
        let probe = HttpDomainProbe::new(AllowedTargets::default(), None);
        let name = "a.localhost".parse().unwrap();
        let result = probe.read_tokens(&name, &acme()).await;
        let failure = result.unwrap_err().to_string();
        assert!(failure.contains("address"), "{failure}");
    }
}
