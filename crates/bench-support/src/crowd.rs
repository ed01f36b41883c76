//! The viewers of a measured server: one thread that mainly reads, the same for every server.
//!
//! Every wait has a timeout. A bench that is stuck names the step, and fails.

use std::{
    io::{self, Read as _, Write as _},
    net::SocketAddr,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use mio::{Events, Interest, Poll, Token, net::TcpStream};
use socket2::{Domain, Socket, Type};

/// Timeout of one step.
const TIMEOUT: Duration = Duration::from_secs(30);
/// Number of viewers that connect before the connected ones are read, because their pings may
/// need responses.
const BATCH: usize = 64;
/// Number of viewers that connect between two lines of progress.
const MILESTONE: usize = 2000;

/// The protocol of a viewer's connection. It counts received events, and responds to the
/// server's pings.
pub trait Wire: Default {
    /// Takes the bytes that have arrived. Returns the number of events that ended in them.
    ///
    /// # Errors
    /// If the bytes do not follow the protocol, or a response cannot be sent.
    fn take(&mut self, bytes: &[u8], stream: &mut TcpStream) -> io::Result<u32>;
}

/// A group of connected viewers.
#[derive(Debug)]
pub struct Crowd<W> {
    poll: Poll,
    events: Events,
    viewers: Vec<Viewer<W>>,
    buffer: Vec<u8>,
    /// Number of viewers that have received all expected events.
    served: usize,
    target: u32,
}

#[derive(Debug)]
struct Viewer<W> {
    stream: TcpStream,
    /// Number of received events.
    received: u32,
    wire: W,
}

impl<W: Wire> Crowd<W> {
    /// Connects viewers, one after the other.
    ///
    /// # Errors
    /// If the server refuses a viewer, or connecting takes too long.
    pub fn gather(count: usize, mut join: impl FnMut() -> io::Result<Socket>) -> io::Result<Self> {
        let mut crowd = Self {
            poll: Poll::new()?,
            events: Events::with_capacity(1024),
            viewers: Vec::with_capacity(count),
            buffer: vec![0; 64 * 1024],
            served: 0,
            target: u32::MAX,
        };
        let begin = Instant::now();
        for number in 0..count {
            if begin.elapsed() > 2 * TIMEOUT {
                return Err(io::Error::other(format!(
                    "only {number} of {count} viewers were let in"
                )));
            }
            let stream: std::net::TcpStream = join()
                .map_err(|error| io::Error::other(format!("viewer {number} of {count}: {error}")))?
                .into();
            stream.set_nonblocking(true)?;
            let mut stream = TcpStream::from_std(stream);
            crowd
                .poll
                .registry()
                .register(&mut stream, Token(number), Interest::READABLE)?;
            crowd.viewers.push(Viewer {
                stream,
                received: 0,
                wire: W::default(),
            });
            if number % BATCH == 0 {
                crowd.read(Duration::ZERO)?;
            }
            if number > 0 && number % MILESTONE == 0 {
                progress(&format!(
                    "  {number} of {count} viewers after {:.1} s",
                    begin.elapsed().as_secs_f64()
                ));
            }
        }
        Ok(crowd)
    }

    /// Sends bytes over the first viewer's connection.
    ///
    /// # Errors
    /// If the bytes cannot be sent.
    pub fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.viewers
            .first_mut()
            .map_or(Ok(()), |viewer| viewer.stream.write_all(bytes))
    }

    /// Expects this many more events for every viewer.
    pub fn expect(&mut self, count: u32) {
        self.target = self.viewers.first().map_or(0, |viewer| viewer.received) + count;
        self.served = 0;
    }

    /// Waits until the last viewer has received the expected events.
    ///
    /// # Errors
    /// If that takes too long, or a connection ends.
    pub fn wait(&mut self) -> io::Result<()> {
        let until = Instant::now() + TIMEOUT;
        while self.served < self.viewers.len() {
            let Some(left) = until.checked_duration_since(Instant::now()) else {
                let message = format!(
                    "{} of {} viewers have received all events",
                    self.served,
                    self.viewers.len()
                );
                return Err(io::Error::other(message));
            };
            self.read(left)?;
        }
        Ok(())
    }

    /// Reads the connections for a while.
    ///
    /// # Errors
    /// If a connection ends.
    pub fn rest(&mut self, time: Duration) -> io::Result<()> {
        let until = Instant::now() + time;
        while let Some(left) = until.checked_duration_since(Instant::now()) {
            self.read(left)?;
        }
        Ok(())
    }

    fn read(&mut self, timeout: Duration) -> io::Result<()> {
        match self.poll.poll(&mut self.events, Some(timeout)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            result => result?,
        }
        for event in &self.events {
            let viewer = &mut self.viewers[event.token().0];
            let before = viewer.received;
            loop {
                match viewer.stream.read(&mut self.buffer) {
                    Ok(0) => return Err(io::Error::other("the server has closed a connection")),
                    Ok(read) => {
                        viewer.received +=
                            viewer.wire.take(&self.buffer[..read], &mut viewer.stream)?;
                    }
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                    Err(error) => return Err(error),
                }
            }
            if before < self.target && viewer.received >= self.target {
                self.served += 1;
            }
        }
        Ok(())
    }
}

/// Maximum number of connections from one address. Linux has 28,000 ports for one address. It takes
/// those of one half first, and searches so long for one of the other half that a server beside it
/// is slow.
const OF_ONE_ADDRESS: usize = 10_000;

/// Creates an unconnected socket with one of several addresses of this machine. The servers
/// have other addresses: a socket must not take the port of a server that is about to start again.
///
/// # Errors
/// If the system cannot create one.
pub fn socket() -> io::Result<Socket> {
    static OPENED: AtomicUsize = AtomicUsize::new(0);

    let stream = Socket::new(Domain::IPV4, Type::STREAM, None)?;
    let before = OPENED.fetch_add(1, Ordering::Relaxed);
    // After the last address, the first one is used again; its connections have ended by then.
    let [.., number] = (before / OF_ONE_ADDRESS % 250 + 2).to_be_bytes();
    stream.bind(&SocketAddr::from(([127, 0, 0, number], 0)).into())?;
    Ok(stream)
}

/// Connects to a server on this machine, from one of several addresses. `receive` is the size of
/// the kernel's receive buffer.
///
/// # Errors
/// If the connection fails.
pub fn connect(port: u16, receive: Option<usize>) -> io::Result<Socket> {
    let stream = socket()?;
    if let Some(bytes) = receive {
        stream.set_recv_buffer_size(bytes)?;
    }
    stream.connect_timeout(&SocketAddr::from(([127, 0, 0, 1], port)).into(), TIMEOUT)?;
    stream.set_tcp_nodelay(true)?;
    stream.set_read_timeout(Some(TIMEOUT))?;
    Ok(stream)
}

/// Reads until the bytes of `mark` have arrived. Returns everything that was read.
///
/// # Errors
/// If the connection ends before that, or is silent for too long.
pub fn read_past(stream: &mut Socket, mark: &[u8]) -> io::Result<Vec<u8>> {
    let mut seen = Vec::new();
    while !seen.windows(mark.len()).any(|window| window == mark) {
        let mut bytes = [0; 1024];
        match stream.read(&mut bytes)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => seen.extend_from_slice(&bytes[..read]),
        }
    }
    Ok(seen)
}

/// Prints the progress.
pub fn progress(line: &str) {
    eprintln!("{line}");
}
