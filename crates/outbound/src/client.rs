//! The client of all requests to addresses that people enter.

mod failure;
mod resolver;
mod response;
#[cfg(test)]
pub(crate) mod tests;

use std::error::Error;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Client, Method, RequestBuilder};
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use url::{Host, Url};

pub use self::failure::RequestError;
use self::resolver::CheckedResolver;
pub use self::response::Response;
use crate::lookup::{Lookup, SharedLookup, SystemLookup};
use crate::target::{AllowedTargets, Ports, Reach, Rules, TargetError};

/// Maximum number of bytes of a request's body.
const BODY_LIMIT: usize = 2 * 1024 * 1024;
/// Idle connections to one host, and how long they are kept: not long, because the number of hosts
/// has no limit.
const IDLE_PER_HOST: usize = 64;
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum number of concurrent look-ups: for requests, and for URLs that people enter. Many names
/// without a response, entered by one person, delay no delivery. The runtime has 512 threads for
/// them and for other work.
const MAX_CONCURRENT_LOOKUPS: usize = 256;
const MAX_CONCURRENT_CHECKS: usize = 64;

/// What the installation allows.
#[derive(Debug, Clone, Default)]
pub struct OutboundSettings {
    /// Targets that may be connected to although they are not public, by HTTP too, and on any port.
    pub allowed: AllowedTargets,
    /// Whether all targets may be connected to by HTTP.
    pub allow_http: bool,
}

/// Limits of a request's time.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// For the look-up of the name, the connection and its encryption.
    pub connect: Duration,
    /// For the whole request.
    pub request: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(3),
            request: Duration::from_secs(15),
        }
    }
}

/// A client that connects only to addresses that the rules allow: the addresses of one look-up are
/// checked, and the connection is made to one of them. It follows no redirects, uses no proxy,
/// keeps no cookies and decompresses nothing.
pub struct OutboundClient {
    /// The client for what visitors enter; `None` if it is this one, because they may enter each
    /// target that is listed.
    for_visitors: Option<Box<Self>>,
    rules: Arc<Rules>,
    /// The look-up of [`Self::check`].
    checks: Arc<dyn Lookup>,
    timeouts: Timeouts,
    /// For URLs that may lead to public addresses.
    public: Client,
    /// For URLs that may lead to listed targets only. It shares no connections with the other.
    listed: Client,
}

/// How a client looks names up.
#[derive(Clone)]
struct Lookups {
    requests: Arc<dyn Lookup>,
    checks: Arc<dyn Lookup>,
}

impl From<Arc<dyn Lookup>> for Lookups {
    fn from(lookup: Arc<dyn Lookup>) -> Self {
        Self {
            requests: Arc::clone(&lookup),
            checks: lookup,
        }
    }
}

impl OutboundClient {
    /// Makes a client on a thread that may wait. That reads the system's certificates, which takes
    /// milliseconds, and the calling thread handles other requests.
    pub(crate) async fn make(
        make: impl FnOnce() -> Result<Self, RequestError> + Send + 'static,
    ) -> Result<Self, RequestError> {
        let client = spawn_blocking(make).await;
        client.unwrap_or(Err(RequestError::NoClient))
    }

    /// A client with the look-up of the operating system, which requests share.
    ///
    /// # Errors
    /// If the system's certificates cannot be read.
    pub fn new(settings: OutboundSettings) -> Result<Self, RequestError> {
        let shared = |concurrent| Arc::new(SharedLookup::new(Arc::new(SystemLookup), concurrent));
        let lookups = Lookups {
            requests: shared(MAX_CONCURRENT_LOOKUPS),
            checks: shared(MAX_CONCURRENT_CHECKS),
        };
        Self::with_rules(rules(settings), lookups, Timeouts::default(), IDLE_PER_HOST)
    }

    /// A client with another look-up and other timeouts.
    ///
    /// # Errors
    /// If the system's certificates cannot be read.
    pub fn with(
        settings: OutboundSettings,
        lookup: Arc<dyn Lookup>,
        timeouts: Timeouts,
    ) -> Result<Self, RequestError> {
        Self::with_rules(rules(settings), lookup.into(), timeouts, IDLE_PER_HOST)
    }

    /// A client that opens a connection for each request.
    pub(crate) fn without_idle_connections(
        settings: OutboundSettings,
        lookup: Arc<dyn Lookup>,
        timeouts: Timeouts,
    ) -> Result<Self, RequestError> {
        Self::with_rules(rules(settings), lookup.into(), timeouts, 0)
    }

    fn with_rules(
        rules: Rules,
        lookups: Lookups,
        timeouts: Timeouts,
        idle_per_host: usize,
    ) -> Result<Self, RequestError> {
        let allowed = rules.allowed.for_visitors();
        let for_visitors = if allowed == rules.allowed {
            None
        } else {
            let rules = Rules { allowed, ..rules };
            let client = Self::with_rules(rules, lookups.clone(), timeouts, idle_per_host)?;
            Some(Box::new(client))
        };
        let Lookups { requests, checks } = lookups;
        let rules = Arc::new(rules);
        let client = |reach| {
            let resolver = CheckedResolver::new(Arc::clone(&rules), Arc::clone(&requests), reach);
            client(resolver, timeouts, idle_per_host)
        };
        Ok(Self {
            for_visitors,
            public: client(Reach::Public)?,
            listed: client(Reach::Listed)?,
            rules,
            checks,
            timeouts,
        })
    }

    /// The client for what visitors enter: it does not reach listed ranges, and shares no
    /// connections with this one if ranges are listed.
    pub(crate) fn for_visitors(&self) -> &Self {
        self.for_visitors.as_deref().unwrap_or(self)
    }

    /// Checks whether a URL may be connected to.
    ///
    /// # Errors
    /// A sentence for the person that entered the URL.
    pub async fn check(&self, url: &Url) -> Result<(), TargetError> {
        let reach = self.rules.reach(url)?;
        let Some(name) = name(url) else {
            return self.check_literal(url, reach);
        };
        let found = timeout(self.timeouts.connect, self.checks.addresses(name)).await;
        let kept = self.rules.filter(name, found.unwrap_or_default(), reach);
        kept.map(|_| ())
            .map_err(|error| self.explained(url, reach, error))
    }

    /// Sends a GET request.
    ///
    /// # Errors
    /// If the URL is refused or no response arrives.
    pub async fn get(&self, url: &Url, headers: HeaderMap) -> Result<Response, RequestError> {
        self.send(Method::GET, url, |request| request.headers(headers))
            .await
    }

    /// Sends a POST request with a JSON text.
    ///
    /// # Errors
    /// If the URL is refused or no response arrives.
    pub(crate) async fn post_json(
        &self,
        url: &Url,
        headers: HeaderMap,
        body: String,
    ) -> Result<Response, RequestError> {
        if body.len() > BODY_LIMIT {
            return Err(RequestError::TooLarge);
        }
        let json = HeaderValue::from_static("application/json");
        self.send(Method::POST, url, |request| {
            request
                .headers(headers)
                .header(CONTENT_TYPE, json)
                .body(body)
        })
        .await
    }

    async fn send(
        &self,
        method: Method,
        url: &Url,
        fill: impl FnOnce(RequestBuilder) -> RequestBuilder,
    ) -> Result<Response, RequestError> {
        let reach = self.rules.reach(url)?;
        if name(url).is_none() {
            // The resolver is not asked for addresses.
            self.check_literal(url, reach)?;
        }
        let client = match reach {
            Reach::Public => &self.public,
            Reach::Listed => &self.listed,
        };
        let request = fill(client.request(method, url.clone()));
        let response = request.send().await;
        response
            .map(Response::new)
            .map_err(|error| match RequestError::from(&error) {
                RequestError::Refused(refused) => self.explained(url, reach, refused).into(),
                other => other,
            })
    }

    fn check_literal(&self, url: &Url, reach: Reach) -> Result<(), TargetError> {
        let address: IpAddr = match url.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            Some(Host::Domain(_)) | None => return Err(TargetError::NotALink),
        };
        let kept = self
            .rules
            .filter(&address.to_string(), vec![address], reach);
        kept.map(|_| ())
            .map_err(|error| self.explained(url, reach, error))
    }

    /// The broken rule of scheme or port, if that is why only listed targets were kept.
    fn explained(&self, url: &Url, reach: Reach, error: TargetError) -> TargetError {
        match (reach, &error) {
            (Reach::Listed, TargetError::NotPublic(_)) => {
                self.rules.broken_rule(url).unwrap_or(error)
            }
            _ => error,
        }
    }
}

/// The host of a URL if it is a name.
fn name(url: &Url) -> Option<&str> {
    match url.host() {
        Some(Host::Domain(name)) => Some(name),
        _ => None,
    }
}

fn rules(settings: OutboundSettings) -> Rules {
    Rules {
        allowed: settings.allowed,
        allow_http: settings.allow_http,
        ports: Ports::default(),
    }
}

fn client(
    resolver: CheckedResolver,
    timeouts: Timeouts,
    idle_per_host: usize,
) -> Result<Client, RequestError> {
    // An error means that a provider of cryptography is installed already, which is used then.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .dns_resolver(resolver)
        .redirect(Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .no_proxy()
        .connect_timeout(timeouts.connect)
        .timeout(timeouts.request)
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(idle_per_host)
        .user_agent(concat!("allclear/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| {
            let error = &error as &dyn Error;
            tracing::error!(error, "no client for outgoing requests can be made");
            RequestError::NoClient
        })
}
