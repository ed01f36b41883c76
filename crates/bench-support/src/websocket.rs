//! Viewers over Engine.IO's WebSocket (RFC 6455, section 5.2).

use std::io::{self, Write as _};

use mio::net::TcpStream;
use socket2::Socket;

use crate::crowd::{Wire, connect, read_past};

/// The packet `3`, masked with zeros.
const PONG: [u8; 7] = [0x81, 0x81, 0, 0, 0, 0, b'3'];

/// The state of a reader of the server's frames.
#[derive(Debug, Default)]
pub struct Frames {
    head: [u8; 10],
    have: usize,
    left: usize,
    /// The packet's type: its first byte.
    kind: Option<u8>,
}

impl Wire for Frames {
    fn take(&mut self, mut bytes: &[u8], stream: &mut TcpStream) -> io::Result<u32> {
        let mut received = 0;
        while let Some(first) = bytes.first().copied() {
            if self.left > 0 {
                let kind = *self.kind.get_or_insert(first);
                let read = self.left.min(bytes.len());
                bytes = &bytes[read..];
                self.left -= read;
                match kind {
                    _ if self.left > 0 => {}
                    b'2' => stream.write_all(&PONG)?,
                    _ => received += 1,
                }
            } else {
                bytes = &bytes[1..];
                self.begin(first);
            }
        }
        Ok(received)
    }
}

impl Frames {
    /// Takes a byte of a frame's header.
    fn begin(&mut self, byte: u8) {
        self.head[self.have] = byte;
        self.have += 1;
        let (more, short) = match self.head[1] {
            126 => (2, 0),
            127 => (8, 0),
            short => (0, usize::from(short)),
        };
        if self.have >= 2 && self.have == 2 + more {
            let long = self.head[2..self.have]
                .iter()
                .fold(0, |length, byte| length << 8 | usize::from(*byte));
            *self = Self {
                left: short + long,
                ..Self::default()
            };
        }
    }
}

/// Opens a WebSocket and sends the messages that join the room. Bytes after `mark` are left to the
/// caller. `receive` bounds the kernel's receive buffer.
///
/// # Errors
/// If the server refuses the viewer.
pub fn join(port: u16, receive: Option<usize>, say: &[(&str, &str)]) -> io::Result<Socket> {
    let mut stream = connect(port, receive)?;
    let request = "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n\
        Connection: Upgrade\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36\r\n\
        Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n\r\n";
    stream.write_all(request.as_bytes())?;
    read_past(&mut stream, b"0{\"sid\":\"")?;
    for (packet, mark) in say {
        stream.write_all(&text(packet)?)?;
        read_past(&mut stream, mark.as_bytes())?;
    }
    Ok(stream)
}

/// A short text frame, masked with zeros.
///
/// # Errors
/// If the text is too long.
pub fn text(text: &str) -> io::Result<Vec<u8>> {
    let length = u8::try_from(text.len()).ok().filter(|length| *length < 126);
    let length = length.ok_or_else(|| io::Error::other("too long"))?;
    let head: &[u8] = &[0x81, 0x80 | length, 0, 0, 0, 0];
    Ok([head, text.as_bytes()].concat())
}
