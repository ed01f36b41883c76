//! Criers: in each worker one task a channel, which tells the worker's viewers that there is something to read. Waking
//! ten thousand of them takes a tenth of a second, and who asks for the page or saves meanwhile must not wait for the end of it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use allclear_domain::id::OrganisationId;
use futures_util::Stream;
use slab::Slab;
use tokio::sync::broadcast::{self, error::TryRecvError};
use tokio::sync::watch;

use crate::status::viewers::{Frame, Subscription};

/// How many viewers are told before the worker looks whether somebody else wants something: less than a millisecond's work.
const AT_ONCE: usize = 48;

thread_local! {
    static CRIERS: RefCell<HashMap<OrganisationId, Crier>> = RefCell::default();
}

/// Each listener of a channel in a worker, and whom to wake for it where it waits.
type Listeners = Rc<RefCell<Slab<Option<Waker>>>>;

/// Who of a worker listens to a channel.
#[derive(Clone)]
struct Crier {
    channel: watch::Receiver<()>,
    listeners: Listeners,
}

/// What a viewer is sent, as it comes. It ends with its channel, and where the viewer has fallen too far behind.
pub(crate) struct Listener {
    frames: broadcast::Receiver<Frame>,
    listeners: Listeners,
    key: usize,
}

impl Listener {
    /// Listens to what a viewer has subscribed to. MUST be called in a worker.
    pub(crate) fn of(organisation: &OrganisationId, subscription: Subscription) -> Self {
        let listeners = CRIERS.with_borrow_mut(|criers| match criers.entry(organisation.clone()) {
            Entry::Occupied(crier) if crier.get().channel.same_channel(&subscription.told) => {
                Rc::clone(&crier.get().listeners)
            }
            entry => {
                let crier = Crier {
                    channel: subscription.told,
                    listeners: Rc::default(),
                };
                tokio::task::spawn_local(crier.clone().cry(organisation.clone()));
                let listeners = Rc::clone(&crier.listeners);
                entry.insert_entry(crier);
                listeners
            }
        });
        let key = listeners.borrow_mut().insert(None);
        Self {
            frames: subscription.frames,
            listeners,
            key,
        }
    }
}

impl Stream for Listener {
    type Item = Frame;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Frame>> {
        match self.frames.try_recv() {
            Ok(frame) => Poll::Ready(Some(frame)),
            Err(TryRecvError::Closed | TryRecvError::Lagged(_)) => Poll::Ready(None),
            // What is sent from here on, the crier learns after this: it runs in the same thread.
            Err(TryRecvError::Empty) => {
                self.listeners.borrow_mut()[self.key] = Some(context.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.listeners.borrow_mut().remove(self.key);
    }
}

impl Crier {
    /// Tells the listeners of everything that is sent, and of the end.
    async fn cry(mut self, organisation: OrganisationId) {
        while self.channel.changed().await.is_ok() {
            self.tell().await;
        }
        CRIERS.with_borrow_mut(|criers| {
            if criers
                .get(&organisation)
                .is_some_and(|crier| Rc::ptr_eq(&crier.listeners, &self.listeners))
            {
                criers.remove(&organisation);
            }
        });
        self.tell().await;
    }

    /// Wakes everybody who waits, some at a time.
    async fn tell(&self) {
        let mut next = 0;
        while next < self.listeners.borrow().capacity() {
            let woken = self.wake(next..next + AT_ONCE);
            next += AT_ONCE;
            if woken > 0 {
                tokio::task::yield_now().await;
            }
        }
    }

    fn wake(&self, keys: Range<usize>) -> usize {
        let mut listeners = self.listeners.borrow_mut();
        keys.filter_map(|key| listeners.get_mut(key)?.take())
            .map(Waker::wake)
            .count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::cell::Cell;
    use std::sync::Arc;

    use allclear_application::outbox::Commit;
    use allclear_application::relay::Audience as _;
    use futures_util::StreamExt as _;

    use crate::status::viewers::Viewers;

    fn organisation() -> OrganisationId {
        OrganisationId::parse("org").unwrap()
    }

    fn listener(viewers: &Viewers) -> Listener {
        Listener::of(&organisation(), viewers.subscribe(&organisation()))
    }

    fn change(viewers: &Viewers, revision: i64) {
        viewers.tell(&Arc::new(Commit {
            organisation: "org".into(),
            revision,
            events: Vec::new(),
        }));
    }

    async fn nobody_cries() {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        CRIERS.with_borrow(|criers| assert!(criers.is_empty()));
    }

    #[actix_web::test]
    async fn who_comes_while_many_are_told_does_not_wait_for_all_of_them() {
        let (viewers, told) = (Viewers::default(), Rc::new(Cell::new(0)));
        let listening: Vec<_> = (0..10 * AT_ONCE)
            .map(|_| {
                let (mut listener, told) = (listener(&viewers), Rc::clone(&told));
                tokio::task::spawn_local(async move {
                    assert!(matches!(listener.next().await, Some(Frame::Commit(..))));
                    told.set(told.get() + 1);
                })
            })
            .collect();
        tokio::task::yield_now().await;
        change(&viewers, 1);
        while told.get() == 0 {
            tokio::task::yield_now().await;
        }
        assert!(told.get() <= 2 * AT_ONCE);
        futures_util::future::join_all(listening)
            .await
            .into_iter()
            .for_each(Result::unwrap);
        assert_eq!(told.get(), 10 * AT_ONCE);
        viewers.close();
        nobody_cries().await;
    }

    #[actix_web::test]
    async fn who_leaves_while_others_wait_holds_nobody_up() {
        let viewers = Viewers::default();
        let (leaving, mut staying) = (listener(&viewers), listener(&viewers));
        let heard =
            tokio::task::spawn_local(async move { (staying.next().await, staying.next().await) });
        tokio::task::yield_now().await;
        drop(leaving);
        change(&viewers, 1);
        let mut coming = listener(&viewers);
        change(&viewers, 2);
        assert!(matches!(
            heard.await.unwrap(),
            (Some(Frame::Commit(..)), Some(Frame::Commit(..)))
        ));
        assert!(matches!(coming.next().await, Some(Frame::Commit(revision, _)) if revision.0 == 2));
    }

    #[actix_web::test]
    async fn who_falls_too_far_behind_is_left() {
        let viewers = Viewers::default();
        let mut slow = listener(&viewers);
        (1..=1000).for_each(|revision| change(&viewers, revision));
        assert!(slow.next().await.is_none());
    }

    #[actix_web::test]
    async fn every_channel_has_its_own_end() {
        let viewers = Viewers::default();
        let mut before = listener(&viewers);
        let ended =
            tokio::task::spawn_local(async move { (before.next().await, before.next().await) });
        tokio::task::yield_now().await;
        viewers.resync(&organisation());
        let mut after = listener(&viewers);
        assert!(matches!(
            ended.await.unwrap(),
            (Some(Frame::Resync(_)), None)
        ));
        let heard =
            tokio::task::spawn_local(async move { (after.next().await, after.next().await) });
        tokio::task::yield_now().await;
        change(&viewers, 1);
        tokio::task::yield_now().await;
        viewers.close();
        assert!(matches!(
            heard.await.unwrap(),
            (Some(Frame::Commit(..)), None)
        ));
        nobody_cries().await;
    }
}
