//! x
pub mod engine;
mod protocol;
mod server;
mod settings;
mod sid;
mod sync;

pub use engine::{CloseReason, Handshake};
pub use protocol::{Args, Assembler, Attachment, EncodeError, Event, Kind, Packet, PacketError};
pub use server::{
    AckError, Broadcast, Builder, Connect, ConnectError, DisconnectReason, Handler, Incoming, Namespace, Server, Socket,
    SocketRef,
};
pub use settings::{Cors, Origins, Settings};
pub use sid::Sid;
