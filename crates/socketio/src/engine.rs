//! Engine.IO revision 4: sessions over HTTP long-polling and WebSocket.

mod admission;
mod connection;
mod encoded;
mod handler;
mod handshake;
mod heartbeat;
mod outcome;
mod packet;
mod queue;
mod reason;
mod server;
mod session;
mod session_state;
mod session_timer;
mod transport;
mod upgrade;

pub use admission::{Admission, OverLimit, Permit, Permits};
pub(crate) use encoded::Encoded;
pub use handler::{EngineHandler, Malformed};
pub use handshake::Handshake;
pub use packet::{DecodeError, Message, Packet};
pub use reason::CloseReason;
pub use server::Engine;
pub use session::EngineSocket;
pub(crate) use session::Session;
