//! The Engine.IO server: its sessions, and its place in an actix application.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use actix_web::{HttpRequest, Resource, web};
use tokio::sync::Notify;

use super::{
    admission::{Admission, Permit, Permits},
    connection::Connection,
    encoded::Encoded,
    handler::EngineHandler,
    handshake::Handshake,
    reason::{CloseReason, Refusal},
    session::Session,
    session_state::Transport,
    session_timer::SessionTimer,
    transport,
};
use crate::{settings::Settings, sid::Sid, sync::lock};

type Sessions<H> = HashMap<Sid, Arc<Connection<H>>>;

/// A request that may open a session.
pub(crate) struct Admitted {
    handshake: Handshake,
    permits: Option<Permits>,
}

/// An Engine.IO server.
pub struct Engine<H: EngineHandler> {
    handler: H,
    settings: Arc<Settings>,
    sessions: Mutex<Sessions<H>>,
    housekeeper: SessionTimer,
    emptied: Notify,
    closing: AtomicBool,
    admission: Option<Arc<dyn Admission>>,
}

impl<H: EngineHandler> Engine<H> {
    /// Makes a server for the protocol on top.
    #[must_use]
    pub fn new(settings: Settings, handler: H) -> Arc<Self> {
        Self::with_admission(settings, handler, None)
    }

    /// The same with limits on clients' sessions and polls.
    #[must_use]
    pub fn with_admission(
        settings: Settings,
        handler: H,
        admission: Option<Arc<dyn Admission>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            admission,
            handler,
            settings: Arc::new(settings),
            sessions: Mutex::new(HashMap::new()),
            housekeeper: SessionTimer::new(),
            emptied: Notify::new(),
            closing: AtomicBool::new(false),
        })
    }

    /// The resource that answers `path` (`/engine.io`), with and without a slash at its end.
    #[must_use]
    pub fn resource(self: &Arc<Self>, path: &str) -> Resource {
        let path = path.trim_end_matches('/').to_owned();
        let engine = Arc::clone(self);
        let answer = move |request: HttpRequest, payload: web::Payload| {
            let engine = Arc::clone(&engine);
            async move { transport::answer(&engine, &request, payload).await }
        };
        web::resource([format!("{path}/"), path]).to(answer)
    }

    /// The protocol on top.
    #[must_use]
    pub fn handler(&self) -> &H {
        &self.handler
    }

    /// How many sessions there are.
    #[must_use]
    pub fn len(&self) -> usize {
        lock(&self.sessions).len()
    }

    /// Whether there is no session.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Closes every transport, takes no new sessions, and waits until the last one's end was told to the layer above. The
    /// clients come back to whoever answers next.
    pub async fn shutdown(&self) {
        self.closing.store(true, Ordering::Release);
        let sessions: Vec<_> = lock(&self.sessions).values().cloned().collect();
        for connection in sessions {
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

    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Counts a poll, if polls are limited.
    pub(crate) fn admit_poll(&self, request: &HttpRequest) -> Result<Option<Permit>, Refusal> {
        let admitted = self.admission.as_ref().map(|limits| limits.poll(request));
        admitted.transpose().map_err(Refusal::Busy)
    }

    /// Takes in what is used of a request that opens a session, and counts the session.
    pub(crate) fn admit(&self, request: &HttpRequest) -> Result<Admitted, Refusal> {
        let handshake = Handshake::of(request, &self.settings).ok_or(Refusal::BadRequest)?;
        let admitted = self
            .admission
            .as_ref()
            .map(|limits| limits.session(request));
        let permits = admitted.transpose().map_err(Refusal::Busy)?;
        Ok(Admitted { handshake, permits })
    }

    /// Opens a session; its `open` packet waits to be sent ("Handshake").
    pub(crate) fn open(
        self: &Arc<Self>,
        transport: Transport,
        Admitted { handshake, permits }: Admitted,
    ) -> Arc<Connection<H>> {
        self.housekeeper.ensure(self);
        let settings = Arc::clone(&self.settings);
        let session = Arc::new(Session::new(
            transport,
            handshake,
            settings,
            self.housekeeper.errands(),
            permits,
        ));
        session.send(open_packet(session.sid, transport, &self.settings));
        let connection = Arc::new(Connection::new(Arc::clone(&session), Arc::clone(self)));
        lock(&self.sessions).insert(session.sid, Arc::clone(&connection));
        session.plan();
        connection
    }

    /// The session a client names, unless it has ended.
    pub(crate) fn find(&self, sid: &str) -> Option<Arc<Connection<H>>> {
        let connection = lock(&self.sessions).get(&Sid::parse(sid)?).cloned()?;
        connection.session.is_reachable().then_some(connection)
    }

    pub(crate) fn forget(&self, sid: Sid) {
        let mut sessions = lock(&self.sessions);
        sessions.remove(&sid);
        if sessions.capacity() > 1024 && sessions.len() < sessions.capacity() / 8 {
            sessions.shrink_to_fit();
        }
        let empty = sessions.is_empty();
        drop(sessions);
        if empty {
            self.emptied.notify_waiters();
        }
    }

    /// The housekeeper calls: answers when to call again.
    pub(crate) fn visit(&self, sid: Sid, planned: Instant) -> Option<Instant> {
        let connection = lock(&self.sessions).get(&sid).cloned()?;
        let next = connection.session.visited(planned);
        connection.attend();
        if connection.is_over() {
            self.forget(sid);
        }
        next
    }
}

fn open_packet(sid: Sid, transport: Transport, settings: &Settings) -> Arc<Encoded> {
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
