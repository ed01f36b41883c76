//! The newest commits of one organisation, for its event streams and sockets. Viewers hold a
//! position in the log and no bytes of their own, so its bounds limit the memory of everything
//! that waits.

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

/// The newest commits, oldest first. Positions count all commits since the log was created, from 0;
/// commits that were added in front of them have negative ones.
#[derive(Debug)]
pub(crate) struct CommitLog<T> {
    entries: VecDeque<T>,
    /// Position of the oldest entry.
    first: i64,
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
    /// Appends a commit, unless the log has it. Removes the older ones if a commit in between
    /// is missing.
    pub(crate) fn push(&mut self, entry: T) {
        if let Some(newest) = self.newest() {
            if entry.revision() <= newest {
                return;
            }
            if entry.revision() != newest.next() {
                self.drop_before(self.end());
            }
        }
        self.bytes += entry.size();
        self.entries.push_back(entry);
        while self.entries.len() > 1 && (self.entries.len() > MAX_COMMITS || self.bytes > MAX_BYTES)
        {
            self.drop_before(self.first + 1);
        }
    }

    /// Adds consecutive commits that are older than those in the log. Does nothing if a commit in
    /// between is missing, or if the log would be more than half full: new commits would remove
    /// them before they are read.
    pub(crate) fn prepend(&mut self, mut older: Vec<T>) {
        let oldest = self.entries.front().map(LogEntry::revision);
        older.retain(|entry| oldest.is_none_or(|oldest| entry.revision() < oldest));
        let next = older.last().map(|entry| entry.revision().next());
        let has_room = self.has_room(&older);
        if has_room && oldest.is_none() {
            for entry in older {
                self.push(entry);
            }
        } else if has_room && next == oldest {
            older
                .into_iter()
                .rev()
                .for_each(|entry| self.push_front(entry));
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
        let added = usize::try_from(self.first - other.first).unwrap_or(0);
        for entry in other.entries.iter().take(added).rev() {
            self.push_front(entry.clone());
        }
        for entry in other.since(self.end()) {
            self.bytes += entry.size();
            self.entries.push_back(entry.clone());
        }
        self.drop_before(other.first);
    }

    /// The commit at a position.
    pub(crate) fn get(&self, position: i64) -> Found<'_, T> {
        let Ok(index) = usize::try_from(position - self.first) else {
            return Found::Dropped;
        };
        self.entries.get(index).map_or(Found::End, Found::Entry)
    }

    /// The commits from a position on.
    pub(crate) fn since(&self, position: i64) -> impl Iterator<Item = &T> {
        let skipped = usize::try_from(position - self.first).unwrap_or(0);
        self.entries.iter().skip(skipped)
    }

    /// Position of the commit that follows a revision; `None` if it is not in the log.
    pub(crate) fn after(&self, revision: Revision) -> Option<i64> {
        let next = revision.next();
        let index = self
            .entries
            .iter()
            .position(|entry| entry.revision() == next)?;
        Some(self.first + i64::try_from(index).ok()?)
    }

    /// The newest revision; `None` if the log is empty.
    pub(crate) fn newest(&self) -> Option<Revision> {
        self.entries.back().map(LogEntry::revision)
    }

    /// Position of the next commit.
    pub(crate) fn end(&self) -> i64 {
        // A log has at most `MAX_COMMITS`.
        self.first + i64::try_from(self.entries.len()).unwrap_or(i64::MAX)
    }

    /// Whether the log with these entries would be at most half full.
    fn has_room(&self, entries: &[T]) -> bool {
        let bytes: usize = entries.iter().map(LogEntry::size).sum();
        self.entries.len() + entries.len() <= MAX_COMMITS / 2 && self.bytes + bytes <= MAX_BYTES / 2
    }

    fn push_front(&mut self, entry: T) {
        self.bytes += entry.size();
        self.entries.push_front(entry);
        self.first -= 1;
    }

    fn drop_before(&mut self, position: i64) {
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
    use crate::status_page::viewers::Frame;
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

    #[test]
    fn older_commits_are_added_in_front_and_copied() {
        let frames = |revisions: std::ops::RangeInclusive<i64>, size| {
            revisions.map(|revision| frame(revision, size)).collect()
        };
        for (present, expected) in [
            (CommitLog::default(), vec![3, 4, 5]),
            (log(5..=7, 1), vec![3, 4, 5, 6, 7]),
            (log(6..=7, 1), vec![3, 4, 5, 6, 7]),
            (log(7..=8, 1), vec![7, 8]),
            (log(2..=4, 1), vec![2, 3, 4]),
        ] {
            let (mut original, mut copy) = (present, CommitLog::default());
            copy.copy(&original);
            let end = original.end();
            original.prepend(frames(3..=5, 1));
            assert_eq!(kept(&original), expected);
            // A reader that waits for the next commit receives no older one from the front.
            assert!(original.end() == end || expected.len() == 3);
            copy.copy(&original);
            assert_eq!((kept(&copy), copy.bytes), (expected, original.bytes));
            assert_eq!((copy.first, copy.end()), (original.first, original.end()));
        }
        let mut half_full = log(101..=200, 1);
        half_full.prepend(frames(1..=100, 1));
        half_full.prepend(frames(99..=100, MAX_BYTES / 2));
        assert_eq!(kept(&half_full)[0], 101);
        half_full.prepend(frames(80..=100, 1));
        assert_eq!(
            (kept(&half_full)[0], half_full.after(Revision(79))),
            (80, Some(-21))
        );
        assert!(matches!(half_full.get(-22), Found::Dropped));
    }

    #[test]
    fn commit_that_the_log_has_is_not_appended_again() {
        let mut log = log(1..=3, 1);
        log.push(frame(2, 1));
        log.push(frame(3, 1));
        log.push(frame(4, 1));
        assert_eq!(kept(&log), [1, 2, 3, 4]);
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
