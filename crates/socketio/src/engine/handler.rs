//! The interface of a protocol on top of Engine.IO.

use std::future::Future;

use super::packet::Message;
use super::reason::CloseReason;
use super::session::EngineSocket;

/// A message that breaks the protocol on top; the session is closed with
/// [`CloseReason::ParseError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

/// A protocol on top of Engine.IO.
///
/// A message is first *decoded*, immediately and in order, on the thread that received it. The
/// resulting jobs of a session *run* one after the other. A slow job delays later jobs, but no
/// other client. Once many of them wait, the client is not read until one has run: its pongs and
/// acknowledgements are not seen meanwhile either, so after the ping timeout its session ends.
pub trait EngineHandler: Send + Sync + 'static {
    /// State of the decoder between messages.
    type Decoder: Send + 'static;
    /// State between jobs.
    type State: Send + 'static;
    /// Result of decoding a message.
    type Job: Send + 'static;

    /// Called when a session opens. If a shutdown begins meanwhile, the session is refused: its
    /// state is dropped, and no other call follows.
    fn open(&self, socket: &EngineSocket) -> (Self::Decoder, Self::State);

    /// Decodes a message. `Ok(None)` if there is nothing to run.
    ///
    /// # Errors
    /// If the message breaks the protocol on top.
    fn decode(
        &self,
        decoder: &mut Self::Decoder,
        message: Message,
    ) -> Result<Option<Self::Job>, Malformed>;

    /// Bytes of the messages that a job was decoded from.
    fn size(job: &Self::Job) -> usize;

    /// Runs a job.
    fn run(
        &self,
        socket: &EngineSocket,
        state: &mut Self::State,
        job: Self::Job,
    ) -> impl Future<Output = ()>;

    /// Called between jobs after [`EngineSocket::notify`].
    fn notified(&self, socket: &EngineSocket, state: &mut Self::State) -> impl Future<Output = ()> {
        let _ = (socket, state);
        std::future::ready(())
    }

    /// Called when the session has ended; no call follows.
    fn closed(
        &self,
        socket: &EngineSocket,
        state: Self::State,
        reason: CloseReason,
    ) -> impl Future<Output = ()>;
}
