//! The queue of packets for one client.

use std::collections::VecDeque;

use super::encoded::Encoded;
use crate::settings::Settings;

/// A queue bounded in packets and bytes. Its largest packet does not count as bytes: a client that
/// reads a long list is not slow when an event follows it.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    /// The first packet, stored here so that a client that keeps up needs no other memory. Without
    /// it, `rest` is empty.
    first: Option<Encoded>,
    rest: VecDeque<Encoded>,
    bytes: usize,
}

impl Queue {
    /// Appends a packet; false if the queue is full. An empty queue accepts any packet.
    pub(crate) fn push(&mut self, packet: Encoded, settings: &Settings) -> bool {
        let bytes = self.bytes.saturating_add(packet.len());
        let max = settings.max_queue_bytes;
        // The first packet usually settles it. A stored maximum would have to be searched for
        // whenever the largest packet is taken.
        let fits = {
            let mut packets = self.first.iter().chain(&self.rest).chain([&packet]);
            packets.any(|uncounted| bytes.saturating_sub(uncounted.len()) <= max)
        };
        let full = self.len() >= settings.max_queue_packets || !fits;
        if full && !self.is_empty() {
            return false;
        }
        self.bytes = bytes;
        match self.first {
            None => self.first = Some(packet),
            Some(_) => self.rest.push_back(packet),
        }
        true
    }

    pub(crate) fn take(&mut self) -> Option<Encoded> {
        let packet = self.first.take()?;
        self.bytes = self.bytes.saturating_sub(packet.len());
        self.first = self.rest.pop_front();
        if self.first.is_none() && self.rest.capacity() > 0 {
            // A burst must not cost an idle client memory for ever.
            self.rest = VecDeque::new();
        }
        Some(packet)
    }

    pub(crate) fn take_all(&mut self) -> Vec<Encoded> {
        let Self { first, rest, .. } = std::mem::take(self);
        first.into_iter().chain(rest).collect()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn len(&self) -> usize {
        usize::from(self.first.is_some()) + self.rest.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.first.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(packets: usize, bytes: usize) -> Settings {
        Settings {
            max_queue_packets: packets,
            max_queue_bytes: bytes,
            ..Settings::default()
        }
    }

    #[test]
    fn full_queue_refuses_packets() {
        let by_packets = settings(2, 1000);
        let mut queue = Queue::default();
        assert!(queue.push(Encoded::text("4a"), &by_packets));
        assert!(queue.push(Encoded::text("4b"), &by_packets));
        assert!(!queue.push(Encoded::text("4c"), &by_packets));
        let by_bytes = settings(100, 5);
        let mut queue = Queue::default();
        assert!(queue.push(Encoded::text("4a"), &by_bytes));
        assert!(queue.push(Encoded::text("4b"), &by_bytes));
        assert!(!queue.push(Encoded::text("4c"), &by_bytes));
    }

    #[test]
    fn one_packet_of_any_size_does_not_count_as_bytes() {
        let (large, settings) = (Encoded::text(&"x".repeat(500)), settings(4, 10));
        let mut queue = Queue::default();
        assert!(queue.push(Encoded::text("4a"), &settings));
        assert!(queue.push(large.clone(), &settings));
        assert!(queue.push(Encoded::text("4b"), &settings));
        assert!(!queue.push(large.clone(), &settings));
        assert!(queue.take().is_some() && queue.take().is_some());
        assert!(queue.push(large, &settings));
        assert!(!queue.push(Encoded::text(&"x".repeat(9)), &settings));
    }
}
