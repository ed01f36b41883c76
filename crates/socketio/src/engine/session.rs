//! A session: the rules of [`SessionState`] behind a lock, and the tasks to wake.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Waker};
use std::time::Instant;

use bytes::Bytes;
use parking_lot::Mutex;

use super::admission::{Permit, Permits};
use super::encoded::Encoded;
use super::handshake::Handshake;
use super::outcome::{Output, PollError, Received};
use super::packet::{Message, Packet};
use super::reason::CloseReason;
use super::session_state::SessionState;
use super::session_timer::TimerHandle;
use super::transport::Transport;
use super::upgrade::Probe;
use crate::settings::Settings;
use crate::sid::Sid;

/// One client's session. Cheap to clone, usable from any thread.
#[derive(Clone, Debug)]
pub struct EngineSocket(pub(crate) Arc<Session>);

impl EngineSocket {
    /// Identifier of the session. It is a credential and must not be shown to other clients.
    #[must_use]
    pub fn sid(&self) -> Sid {
        self.0.sid
    }

    /// The request that opened the session.
    #[must_use]
    pub fn handshake(&self) -> &Handshake {
        &self.0.handshake
    }

    /// Sends a message. It is lost if the session is closed. If the queue is full, the session
    /// is closed.
    pub fn send(&self, message: Message) {
        self.0.send(Encoded::message(message));
    }

    /// Closes the session after the queued packets have been delivered.
    pub fn close(&self) {
        self.0.drain(CloseReason::ForcedClose);
    }

    /// Requests a call of [`EngineHandler::notified`](super::EngineHandler::notified). Requests that
    /// wait together are one call.
    pub fn notify(&self) {
        self.0.notify();
    }

    /// Whether the session is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.0.inner.lock().state.is_open()
    }
}

/// What a WebSocket sends.
pub(crate) enum WebsocketOutput {
    /// Bytes of a packet, and whether more of it follows.
    Part(Bytes, bool),
    /// Nothing for now.
    Idle,
    /// Its close frame.
    Close,
}

#[derive(Debug)]
struct Inner {
    state: SessionState,
    /// The waiting poll, or the WebSocket.
    reader: Option<Waker>,
    /// The upgrading WebSocket.
    upgrader: Option<Waker>,
    /// Whether the WebSocket may still be sending the packet that it has taken from the queue.
    sending: bool,
    /// What the WebSocket has not taken of that packet. It is here, and not in the WebSocket, so
    /// that the end of the session frees it while the connection waits for its client.
    rest: Bytes,
    /// Number of responses to polls that are still being sent.
    responses: usize,
    /// Wait until the queue is empty and its packets are sent.
    flush_waiters: Vec<Waker>,
    /// Time of the next timer call.
    fires_at: Option<Instant>,
}

impl Inner {
    /// The tasks to wake if everything is sent or the session has ended.
    fn take_flush_waiters(&mut self) -> Vec<Waker> {
        if self.is_flushed() {
            mem::take(&mut self.flush_waiters)
        } else {
            Vec::new()
        }
    }

    fn is_flushed(&self) -> bool {
        let is_sent = self.state.queued() == 0 && !self.sending && self.responses == 0;
        is_sent || !self.state.is_open()
    }
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) sid: Sid,
    pub(crate) handshake: Handshake,
    pub(crate) settings: Arc<Settings>,
    timer: TimerHandle,
    /// Whether the protocol on top requested a call.
    notified: AtomicBool,
    inner: Mutex<Inner>,
    permits: SessionPermits,
}

/// The permits of the session.
#[derive(Default)]
struct SessionPermits {
    _session: Option<Permit>,
    /// Until the session has joined its first namespace.
    handshake: Mutex<Option<Permit>>,
}

impl std::fmt::Debug for SessionPermits {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SessionPermits").finish_non_exhaustive()
    }
}

impl From<Option<Permits>> for SessionPermits {
    fn from(permits: Option<Permits>) -> Self {
        permits.map_or_else(Self::default, |permits| Self {
            _session: Some(permits.session),
            handshake: Mutex::new(Some(permits.handshake)),
        })
    }
}

impl Session {
    pub(crate) fn new(
        transport: Transport,
        handshake: Handshake,
        settings: Arc<Settings>,
        timer: TimerHandle,
        permits: Option<Permits>,
    ) -> Self {
        let state = SessionState::new(transport, Instant::now(), &settings);
        let inner = Inner {
            state,
            reader: None,
            upgrader: None,
            sending: false,
            rest: Bytes::new(),
            responses: 0,
            flush_waiters: Vec::new(),
            fires_at: None,
        };
        Self {
            sid: Sid::random(),
            handshake,
            settings,
            timer,
            notified: AtomicBool::new(false),
            inner: Mutex::new(inner),
            permits: permits.into(),
        }
    }

    /// The client has joined its first namespace.
    pub(crate) fn joined(&self) {
        self.permits.handshake.lock().take();
        self.expire_at(None);
    }

    /// Runs `act` on the state and wakes the tasks that the change concerns.
    fn change<T>(&self, act: impl FnOnce(&mut SessionState) -> T) -> T {
        self.change_inner(|inner| act(&mut inner.state))
    }

    /// [`Self::change`] for changes that also concern the timer or the stored wakers.
    fn change_inner<T>(&self, act: impl FnOnce(&mut Inner) -> T) -> T {
        let mut inner = self.inner.lock();
        let (was_open, was_closed) = (inner.state.is_open(), inner.state.is_closed());
        let (queued, had_upgrade) = (inner.state.queued(), inner.state.has_upgrade());
        let result = act(&mut inner);
        if inner.state.is_closed() {
            inner.rest = Bytes::new();
        }
        let ended = was_open != inner.state.is_open() || was_closed != inner.state.is_closed();
        let reader = (ended || inner.state.queued() > queued)
            .then(|| inner.reader.take())
            .flatten();
        let upgrader = (ended || had_upgrade && !inner.state.has_upgrade())
            .then(|| inner.upgrader.take())
            .flatten();
        let flush_waiters = inner.take_flush_waiters();
        drop(inner);
        let woken = reader.into_iter().chain(upgrader);
        woken.chain(flush_waiters).for_each(Waker::wake);
        if ended {
            self.timer.run_now(self.sid);
        }
        result
    }

    pub(crate) fn send(&self, packet: Encoded) {
        self.change(|state| state.push(packet, &self.settings));
    }

    pub(crate) fn close(&self, reason: CloseReason) {
        self.change(|state| state.close(reason));
    }

    pub(crate) fn drain(&self, reason: CloseReason) {
        let until = self.change(|state| {
            let now = Instant::now();
            state.drain(reason, now);
            state.tick(now, &self.settings)
        });
        self.schedule_at(until);
    }

    /// Closes the session at `at`; `None` cancels that.
    pub(crate) fn expire_at(&self, at: Option<Instant>) {
        self.change(|state| state.expire_at(at));
    }

    /// Requests a call to the protocol on top, in its own task.
    pub(crate) fn notify(&self) {
        if !self.notified.swap(true, Ordering::AcqRel) {
            self.timer.run_now(self.sid);
        }
    }

    /// Whether a call was requested since the last time.
    pub(crate) fn take_notification(&self) -> bool {
        self.notified.swap(false, Ordering::AcqRel)
    }

    /// Whether the runner has something to do besides jobs.
    pub(crate) fn needs_runner(&self) -> bool {
        self.notified.load(Ordering::Acquire) || !self.is_open()
    }

    pub(crate) fn reason(&self) -> Option<CloseReason> {
        self.inner.lock().state.reason()
    }

    pub(crate) fn is_open(&self) -> bool {
        self.inner.lock().state.is_open()
    }

    /// Whether the client can still use the session: it is open, or closing with packets left to
    /// fetch. The state is updated first, so that a session whose ping has just timed out counts as
    /// gone before the timer has fired.
    pub(crate) fn is_reachable(&self) -> bool {
        self.change(|state| state.tick(Instant::now(), &self.settings))
            .is_some()
    }

    /// Number of queued packets.
    pub(crate) fn queued(&self) -> usize {
        self.inner.lock().state.queued()
    }

    pub(crate) fn transport(&self) -> Transport {
        self.inner.lock().state.transport()
    }

    /// Called by the timer for the time `scheduled`; returns the time of the next call. `None` if
    /// an earlier call has replaced this one, or if the session has ended.
    pub(crate) fn fired(&self, scheduled: Instant) -> Option<Instant> {
        self.change_inner(|inner| {
            if inner.fires_at != Some(scheduled) {
                return None;
            }
            inner.fires_at = inner.state.tick(Instant::now(), &self.settings);
            inner.fires_at
        })
    }

    /// Schedules a timer call at `at`, unless an earlier one is scheduled.
    pub(crate) fn schedule_at(&self, at: Option<Instant>) {
        let Some(at) = at else { return };
        let mut inner = self.inner.lock();
        if inner.fires_at.is_none_or(|scheduled| at < scheduled) {
            inner.fires_at = Some(at);
            self.timer.fire_at(self.sid, at);
        }
    }

    /// Does what is due, and schedules the next timer call.
    pub(crate) fn schedule_next(&self) {
        let at = self.change(|state| state.tick(Instant::now(), &self.settings));
        self.schedule_at(at);
    }

    pub(crate) fn receive(&self, packet: Packet) -> Received {
        self.change(|state| state.receive(packet, Instant::now(), &self.settings))
    }

    pub(crate) fn begin_poll(&self) -> Result<(), PollError> {
        self.change(SessionState::begin_poll)
    }

    /// The packets of the response to a poll. [`Self::response_sent`] follows.
    pub(crate) fn poll_packets(&self, context: &mut Context<'_>) -> Poll<Vec<Encoded>> {
        self.change_inner(|inner| {
            let Some(packets) = inner.state.take_poll() else {
                store_waker(&mut inner.reader, context);
                return Poll::Pending;
            };
            inner.state.end_poll();
            inner.responses += 1;
            Poll::Ready(packets)
        })
    }

    /// The response to a poll was sent, or its connection has ended.
    pub(crate) fn response_sent(&self) {
        self.change_inner(|inner| inner.responses -= 1);
    }

    pub(crate) fn is_polled(&self) -> bool {
        self.inner.lock().state.is_polled()
    }

    pub(crate) fn abandon_poll(&self) {
        self.change(SessionState::abandon_poll);
    }

    pub(crate) fn begin_post(&self) -> Result<(), PollError> {
        self.change(SessionState::begin_post)
    }

    pub(crate) fn end_post(&self) {
        self.inner.lock().state.end_post();
    }

    /// What the WebSocket sends next, after everything before was handed to its connection. Stores
    /// the waker if there is nothing.
    pub(crate) fn poll_output(
        &self,
        max_bytes: usize,
        context: &mut Context<'_>,
    ) -> WebsocketOutput {
        self.change_inner(|inner| {
            inner.sending = true;
            if inner.rest.is_empty() {
                match inner.state.take_output() {
                    Output::Packet(packet) => inner.rest = packet.into_websocket(),
                    Output::Idle => {
                        inner.sending = false;
                        store_waker(&mut inner.reader, context);
                        return WebsocketOutput::Idle;
                    }
                    Output::Close => {
                        inner.sending = false;
                        return WebsocketOutput::Close;
                    }
                }
            }
            let size = inner.rest.len().min(max_bytes);
            let part = inner.rest.split_to(size);
            WebsocketOutput::Part(part, !inner.rest.is_empty())
        })
    }

    /// Ready when every packet was sent, or when the session has ended.
    pub(crate) fn poll_flushed(&self, context: &Context<'_>) -> Poll<()> {
        let mut inner = self.inner.lock();
        if inner.is_flushed() {
            return Poll::Ready(());
        }
        let waiters = &mut inner.flush_waiters;
        if !waiters.iter().any(|waker| waker.will_wake(context.waker())) {
            waiters.push(context.waker().clone());
        }
        Poll::Pending
    }

    pub(crate) fn attach(&self) -> Option<u32> {
        let attempt = self.change(|state| state.attach(Instant::now(), &self.settings));
        self.schedule_next();
        attempt
    }

    pub(crate) fn poll_upgrading(&self, attempt: u32, context: &mut Context<'_>) -> bool {
        let mut inner = self.inner.lock();
        let is_upgrading = inner.state.is_upgrading(attempt);
        // The waker of a later attempt stays.
        if is_upgrading {
            store_waker(&mut inner.upgrader, context);
        }
        is_upgrading
    }

    pub(crate) fn receive_probe(&self, packet: &Packet) -> Probe {
        let probe = self.change(|state| state.receive_probe(packet, Instant::now()));
        // A waiting poll now ends with a noop.
        let reader = self.inner.lock().reader.take();
        reader.into_iter().for_each(Waker::wake);
        probe
    }

    pub(crate) fn detach(&self, attempt: u32) {
        self.change(|state| state.detach(attempt));
    }
}

fn store_waker(slot: &mut Option<Waker>, context: &Context<'_>) {
    match slot {
        Some(waker) => waker.clone_from(context.waker()),
        None => *slot = Some(context.waker().clone()),
    }
}

#[cfg(test)]
mod tests {
    use std::task::Wake;
    use std::time::Duration;

    use actix_web::test::TestRequest;

    use super::*;
    use crate::engine::session_timer::SessionTimer;

    /// Starts an upgrade when it is woken, as another thread may do at that moment.
    struct AttachOnWake(Arc<Session>);

    impl Wake for AttachOnWake {
        fn wake(self: Arc<Self>) {
            assert!(self.0.attach().is_some());
        }
    }

    fn session(transport: Transport, settings: &Settings) -> Arc<Session> {
        let handshake = Handshake::of(&TestRequest::default().to_http_request(), settings, None);
        Arc::new(Session::new(
            transport,
            handshake.expect("an empty request is small"),
            Arc::new(settings.clone()),
            SessionTimer::new().handle(),
            None,
        ))
    }

    #[test]
    fn end_of_the_session_frees_a_packet_that_is_being_sent() {
        let session = session(Transport::Websocket, &Settings::default());
        session.send(Encoded::text(&"x".repeat(1000)));
        let context = &mut Context::from_waker(Waker::noop());
        let first = session.poll_output(100, context);
        assert!(matches!(first, WebsocketOutput::Part(part, true) if part.len() == 100));
        session.close(CloseReason::ForcedClose);
        assert!(session.inner.lock().rest.is_empty());
        let last = session.poll_output(100, context);
        assert!(matches!(last, WebsocketOutput::Close));
    }

    #[test]
    fn requests_of_a_call_that_wait_together_are_one() {
        let session = session(Transport::Websocket, &Settings::default());
        let socket = EngineSocket(Arc::clone(&session));
        socket.notify();
        socket.notify();
        assert!(session.take_notification());
        assert!(!session.take_notification());
    }

    #[test]
    fn upgrade_that_starts_while_the_timer_fires_keeps_its_deadline() {
        let settings = Settings {
            ping_interval: Duration::ZERO,
            ..Settings::default()
        };
        let session = session(Transport::Polling, &settings);
        let scheduled = Instant::now();
        session.schedule_at(Some(scheduled));
        let waker = Waker::from(Arc::new(AttachOnWake(Arc::clone(&session))));
        assert!(
            session
                .poll_packets(&mut Context::from_waker(&waker))
                .is_pending()
        );

        // The ping wakes the poll.
        session.fired(scheduled);

        let fires_at = session.inner.lock().fires_at.expect("the session is open");
        assert!(fires_at <= Instant::now() + settings.upgrade_timeout);
    }
}
