//! The security log of requests.

use std::net::IpAddr;
use std::sync::LazyLock;

use actix_web::http::header::HeaderValue;
use actix_web::{HttpMessage, HttpRequest, web};
use allclear_application::security_log::{SecurityEvent, SecurityRecord};

use crate::client_address::TrustedProxies;
use crate::throttle::{Bucket, Limit, client};

/// Identifier of a request, for the handlers.
#[derive(Clone)]
pub(crate) struct RequestId(pub(crate) HeaderValue);

/// Lines that a client can cause at will, without an account: as many for each client address.
static STRANGERS: LazyLock<Bucket<IpAddr>> = LazyLock::new(|| {
    Bucket::new(Limit {
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

/// Writes a record that a stranger has caused, unless the client has caused too many of late: nobody can fill the disk.
pub(crate) fn record_of_stranger(request: &HttpRequest, stranger: SecurityRecord<'_>) {
    if STRANGERS.count(&client(request)).is_ok() {
        record(request, stranger);
    }
}

/// A socket presented a bad token. Its address is not known here.
pub(crate) fn record_socket_refused(reason: &str) {
    if STRANGERS.count(&IpAddr::from([0; 16])).is_ok() {
        SecurityRecord {
            object: Some(&"socket"),
            detail: Some(reason),
            ..SecurityRecord::new(SecurityEvent::TokenRefused)
        }
        .write();
    }
}

/// A client tried something too often at a route.
pub(crate) fn record_throttled(request: &HttpRequest) {
    let route = request.match_pattern();
    let route = route.as_deref().unwrap_or("other");
    let throttled = SecurityRecord {
        object: Some(&route),
        ..SecurityRecord::new(SecurityEvent::Throttled)
    };
    record_of_stranger(request, throttled);
}
