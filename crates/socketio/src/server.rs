//! Namespaces, sockets and rooms.

mod ack;
mod broadcast;
mod builder;
mod client;
mod erased_namespace;
mod handler;
mod incoming;
mod namespace;
mod packet_bucket;
mod socket;

pub use ack::AckError;
pub use broadcast::Broadcast;
pub use builder::{Builder, Server};
pub use handler::{Connect, ConnectError, DisconnectReason, Handler};
pub use incoming::Incoming;
pub use namespace::Namespace;
pub use socket::{Socket, SocketRef};
