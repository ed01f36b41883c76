//! A session together with the layer above: its decoder, its jobs, and the task that runs them.

use std::{
    collections::VecDeque,
    mem,
    sync::{Arc, Mutex},
    task::{Context, Poll, Waker},
};

use actix_web::rt;

use super::{
    handler::EngineHandler,
    packet::{DecodeError, Message, Packet},
    reason::CloseReason,
    server::Engine,
    session::{EngineSocket, Session},
    session_state::Received,
};
use crate::sync::lock;

/// Jobs that may wait; beyond, the client is not read any further.
const MAX_JOBS: usize = 64;
/// Bytes of messages that may wait, likewise; one message may exceed it.
const MAX_JOB_BYTES: usize = 256 * 1024;

struct Inbox<H: EngineHandler> {
    decoder: H::Decoder,
    /// With the runner while it runs.
    state: Option<H::State>,
    jobs: VecDeque<(H::Job, usize)>,
    bytes: usize,
    running: bool,
    finished: bool,
    /// Wait for room.
    senders: Vec<Waker>,
}

pub(crate) struct Connection<H: EngineHandler> {
    pub(crate) session: Arc<Session>,
    engine: Arc<Engine<H>>,
    inbox: Mutex<Inbox<H>>,
}

/// What the runner does next.
enum Next<H: EngineHandler> {
    Run(H::Job),
    Notified,
    Close(H::State, CloseReason),
    Rest,
}

impl<H: EngineHandler> Connection<H> {
    pub(crate) fn new(session: Arc<Session>, engine: Arc<Engine<H>>) -> Self {
        let (decoder, state) = engine.handler().open(&EngineSocket(Arc::clone(&session)));
        let inbox = Inbox {
            decoder,
            state: Some(state),
            jobs: VecDeque::new(),
            bytes: 0,
            running: false,
            finished: false,
            senders: Vec::new(),
        };
        Self {
            session,
            engine,
            inbox: Mutex::new(inbox),
        }
    }

    /// Waits until there is room for another job.
    pub(crate) fn poll_room(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut inbox = lock(&self.inbox);
        let full = inbox.jobs.len() >= MAX_JOBS || inbox.bytes >= MAX_JOB_BYTES;
        if full && self.session.is_open() {
            if !inbox
                .senders
                .iter()
                .any(|waker| waker.will_wake(context.waker()))
            {
                inbox.senders.push(context.waker().clone());
            }
            return Poll::Pending;
        }
        Poll::Ready(())
    }

    /// A packet arrived over the session's transport. False when the session does not go on.
    pub(crate) fn receive(self: &Arc<Self>, packet: Result<Packet, DecodeError>) -> bool {
        let Ok(packet) = packet else {
            self.session.close(CloseReason::ParseError);
            return false;
        };
        match self.session.receive(packet) {
            Received::Deliver(message) => self.deliver(message),
            Received::Nothing => true,
            Received::Closed => false,
        }
    }

    fn deliver(self: &Arc<Self>, message: Message) -> bool {
        let bytes = message.len();
        let mut inbox = lock(&self.inbox);
        match self.engine.handler().decode(&mut inbox.decoder, message) {
            Ok(None) => true,
            Ok(Some(job)) => {
                inbox.bytes += bytes;
                inbox.jobs.push_back((job, bytes));
                drop(inbox);
                self.start();
                true
            }
            Err(_) => {
                drop(inbox);
                self.session.close(CloseReason::ParseError);
                false
            }
        }
    }

    /// Starts the runner if there is something to run and it does not run already; called from a worker thread.
    pub(crate) fn start(self: &Arc<Self>) {
        let mut inbox = lock(&self.inbox);
        if !inbox.running && !inbox.finished {
            inbox.running = true;
            drop(inbox);
            rt::spawn(run(Arc::clone(self)));
        }
    }

    fn next(&self, state: &mut Option<H::State>) -> Next<H> {
        let mut inbox = lock(&self.inbox);
        let reason = self.session.reason();
        if let Some(reason) = reason
            && (reason.is_ours() || inbox.jobs.is_empty())
            && let Some(state) = state.take()
        {
            inbox.jobs = VecDeque::new();
            inbox.finished = true;
            return Next::Close(state, reason);
        }
        if self.session.take_notice() {
            return Next::Notified;
        }
        if let Some((job, bytes)) = inbox.jobs.pop_front() {
            inbox.bytes -= bytes;
            let senders = mem::take(&mut inbox.senders);
            drop(inbox);
            senders.into_iter().for_each(Waker::wake);
            return Next::Run(job);
        }
        inbox.jobs = VecDeque::new();
        inbox.state = state.take();
        inbox.running = false;
        Next::Rest
    }

    /// The housekeeper is here: starts the runner if it is needed, and lets go of whoever waits for room in vain.
    pub(crate) fn attend(self: &Arc<Self>) {
        if self.session.needs_runner() {
            self.start();
        }
        if !self.session.is_open() {
            let senders = mem::take(&mut lock(&self.inbox).senders);
            senders.into_iter().for_each(Waker::wake);
        }
    }

    /// Whether nothing is left to do for it, here or at the client.
    pub(crate) fn is_over(&self) -> bool {
        lock(&self.inbox).finished && !self.session.is_reachable()
    }
}

/// Runs jobs until there are none.
async fn run<H: EngineHandler>(connection: Arc<Connection<H>>) {
    let mut guard = Guard {
        connection: &connection,
        armed: true,
    };
    let socket = EngineSocket(Arc::clone(&connection.session));
    let handler = connection.engine.handler();
    let mut state = lock(&connection.inbox).state.take();
    loop {
        match (connection.next(&mut state), state.as_mut()) {
            (Next::Run(job), Some(state)) => handler.run(&socket, state, job).await,
            (Next::Notified, Some(state)) => handler.notified(&socket, state).await,
            (Next::Close(state, reason), _) => {
                handler.closed(&socket, state, reason).await;
                break;
            }
            _ => break,
        }
    }
    guard.armed = false;
    if connection.is_over() {
        connection.engine.forget(connection.session.sid);
    }
}

/// A job that panics takes the state with it; the session must not outlive it.
struct Guard<'a, H: EngineHandler> {
    connection: &'a Connection<H>,
    armed: bool,
}

impl<H: EngineHandler> Drop for Guard<'_, H> {
    fn drop(&mut self) {
        if self.armed {
            lock(&self.connection.inbox).finished = true;
            self.connection.session.close(CloseReason::ForcedClose);
        }
    }
}
