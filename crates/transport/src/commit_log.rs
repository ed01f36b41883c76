//! The newest commits of one organisation, for its event streams and sockets. Viewers hold a position in
//! the log and no bytes of their own, so its bounds limit the memory of everything that waits.

use std::collections::VecDeque;

use allclear_domain::organisation::Revision;

/// Largest number of commits in the log.
const MAX_COMMITS: usize = 256;
/// Largest size of the log in bytes; the newest commit is kept whatever its size.
const MAX_BYTES: usize = 256 * 1024;

/// A commit in the form that a log stores.
pub(crate) trait LogEntry {
    fn revision(&self) -> Revision;

    /// Approximate size in bytes.
    fn size(&self) -> usize;
}

/// Result of a lookup by position.
#[derive(Debug)]
pub(crate) enum Found<'a, T> {
    /// The commit was removed: the viewer is too far behind.
    Dropped,
    /// The commit.
    Entry(&'a T),
    /// There is no commit yet.
    End,
}

/// The newest commits, oldest first. Positions count all commits since the log was created, from 0.
#[derive(Debug)]
pub(crate) struct CommitLog<T> {
    entries: VecDeque<T>,
    /// Position of the oldest entry.
    first: u64,
    bytes: usize,
}

impl<T> Default for CommitLog<T> {
    fn default() -> Self {
        Self {
            entries: VecDeque::new(),
            first: 0,
            bytes: 0,
        }
    }
}

impl<T: LogEntry> CommitLog<T> {
    /// Appends a commit. Removes the older ones if a commit in between is missing.
    pub(crate) fn push(&mut self, entry: T) {
        if self
            .newest()
            .is_some_and(|newest| newest.next() != entry.revision())
        {
            self.drop_before(self.end());
        }
        self.bytes += entry.size();
        self.entries.push_back(entry);
        while self.entries.len() > 1 && (self.entries.len() > MAX_COMMITS || self.bytes > MAX_BYTES)
        {
            self.drop_before(self.first + 1);
        }
    }

    /// Becomes a copy of another log of the same commits that is at least as far.
    pub(crate) fn copy(&mut self, other: &Self)
    where
        T: Clone,
    {
        if self.end() < other.first {
            *self = Self {
                first: other.first,
                ..Self::default()
            };
        }
        for entry in other.since(self.end()) {
            self.bytes += entry.size();
            self.entries.push_back(entry.clone());
        }
        self.drop_before(other.first);
    }

    /// The commit at a position.
    pub(crate) fn get(&self, position: u64) -> Found<'_, T> {
        let Some(index) = position.checked_sub(self.first) else {
            return Found::Dropped;
        };
        let index = usize::try_from(index).unwrap_or(usize::MAX);
        self.entries.get(index).map_or(Found::End, Found::Entry)
    }

    /// The commits from a position on.
    pub(crate) fn since(&self, position: u64) -> impl Iterator<Item = &T> {
        let skipped = usize::try_from(position.saturating_sub(self.first)).unwrap_or(usize::MAX);
        self.entries.iter().skip(skipped)
    }

    /// Position of the commit that follows a revision; `None` if it is not in the log.
    pub(crate) fn after(&self, revision: Revision) -> Option<u64> {
        let next = revision.next();
        let index = self
            .entries
            .iter()
            .position(|entry| entry.revision() == next)?;
        Some(self.first + u64::try_from(index).ok()?)
    }

    /// The newest revision; `None` if the log is empty.
    pub(crate) fn newest(&self) -> Option<Revision> {
        self.entries.back().map(LogEntry::revision)
    }

    /// Position of the next commit.
    pub(crate) fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }

    fn drop_before(&mut self, position: u64) {
        while self.first < position
            && let Some(oldest) = self.entries.pop_front()
        {
            self.bytes -= oldest.size();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::viewers::Frame;
    use proptest::prelude::*;

    fn frame(revision: i64, size: usize) -> Frame {
        Frame {
            revision: Revision(revision),
            bytes: vec![0; size].into(),
        }
    }

    fn log(revisions: std::ops::RangeInclusive<i64>, size: usize) -> CommitLog<Frame> {
        let mut log = CommitLog::default();
        revisions.for_each(|revision| log.push(frame(revision, size)));
        log
    }

    fn kept(log: &CommitLog<Frame>) -> Vec<i64> {
        log.entries.iter().map(|frame| frame.revision.0).collect()
    }

    #[test]
    fn log_is_bounded_in_commits_and_bytes() {
        assert_eq!(log(1..=1000, 1).entries.len(), MAX_COMMITS);
        let large = log(1..=1000, 100_000);
        assert_eq!(kept(&large), [999, 1000]);
        assert!(large.bytes <= MAX_BYTES);
        assert!(matches!(large.get(997), Found::Dropped));
        assert!(matches!(large.get(998), Found::Entry(frame) if frame.revision.0 == 999));
        assert!(matches!(large.get(1000), Found::End));
    }

    #[test]
    fn newest_commit_is_kept_whatever_its_size() {
        assert_eq!(kept(&log(1..=3, 2 * MAX_BYTES)), [3]);
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
    fn copy_takes_new_commits_and_shares_their_bytes() {
        let original = log(1..=3, 10);
        let mut copy = CommitLog::default();
        copy.copy(&original);
        assert_eq!(kept(&copy), [1, 2, 3]);
        assert_eq!(
            copy.entries[0].bytes.as_ptr(),
            original.entries[0].bytes.as_ptr()
        );
        // In the second round everything copied before has been removed.
        let mut original = original;
        for (revisions, size) in [(4..=9, 1), (10..=15, MAX_BYTES / 2)] {
            revisions.for_each(|revision| original.push(frame(revision, size)));
            copy.copy(&original);
            assert_eq!((kept(&copy), copy.bytes), (kept(&original), original.bytes));
            assert_eq!(copy.end(), original.end());
        }
    }

    proptest! {
        // Each case builds megabytes.
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn log_has_no_gaps(sizes in prop::collection::vec(0_usize..4096, 0..400), seen in 0_i64..450) {
            let mut log = CommitLog::default();
            let newest = i64::try_from(sizes.len()).unwrap();
            for (revision, size) in (1..).zip(sizes) {
                log.push(frame(revision, size));
            }
            prop_assert!(log.entries.len() <= MAX_COMMITS && log.bytes <= MAX_BYTES);
            if let Some(position) = log.after(Revision(seen)) {
                let found: Vec<_> = log.since(position).map(|frame| frame.revision.0).collect();
                prop_assert_eq!(found, (seen + 1..=newest).collect::<Vec<_>>());
            }
        }
    }
}
