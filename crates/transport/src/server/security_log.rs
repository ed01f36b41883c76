//! Security log records of requests.

use std::net::IpAddr;
use std::sync::LazyLock;

use actix_web::{HttpMessage, HttpRequest, web};
use allclear_application::security_log::{SecurityEvent, SecurityRecord};
use allclear_domain::rate_limit::RateLimit;

use crate::limit::bucket::ClientBucket;
use crate::limit::client_network::client;
use crate::server::client_address::TrustedProxies;
use crate::server::request_log::RequestId;

/// Limit per client address for records of refused requests.
static REFUSED_RECORDS: LazyLock<ClientBucket> = LazyLock::new(|| {
    ClientBucket::new(RateLimit {
        burst: 30,
        per_hour: 600,
    })
});

/// Writes a record with the address and the identifier of its request.
pub(crate) fn record(request: &HttpRequest, record: SecurityRecord<'_>) {
    let id = request.extensions().get::<RequestId>().cloned();
    let proxies = request.app_data::<web::Data<TrustedProxies>>();
    SecurityRecord {
        address: proxies.and_then(|proxies| proxies.client(request)),
        request_id: id.as_ref().and_then(|id| id.0.to_str().ok()),
        ..record
    }
    .write();
}

/// Writes a record of a refused request. Records over the limit are dropped, so that no client can
/// fill the disk.
pub(crate) fn record_refused(request: &HttpRequest, refused: SecurityRecord<'_>) {
    if REFUSED_RECORDS.take_or_refuse(&client(request)).is_ok() {
        record(request, refused);
    }
}

/// Records a bad token of a client's socket. Clients of unknown address count as one.
pub(crate) fn record_socket_refused(client: Option<IpAddr>, reason: &str) {
    let counted = client.unwrap_or(IpAddr::from([0; 16]));
    if REFUSED_RECORDS.take_or_refuse(&counted).is_ok() {
        SecurityRecord {
            address: client,
            object: Some(&"socket"),
            detail: Some(reason),
            ..SecurityRecord::new(SecurityEvent::TokenRefused)
        }
        .write();
    }
}

/// Records a 429 response.
pub(crate) fn record_throttled(request: &HttpRequest) {
    let route = request.match_pattern();
    let route = route.as_deref().unwrap_or("other");
    let throttled = SecurityRecord {
        object: Some(&route),
        ..SecurityRecord::new(SecurityEvent::Throttled)
    };
    record_refused(request, throttled);
}
