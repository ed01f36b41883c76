//! Requests for the page at a fixed rate, on one connection.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

/// Time from one request to the next.
const INTERVAL: Duration = Duration::from_millis(4);
/// Timeout of a response.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Requests for the page until they are stopped.
pub(crate) struct Readers {
    is_over: Arc<AtomicBool>,
    reading: JoinHandle<io::Result<Vec<Duration>>>,
}

impl Readers {
    /// Starts to request a path. The first request is sent at this time.
    pub(crate) fn from(begin: Instant, port: u16, path: &str) -> Self {
        let is_over = Arc::new(AtomicBool::new(false));
        let (over, path) = (Arc::clone(&is_over), path.to_owned());
        Self {
            reading: thread::spawn(move || read(begin, port, &path, &over)),
            is_over,
        }
    }

    /// Stops the requests. Returns the time of each from the moment when it was due.
    pub(crate) fn stop(self) -> io::Result<Vec<Duration>> {
        self.is_over.store(true, Ordering::Release);
        self.reading
            .join()
            .map_err(|_| io::Error::other("the readers panicked"))?
    }
}

fn read(begin: Instant, port: u16, path: &str, is_over: &AtomicBool) -> io::Result<Vec<Duration>> {
    let mut server = BufReader::new(TcpStream::connect(("127.0.0.1", port))?);
    server.get_ref().set_nodelay(true)?;
    server.get_ref().set_read_timeout(Some(TIMEOUT))?;
    let (mut times, mut due) = (Vec::new(), begin);
    while !is_over.load(Ordering::Acquire) {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n");
        server.get_mut().write_all(request.as_bytes())?;
        response(&mut server)?;
        // A request that is late because of a slow response before it has waited since it was due.
        times.push(due.elapsed());
        due += INTERVAL;
    }
    Ok(times)
}

/// Reads a response with its body.
fn response(server: &mut BufReader<TcpStream>) -> io::Result<()> {
    let (mut line, mut length) = (String::new(), 0);
    server.read_line(&mut line)?;
    if !line.starts_with("HTTP/1.1 200") {
        return Err(io::Error::other(line));
    }
    while line != "\r\n" {
        line.clear();
        server.read_line(&mut line)?;
        if let Some(value) = line.strip_prefix("content-length: ") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    io::copy(&mut server.take(length), &mut io::sink()).map(|_| ())
}
