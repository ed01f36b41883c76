//! The Engine.IO server: its sessions, and its actix resource.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use actix_web::http::header;
use actix_web::{HttpRequest, Resource, web};
use parking_lot::Mutex;
use tokio::sync::Notify;

use super::admission::{Admission, Permit, Permits, peer};
use super::connection::Connection;
use super::encoded::Encoded;
use super::handler::EngineHandler;
use super::handshake::Handshake;
use super::reason::{CloseReason, Refusal};
use super::session::Session;
use super::session_timer::SessionTimer;
use super::transport::{self, Transport};
use crate::settings::Settings;
use crate::sid::Sid;

/// The sessions of a server. They are under one lock with `is_closing`: a session that opens during
/// a shutdown is either refused, or known to the shutdown.
struct Sessions<H: EngineHandler> {
    by_sid: HashMap<Sid, Arc<Connection<H>>>,
    /// Whether the server is shutting down, and accepts no sessions.
    is_closing: bool,
}

impl<H: EngineHandler> Default for Sessions<H> {
    fn default() -> Self {
        Self {
            by_sid: HashMap::new(),
            is_closing: false,
        }
    }
}

/// An accepted request that opens a session.
pub(crate) struct Admitted {
    handshake: Handshake,
    permits: Option<Permits>,
}

/// An Engine.IO server.
pub struct Engine<H: EngineHandler> {
    handler: H,
    settings: Arc<Settings>,
    sessions: Mutex<Sessions<H>>,
    timer: SessionTimer,
    emptied: Notify,
    admission: Option<Arc<dyn Admission>>,
}

impl<H: EngineHandler> Engine<H> {
    /// Creates a server for the protocol on top.
    #[must_use]
    pub fn new(settings: Settings, handler: H) -> Arc<Self> {
        Self::with_admission(settings, handler, None)
    }

    /// Creates a server with limits on clients' sessions and polls.
    #[must_use]
    pub(crate) fn with_admission(
        settings: Settings,
        handler: H,
        admission: Option<Arc<dyn Admission>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            admission,
            handler,
            settings: Arc::new(settings),
            sessions: Mutex::default(),
            timer: SessionTimer::new(),
            emptied: Notify::new(),
        })
    }

    /// The actix resource for `path` (such as `/engine.io`), with and without a trailing slash.
    #[must_use]
    pub fn resource(self: &Arc<Self>, path: &str) -> Resource {
        let path = path.trim_end_matches('/').to_owned();
        let engine = Arc::clone(self);
        let respond = move |request: HttpRequest, payload: web::Payload| {
            let engine = Arc::clone(&engine);
            async move { transport::respond(&engine, &request, payload).await }
        };
        web::resource([format!("{path}/"), path]).to(respond)
    }

    /// The protocol on top.
    #[must_use]
    pub(crate) fn handler(&self) -> &H {
        &self.handler
    }

    /// Number of sessions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sessions.lock().by_sid.len()
    }

    /// Whether there is no session.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Closes every transport, accepts no new sessions, and waits until the protocol on top has
    /// handled the end of every session. Clients reconnect to another server.
    ///
    /// Call it while the HTTP server runs: its workers handle the ends of the sessions.
    pub async fn shutdown(&self) {
        let connections: Vec<_> = {
            let mut sessions = self.sessions.lock();
            sessions.is_closing = true;
            sessions.by_sid.values().cloned().collect()
        };
        for connection in connections {
            connection.session.drain(CloseReason::ShuttingDown);
        }
        loop {
            let emptied = self.emptied.notified();
            if self.is_empty() {
                return;
            }
            emptied.await;
        }
    }

    pub(crate) fn settings(&self) -> &Arc<Settings> {
        &self.settings
    }

    /// Checks the limits of upgrades, if there are any.
    pub(crate) fn admit_upgrade(&self, request: &HttpRequest) -> Result<(), Refusal> {
        let admitted = self.admission.as_ref();
        let admitted = admitted.map(|limits| limits.upgrade(request));
        admitted.unwrap_or(Ok(())).map_err(Refusal::OverLimit)
    }

    /// Counts a poll, if polls are limited.
    pub(crate) fn admit_poll(&self, request: &HttpRequest) -> Result<Option<Permit>, Refusal> {
        let admitted = self.admission.as_ref().map(|limits| limits.poll(request));
        admitted.transpose().map_err(Refusal::OverLimit)
    }

    /// Counts the body of a request that sends packets.
    pub(crate) fn admit_body(
        &self,
        request: &HttpRequest,
        most: usize,
    ) -> Result<Option<Permit>, Refusal> {
        let announced = request.headers().get(header::CONTENT_LENGTH);
        let announced = announced.and_then(|length| length.to_str().ok()?.parse().ok());
        let length = announced.unwrap_or(most).min(most);
        let admitted = self.admission.as_ref();
        let admitted = admitted.map(|limits| limits.body(request, length));
        admitted.transpose().map_err(Refusal::OverLimit)
    }

    /// Copies the needed data of a request that opens a session, and counts the session.
    pub(crate) fn admit(&self, request: &HttpRequest) -> Result<Admitted, Refusal> {
        let address = match &self.admission {
            Some(limits) => limits.address(request),
            None => peer(request),
        };
        let handshake =
            Handshake::of(request, &self.settings, address).ok_or(Refusal::BadRequest)?;
        let admitted = self
            .admission
            .as_ref()
            .map(|limits| limits.session(request));
        let permits = admitted.transpose().map_err(Refusal::OverLimit)?;
        Ok(Admitted { handshake, permits })
    }

    /// Opens a session and queues its `open` packet ("Handshake"). `None` if the server is
    /// shutting down.
    pub(crate) fn open(
        self: &Arc<Self>,
        transport: Transport,
        Admitted { handshake, permits }: Admitted,
    ) -> Option<Arc<Connection<H>>> {
        self.timer.ensure_running(self);
        let settings = Arc::clone(&self.settings);
        let session = Arc::new(Session::new(
            transport,
            handshake,
            settings,
            self.timer.handle(),
            permits,
        ));
        session.send(open_packet(session.sid, transport, &self.settings));
        let connection = Arc::new(Connection::new(Arc::clone(&session), Arc::clone(self)));
        {
            let mut sessions = self.sessions.lock();
            if sessions.is_closing {
                return None;
            }
            sessions.by_sid.insert(session.sid, Arc::clone(&connection));
        }
        session.schedule_next();
        Some(connection)
    }

    /// The session with this identifier, unless it has ended.
    pub(crate) fn find(&self, sid: &str) -> Option<Arc<Connection<H>>> {
        let connection = self
            .sessions
            .lock()
            .by_sid
            .get(&Sid::parse(sid)?)
            .cloned()?;
        connection.session.is_reachable().then_some(connection)
    }

    pub(crate) fn forget(&self, sid: Sid) {
        let mut guard = self.sessions.lock();
        let sessions = &mut guard.by_sid;
        sessions.remove(&sid);
        if sessions.capacity() > 1024 && sessions.len() < sessions.capacity() / 8 {
            sessions.shrink_to_fit();
        }
        let empty = sessions.is_empty();
        drop(guard);
        if empty {
            self.emptied.notify_waiters();
        }
    }

    /// Called by the timer; returns the time of the next call.
    pub(crate) fn fire(&self, sid: Sid, scheduled: Instant) -> Option<Instant> {
        let connection = self.sessions.lock().by_sid.get(&sid).cloned()?;
        let next = connection.session.fired(scheduled);
        connection.on_timer();
        if connection.is_over() {
            self.forget(sid);
        }
        next
    }
}

fn open_packet(sid: Sid, transport: Transport, settings: &Settings) -> Encoded {
    let upgrades = match transport {
        Transport::Polling if settings.allow_upgrades && settings.websocket => r#"["websocket"]"#,
        _ => "[]",
    };
    let (interval, timeout) = (
        settings.ping_interval.as_millis(),
        settings.ping_timeout.as_millis(),
    );
    let max = settings.max_http_buffer_size;
    Encoded::text(&format!(
        r#"0{{"sid":"{sid}","upgrades":{upgrades},"pingInterval":{interval},"pingTimeout":{timeout},"maxPayload":{max}}}"#
    ))
}

impl<H: EngineHandler> std::fmt::Debug for Engine<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("settings", &self.settings)
            .field("sessions", &self.len())
            .finish_non_exhaustive()
    }
}
