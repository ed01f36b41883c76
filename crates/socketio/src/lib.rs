#![doc = include_str!("../README.md")]

pub mod engine;
mod protocol;
mod server;
mod settings;
mod sid;
mod sync;
mod tune;

pub use engine::{Admission, Busy, CloseReason, Handshake, Permit, Permits};
pub use protocol::{Args, Assembler, Attachment, EncodeError, Event, Kind, Packet, PacketError};
pub use server::{
    AckError, Broadcast, Builder, Connect, ConnectError, DisconnectReason, Handler, Incoming,
    Namespace, Server, Socket, SocketRef,
};
pub use settings::{Cors, Origins, Settings};
pub use sid::Sid;
pub use tune::cut_dead_connections;
