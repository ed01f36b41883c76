//! Requests that a client sends without waiting for the responses (RFC 9112, section 9.3.2). The
//! HTTP server gets them one by one: it encodes a response by the version, method and connection
//! headers of the request that it parsed last.

use std::cell::{Cell, RefCell};
use std::mem::MaybeUninit;

use bytes::BytesMut;
use httparse::Status;
use tokio::io::ReadBuf;

use super::READ_AHEAD;

/// Maximum number of headers of a request, as the HTTP server accepts them.
const MAX_HEADERS: usize = 96;
/// The HTTP server gets everything until its request ends.
const UNKNOWN: usize = usize::MAX;

/// What the HTTP server gets of what was read.
pub(super) struct Pipeline {
    /// What it does not get yet.
    rest: RefCell<BytesMut>,
    /// Number of bytes that it lacks of its request; [`UNKNOWN`] if the end of the request
    /// is unknown.
    lacking: Cell<usize>,
    /// Whether it has had the time to begin the request that it has. It reads until nothing is left
    /// before it parses.
    has_parsed: Cell<bool>,
}

/// The length of a request.
#[derive(Debug, PartialEq, Eq)]
enum Length {
    Known(usize),
    /// The head is not complete.
    HeadIncomplete,
    /// The body has no length, the head is malformed, or frames of a WebSocket follow.
    Unknown,
}

impl Pipeline {
    pub(super) fn new() -> Self {
        Self {
            rest: RefCell::default(),
            lacking: Cell::new(0),
            has_parsed: Cell::new(true),
        }
    }

    /// Number of bytes that wait.
    pub(super) fn waiting(&self) -> usize {
        self.rest.borrow().len()
    }

    /// Whether the HTTP server has no unfinished request, unless one is running.
    pub(super) fn is_ready(&self) -> bool {
        self.lacking.get() == 0 && self.has_parsed.get()
    }

    /// Moves what the HTTP server may have now to its buffer, and returns whether there was
    /// something. `begins` is whether it may have the next request.
    pub(super) fn give(&self, buffer: &mut ReadBuf<'_>, begins: bool) -> bool {
        let mut rest = self.rest.borrow_mut();
        if rest.is_empty() || begins && !self.begin(&rest) {
            return false;
        }
        let part = self.lacking.get().min(rest.len()).min(buffer.remaining());
        buffer.put_slice(&rest.split_to(part));
        if rest.is_empty() {
            // A connection that waits keeps no memory for it.
            *rest = BytesMut::new();
        }
        self.note_given(part);
        part > 0
    }

    /// Keeps what the HTTP server may not have yet of what was read into its buffer after the first
    /// `before` bytes. Returns whether something is left there.
    pub(super) fn keep(&self, buffer: &mut ReadBuf<'_>, before: usize, begins: bool) -> bool {
        let read = buffer.filled().get(before..).unwrap_or_default();
        let mut rest = self.rest.borrow_mut();
        let part = if rest.is_empty() && (!begins || self.begin(read)) {
            self.lacking.get().min(read.len())
        } else {
            0
        };
        rest.extend_from_slice(read.get(part..).unwrap_or_default());
        buffer.set_filled(before + part);
        self.note_given(part);
        part > 0
    }

    /// Nothing more can be read now. Returns whether the HTTP server should read again once it has
    /// begun its request.
    pub(super) fn note_pause(&self) -> bool {
        !self.has_parsed.replace(true) && self.waiting() > 0
    }

    /// The response of a request has ended.
    pub(super) fn end_request(&self) {
        if self.lacking.get() == UNKNOWN {
            self.lacking.set(0);
        }
    }

    /// Finds the end of the request that begins here. `false` if that needs more of its head.
    fn begin(&self, bytes: &[u8]) -> bool {
        let lacking = match length_of_request(bytes) {
            Length::Known(length) => length,
            Length::HeadIncomplete if bytes.len() < READ_AHEAD => return false,
            Length::HeadIncomplete | Length::Unknown => UNKNOWN,
        };
        self.lacking.set(lacking);
        true
    }

    fn note_given(&self, count: usize) {
        let lacking = self.lacking.get();
        if count > 0 && lacking != UNKNOWN {
            self.lacking.set(lacking - count);
            self.has_parsed.set(lacking > count);
        }
    }
}

fn length_of_request(bytes: &[u8]) -> Length {
    let mut headers = [const { MaybeUninit::uninit() }; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut []);
    let head = match request.parse_with_uninit_headers(bytes, &mut headers) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Length::HeadIncomplete,
        Err(_) => return Length::Unknown,
    };
    let mut body = None;
    for header in request.headers {
        let is = |name| header.name.eq_ignore_ascii_case(name);
        if is("transfer-encoding") || is("upgrade") {
            return Length::Unknown;
        }
        if is("content-length") && body.replace(number(header.value)).is_some() {
            return Length::Unknown;
        }
    }
    let length = body
        .unwrap_or(Some(0))
        .and_then(|body| head.checked_add(body));
    length.map_or(Length::Unknown, Length::Known)
}

/// A number as a header has it: digits only.
fn number(text: &[u8]) -> Option<usize> {
    let is_number = text.iter().all(u8::is_ascii_digit);
    let text = str::from_utf8(text).ok().filter(|_| is_number)?;
    text.parse().ok().filter(|number| *number < UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    use proptest::prelude::*;

    const GET: &str = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    const POST: &str = "POST / HTTP/1.1\r\nContent-length: 5\r\n\r\n";

    #[test]
    fn length_of_a_request_is_that_of_head_and_body() {
        let socket = "GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n";
        let chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        let lines = "GET / HTTP/1.1\nHost: a\n\n";
        for (bytes, expected) in [
            (GET.to_owned(), Length::Known(GET.len())),
            (GET.repeat(2), Length::Known(GET.len())),
            (format!("{lines}{GET}"), Length::Known(lines.len())),
            (format!("{POST}12345{GET}"), Length::Known(POST.len() + 5)),
            (format!("{POST}12"), Length::Known(POST.len() + 5)),
            ("GET / HTTP/1.1\r\n".to_owned(), Length::HeadIncomplete),
            ("st: a\r\n\r\n".to_owned(), Length::Unknown),
            (socket.to_owned(), Length::Unknown),
            (chunked.to_owned(), Length::Unknown),
            (POST.replace('5', "-5"), Length::Unknown),
            (POST.replace('5', "+5"), Length::Unknown),
            (POST.replace('5', "5\r\nContent-Length: 5"), Length::Unknown),
            (POST.replace('5', &usize::MAX.to_string()), Length::Unknown),
        ] {
            assert_eq!(length_of_request(bytes.as_bytes()), expected, "{bytes}");
        }
    }

    /// A client that sends these segments, and an HTTP server with a buffer of this size. Returns
    /// what the server gets for each request.
    fn requests(segments: &[&[u8]], size: usize) -> Vec<Vec<u8>> {
        let pipeline = Pipeline::new();
        let mut requests: Vec<Vec<u8>> = Vec::new();
        let mut segments = segments.iter();
        loop {
            let begins = pipeline.is_ready();
            let mut space = vec![0; size];
            let mut buffer = ReadBuf::new(&mut space);
            let has_given = pipeline.give(&mut buffer, begins) || {
                let Some(segment) = segments.next() else {
                    if pipeline.note_pause() {
                        continue;
                    }
                    return requests;
                };
                buffer.put_slice(segment);
                pipeline.keep(&mut buffer, 0, begins)
            };
            if has_given && begins {
                requests.push(Vec::new());
            }
            if let Some(request) = requests.last_mut() {
                request.extend_from_slice(buffer.filled());
            }
        }
    }

    proptest! {
        #[test]
        fn requests_arrive_whole_and_one_by_one(
            bodies in prop::collection::vec(prop::option::of("[a-z\r\n]{0,200}"), 1..12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
            size in 128_usize..400,
        ) {
            let request = |body: &Option<String>| match body {
                Some(body) => format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()),
                None => GET.to_owned(),
            };
            let sent: Vec<_> = bodies.iter().map(|body| request(body).into_bytes()).collect();
            let bytes = sent.concat();
            let mut ends: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len())).collect();
            // Nothing larger than the buffer is read.
            ends.extend((0..bytes.len()).step_by(size));
            ends.extend([bytes.len()]);
            ends.sort_unstable();
            ends.dedup();
            let segments: Vec<_> = ends.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect();
            prop_assert_eq!(requests(&segments, size), sent);
        }
    }
}
