//! A session together with the protocol above it: its decoder, its jobs, and the task that
//! runs them.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use actix_web::rt;
use parking_lot::Mutex;

use super::handler::EngineHandler;
use super::packet::{DecodeError, Message, Packet};
use super::reason::CloseReason;
use super::server::Engine;
use super::session::{EngineSocket, Session};
use super::session_state::Received;

/// Most jobs that may wait. With more, the client is not read.
const MAX_JOBS: usize = 64;
/// Most bytes of waiting messages, and no more than the largest message may have. With more, the
/// client is not read; one message may exceed the bound.
const MAX_JOB_BYTES: usize = 256 * 1024;

struct Inbox<H: EngineHandler> {
    decoder: H::Decoder,
    /// `None` while the runner has it.
    state: Option<H::State>,
    jobs: VecDeque<(H::Job, usize)>,
    bytes: usize,
    running: bool,
    finished: bool,
    /// Senders that wait for room.
    senders: Vec<Waker>,
}

pub(crate) struct Connection<H: EngineHandler> {
    pub(crate) session: Arc<Session>,
    engine: Arc<Engine<H>>,
    inbox: Mutex<Inbox<H>>,
}

/// The next step of the runner.
enum Next<H: EngineHandler> {
    Run(H::Job),
    Notified,
    Close(H::State, CloseReason),
    Idle,
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

    /// Ready when there is room for another job, or when the session ends.
    pub(crate) fn poll_room(&self, context: &mut Context<'_>) -> Poll<()> {
        let mut inbox = self.inbox.lock();
        let max_bytes = self
            .session
            .settings
            .max_http_buffer_size
            .min(MAX_JOB_BYTES);
        let full = inbox.jobs.len() >= MAX_JOBS || inbox.bytes >= max_bytes;
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

    /// Handles a packet of the session's transport. False if the session has ended.
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
        let mut inbox = self.inbox.lock();
        match self.engine.handler().decode(&mut inbox.decoder, message) {
            Ok(None) => true,
            Ok(Some(job)) => {
                let bytes = H::size(&job);
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

    /// Starts the runner if it is not running. Must be called in a worker thread.
    pub(crate) fn start(self: &Arc<Self>) {
        let mut inbox = self.inbox.lock();
        if !inbox.running && !inbox.finished {
            inbox.running = true;
            drop(inbox);
            rt::spawn(run(Arc::clone(self)));
        }
    }

    fn next(&self, state: &mut Option<H::State>) -> Next<H> {
        let mut inbox = self.inbox.lock();
        let reason = self.session.reason();
        if let Some(reason) = reason
            && (reason.is_by_server() || inbox.jobs.is_empty())
            && let Some(state) = state.take()
        {
            inbox.jobs = VecDeque::new();
            return Next::Close(state, reason);
        }
        if self.session.take_notification() {
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
        Next::Idle
    }

    /// Called by the timer. Starts the runner if it is needed, and wakes senders if the session
    /// has ended.
    pub(crate) fn on_timer(self: &Arc<Self>) {
        if self.session.needs_runner() {
            self.start();
        }
        if !self.session.is_open() {
            let senders = mem::take(&mut self.inbox.lock().senders);
            senders.into_iter().for_each(Waker::wake);
        }
    }

    /// Whether nothing is left to do, neither here nor at the client.
    pub(crate) fn is_over(&self) -> bool {
        self.inbox.lock().finished && !self.session.is_reachable()
    }
}

/// Runs jobs until there are none.
async fn run<H: EngineHandler>(connection: Arc<Connection<H>>) {
    let mut guard = PanicGuard {
        connection: &connection,
        armed: true,
    };
    let socket = EngineSocket(Arc::clone(&connection.session));
    let handler = connection.engine.handler();
    let mut state = connection.inbox.lock().state.take();
    loop {
        match (connection.next(&mut state), state.as_mut()) {
            (Next::Run(job), Some(state)) => handler.run(&socket, state, job).await,
            (Next::Notified, Some(state)) => handler.notified(&socket, state).await,
            (Next::Close(state, reason), _) => {
                handler.closed(&socket, state, reason).await;
                // A shutdown waits for it.
                connection.inbox.lock().finished = true;
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

/// Ends the session if a job panics, because the state is lost with the job.
struct PanicGuard<'a, H: EngineHandler> {
    connection: &'a Connection<H>,
    armed: bool,
}

impl<H: EngineHandler> Drop for PanicGuard<'_, H> {
    fn drop(&mut self) {
        if self.armed {
            self.connection.inbox.lock().finished = true;
            self.connection.session.close(CloseReason::ForcedClose);
        }
    }
}
