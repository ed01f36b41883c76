//! A session together with the protocol above it: its decoder, its jobs, and the task that
//! runs them.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use actix_web::rt;
use parking_lot::Mutex;

use super::handler::EngineHandler;
use super::outcome::Received;
use super::packet::{DecodeError, Message, Packet};
use super::reason::CloseReason;
use super::server::Engine;
use super::session::{EngineSocket, Session};

/// Most jobs that may wait. With more, the client is not read.
const MAX_JOBS: usize = 64;
/// Most bytes of waiting messages, and no more than the largest message may have. With more, the
/// client is not read; one message may exceed the bound.
const MAX_JOB_BYTES: usize = 256 * 1024;

/// The task that runs the jobs, one at a time.
enum Runner<S> {
    /// It waits for a job. Holds the state of the session.
    Idle(S),
    /// It runs, and has the state.
    Running,
    /// It runs no more jobs: the session has ended, or a job has panicked.
    Finished,
}

struct Inbox<H: EngineHandler> {
    decoder: H::Decoder,
    runner: Runner<H::State>,
    jobs: VecDeque<(H::Job, usize)>,
    bytes: usize,
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
    Run(H::State, H::Job),
    Notified(H::State),
    Close(H::State, CloseReason),
    Idle,
}

impl<H: EngineHandler> Connection<H> {
    pub(crate) fn new(session: Arc<Session>, engine: Arc<Engine<H>>) -> Self {
        let (decoder, state) = engine.handler().open(&EngineSocket(Arc::clone(&session)));
        let inbox = Inbox {
            decoder,
            runner: Runner::Idle(state),
            jobs: VecDeque::new(),
            bytes: 0,
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
        let state = match mem::replace(&mut inbox.runner, Runner::Running) {
            Runner::Idle(state) => state,
            runner => {
                inbox.runner = runner;
                return;
            }
        };
        drop(inbox);
        rt::spawn(run(Arc::clone(self), state));
    }

    fn next(&self, state: H::State) -> Next<H> {
        let mut inbox = self.inbox.lock();
        if let Some(reason) = self.session.reason()
            && (reason.is_by_server() || inbox.jobs.is_empty())
        {
            inbox.jobs = VecDeque::new();
            return Next::Close(state, reason);
        }
        if self.session.take_notification() {
            return Next::Notified(state);
        }
        if let Some((job, bytes)) = inbox.jobs.pop_front() {
            inbox.bytes -= bytes;
            let senders = mem::take(&mut inbox.senders);
            drop(inbox);
            senders.into_iter().for_each(Waker::wake);
            return Next::Run(state, job);
        }
        inbox.jobs = VecDeque::new();
        inbox.runner = Runner::Idle(state);
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
        let is_finished = matches!(self.inbox.lock().runner, Runner::Finished);
        is_finished && !self.session.is_reachable()
    }
}

/// Runs jobs until there are none.
async fn run<H: EngineHandler>(connection: Arc<Connection<H>>, mut state: H::State) {
    let mut guard = PanicGuard {
        connection: &connection,
        armed: true,
    };
    let socket = EngineSocket(Arc::clone(&connection.session));
    let handler = connection.engine.handler();
    loop {
        state = match connection.next(state) {
            Next::Run(mut state, job) => {
                handler.run(&socket, &mut state, job).await;
                state
            }
            Next::Notified(mut state) => {
                handler.notified(&socket, &mut state).await;
                state
            }
            Next::Close(state, reason) => {
                handler.closed(&socket, state, reason).await;
                // A shutdown waits for it.
                connection.inbox.lock().runner = Runner::Finished;
                break;
            }
            Next::Idle => break,
        };
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
            self.connection.inbox.lock().runner = Runner::Finished;
            self.connection.session.close(CloseReason::ForcedClose);
        }
    }
}
