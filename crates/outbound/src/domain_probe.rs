//! The check of domains over HTTP.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::custom_domain::{CLAIMANT, DomainProbe, ProbeFailure, TOKEN_PATH};
use allclear_domain::custom_domain::DomainName;
use allclear_domain::id::OrganisationId;
use async_trait::async_trait;
use reqwest::StatusCode;
use reqwest::header::{HOST, HeaderMap, HeaderName, HeaderValue};
use tokio::sync::OnceCell;
use url::Url;

use crate::client::{OutboundClient, OutboundSettings, RequestError, Response, Timeouts};
use crate::lookup::{SharedLookup, SystemLookup};
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
    settings: OutboundSettings,
    check_url: Option<Url>,
    /// Made for the first check. It keeps no idle connections: a domain is read at new ones.
    client: OnceCell<OutboundClient>,
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
        match &self.check_url {
            Some(url) => self.at_check_url(name, url, headers).await,
            None => self.at_own_address(name, &headers).await,
        }
    }
}

impl HttpDomainProbe {
    /// Reads domains. The listed targets may be connected to although they are not public.
    /// `check_server` is the URL of the server that receives the request instead of the domain's
    /// own addresses; `None` for those addresses.
    #[must_use]
    pub fn new(allowed: AllowedTargets, check_server: Option<Url>) -> Self {
        let allowed = match &check_server {
            // The installation names this server.
            Some(url) => allowed.with_host(url),
            None => allowed,
        };
        let check_url = check_server.map(|mut url| {
            url.set_path(TOKEN_PATH);
            url
        });
        let settings = OutboundSettings {
            allowed,
            allow_http: true,
        };
        Self {
            settings,
            check_url,
            client: OnceCell::new(),
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
            let url = Url::parse(&format!("{scheme}://{name}{TOKEN_PATH}"));
            let url = url.map_err(|_| ProbeFailure(TargetError::NotALink.to_string()))?;
            match self.ask(&url, headers.clone()).await {
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

    async fn at_check_url(
        &self,
        name: &DomainName,
        url: &Url,
        mut headers: HeaderMap,
    ) -> Result<String, ProbeFailure> {
        let response = async {
            let host = HeaderValue::from_str(name.as_str()).map_err(|_| TargetError::NotALink)?;
            headers.insert(HOST, host);
            self.ask(url, headers).await
        };
        response
            .await
            .map_err(|error| ProbeFailure(format!("{name} serves no token: by http {error}")))
    }

    async fn ask(&self, url: &Url, headers: HeaderMap) -> Result<String, Failure> {
        let client = self.client().await?;
        text(client.get(url, headers).await?).await
    }

    async fn client(&self) -> Result<&OutboundClient, RequestError> {
        self.client
            .get_or_try_init(|| {
                let settings = self.settings.clone();
                OutboundClient::make(move || {
                    let lookup = SharedLookup::new(Arc::new(SystemLookup), MAX_CONCURRENT_LOOKUPS);
                    OutboundClient::without_idle_connections(settings, Arc::new(lookup), TIMEOUTS)
                })
            })
            .await
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
    use tokio::net::{TcpListener, TcpStream};
    use tokio::time::timeout;

    /// Reads from a server that sends this response. Returns the result and the request.
    async fn probe(response: String) -> (Result<String, ProbeFailure>, String) {
        probe_at("127.0.0.1", response).await
    }

    /// Reads from a server with this host.
    async fn probe_at(host: &str, response: String) -> (Result<String, ProbeFailure>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let probe = probe_of(host, &listener);
        let serving = tokio::spawn(async move { serve(&listener, &response).await.0 });
        let name = "status.acme.example".parse().unwrap();
        let result = probe.read_tokens(&name, &acme()).await;
        (result, serving.await.unwrap())
    }

    /// A probe that asks a server with this host.
    fn probe_of(host: &str, listener: &TcpListener) -> HttpDomainProbe {
        let port = listener.local_addr().unwrap().port();
        let server = Url::parse(&format!("http://{host}:{port}")).unwrap();
        HttpDomainProbe::new(AllowedTargets::default(), Some(server))
    }

    /// Sends a response on the next connection. Returns the request and the connection.
    async fn serve(listener: &TcpListener, response: &str) -> (String, TcpStream) {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await.unwrap());
        }
        // The client may stop reading.
        let _ = stream.write_all(response.as_bytes()).await;
        (String::from_utf8(head).unwrap(), stream)
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
    async fn each_check_opens_a_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let probe = probe_of("127.0.0.1", &listener);
        let (name, organisation) = ("status.acme.example".parse().unwrap(), acme());
        let mut open = Vec::new();
        for token in ["t1", "t2"] {
            let response = with_body("200 OK", token);
            let served = timeout(Duration::from_secs(30), serve(&listener, &response));
            let (result, served) = tokio::join!(probe.read_tokens(&name, &organisation), served);
            assert_eq!(result, Ok(token.to_owned()));
            open.push(served.unwrap());
        }
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
