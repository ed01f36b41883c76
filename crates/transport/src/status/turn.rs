//! Turns: telling ten thousand viewers of a change takes a worker a tenth of a second, and who asks for the page meanwhile must
//! not wait for the end of it.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// How many viewers a worker tells before it looks whether somebody else wants something: less than a millisecond's work.
const AT_ONCE: usize = 64;

/// Who of a worker waits for a turn.
struct Turns {
    waiting: VecDeque<Waker>,
    /// How many more may go on before the worker looks round.
    left: usize,
    /// Whether somebody is on the way to look round and call the next ones.
    is_ushered: bool,
}

thread_local! {
    static TURNS: RefCell<Turns> = const {
        RefCell::new(Turns { waiting: VecDeque::new(), left: AT_ONCE, is_ushered: false })
    };
}

/// Waits for a turn.
pub(crate) struct Turn {
    /// It has waited: whatever wakes its task next lets it go on. So the waker that waits for it never has to be a newer one.
    has_waited: bool,
}

impl Turn {
    /// The next free one of this worker.
    pub(crate) const fn next() -> Self {
        Self { has_waited: false }
    }
}

impl Future for Turn {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        if self.has_waited {
            return Poll::Ready(());
        }
        TURNS.with_borrow_mut(|turns| {
            if !turns.is_ushered {
                turns.is_ushered = true;
                tokio::task::spawn_local(usher());
            }
            if turns.left > 0 {
                turns.left -= 1;
                return Poll::Ready(());
            }
            turns.waiting.push_back(context.waker().clone());
            self.has_waited = true;
            Poll::Pending
        })
    }
}

/// Calls who waits, some at a time, until nobody does.
async fn usher() {
    let mut is_over = false;
    while !is_over {
        tokio::task::yield_now().await;
        TURNS.with_borrow_mut(|turns| {
            let called = turns.waiting.len().min(AT_ONCE);
            turns.waiting.drain(..called).for_each(Waker::wake);
            turns.left = AT_ONCE - called;
            is_over = turns.left == AT_ONCE;
            turns.is_ushered = !is_over;
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::cell::Cell;
    use std::rc::Rc;

    #[actix_web::test]
    async fn who_comes_while_many_take_turns_does_not_wait_for_all_of_them() {
        let told = Rc::new(Cell::new(0));
        let tell = |_| {
            let told = Rc::clone(&told);
            tokio::task::spawn_local(async move {
                Turn::next().await;
                told.set(told.get() + 1);
            })
        };
        let telling: Vec<_> = (0..10 * AT_ONCE).map(tell).collect();
        let came = Rc::clone(&told);
        let asked = tokio::task::spawn_local(async move { came.get() });
        assert!(asked.await.unwrap() <= AT_ONCE);
        futures_util::future::join_all(telling).await;
        assert_eq!(told.get(), 10 * AT_ONCE);
        all_are_called().await;
    }

    #[actix_web::test]
    async fn who_leaves_while_waiting_holds_nobody_up() {
        let leave = |_| tokio::task::spawn_local(Turn::next());
        let leaving: Vec<_> = (0..3 * AT_ONCE).map(leave).collect();
        tokio::task::yield_now().await;
        leaving.iter().for_each(tokio::task::JoinHandle::abort);
        Turn::next().await;
        all_are_called().await;
    }

    async fn all_are_called() {
        while TURNS.with_borrow(|turns| turns.is_ushered) {
            tokio::task::yield_now().await;
        }
        TURNS.with_borrow(|turns| assert_eq!((turns.waiting.len(), turns.left), (0, AT_ONCE)));
    }
}
