//! The file of an import, and the memory of all of them.

use actix_web::http::StatusCode;
use actix_web::web::{self, BytesMut};
use futures_util::StreamExt as _;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::imports_are_running;
use crate::request::body::{FILE_LIMIT, unreadable_body};
use crate::response::problem::Problem;

/// Bytes in which the memory is counted.
const UNIT_BYTES: usize = 1024;
/// Memory of all files. A file takes it as it arrives: until the timeout of bodies, an unfinished
/// one keeps no more than what was sent.
static MEMORY: Semaphore = Semaphore::const_new(8 * FILE_LIMIT / UNIT_BYTES);

/// A file of at most [`FILE_LIMIT`] bytes, with the memory that it takes.
pub(super) struct File<'m> {
    bytes: BytesMut,
    memory: &'m Semaphore,
    taken: Option<SemaphorePermit<'m>>,
}

impl File<'static> {
    /// Reads the file. 413 if it is too large, 429 if there is no memory for it.
    pub(super) async fn read(mut body: web::Payload) -> Result<Self, Problem> {
        let mut file = Self::new(&MEMORY);
        while let Some(chunk) = body.next().await {
            let chunk = chunk.map_err(|error| unreadable_body(&error))?;
            file.add(&chunk)?;
        }
        Ok(file)
    }
}

impl<'m> File<'m> {
    fn new(memory: &'m Semaphore) -> Self {
        Self {
            bytes: BytesMut::new(),
            memory,
            taken: None,
        }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    fn add(&mut self, chunk: &[u8]) -> Result<(), Problem> {
        let length = self.bytes.len() + chunk.len();
        if length > FILE_LIMIT {
            return Err(Problem::new(
                StatusCode::PAYLOAD_TOO_LARGE,
                "The file is larger than 16 MiB",
            ));
        }
        let taken = self.taken.as_ref().map_or(0, SemaphorePermit::num_permits);
        let missing = u32::try_from(length.div_ceil(UNIT_BYTES) - taken).unwrap_or(u32::MAX);
        let more = self.memory.try_acquire_many(missing);
        let more = more.map_err(|_| imports_are_running())?;
        match &mut self.taken {
            Some(taken) => taken.merge(more),
            None => self.taken = Some(more),
        }
        self.bytes.extend_from_slice(chunk);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use actix_web::ResponseError as _;

    use super::*;

    fn status(added: Result<(), Problem>) -> Option<StatusCode> {
        added.err().map(|problem| problem.status_code())
    }

    #[test]
    fn file_takes_memory_as_it_arrives_and_gives_it_back() {
        let memory = Semaphore::new(4);
        let mut slow = File::new(&memory);
        let mut quick = File::new(&memory);
        slow.add(b"e").unwrap();
        slow.add(b"mail").unwrap();
        quick.add(&[b'x'; 3 * UNIT_BYTES]).unwrap();
        assert_eq!(slow.bytes(), b"email");
        let full = status(slow.add(&[b'x'; UNIT_BYTES]));
        assert_eq!(full, Some(StatusCode::TOO_MANY_REQUESTS));
        drop(quick);
        slow.add(&[b'x'; UNIT_BYTES]).unwrap();
        assert_eq!(memory.available_permits(), 2);
        drop(slow);
        assert_eq!(memory.available_permits(), 4);
    }

    #[test]
    fn file_that_is_too_large_is_refused() {
        let memory = Semaphore::new(2 * FILE_LIMIT / UNIT_BYTES);
        let mut file = File::new(&memory);
        file.add(&vec![b'x'; FILE_LIMIT]).unwrap();
        let large = status(file.add(b"x"));
        assert_eq!(large, Some(StatusCode::PAYLOAD_TOO_LARGE));
    }
}
