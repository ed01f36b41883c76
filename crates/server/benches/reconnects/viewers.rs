//! Viewers that behave like browsers (HTML Living Standard, section 9.2). One thread holds all
//! of them.

use std::{
    cmp::Reverse,
    collections::BinaryHeap,
    io::{self, Read as _, Write as _},
    net::SocketAddr,
    thread,
    time::{Duration, Instant},
};

use allclear_bench_support::crowd::socket;
use mio::{Events, Interest, Poll, Token, net::TcpStream};
use rustix::io::Errno;

use crate::response::{Received, Response};

/// Time after which Chromium reconnects if the server has sent no `retry`.
const DEFAULT_RETRY: Duration = Duration::from_secs(3);
/// Number of connections that are opened before the open ones are read.
const BATCH: usize = 64;

/// The page of all viewers.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) port: u16,
    /// Path of the event stream, with the revision of the page.
    pub(crate) stream: String,
    pub(crate) revision: i64,
}

/// Counts of all viewers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Open streams.
    pub(crate) open: usize,
    /// Attempts to connect.
    pub(crate) attempts: usize,
    /// Attempts that reached no server.
    pub(crate) refused: usize,
    /// Responses other than 200, and connections that broke before their response.
    pub(crate) failed: usize,
    pub(crate) resyncs: usize,
    /// Events whose revision does not follow the one before.
    pub(crate) gaps: usize,
}

/// All viewers of a page.
pub(crate) struct Viewers {
    page: Page,
    poll: Poll,
    events: Events,
    all: Vec<Viewer>,
    /// Times at which viewers connect, with the number of the viewer.
    due: BinaryHeap<Reverse<(Instant, usize)>>,
    buffer: Vec<u8>,
    pub(crate) counts: Counts,
}

struct Viewer {
    connection: Option<TcpStream>,
    has_requested: bool,
    response: Response,
    state: State,
}

/// State of a viewer that a response changes.
#[derive(Clone, Copy)]
struct State {
    is_open: bool,
    /// Time after which the viewer reconnects.
    retry: Duration,
    /// Revision of the last event, or of the page.
    revision: i64,
    last_event_id: Option<i64>,
}

impl Viewers {
    /// Creates viewers that open the page one after the other within this time.
    pub(crate) fn new(page: Page, count: usize, over: Duration) -> io::Result<Self> {
        let viewer = || Viewer {
            connection: None,
            has_requested: false,
            response: Response::default(),
            state: State {
                is_open: false,
                retry: DEFAULT_RETRY,
                revision: page.revision,
                last_event_id: None,
            },
        };
        let now = Instant::now();
        let step = over / u32::try_from(count).unwrap_or(u32::MAX);
        let mut times = (0..).map(|number| now + step * number);
        Ok(Self {
            poll: Poll::new()?,
            events: Events::with_capacity(1024),
            all: (0..count).map(|_| viewer()).collect(),
            due: (0..count)
                .zip(&mut times)
                .map(|(viewer, time)| Reverse((time, viewer)))
                .collect(),
            buffer: vec![0; 64 * 1024],
            counts: Counts::default(),
            page,
        })
    }

    /// Number of connected viewers with this revision or a later one.
    pub(crate) fn up_to_date(&self, revision: i64) -> usize {
        let has = |viewer: &&Viewer| viewer.state.is_open && viewer.state.revision >= revision;
        self.all.iter().filter(has).count()
    }

    /// Number of viewers.
    pub(crate) fn count(&self) -> usize {
        self.all.len()
    }

    /// Runs the viewers while work is done in another thread. Returns the result of the work.
    pub(crate) fn during<T: Send + 'static>(
        &mut self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> io::Result<T> {
        let work = thread::spawn(work);
        while !work.is_finished() {
            self.poll(Duration::from_millis(1))?;
        }
        work.join()
            .map_err(|_| io::Error::other("the work panicked"))?
    }

    /// Runs the viewers until a condition is true. Returns false if it is not within this time.
    pub(crate) fn until(
        &mut self,
        time: Duration,
        condition: impl Fn(&Self) -> bool,
    ) -> io::Result<bool> {
        let end = Instant::now() + time;
        while !condition(self) {
            if Instant::now() >= end {
                return Ok(false);
            }
            self.poll(Duration::from_millis(5))?;
        }
        Ok(true)
    }

    /// Runs the viewers for this time.
    pub(crate) fn rest(&mut self, time: Duration) -> io::Result<()> {
        self.until(time, |_| false).map(|_| ())
    }

    /// Connects the viewers that are due, and handles the connections that are ready within
    /// this time.
    fn poll(&mut self, timeout: Duration) -> io::Result<()> {
        let now = Instant::now();
        for _ in 0..BATCH {
            let Some(Reverse((time, viewer))) = self.due.peek().copied() else {
                break;
            };
            if time > now {
                break;
            }
            self.due.pop();
            self.connect(viewer)?;
        }
        let next = self.due.peek().map(|Reverse((time, _))| *time);
        let wait = next.map_or(timeout, |time| {
            timeout.min(time.saturating_duration_since(Instant::now()))
        });
        match self.poll.poll(&mut self.events, Some(wait)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            result => result?,
        }
        let ready: Vec<usize> = self.events.iter().map(|event| event.token().0).collect();
        for viewer in ready {
            if self.handle_ready(viewer).is_err() {
                self.schedule_reconnect(viewer);
            }
        }
        Ok(())
    }

    fn connect(&mut self, number: usize) -> io::Result<()> {
        self.counts.attempts += 1;
        let socket = socket()?;
        socket.set_nonblocking(true)?;
        let server = SocketAddr::from(([127, 0, 0, 1], self.page.port));
        if let Err(error) = socket.connect(&server.into())
            && error.raw_os_error() != Some(Errno::INPROGRESS.raw_os_error())
        {
            self.schedule_reconnect(number);
            return Ok(());
        }
        let mut connection = TcpStream::from_std(socket.into());
        let interest = Interest::READABLE | Interest::WRITABLE;
        let registry = self.poll.registry();
        registry.register(&mut connection, Token(number), interest)?;
        self.all[number].connection = Some(connection);
        Ok(())
    }

    /// Sends the request, and reads the bytes that have arrived. Fails if the connection has ended.
    fn handle_ready(&mut self, number: usize) -> io::Result<()> {
        let viewer = &mut self.all[number];
        let Some(connection) = &mut viewer.connection else {
            return Ok(());
        };
        if !viewer.has_requested {
            if let Some(error) = connection.take_error()? {
                return Err(error);
            }
            if connection.peer_addr().is_err() {
                return Ok(());
            }
            connection.write_all(self.page.request(viewer.state.last_event_id).as_bytes())?;
            viewer.has_requested = true;
        }
        loop {
            match connection.read(&mut self.buffer) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(read) => {
                    let mut received = Vec::new();
                    let bytes = &self.buffer[..read];
                    viewer.response.take(bytes, |part| received.push(part));
                    for part in received {
                        viewer.state.receive(part, &mut self.counts)?;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    /// Closes the connection of a viewer, which reconnects after its retry time.
    fn schedule_reconnect(&mut self, number: usize) {
        let viewer = &mut self.all[number];
        if viewer.state.is_open {
            self.counts.open -= 1;
        } else if viewer.has_requested {
            self.counts.failed += 1;
        } else {
            self.counts.refused += 1;
        }
        viewer.connection = None;
        (viewer.has_requested, viewer.state.is_open) = (false, false);
        viewer.response = Response::default();
        let time = Instant::now() + viewer.state.retry;
        self.due.push(Reverse((time, number)));
    }
}

impl State {
    /// Takes a part of the response. Fails at the end of the stream.
    fn receive(&mut self, received: Received, counts: &mut Counts) -> io::Result<()> {
        match received {
            Received::Head(200) => {
                self.is_open = true;
                counts.open += 1;
            }
            Received::Head(_) => {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            Received::Retry(time) => self.retry = time,
            Received::Event { id, is_resync } => {
                counts.resyncs += usize::from(is_resync);
                counts.gaps += usize::from(!is_resync && id > self.revision + 1);
                (self.revision, self.last_event_id) = (id, Some(id));
            }
        }
        Ok(())
    }
}

impl Page {
    fn request(&self, last_event_id: Option<i64>) -> String {
        let last = last_event_id.map(|id| format!("Last-Event-ID: {id}\r\n"));
        format!(
            "GET {} HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n{}\r\n",
            self.stream,
            last.unwrap_or_default()
        )
    }
}
