//! The viewers: one thread that does little more than read, the same for every server.

use std::{
    io::{self, Read as _, Write as _},
    net::SocketAddr,
    time::{Duration, Instant},
};

use mio::{Events, Interest, Poll, Token, net::TcpStream};
use socket2::{Domain, Socket, Type};

/// However slow a machine is, this is too long.
const PATIENCE: Duration = Duration::from_mins(2);
/// Viewers that come between two looks at those who are there: they have to answer pings meanwhile.
const BATCH: usize = 64;
/// `3`, masked with zeros.
const PONG: [u8; 7] = [0x81, 0x81, 0, 0, 0, 0, b'3'];

/// Viewers of one room.
pub(crate) struct Crowd {
    poll: Poll,
    viewers: Vec<Viewer>,
    buffer: Vec<u8>,
    /// How many have heard as much as is waited for, and how much that is.
    served: usize,
    target: u32,
}

struct Viewer {
    stream: TcpStream,
    /// Events heard.
    heard: u32,
    frame: Frame,
}

/// Where in a WebSocket frame of the server the reading stands.
#[derive(Default)]
struct Frame {
    head: [u8; 10],
    have: usize,
    left: usize,
    /// The packet's type: its first byte.
    kind: Option<u8>,
}

impl Crowd {
    /// Lets so many viewers in, one after the other.
    pub(crate) fn gather(count: usize, mut join: impl FnMut() -> io::Result<Socket>) -> io::Result<Self> {
        let mut crowd =
            Self { poll: Poll::new()?, viewers: Vec::new(), buffer: vec![0; 64 * 1024], served: 0, target: u32::MAX };
        for number in 0..count {
            let stream: std::net::TcpStream = join()?.into();
            stream.set_nonblocking(true)?;
            let mut stream = TcpStream::from_std(stream);
            crowd.poll.registry().register(&mut stream, Token(number), Interest::READABLE)?;
            crowd.viewers.push(Viewer { stream, heard: 0, frame: Frame::default() });
            if number % BATCH == 0 {
                crowd.read(Duration::ZERO)?;
            }
        }
        Ok(crowd)
    }

    /// Has the first viewer say something.
    pub(crate) fn say(&mut self, packet: &str) -> io::Result<()> {
        match self.viewers.first_mut() {
            Some(speaker) => speaker.stream.write_all(&text(packet)?),
            None => Ok(()),
        }
    }

    /// Expects everybody to hear so many events from here on.
    pub(crate) fn expect(&mut self, count: u32) {
        self.target = self.viewers.first().map_or(0, |viewer| viewer.heard) + count;
        self.served = 0;
    }

    /// Waits until the last has heard what is expected.
    pub(crate) fn wait(&mut self) -> io::Result<()> {
        let begin = Instant::now();
        while self.served < self.viewers.len() {
            self.read(PATIENCE)?;
            if begin.elapsed() > PATIENCE {
                return Err(io::Error::other("not everybody has heard all of it"));
            }
        }
        Ok(())
    }

    /// Lets a moment pass.
    pub(crate) fn rest(&mut self, time: Duration) -> io::Result<()> {
        let until = Instant::now() + time;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            self.read(left)?;
        }
        Ok(())
    }

    fn read(&mut self, patience: Duration) -> io::Result<()> {
        let mut events = Events::with_capacity(1024);
        match self.poll.poll(&mut events, Some(patience)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            result => result?,
        }
        for event in &events {
            let viewer = &mut self.viewers[event.token().0];
            let before = viewer.heard;
            loop {
                match viewer.stream.read(&mut self.buffer) {
                    Ok(0) => return Err(io::Error::other("the server has closed a connection")),
                    Ok(read) => viewer.take(&self.buffer[..read])?,
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error),
                }
            }
            if before < self.target && viewer.heard >= self.target {
                self.served += 1;
            }
        }
        Ok(())
    }
}

impl Viewer {
    fn take(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while let Some(first) = bytes.first().copied() {
            if self.frame.left > 0 {
                let kind = *self.frame.kind.get_or_insert(first);
                let read = self.frame.left.min(bytes.len());
                bytes = &bytes[read..];
                self.frame.left -= read;
                match kind {
                    _ if self.frame.left > 0 => {}
                    b'2' => self.stream.write_all(&PONG)?,
                    _ => self.heard += 1,
                }
            } else {
                bytes = &bytes[1..];
                self.frame.begin(first);
            }
        }
        Ok(())
    }
}

impl Frame {
    /// Takes a byte of a frame's head (RFC 6455, section 5.2).
    fn begin(&mut self, byte: u8) {
        self.head[self.have] = byte;
        self.have += 1;
        let (more, short) = match self.head[1] {
            126 => (2, 0),
            127 => (8, 0),
            short => (0, usize::from(short)),
        };
        if self.have >= 2 && self.have == 2 + more {
            let long = self.head[2..self.have].iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            *self = Self { left: short + long, ..Self::default() };
        }
    }
}

/// Opens a WebSocket and says what has to be said to be in; what comes after the mark is the caller's to read. `receive` bounds
/// what the kernel takes for it.
pub(crate) fn join(port: u16, receive: Option<usize>, say: &[(&str, &str)]) -> io::Result<Socket> {
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

/// A connection to a server on this machine.
pub(crate) fn connect(port: u16, receive: Option<usize>) -> io::Result<Socket> {
    let stream = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    if let Some(bytes) = receive {
        stream.set_recv_buffer_size(bytes)?;
    }
    stream.connect(&SocketAddr::from(([127, 0, 0, 1], port)).into())?;
    stream.set_tcp_nodelay(true)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    Ok(stream)
}

/// Reads until something has come.
pub(crate) fn read_past(stream: &mut Socket, mark: &[u8]) -> io::Result<()> {
    let mut seen = Vec::new();
    while !seen.windows(mark.len()).any(|window| window == mark) {
        let mut bytes = [0; 1024];
        match stream.read(&mut bytes)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => seen.extend_from_slice(&bytes[..read]),
        }
    }
    Ok(())
}

/// A short text frame, masked with zeros.
fn text(text: &str) -> io::Result<Vec<u8>> {
    let length = u8::try_from(text.len()).ok().filter(|length| *length < 126);
    let length = length.ok_or_else(|| io::Error::other("too long"))?;
    let head: &[u8] = &[0x81, 0x80 | length, 0, 0, 0, 0];
    Ok([head, text.as_bytes()].concat())
}
