//! Viewers of an event stream (HTML Living Standard, section 9.2.6).

use std::io::{self, Write as _};

use mio::net::TcpStream;
use socket2::Socket;

use allclear_bench_support::crowd::{Wire, connect, read_past};

const ID: &[u8] = b"id:";

/// The state of a reader of the stream. Lines of the head end in CR LF, so they do not end
/// an event.
#[derive(Default)]
pub(crate) struct Lines {
    /// Number of bytes of this line, and of those at its start that match `id:`.
    length: usize,
    id: usize,
    /// Whether the event has an id, which only the last event of a change has.
    last: bool,
}

impl Wire for Lines {
    fn take(&mut self, bytes: &[u8], _: &mut TcpStream) -> io::Result<u32> {
        let mut received = 0;
        for byte in bytes {
            if *byte != b'\n' {
                if self.id == self.length && ID.get(self.id) == Some(byte) {
                    self.id += 1;
                }
                self.length += 1;
                continue;
            }
            if self.length == 0 && self.last {
                received += 1;
            }
            self.last = self.id == ID.len() || (self.last && self.length > 0);
            (self.length, self.id) = (0, 0);
        }
        Ok(received)
    }
}

/// Opens a stream and reads its first comment. The caller reads the rest.
pub(crate) fn join(port: u16, path: &str, receive: Option<usize>) -> io::Result<Socket> {
    let mut stream = connect(port, receive)?;
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
    )?;
    let opened = read_past(&mut stream, b"\n\n")?;
    if opened.starts_with(b"HTTP/1.1 200") {
        return Ok(stream);
    }
    Err(io::Error::other(
        String::from_utf8_lossy(&opened).into_owned(),
    ))
}
