//! The order of the writes that wait: each organisation has one write in turn, so that one with
//! many or slow writes delays the others by one of them, not by all. A write that names no
//! organisation is of none, of several, or of a worker that serves all of them. It has a turn of
//! its own.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use allclear_domain::id::OrganisationId;

/// Writes that wait. Those of one organisation keep their order.
pub(super) struct FairQueue<T> {
    turns: VecDeque<Turn<T>>,
    /// The writes of each organisation that has a turn; never empty.
    of_organisations: HashMap<OrganisationId, VecDeque<T>>,
    len: usize,
}

/// Whose write is next.
enum Turn<T> {
    Organisation(OrganisationId),
    /// A write that names no organisation.
    Write(T),
}

impl<T> FairQueue<T> {
    pub(super) fn new() -> Self {
        Self {
            turns: VecDeque::new(),
            of_organisations: HashMap::new(),
            len: 0,
        }
    }

    pub(super) const fn len(&self) -> usize {
        self.len
    }

    pub(super) fn push(&mut self, organisation: Option<OrganisationId>, write: T) {
        self.len += 1;
        let Some(organisation) = organisation else {
            self.turns.push_back(Turn::Write(write));
            return;
        };
        match self.of_organisations.entry(organisation) {
            Entry::Occupied(mut waiting) => waiting.get_mut().push_back(write),
            Entry::Vacant(place) => {
                self.turns
                    .push_back(Turn::Organisation(place.key().clone()));
                place.insert(VecDeque::from([write]));
            }
        }
    }

    /// Takes the next write; `None` if none waits.
    pub(super) fn pop(&mut self) -> Option<T> {
        let write = match self.turns.pop_front()? {
            Turn::Write(write) => write,
            Turn::Organisation(organisation) => {
                let waiting = self.of_organisations.get_mut(&organisation)?;
                let write = waiting.pop_front()?;
                if waiting.is_empty() {
                    self.of_organisations.remove(&organisation);
                } else {
                    self.turns.push_back(Turn::Organisation(organisation));
                }
                write
            }
        };
        self.len -= 1;
        Some(write)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn organisations_take_turns_and_each_keeps_its_order() {
        let mut queue = FairQueue::new();
        let organisation = |id: &str| OrganisationId::parse(id).ok();
        for number in 1..=4 {
            queue.push(organisation("many"), ("many", number));
        }
        queue.push(organisation("few"), ("few", 1));
        queue.push(None, ("none", 1));
        queue.push(None, ("none", 2));
        assert_eq!(queue.pop(), Some(("many", 1)));
        // A turn that begins meanwhile is behind those that wait.
        queue.push(organisation("few"), ("few", 2));
        queue.push(organisation("late"), ("late", 1));
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop()).collect();
        let expected = [
            ("few", 1),
            ("none", 1),
            ("none", 2),
            ("many", 2),
            ("late", 1),
            ("few", 2),
            ("many", 3),
            ("many", 4),
        ];
        assert_eq!(rest, expected);
        assert_eq!(queue.len(), 0);
        assert!(queue.of_organisations.is_empty());
    }
}
