#![doc = include_str!("../README.md")]

pub mod engine;
pub mod protocol;
mod server;
mod settings;
mod sid;
mod tcp_options;

pub use engine::{Admission, CloseReason, Handshake, OverLimit, Permit, Permits};
pub use protocol::{Args, Attachment, EncodeError, Event};
pub use server::{
    AckError, Broadcast, Builder, Connect, ConnectError, DisconnectReason, Handler, Incoming,
    Namespace, Server, Socket, SocketRef,
};
pub use settings::{Cors, Origins, PacketRate, Settings};
pub use sid::Sid;
pub use tcp_options::{close_dead_connections, set_tcp_options};
