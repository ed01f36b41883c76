//! Authorisation of sockets.
//!
//! A socket opened with a token belongs to the token's session and organisation, and ends with
//! them. A socket without a token is anonymous and has no end.

use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use allclear_application::caller::{Caller, TokenError, TokenVerifier};
use allclear_application::clock::Clock;
use allclear_socketio::{Sid, SocketRef};
use chrono::{DateTime, Utc};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::sleep;

use crate::server::security_log::record_socket_refused;

/// How often expired tokens are searched while there are sockets with one.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A verified token.
#[derive(Clone)]
pub(super) struct Access {
    token: Arc<str>,
    caller: Caller,
}

impl Access {
    /// Expiry of the token; `None` for an API key that does not expire.
    pub(super) const fn expires_at(&self) -> Option<DateTime<Utc>> {
        self.caller.expires_at
    }

    fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at().is_some_and(|end| end <= now)
    }

    const fn is_of_key(&self) -> bool {
        self.caller.api_key.is_some()
    }

    /// Whether two tokens have the same subject, session and organisation.
    fn belongs_with(&self, other: &Self) -> bool {
        let organisation = |access: &Self| {
            access
                .caller
                .membership
                .as_ref()
                .map(|found| found.organisation.clone())
        };
        self.caller.subject == other.caller.subject
            && self.caller.session == other.caller.session
            && organisation(self) == organisation(other)
    }
}

/// The sockets with a token.
pub(super) struct SocketAuthorizer {
    verifier: Arc<dyn TokenVerifier>,
    clock: Arc<dyn Clock>,
    /// How often the sessions and memberships of tokens are verified again.
    check_interval: Duration,
    sockets: Mutex<HashMap<Sid, AuthorizedSocket>>,
    /// Notified when the first socket is authorised.
    first_authorized: Notify,
}

struct AuthorizedSocket {
    socket: SocketRef,
    access: Access,
}

/// Why a socket loses its access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RevokeReason {
    /// The access was revoked: the socket gets a disconnect packet, and its client does not
    /// reconnect.
    Revoked,
    /// The token has expired: the client reconnects with a fresh one.
    Expired,
}

impl SocketAuthorizer {
    pub(super) fn new(
        verifier: Arc<dyn TokenVerifier>,
        clock: Arc<dyn Clock>,
        check_interval: Duration,
    ) -> Self {
        Self {
            verifier,
            clock,
            check_interval,
            sockets: Mutex::default(),
            first_authorized: Notify::new(),
        }
    }

    /// Verifies a client's token.
    pub(super) async fn check(
        &self,
        client: Option<IpAddr>,
        token: &str,
    ) -> Result<Access, TokenError> {
        let outcome = self.verifier.verify(token).await;
        if let Err(error) = &outcome
            && let Some(reason) = error.reason()
        {
            record_socket_refused(client, reason);
        }
        let caller = outcome?;
        Ok(Access {
            token: token.into(),
            caller,
        })
    }

    /// Authorises a socket, or renews its access with a fresh token. False if the socket belongs to
    /// another session or organisation.
    pub(super) fn authorize(&self, socket: &SocketRef, access: Access) -> bool {
        let mut sockets = self.sockets.lock();
        if sockets
            .get(&socket.sid())
            .is_some_and(|authorized| !authorized.access.belongs_with(&access))
        {
            return false;
        }
        if sockets.is_empty() {
            self.first_authorized.notify_waiters();
        }
        sockets.insert(
            socket.sid(),
            AuthorizedSocket {
                socket: socket.clone(),
                access,
            },
        );
        true
    }

    /// Forgets a socket that has left.
    pub(super) fn forget(&self, socket: &SocketRef) {
        self.sockets.lock().remove(&socket.sid());
    }

    /// Disconnects sockets whose access has ended, for ever.
    pub(super) async fn run(&self) {
        // Side by side: a slow verification must not prolong the access of others beyond
        // their tokens.
        tokio::join!(self.run_expiry(), self.run_revocation());
    }

    async fn run_expiry(&self) {
        loop {
            self.some_authorized().await;
            sleep(POLL_INTERVAL).await;
            self.cut_expired();
        }
    }

    async fn run_revocation(&self) {
        loop {
            self.some_authorized().await;
            sleep(self.check_interval).await;
            self.cut_revoked(self.tokens()).await;
        }
    }

    /// Waits until there is an authorised socket.
    async fn some_authorized(&self) {
        let authorized = self.first_authorized.notified();
        if self.sockets.lock().is_empty() {
            authorized.await;
        }
    }

    fn cut_expired(&self) {
        let now = self.clock.now();
        self.cut(RevokeReason::Expired, |access| {
            !access.is_of_key() && access.is_expired(now)
        });
        // A key is not renewed: its client must not reconnect.
        self.cut(RevokeReason::Revoked, |access| {
            access.is_of_key() && access.is_expired(now)
        });
    }

    /// Each token of connected sockets once, however many use it.
    fn tokens(&self) -> BTreeSet<Arc<str>> {
        let mut sockets = self.sockets.lock();
        // After a panic of its handler, a socket is not forgotten otherwise.
        sockets.retain(|_, authorized| authorized.socket.is_connected());
        let tokens = sockets.values();
        tokens
            .map(|authorized| Arc::clone(&authorized.access.token))
            .collect()
    }

    async fn cut_revoked(&self, tokens: BTreeSet<Arc<str>>) {
        let mut has_failed = false;
        for token in tokens {
            match self.verifier.verify(&token).await {
                Ok(_) => has_failed = false,
                Err(refused @ (TokenError::Bad(_) | TokenError::KeyExpired)) => {
                    has_failed = false;
                    tracing::debug!(reason = refused.reason(), "socket access has ended");
                    // The token may have expired during the verification.
                    self.cut_expired();
                    self.cut(RevokeReason::Revoked, |access| access.token == token);
                }
                // The access ends with its token; that of a key without expiry lasts until it can
                // be verified.
                Err(TokenError::Unavailable(cause)) => {
                    tracing::warn!(
                        error = &*cause as &dyn std::error::Error,
                        "the access of sockets could not be verified"
                    );
                    // One token that cannot be verified keeps no access of others; after two in a
                    // row, none can be verified now.
                    if has_failed {
                        return;
                    }
                    has_failed = true;
                }
            }
        }
    }

    fn cut(&self, reason: RevokeReason, ended: impl Fn(&Access) -> bool) {
        let cut: Vec<_> = self
            .sockets
            .lock()
            .extract_if(|_, authorized| ended(&authorized.access))
            .collect();
        for (_, AuthorizedSocket { socket, .. }) in cut {
            match reason {
                RevokeReason::Revoked => socket.disconnect(),
                RevokeReason::Expired => socket.close_transport(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use allclear_application::caller::MockTokenVerifier;
    use allclear_application::clock::TestClock;

    #[tokio::test]
    async fn one_token_that_cannot_be_verified_holds_back_no_other_but_two_end_the_check() {
        for (unverifiable, expected) in [(1, 4), (2, 2)] {
            let mut verifier = MockTokenVerifier::new();
            let mut count = 0;
            verifier
                .expect_verify()
                .times(expected)
                .returning(move |_| {
                    count += 1;
                    Err(if count <= unverifiable {
                        TokenError::Unavailable("slow".into())
                    } else {
                        TokenError::Bad("revoked".to_owned())
                    })
                });
            let authorizer =
                SocketAuthorizer::new(Arc::new(verifier), TestClock::stopped(), Duration::ZERO);
            let tokens = ["a", "b", "c", "d"].map(Arc::from);
            authorizer.cut_revoked(BTreeSet::from(tokens)).await;
        }
    }
}
