//! To whom a socket belongs, and for how long.
//!
//! A socket that was opened with a token belongs to the token's session and organisation and does not outlive them. Without a
//! token it belongs to nobody and has no end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use allclear_application::caller::{Caller, TokenError, TokenVerifier};
use allclear_application::clock::Clock;
use allclear_socketio::{Sid, SocketRef};
use chrono::{DateTime, Utc};
use tokio::time::{Instant, MissedTickBehavior, interval};

use crate::security_log::record_socket_refused;

/// How often it is looked for tokens that have expired.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// What a token gives.
#[derive(Clone)]
pub(super) struct Access {
    token: Arc<str>,
    caller: Caller,
}

impl Access {
    /// When it ends unless it is renewed.
    pub(super) const fn expires_at(&self) -> DateTime<Utc> {
        self.caller.expires_at
    }

    /// Whether two tokens are of the same person, session and organisation.
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

/// The sockets that belong to somebody.
pub(super) struct SocketAuthorizer {
    verifier: Arc<dyn TokenVerifier>,
    clock: Arc<dyn Clock>,
    /// How often it is asked whether a token's session and membership still stand.
    every: Duration,
    sockets: Mutex<HashMap<Sid, AuthorizedSocket>>,
}

struct AuthorizedSocket {
    socket: SocketRef,
    access: Access,
}

/// What becomes of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RevokeReason {
    /// Its access is gone for good: it is told, and its client does not come back by itself.
    Revoked,
    /// Its token has expired: its client comes back with a fresh one.
    Expired,
}

impl SocketAuthorizer {
    pub(super) fn new(
        verifier: Arc<dyn TokenVerifier>,
        clock: Arc<dyn Clock>,
        every: Duration,
    ) -> Self {
        Self {
            verifier,
            clock,
            every,
            sockets: Mutex::default(),
        }
    }

    /// What a token gives.
    pub(super) async fn check(&self, token: &str) -> Result<Access, TokenError> {
        let outcome = self.verifier.verify(token).await;
        if let Err(TokenError::Bad(reason)) = &outcome {
            record_socket_refused(reason);
        }
        let caller = outcome?;
        Ok(Access {
            token: token.into(),
            caller,
        })
    }

    /// Has a socket belong to somebody from here on, or live on with a fresh token; false where it belongs to another
    /// session or organisation already.
    pub(super) fn admit(&self, socket: &SocketRef, access: Access) -> bool {
        let mut sockets = self.lock();
        if sockets
            .get(&socket.sid())
            .is_some_and(|guarded| !guarded.access.belongs_with(&access))
        {
            return false;
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

    /// A socket has left.
    pub(super) fn forget(&self, socket: &SocketRef) {
        self.lock().remove(&socket.sid());
    }

    /// Cuts sockets whose access has ended.
    pub(super) async fn run(&self) {
        let mut tick = interval(POLL_INTERVAL.min(self.every));
        tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut verified = Instant::now();
        loop {
            tick.tick().await;
            self.cut_expired();
            if verified.elapsed() >= self.every {
                self.cut_revoked().await;
                verified = Instant::now();
            }
        }
    }

    fn cut_expired(&self) {
        let now = self.clock.now();
        self.cut(RevokeReason::Expired, |access| access.expires_at() <= now);
    }

    /// Asks for each token once, however many sockets it has opened.
    async fn cut_revoked(&self) {
        let mut tokens: Vec<_> = self
            .lock()
            .values()
            .map(|guarded| Arc::clone(&guarded.access.token))
            .collect();
        tokens.sort_unstable();
        tokens.dedup();
        for token in tokens {
            match self.verifier.verify(&token).await {
                Ok(_) => {}
                Err(TokenError::Bad(reason)) => {
                    tracing::debug!(reason, "a socket's access has ended");
                    // It may have expired while it was asked about.
                    self.cut_expired();
                    self.cut(RevokeReason::Revoked, |access| access.token == token);
                }
                // Whether access still stands cannot be known now; its expiry bounds how long that may last.
                Err(TokenError::Unavailable(_)) => return,
            }
        }
    }

    fn cut(&self, verdict: RevokeReason, ended: impl Fn(&Access) -> bool) {
        let cut: Vec<_> = self
            .lock()
            .extract_if(|_, guarded| ended(&guarded.access))
            .collect();
        for (_, AuthorizedSocket { socket, .. }) in cut {
            match verdict {
                RevokeReason::Revoked => socket.disconnect(),
                RevokeReason::Expired => socket.close_transport(),
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Sid, AuthorizedSocket>> {
        self.sockets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
