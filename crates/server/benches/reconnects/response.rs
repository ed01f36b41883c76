//! Parses the response to a request for an event stream as its bytes arrive: the head, and the
//! lines of the events (HTML Living Standard, section 9.2.6). The stream ends with its connection.

use std::{str::FromStr, time::Duration};

/// Maximum length of the start of a line that is kept. The lines that viewers use are shorter; data
/// of events is not used.
const MAX_LINE: usize = 64;

/// A part of the response that a viewer has received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Received {
    /// The head, with its status.
    Head(u16),
    /// The time after which to reconnect.
    Retry(Duration),
    /// An event with an identifier: the last one of its change, or `resync`.
    Event { id: i64, is_resync: bool },
}

/// The state of a reader of a response.
#[derive(Debug, Default)]
pub(crate) struct Response {
    part: Part,
    /// The incomplete line outside the text.
    framing: Vec<u8>,
    /// The incomplete line of the text.
    text: Vec<u8>,
    is_resync: bool,
    id: Option<i64>,
}

#[derive(Clone, Copy, Debug, Default)]
enum Part {
    #[default]
    Status,
    Headers,
    Text,
}

impl Response {
    /// Takes bytes as they arrive.
    pub(crate) fn take(&mut self, bytes: &[u8], mut receive: impl FnMut(Received)) {
        for byte in bytes {
            let received = match self.part {
                Part::Text => push(&mut self.text, *byte).and_then(|line| self.text_line(&line)),
                _ => push(&mut self.framing, *byte).and_then(|line| self.framing_line(&line)),
            };
            if let Some(received) = received {
                receive(received);
            }
        }
    }

    fn framing_line(&mut self, line: &[u8]) -> Option<Received> {
        match self.part {
            Part::Status => {
                self.part = Part::Headers;
                let status = line.split(|byte| *byte == b' ').nth(1).and_then(number);
                return Some(Received::Head(status.unwrap_or_default()));
            }
            Part::Headers if line.is_empty() => self.part = Part::Text,
            Part::Headers | Part::Text => {}
        }
        None
    }

    fn text_line(&mut self, line: &[u8]) -> Option<Received> {
        if line.is_empty() {
            let is_resync = std::mem::take(&mut self.is_resync);
            let id = self.id.take()?;
            return Some(Received::Event { id, is_resync });
        }
        if let Some(id) = line.strip_prefix(b"id: ") {
            self.id = number(id);
        } else if let Some(time) = line.strip_prefix(b"retry: ") {
            return number(time).map(Duration::from_millis).map(Received::Retry);
        } else if line.starts_with(b"event: ") {
            self.is_resync = line == b"event: resync";
        }
        None
    }
}

/// Adds a byte to a line. Returns the line if it has ended.
fn push(line: &mut Vec<u8>, byte: u8) -> Option<Vec<u8>> {
    match byte {
        b'\n' => return Some(std::mem::take(line)),
        b'\r' => {}
        _ if line.len() < MAX_LINE => line.push(byte),
        _ => {}
    }
    None
}

fn number<T: FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}
