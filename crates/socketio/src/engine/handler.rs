//! What a protocol on top of Engine.IO provides.

use std::future::Future;

use super::{packet::Message, reason::CloseReason, session::EngineSocket};

/// A message the layer above cannot make sense of; the session is closed with [`CloseReason::ParseError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// A protocol on top of Engine.IO.
///
/// A message is first *decoded*, at once and in order, on the thread it arrived on; what comes out of it is a job, and the jobs
/// of a session are *run* one after the other. So a slow job delays the jobs behind it and, by backpressure, the client that
/// sends them, but no heartbeat and nobody else.
pub trait EngineHandler: Send + Sync + 'static {
    /// What decoding keeps between messages.
    type Decoder: Send + 'static;
    /// What running keeps between jobs.
    type State: Send + 'static;
    /// What is run.
    type Job: Send + 'static;

    /// A session was opened.
    fn open(&self, socket: &EngineSocket) -> (Self::Decoder, Self::State);

    /// A message arrived. `Ok(None)` when it leaves nothing to run.
    ///
    /// # Errors
    /// When the message breaks the protocol on top.
    fn decode(
        &self,
        decoder: &mut Self::Decoder,
        message: Message,
    ) -> Result<Option<Self::Job>, Malformed>;

    /// Runs a job.
    fn run(
        &self,
        socket: &EngineSocket,
        state: &mut Self::State,
        job: Self::Job,
    ) -> impl Future<Output = ()>;

    /// Called between jobs after `Session::notify`.
    fn notified(&self, socket: &EngineSocket, state: &mut Self::State) -> impl Future<Output = ()>;

    /// The session ended; the last call for it.
    fn closed(
        &self,
        socket: &EngineSocket,
        state: Self::State,
        reason: CloseReason,
    ) -> impl Future<Output = ()>;
}
