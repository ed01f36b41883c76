//! Which sessions may begin.

use std::net::IpAddr;
use std::sync::Arc;

use actix_web::HttpRequest;
use allclear_application::relay::Relay;
use allclear_socketio::{Admission, OverLimit, Permit, Permits};

use crate::limit::client_limits::{ClientLimits, RETRY_AFTER};

/// Refuses sessions over the limits of their clients, and all while this node does not know what is
/// committed: a connected viewer is expected to show the current state.
pub(super) struct SessionAdmission {
    pub(super) limits: Arc<ClientLimits>,
    pub(super) relay: Arc<Relay>,
}

impl Admission for SessionAdmission {
    fn address(&self, request: &HttpRequest) -> Option<IpAddr> {
        self.limits.address(request)
    }

    fn session(&self, request: &HttpRequest) -> Result<Permits, OverLimit> {
        if self.relay.is_stale() {
            return Err(OverLimit::server(RETRY_AFTER));
        }
        self.limits.session(request)
    }

    fn upgrade(&self, request: &HttpRequest) -> Result<(), OverLimit> {
        self.limits.upgrade(request)
    }

    fn poll(&self, request: &HttpRequest) -> Result<Permit, OverLimit> {
        self.limits.poll(request)
    }

    fn body(&self, request: &HttpRequest, length: usize) -> Result<Permit, OverLimit> {
        self.limits.body(request, length)
    }
}
