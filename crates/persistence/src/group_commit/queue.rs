//! The order of the writes that wait: each organisation has one write in turn, so that one with
//! many writes delays the others by one of them, not by all. An organisation whose write took
//! longer than [`QUANTUM`] is left out for as many turns as the rest of that time has quanta, so
//! that several organisations of one person with slow writes delay the others by one of them, too
//! (deficit round robin). A write that names no organisation is of none, of several, or of a
//! worker that serves all of them. It has a turn of its own.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use allclear_domain::id::OrganisationId;

/// Time of an organisation's writes in each turn.
const QUANTUM: Duration = Duration::from_millis(10);

/// Writes that wait. Those of one organisation keep their order.
pub(super) struct FairQueue<T> {
    turns: VecDeque<Turn<T>>,
    /// The organisations that have a turn.
    of_organisations: HashMap<OrganisationId, Waiting<T>>,
    len: usize,
}

/// Whose write is next.
enum Turn<T> {
    Organisation(OrganisationId),
    /// A write that names no organisation.
    Write(T),
}

/// Writes of an organisation. It has some, or a debt.
struct Waiting<T> {
    writes: VecDeque<T>,
    /// Time that its writes took beyond their quanta.
    debt: Duration,
}

impl<T> Waiting<T> {
    const fn new() -> Self {
        Self {
            writes: VecDeque::new(),
            debt: Duration::ZERO,
        }
    }
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
        match organisation {
            Some(organisation) => self.of(organisation).writes.push_back(write),
            None => self.turns.push_back(Turn::Write(write)),
        }
    }

    /// Takes the next write; `None` if none waits.
    pub(super) fn pop(&mut self) -> Option<(Option<OrganisationId>, T)> {
        if self.len == 0 {
            // No write waits for the end of a debt.
            self.turns.clear();
            self.of_organisations.clear();
            return None;
        }
        loop {
            let organisation = match self.turns.pop_front()? {
                Turn::Write(write) => {
                    self.len -= 1;
                    return Some((None, write));
                }
                Turn::Organisation(organisation) => organisation,
            };
            let waiting = self.of_organisations.get_mut(&organisation)?;
            let is_in_debt = waiting.debt > QUANTUM;
            waiting.debt = waiting.debt.saturating_sub(QUANTUM);
            let write = if is_in_debt {
                None
            } else {
                waiting.writes.pop_front()
            };
            if waiting.writes.is_empty() && waiting.debt.is_zero() {
                self.of_organisations.remove(&organisation);
            } else {
                self.turns
                    .push_back(Turn::Organisation(organisation.clone()));
            }
            if let Some(write) = write {
                self.len -= 1;
                return Some((Some(organisation), write));
            }
        }
    }

    /// Counts the time that a write of an organisation took.
    pub(super) fn charge(&mut self, organisation: OrganisationId, time: Duration) {
        let debt = time.saturating_sub(QUANTUM);
        if !debt.is_zero() {
            self.of(organisation).debt += debt;
        }
    }

    /// The organisation's writes; it gets a turn if it has none.
    fn of(&mut self, organisation: OrganisationId) -> &mut Waiting<T> {
        match self.of_organisations.entry(organisation) {
            Entry::Occupied(waiting) => waiting.into_mut(),
            Entry::Vacant(place) => {
                self.turns
                    .push_back(Turn::Organisation(place.key().clone()));
                place.insert(Waiting::new())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn organisation(id: &str) -> OrganisationId {
        OrganisationId::parse(id).unwrap()
    }

    #[test]
    fn organisations_take_turns_and_each_keeps_its_order() {
        let mut queue = FairQueue::new();
        let of = |id| Some(organisation(id));
        for number in 1..=4 {
            queue.push(of("many"), ("many", number));
        }
        queue.push(of("few"), ("few", 1));
        queue.push(None, ("none", 1));
        queue.push(None, ("none", 2));
        assert_eq!(queue.pop(), Some((of("many"), ("many", 1))));
        // A turn that begins meanwhile is behind those that wait.
        queue.push(of("few"), ("few", 2));
        queue.push(of("late"), ("late", 1));
        let rest: Vec<_> = std::iter::from_fn(|| queue.pop())
            .map(|(_, write)| write)
            .collect();
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

    #[test]
    fn organisations_with_slow_writes_wait_for_those_with_fast_ones() {
        let mut queue = FairQueue::new();
        let slow = ["slow-1", "slow-2", "slow-3"];
        // Each sends its next write when its last one is done.
        for id in slow {
            queue.push(Some(organisation(id)), id);
        }
        for id in slow {
            assert_eq!(queue.pop(), Some((Some(organisation(id)), id)));
            queue.charge(organisation(id), Duration::from_secs(1));
            queue.push(Some(organisation(id)), id);
        }
        // A second is a hundred quanta, of which the write itself had one.
        for number in 0..98 {
            queue.push(Some(organisation("fast")), "fast");
            assert_eq!(queue.pop().map(|(_, id)| id), Some("fast"), "{number}");
            queue.charge(organisation("fast"), Duration::from_millis(1));
        }
        // Without other writes, a debt delays no write.
        assert_eq!(queue.pop().map(|(_, id)| id), Some("slow-1"));
    }

    #[test]
    fn debts_end_when_nothing_waits() {
        let mut queue = FairQueue::new();
        queue.push(Some(organisation("slow")), ());
        assert!(queue.pop().is_some());
        queue.charge(organisation("slow"), Duration::from_secs(1));
        assert_eq!(queue.of_organisations.len(), 1);
        assert_eq!(queue.pop(), None);
        assert!(queue.turns.is_empty() && queue.of_organisations.is_empty());
    }
}
