//! A session as the rest of the program holds it: the rules of [`SessionState`] behind a lock, and whom to wake.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Instant,
};

use super::{
    admission::{Permit, Permits},
    encoded::Encoded,
    handshake::Handshake,
    packet::{Message, Packet},
    reason::CloseReason,
    session_state::{Output, PollError, Received, SessionState, Transport},
    session_timer::Errands,
    upgrade::Probe,
};
use crate::{settings::Settings, sid::Sid, sync::lock};

/// One client's session; cheap to clone, usable from any thread.
#[derive(Clone, Debug)]
pub struct EngineSocket(pub(crate) Arc<Session>);

impl EngineSocket {
    /// The session's identifier: a credential, not for other clients' eyes.
    #[must_use]
    pub fn sid(&self) -> Sid {
        self.0.sid
    }

    /// The request that opened the session.
    #[must_use]
    pub fn handshake(&self) -> &Handshake {
        &self.0.handshake
    }

    /// Sends a message. It is lost if the session is closed, and closes it if too much is waiting already.
    pub fn send(&self, message: Message) {
        self.0.send(Encoded::message(message));
    }

    /// Closes the session after what is queued has been delivered.
    pub fn close(&self) {
        self.0.drain(CloseReason::ForcedClose);
    }

    /// Whether the session is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        lock(&self.0.inner).machine.is_open()
    }
}

#[derive(Debug)]
struct Inner {
    machine: SessionState,
    /// The waiting poll, or the WebSocket.
    reader: Option<Waker>,
    /// The WebSocket that is taking over.
    upgrader: Option<Waker>,
    /// When the housekeeper comes next.
    visit: Option<Instant>,
}

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) sid: Sid,
    pub(crate) handshake: Handshake,
    pub(crate) settings: Arc<Settings>,
    errands: Errands,
    /// Whether the layer above asked to be called.
    notified: AtomicBool,
    inner: Mutex<Inner>,
    permits: SessionPermits,
}

/// What counts the session.
#[derive(Default)]
struct SessionPermits {
    _session: Option<Permit>,
    /// Until it has joined its first namespace.
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
        errands: Errands,
        permits: Option<Permits>,
    ) -> Self {
        let machine = SessionState::new(transport, Instant::now(), &settings);
        let inner = Inner {
            machine,
            reader: None,
            upgrader: None,
            visit: None,
        };
        Self {
            sid: Sid::random(),
            handshake,
            settings,
            errands,
            notified: AtomicBool::new(false),
            inner: Mutex::new(inner),
            permits: permits.into(),
        }
    }

    /// The client has joined its first namespace: it is no longer counted with those that have not.
    pub(crate) fn joined(&self) {
        lock(&self.permits.handshake).take();
        self.expire_at(None);
    }

    /// Runs `act` on the rules, then tells whoever the change concerns.
    fn change<T>(&self, act: impl FnOnce(&mut SessionState, Instant) -> T) -> T {
        let mut inner = lock(&self.inner);
        let (was_open, was_closed) = (inner.machine.is_open(), inner.machine.is_closed());
        let queued = inner.machine.queued();
        let result = act(&mut inner.machine, Instant::now());
        let ended = was_open != inner.machine.is_open() || was_closed != inner.machine.is_closed();
        let reader = (ended || inner.machine.queued() > queued)
            .then(|| inner.reader.take())
            .flatten();
        let upgrader = ended.then(|| inner.upgrader.take()).flatten();
        drop(inner);
        reader.into_iter().chain(upgrader).for_each(Waker::wake);
        if ended {
            self.errands.visit(self.sid);
        }
        result
    }

    pub(crate) fn send(&self, packet: Arc<Encoded>) {
        self.change(|machine, _| machine.push(packet, &self.settings));
    }

    pub(crate) fn close(&self, reason: CloseReason) {
        self.change(|machine, _| machine.close(reason));
    }

    pub(crate) fn drain(&self, reason: CloseReason) {
        let until = self.change(|machine, now| {
            machine.drain(reason, now);
            machine.tick(now, &self.settings)
        });
        self.expect_visit(until);
    }

    /// Closes the session at `at` unless lifted before.
    pub(crate) fn expire_at(&self, at: Option<Instant>) {
        self.change(|machine, _| machine.expire_at(at));
    }

    /// Has the layer above called from its own task.
    pub(crate) fn notify(&self) {
        if !self.notified.swap(true, Ordering::AcqRel) {
            self.errands.visit(self.sid);
        }
    }

    /// Whether the layer above asked to be called since the last time.
    pub(crate) fn take_notice(&self) -> bool {
        self.notified.swap(false, Ordering::AcqRel)
    }

    /// Whether the task that runs the layer above has something to do beyond jobs.
    pub(crate) fn needs_runner(&self) -> bool {
        self.notified.load(Ordering::Acquire) || !self.is_open()
    }

    pub(crate) fn reason(&self) -> Option<CloseReason> {
        lock(&self.inner).machine.reason()
    }

    pub(crate) fn is_open(&self) -> bool {
        lock(&self.inner).machine.is_open()
    }

    /// Whether the client can still talk to it: open, or closing with packets left to fetch. Time is read first, so that a
    /// session whose ping timed out a moment ago is gone even if the housekeeper has not come by.
    pub(crate) fn is_reachable(&self) -> bool {
        self.change(|machine, now| machine.tick(now, &self.settings))
            .is_some()
    }

    /// How many packets wait for the client.
    pub(crate) fn queued(&self) -> usize {
        lock(&self.inner).machine.queued()
    }

    pub(crate) fn transport(&self) -> Transport {
        lock(&self.inner).machine.transport()
    }

    /// The housekeeper's visit planned for `planned`; answers when to come again. `None` from a visit that a nearer one has
    /// replaced, or when all is over.
    pub(crate) fn visited(&self, planned: Instant) -> Option<Instant> {
        if lock(&self.inner).visit != Some(planned) {
            return None;
        }
        let next = self.change(|machine, now| machine.tick(now, &self.settings));
        let mut inner = lock(&self.inner);
        if inner.upgrader.is_some() {
            // It looks for itself whether its time is up.
            inner.upgrader.take().into_iter().for_each(Waker::wake);
        }
        inner.visit = next;
        next
    }

    /// Has the housekeeper come at `at` if it would come later or not at all.
    pub(crate) fn expect_visit(&self, at: Option<Instant>) {
        let Some(at) = at else { return };
        let mut inner = lock(&self.inner);
        if inner.visit.is_none_or(|planned| at < planned) {
            inner.visit = Some(at);
            self.errands.visit_at(self.sid, at);
        }
    }

    /// When the housekeeper is first needed.
    pub(crate) fn plan(&self) {
        let at = self.change(|machine, now| machine.tick(now, &self.settings));
        self.expect_visit(at);
    }

    pub(crate) fn receive(&self, packet: Packet) -> Received {
        self.change(|machine, now| machine.receive(packet, now, &self.settings))
    }

    pub(crate) fn begin_poll(&self) -> Result<(), PollError> {
        self.change(|machine, _| machine.begin_poll())
    }

    pub(crate) fn poll_packets(&self, context: &mut Context<'_>) -> Poll<Vec<Arc<Encoded>>> {
        let mut inner = lock(&self.inner);
        let was_closed = inner.machine.is_closed();
        let Some(packets) = inner.machine.take_poll() else {
            remember(&mut inner.reader, context);
            return Poll::Pending;
        };
        inner.machine.end_poll();
        if !was_closed && inner.machine.is_closed() {
            self.errands.visit(self.sid);
        }
        Poll::Ready(packets)
    }

    pub(crate) fn is_polled(&self) -> bool {
        lock(&self.inner).machine.is_polled()
    }

    pub(crate) fn abandon_poll(&self) {
        self.change(|machine, _| machine.abandon_poll());
    }

    pub(crate) fn begin_post(&self) -> Result<(), PollError> {
        self.change(|machine, _| machine.begin_post())
    }

    pub(crate) fn end_post(&self) {
        lock(&self.inner).machine.end_post();
    }

    /// What the WebSocket sends next; pending when there is nothing.
    pub(crate) fn poll_output(&self, context: &mut Context<'_>) -> Output {
        let mut inner = lock(&self.inner);
        let was_closed = inner.machine.is_closed();
        let output = inner.machine.take_output();
        if matches!(output, Output::Idle) {
            remember(&mut inner.reader, context);
        } else if !was_closed && inner.machine.is_closed() {
            self.errands.visit(self.sid);
        }
        output
    }

    pub(crate) fn attach(&self) -> Option<u32> {
        let attempt = self.change(|machine, now| machine.attach(now, &self.settings));
        self.plan();
        attempt
    }

    pub(crate) fn poll_upgrading(&self, attempt: u32, context: &mut Context<'_>) -> bool {
        let mut inner = lock(&self.inner);
        remember(&mut inner.upgrader, context);
        inner.machine.is_upgrading(attempt)
    }

    pub(crate) fn receive_probe(&self, packet: &Packet) -> Probe {
        let probe = self.change(|machine, now| machine.receive_probe(packet, now));
        // A poll that waits is answered with a noop now.
        let reader = lock(&self.inner).reader.take();
        reader.into_iter().for_each(Waker::wake);
        probe
    }

    pub(crate) fn detach(&self, attempt: u32) {
        self.change(|machine, _| machine.detach(attempt));
    }
}

fn remember(slot: &mut Option<Waker>, context: &Context<'_>) {
    match slot {
        Some(waker) => waker.clone_from(context.waker()),
        None => *slot = Some(context.waker().clone()),
    }
}
