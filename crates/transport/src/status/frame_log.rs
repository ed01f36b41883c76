//! The newest commits of one organisation as event stream text. Viewers hold a position in it and no bytes of their own, so its
//! bounds are the bounds of everything that waits for the viewers of an organisation.

use std::collections::VecDeque;

use allclear_domain::organisation::Revision;
use bytes::Bytes;

/// Most commits that are kept.
const MOST_FRAMES: usize = 256;
/// Most bytes that are kept; the newest commit is kept whatever its size.
const MOST_BYTES: usize = 256 * 1024;

/// A commit, encoded.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) revision: Revision,
    pub(crate) bytes: Bytes,
}

/// What is found at a position.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    /// The frame was dropped: the viewer is too far behind.
    Dropped,
    /// A frame.
    Frame(&'a Frame),
    /// Nothing yet.
    End,
}

/// The newest frames, oldest first. Positions count every frame there ever was, from 0.
#[derive(Debug, Default)]
pub(crate) struct FrameLog {
    frames: VecDeque<Frame>,
    /// The position of the oldest frame kept.
    first: u64,
    bytes: usize,
}

impl FrameLog {
    /// Adds the next commit. The older ones are dropped if a commit between them and this one is missing.
    pub(crate) fn push(&mut self, frame: Frame) {
        if self
            .newest()
            .is_some_and(|newest| newest.next() != frame.revision)
        {
            self.drop_before(self.end());
        }
        self.bytes += frame.bytes.len();
        self.frames.push_back(frame);
        while self.frames.len() > 1 && (self.frames.len() > MOST_FRAMES || self.bytes > MOST_BYTES)
        {
            self.drop_before(self.first + 1);
        }
    }

    /// Becomes a copy of another log of the same frames, which goes on further. The bytes are shared.
    pub(crate) fn copy(&mut self, other: &Self) {
        if self.end() < other.first {
            *self = Self {
                first: other.first,
                ..Self::default()
            };
        }
        let known = usize::try_from(self.end() - other.first).unwrap_or(usize::MAX);
        for frame in other.frames.iter().skip(known) {
            self.bytes += frame.bytes.len();
            self.frames.push_back(frame.clone());
        }
        self.drop_before(other.first);
    }

    /// What is at a position.
    pub(crate) fn get(&self, position: u64) -> Found<'_> {
        let Some(index) = position.checked_sub(self.first) else {
            return Found::Dropped;
        };
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        self.frames.get(index).map_or(Found::End, Found::Frame)
    }

    /// The position of the commit that follows a revision; `None` if it is not kept.
    pub(crate) fn after(&self, revision: Revision) -> Option<u64> {
        let next = revision.next();
        let index = self
            .frames
            .iter()
            .position(|frame| frame.revision == next)?;
        Some(self.first + u64::try_from(index).ok()?)
    }

    /// The newest revision; `None` if there are no frames.
    pub(crate) fn newest(&self) -> Option<Revision> {
        self.frames.back().map(|frame| frame.revision)
    }

    /// The position of the next frame to come.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.frames.len() as u64
    }

    fn drop_before(&mut self, position: u64) {
        while self.first < position
            && let Some(oldest) = self.frames.pop_front()
        {
            self.bytes -= oldest.bytes.len();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(revision: i64, size: usize) -> Frame {
        Frame {
            revision: Revision(revision),
            bytes: vec![0; size].into(),
        }
    }

    fn log(revisions: std::ops::RangeInclusive<i64>, size: usize) -> FrameLog {
        let mut log = FrameLog::default();
        revisions.for_each(|revision| log.push(frame(revision, size)));
        log
    }

    fn kept(log: &FrameLog) -> Vec<i64> {
        log.frames.iter().map(|frame| frame.revision.0).collect()
    }

    #[test]
    fn log_is_bounded_in_frames_and_in_bytes() {
        assert_eq!(log(1..=1000, 1).frames.len(), MOST_FRAMES);
        let large = log(1..=1000, 100_000);
        assert_eq!(kept(&large), [999, 1000]);
        assert!(large.bytes <= MOST_BYTES);
        assert!(matches!(large.get(997), Found::Dropped));
        assert!(matches!(large.get(998), Found::Frame(frame) if frame.revision.0 == 999));
        assert!(matches!(large.get(1000), Found::End));
    }

    #[test]
    fn newest_commit_is_kept_whatever_its_size() {
        assert_eq!(kept(&log(1..=3, 2 * MOST_BYTES)), [3]);
    }

    #[test]
    fn commit_after_a_gap_drops_the_older_ones() {
        let mut log = log(1..=3, 1);
        log.push(frame(5, 1));
        assert_eq!(kept(&log), [5]);
        assert_eq!(
            (log.after(Revision(3)), log.after(Revision(4))),
            (None, Some(3))
        );
    }

    #[test]
    fn copy_goes_on_with_what_is_new_and_shares_the_bytes() {
        let original = log(1..=3, 10);
        let mut copy = FrameLog::default();
        copy.copy(&original);
        assert_eq!(kept(&copy), [1, 2, 3]);
        assert_eq!(
            copy.frames[0].bytes.as_ptr(),
            original.frames[0].bytes.as_ptr()
        );
        // The second time all that was copied has been dropped.
        let mut original = original;
        for (revisions, size) in [(4..=9, 1), (10..=15, MOST_BYTES / 2)] {
            revisions.for_each(|revision| original.push(frame(revision, size)));
            copy.copy(&original);
            assert_eq!((kept(&copy), copy.bytes), (kept(&original), original.bytes));
            assert_eq!(copy.end(), original.end());
        }
    }
}
