//! Socket.IO protocol revision 5: packets, without anything that sends or receives them.
//!
//! Why not `socketioxide-parser-common`: it was looked at first. It takes an event's JSON without checking it (the protocol's
//! own tests demand that `42{}` closes the connection), knows a `CONNECT_ERROR` as a message only, without the data clients
//! read, takes reserved event names, keeps its reassembly behind a lock of its own, and encodes into text that would have to be
//! copied again to be framed once for all receivers.

mod args;
mod assembler;
mod event;
mod packet;

pub use args::{Args, Attachment};
pub use assembler::Assembler;
pub use event::{EncodeError, Event};
pub(crate) use event::{
    encode_ack, encode_ack_args, encode_connect, encode_connect_error, encode_disconnect,
};
pub use packet::{Kind, Packet, PacketError};
