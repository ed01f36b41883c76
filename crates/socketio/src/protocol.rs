//! Socket.IO protocol revision 5: decoding and encoding of packets, without I/O.
//!
//! Programs that read the packets of clients without a [`Server`](crate::Server), such as protocols
//! on an [`Engine`](crate::engine::Engine) and fuzzers, use it directly.

// `socketioxide-parser-common` was rejected. It does not check the JSON of events, although the
// protocol's own tests demand that `42{}` closes the connection. It supports no `data` in
// `CONNECT_ERROR` and accepts reserved event names. Its reassembly has its own lock, and its
// output would have to be copied to be framed once for all receivers.

mod args;
mod assembler;
mod event;
mod packet;

pub use args::{Args, Attachment};
pub use assembler::Assembler;
pub use event::{EncodeError, Event};
pub(crate) use event::{
    encode_ack, encode_all, encode_connect, encode_connect_error, encode_disconnect,
};
pub use packet::{Kind, Packet, PacketError};
