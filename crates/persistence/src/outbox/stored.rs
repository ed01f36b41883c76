//! Stored form of events: JSON, or compressed (RFC 1951) if they are large.

use std::io::{Read, Write};

use allclear_application::error::Error;
use allclear_application::outbox::PublicEvent;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// Size in bytes from which events are compressed. Below it, the time costs more than the bytes.
const PACKED_FROM_BYTES: usize = 8 * 1024;

/// The events of one commit: one of the two columns holds them.
pub(super) struct StoredEvents {
    pub(super) events: String,
    pub(super) packed: Option<Vec<u8>>,
}

impl StoredEvents {
    /// Writes events.
    pub(super) fn of(events: &[PublicEvent]) -> Result<Self, Error> {
        let events = serde_json::to_string(events).map_err(Error::internal)?;
        if events.len() < PACKED_FROM_BYTES {
            return Ok(Self {
                events,
                packed: None,
            });
        }
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
        let packed = encoder
            .write_all(events.as_bytes())
            .and_then(|()| encoder.finish());
        Ok(Self {
            events: String::new(),
            packed: Some(packed.map_err(Error::internal)?),
        })
    }

    /// The JSON of the events.
    pub(super) fn json(self) -> Result<String, Error> {
        let Some(packed) = self.packed else {
            return Ok(self.events);
        };
        let mut events = String::new();
        DeflateDecoder::new(packed.as_slice())
            .read_to_string(&mut events)
            .map_err(Error::internal)?;
        Ok(events)
    }
}

#[cfg(test)]
mod tests {
    use allclear_domain::event::EventKind;

    use super::*;

    fn event(length: usize) -> Vec<PublicEvent> {
        vec![PublicEvent::new(EventKind::TimelineUpdated, &["x\u{1f525}".repeat(length)]).unwrap()]
    }

    #[test]
    fn events_read_as_they_were_written_whether_compressed_or_not() {
        for (length, is_packed) in [(1, false), (PACKED_FROM_BYTES, true)] {
            let events = event(length);
            let json = serde_json::to_string(&events).unwrap();
            let stored = StoredEvents::of(&events).unwrap();
            assert_eq!(
                (stored.packed.is_some(), stored.events.is_empty()),
                (is_packed, is_packed)
            );
            assert_eq!(stored.json().unwrap(), json);
        }
    }

    #[test]
    fn bytes_that_are_not_compressed_events_are_an_error() {
        let stored = StoredEvents {
            events: String::new(),
            packed: Some(vec![0xff; 8]),
        };
        assert!(stored.json().is_err());
    }
}
