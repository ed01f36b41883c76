use super::*;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

/// A look-up with prepared results: the next at each look-up, the last for ever.
pub(crate) struct PreparedLookup(Mutex<VecDeque<Vec<IpAddr>>>);

impl PreparedLookup {
    pub(crate) fn new(results: &[&[&str]]) -> Arc<Self> {
        let addresses = |texts: &&[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        Arc::new(Self(Mutex::new(results.iter().map(addresses).collect())))
    }
}

#[async_trait]
impl Lookup for PreparedLookup {
    async fn addresses(&self, _: &str) -> Vec<IpAddr> {
        let mut results = self.0.lock();
        let first = results.pop_front().unwrap();
        if results.is_empty() {
            results.push_back(first.clone());
        }
        first
    }
}

/// A receiver on this machine that counts connections.
pub(crate) struct CountingReceiver {
    pub(crate) port: u16,
    connections: Arc<AtomicUsize>,
}

impl CountingReceiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let connections = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&connections);
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                counted.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        head.push(stream.read_u8().await?);
                    }
                    let response = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n";
                    stream.write_all(response).await?;
                    tokio::io::copy(&mut stream, &mut tokio::io::sink()).await
                });
            }
        });
        Self { port, connections }
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// A client for which this receiver's port is the one that every target may use, by HTTP too.
    pub(crate) fn client(&self, lookup: Arc<dyn Lookup>, allowed: &[&str]) -> OutboundClient {
        let rules = Rules {
            allowed: AllowedTargets::parse(allowed.iter().copied()).unwrap(),
            allow_http: true,
            ports: Ports {
                http: self.port,
                https: self.port,
            },
        };
        let timeouts = Timeouts::default();
        OutboundClient::with_rules(rules, lookup.into(), timeouts, IDLE_PER_HOST).unwrap()
    }

    pub(crate) fn url(&self, host: &str) -> Url {
        Url::parse(&format!("http://{host}:{}/hook", self.port)).unwrap()
    }
}

#[tokio::test]
async fn a_name_that_changes_its_address_is_not_followed_inside() {
    let receiver = CountingReceiver::start().await;
    let lookup = PreparedLookup::new(&[&["8.8.8.8"], &["127.0.0.1"]]);
    let client = receiver.client(lookup, &[]);
    let url = receiver.url("rebind.example");
    assert_eq!(client.check(&url).await, Ok(()));
    let refused = client.get(&url, HeaderMap::new()).await.unwrap_err();
    let expected = TargetError::NotPublic("rebind.example".into());
    assert_eq!(refused, RequestError::Refused(expected));
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn a_listed_name_is_connected_to() {
    let receiver = CountingReceiver::start().await;
    for listed in ["hooks.internal", "127.0.0.0/8"] {
        let lookup = PreparedLookup::new(&[&["127.0.0.1"]]);
        let client = receiver.client(lookup, &[listed]);
        let url = receiver.url("hooks.internal");
        assert_eq!(client.check(&url).await, Ok(()));
        let response = client.get(&url, HeaderMap::new()).await.unwrap();
        assert_eq!(response.status(), 204);
    }
    assert_eq!(receiver.connections(), 2);
}

#[tokio::test]
async fn http_and_other_ports_reach_listed_addresses_only() {
    let receiver = CountingReceiver::start().await;
    let url = receiver.url("hooks.internal");
    // The first address is public and not listed.
    let lookup = PreparedLookup::new(&[&["8.8.8.8", "127.0.0.1"]]);
    let settings = OutboundSettings {
        allowed: AllowedTargets::parse(["127.0.0.1"]).unwrap(),
        allow_http: false,
    };
    let client = OutboundClient::with(settings, lookup, Timeouts::default()).unwrap();
    assert_eq!(client.check(&url).await, Ok(()));
    client.get(&url, HeaderMap::new()).await.unwrap();
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn the_sentence_names_the_broken_rule() {
    for (url, allow_http, expected) in [
        ("http://a.example/", false, "Must begin with https://"),
        ("https://a.example:8443/", false, "Only port 443 is allowed"),
        ("http://a.example:8080/", true, "Only port 80 is allowed"),
        (
            "https://127.0.0.1/",
            false,
            "127.0.0.1 has no public address",
        ),
        ("https://[::1]/", false, "::1 has no public address"),
        (
            "https://u:p@a.example/",
            false,
            "Must not contain a user name or a password",
        ),
    ] {
        let settings = OutboundSettings {
            allow_http,
            ..OutboundSettings::default()
        };
        let lookup = PreparedLookup::new(&[&["8.8.8.8"]]);
        let client = OutboundClient::with(settings, lookup, Timeouts::default()).unwrap();
        let url = Url::parse(url).unwrap();
        let refused = client.check(&url).await.unwrap_err();
        assert_eq!(refused.to_string(), expected, "{url}");
        let sent = client.get(&url, HeaderMap::new()).await.unwrap_err();
        assert_eq!(sent, RequestError::Refused(refused), "{url}");
    }
}

#[tokio::test]
async fn a_name_without_a_public_address_may_have_one_later() {
    for found in [&[][..], &["10.0.0.1"]] {
        let lookup = PreparedLookup::new(&[found]);
        let settings = OutboundSettings::default();
        let client = OutboundClient::with(settings, lookup, Timeouts::default()).unwrap();
        let url = Url::parse("https://gone.example/").unwrap();
        let refused = client.check(&url).await.unwrap_err();
        assert_eq!(refused.to_string(), "gone.example has no public address");
        assert!(!refused.is_final(), "{found:?}");
    }
}

/// A look-up whose name servers never reply.
struct SilentLookup;

#[async_trait]
impl Lookup for SilentLookup {
    async fn addresses(&self, _: &str) -> Vec<IpAddr> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn silent_name_servers_are_given_up_in_time() {
    let settings = OutboundSettings::default();
    let lookup = Arc::new(SilentLookup);
    let client = OutboundClient::with(settings, lookup, Timeouts::default()).unwrap();
    let url = Url::parse("https://silent.example/").unwrap();
    let refused = client.check(&url).await.unwrap_err();
    assert_eq!(refused, TargetError::NoAddress("silent.example".into()));
    let failed = client.get(&url, HeaderMap::new()).await.unwrap_err();
    assert_eq!(failed, RequestError::ConnectTimeout);
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_not_sent() {
    let receiver = CountingReceiver::start().await;
    let lookup = PreparedLookup::new(&[&["127.0.0.1"]]);
    let client = receiver.client(lookup, &["127.0.0.1"]);
    let body = "x".repeat(BODY_LIMIT + 1);
    let url = receiver.url("127.0.0.1");
    let refused = client.post_json(&url, HeaderMap::new(), body).await;
    assert_eq!(refused.unwrap_err(), RequestError::TooLarge);
    assert_eq!(receiver.connections(), 0);
}
