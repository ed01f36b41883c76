//! The check of domains over HTTP.

use std::net::SocketAddr;

use allclear_application::domain::{DomainProbe, ProbeFailure, TOKEN_PATH};
use allclear_domain::domain::DomainName;
use async_trait::async_trait;
use reqwest::header::HOST;
use reqwest::{Client, RequestBuilder, StatusCode};

use crate::target::{self, AllowedTargets, TargetError};

/// Maximum of bytes that are read of a response.
const BODY_LIMIT: usize = 4 * 1024;

/// Reads domains at their addresses, or all of them at one address.
#[derive(Debug, Clone, Default)]
pub struct HttpDomainProbe {
    /// Targets that may be connected to although they are not public.
    pub allowed: AllowedTargets,
    /// Host and port that receive the request by HTTP instead of the domain's own addresses; `None` for those addresses.
    pub check_address: Option<String>,
}

#[async_trait]
impl DomainProbe for HttpDomainProbe {
    async fn read_tokens(&self, name: &DomainName) -> Result<String, ProbeFailure> {
        match &self.check_address {
            Some(address) => at_check_address(name, address).await,
            None => self.at_own_address(name).await,
        }
    }
}

impl HttpDomainProbe {
    /// Sends a request by HTTPS, then by HTTP, to the addresses of one lookup.
    async fn at_own_address(&self, name: &DomainName) -> Result<String, ProbeFailure> {
        let addresses = self.allowed.resolve(name.as_str()).await;
        let addresses = addresses.map_err(|error| ProbeFailure(error.to_string()))?;
        let client = target::client(name.as_str(), &addresses)
            .map_err(|error| ProbeFailure(format!("{name} cannot be asked: {error}")))?;
        let mut reasons = Vec::new();
        for scheme in ["https", "http"] {
            let request = client.get(format!("{scheme}://{name}{TOKEN_PATH}"));
            match ask(request).await {
                Ok(text) => return Ok(text),
                Err(error) => reasons.push(format!("by {scheme} {error}")),
            }
        }
        let reasons = reasons.join(", ");
        Err(ProbeFailure(format!("{name} serves no token: {reasons}")))
    }
}

async fn at_check_address(name: &DomainName, address: &str) -> Result<String, ProbeFailure> {
    let no_override: [SocketAddr; 0] = [];
    let asked = async {
        let client: Client = target::client(name.as_str(), &no_override)?;
        let request = client.get(format!("http://{address}{TOKEN_PATH}"));
        ask(request.header(HOST, name.as_str())).await
    };
    asked
        .await
        .map_err(|error| ProbeFailure(format!("{name} serves no token: by http {error}")))
}

async fn ask(request: RequestBuilder) -> Result<String, TargetError> {
    let response = request.send().await;
    let response = response.map_err(|error| target::failure(&error))?;
    match response.status() {
        StatusCode::OK => target::text(response, BODY_LIMIT).await,
        StatusCode::NOT_FOUND => Err(TargetError::Failed("there is no such page")),
        status if status.is_redirection() => Err(TargetError::Failed(
            "the response is a redirect, which is not followed",
        )),
        _ => Err(TargetError::Failed("the response is an error")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    /// Reads from a server that sends this response. Returns the result and the request.
    async fn asked(response: String) -> (Result<String, ProbeFailure>, String) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let probe = HttpDomainProbe {
            check_address: Some(listener.local_addr().unwrap().to_string()),
            ..HttpDomainProbe::default()
        };
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
        let result = probe.read_tokens(&name).await;
        (result, serving.await.unwrap())
    }

    fn with_body(status: &str, body: &str) -> String {
        let length = body.len();
        format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\n\r\n{body}")
    }

    #[tokio::test]
    async fn the_check_address_is_asked_for_the_domain() {
        let (result, request) = asked(with_body("200 OK", "t1\nt2\n")).await;
        assert_eq!(result, Ok("t1\nt2\n".to_owned()));
        let request = request.to_ascii_lowercase();
        assert!(request.starts_with("get /.well-known/allclear-domain http/1.1\r\n"));
        assert_eq!(request.matches("\r\nhost: ").count(), 1);
        assert!(
            request.contains("\r\nhost: status.acme.example\r\n"),
            "{request}"
        );
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
            let (result, _) = asked(response).await;
            let failure = result.unwrap_err().to_string();
            assert!(failure.contains(reason), "{failure}");
        }
    }

    #[tokio::test]
    async fn a_domain_of_the_inner_network_is_not_asked() {
        let probe = HttpDomainProbe::default();
        let refused = probe.read_tokens(&"a.localhost".parse().unwrap()).await;
        let failure = refused.unwrap_err().to_string();
        assert!(failure.contains("address"), "{failure}");
    }
}
