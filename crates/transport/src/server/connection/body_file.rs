//! Bodies as files in memory, from which the kernel sends them without a copy.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(not(target_os = "linux"))]
mod other;

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use bytes::Bytes;
use quick_cache::unsync::Cache;

#[cfg(target_os = "linux")]
pub(super) use self::linux::{BodyFile, poll_send_before_file};
#[cfg(not(target_os = "linux"))]
pub(super) use self::other::{BodyFile, poll_send_before_file};
use crate::byte_bounded_cache::{BySize, Weigh};
use crate::limit::client_limits::ClientLimits;

/// Bytes of the bodies that a worker remembers. Beyond them the least sent ones are evicted.
const MAX_BYTES: u64 = 4 * 1024 * 1024;
/// Expected number of these bodies.
const EXPECTED_BODIES: usize = 64;

/// The files of the bodies that one worker sends again and again.
pub(super) struct BodyFiles {
    sent: RefCell<Cache<Place, Sent, BySize>>,
    clients: Arc<ClientLimits>,
}

/// Where a body is in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) address: usize,
    pub(super) length: usize,
}

/// A body that was sent.
struct Sent {
    /// Keeps its place from being used by another one.
    body: Bytes,
    /// `None` until the body is sent again.
    file: Option<Rc<BodyFile>>,
}

impl Weigh for Sent {
    fn weight(&self) -> u64 {
        self.body.len() as u64
    }
}

impl Place {
    pub(super) fn of(body: &Bytes) -> Self {
        Self {
            address: body.as_ptr().addr(),
            length: body.len(),
        }
    }
}

impl BodyFiles {
    pub(super) fn new(clients: Arc<ClientLimits>) -> Self {
        Self {
            sent: RefCell::new(Cache::with_weighter(EXPECTED_BODIES, MAX_BYTES, BySize)),
            clients,
        }
    }

    /// The file of a body. `None` if the body was not sent before or is no longer referenced, and
    /// if no file can be made.
    pub(super) fn of(&self, body: &Bytes) -> Option<Rc<BodyFile>> {
        if body.is_unique() {
            return None;
        }
        let place = Place::of(body);
        let mut sent = self.sent.borrow_mut();
        let file = match sent.get(&place) {
            Some(Sent {
                file: Some(file), ..
            }) => return Some(Rc::clone(file)),
            Some(_) => Some(Rc::new(BodyFile::new(body, self.clients.descriptor()?)?)),
            None => None,
        };
        let (body, made) = (body.clone(), file.clone());
        sent.insert(place, Sent { body, file });
        made
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    use crate::limit::client_limits::tests::{unlimited, with_descriptors};

    #[test]
    fn body_has_a_file_when_it_is_sent_again_and_is_kept_elsewhere() {
        let files = BodyFiles::new(Arc::new(unlimited()));
        let kept = Bytes::from(vec![b'x'; 100]);
        let shared = kept.clone();
        assert!(files.of(&shared).is_none(), "it was not sent before");
        let file = files.of(&shared).unwrap();
        assert!(Rc::ptr_eq(&file, &files.of(&shared).unwrap()));
        let once = Bytes::from(vec![b'x'; 100]);
        for _ in 0..2 {
            assert!(files.of(&once).is_none(), "nobody else keeps it");
        }
    }

    /// How many of some bodies get a file, and how many of them are remembered.
    fn made_and_remembered(files: &BodyFiles, size: usize) -> (usize, usize) {
        let bodies: Vec<_> = (0..10).map(|_| Bytes::from(vec![b'x'; size])).collect();
        let made = bodies.iter().filter(|body| {
            files.of(&Bytes::clone(body));
            files.of(&Bytes::clone(body)).is_some()
        });
        let made = made.count();
        let remembered = bodies.iter().filter(|body| !body.is_unique());
        (made, remembered.count())
    }

    #[test]
    fn files_are_bounded_in_bytes_and_descriptors() {
        let unlimited = BodyFiles::new(Arc::new(unlimited()));
        let (made, remembered) = made_and_remembered(&unlimited, 1_000_000);
        assert_eq!(made, 10);
        assert!((1..=4).contains(&remembered), "{remembered}");
        assert_eq!(made_and_remembered(&unlimited, 5_000_000), (0, 0));

        let clients = Arc::new(with_descriptors(136));
        let files = BodyFiles::new(Arc::clone(&clients));
        assert_eq!(made_and_remembered(&files, 10_000).0, 5);
        assert!(clients.descriptor().is_none());
        drop(files);
        assert!(clients.descriptor().is_some());
    }
}
