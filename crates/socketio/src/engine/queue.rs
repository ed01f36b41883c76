//! The queue of packets for one client.

use std::collections::VecDeque;
use std::sync::Arc;

use super::encoded::Encoded;
use crate::settings::Settings;

/// Capacity that an empty queue keeps.
const MIN_CAPACITY: usize = 32;

/// A queue bounded in packets and bytes.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    packets: VecDeque<Arc<Encoded>>,
    bytes: usize,
}

impl Queue {
    /// Appends a packet; false if the queue is full. An empty queue accepts any packet.
    pub(crate) fn push(&mut self, packet: Arc<Encoded>, settings: &Settings) -> bool {
        let bytes = self.bytes.saturating_add(packet.len());
        let full =
            self.packets.len() >= settings.max_queue_packets || bytes > settings.max_queue_bytes;
        if full && !self.packets.is_empty() {
            return false;
        }
        self.bytes = bytes;
        self.packets.push_back(packet);
        true
    }

    pub(crate) fn take(&mut self) -> Option<Arc<Encoded>> {
        let packet = self.packets.pop_front()?;
        self.bytes = self.bytes.saturating_sub(packet.len());
        if self.packets.is_empty() && self.packets.capacity() > MIN_CAPACITY {
            // A burst must not cost an idle client memory for ever.
            self.packets = VecDeque::new();
        }
        Some(packet)
    }

    pub(crate) fn take_all(&mut self) -> Vec<Arc<Encoded>> {
        self.bytes = 0;
        std::mem::take(&mut self.packets).into()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(crate) fn len(&self) -> usize {
        self.packets.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.packets.is_empty()
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
        let by_bytes = settings(100, 9);
        let mut queue = Queue::default();
        assert!(queue.push(Encoded::text("4a"), &by_bytes));
        assert!(queue.push(Encoded::text("4b"), &by_bytes));
        assert!(!queue.push(Encoded::text("4c"), &by_bytes));
    }

    #[test]
    fn empty_queue_accepts_a_packet_of_any_size() {
        let mut queue = Queue::default();
        assert!(queue.push(Encoded::text(&"x".repeat(500)), &settings(2, 10)));
        assert!(!queue.push(Encoded::text("4a"), &settings(2, 10)));
        assert!(queue.take().is_some());
        assert!(queue.push(Encoded::text("4a"), &settings(2, 10)));
    }
}
