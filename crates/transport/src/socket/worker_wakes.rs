//! Wakes of a worker's tasks by other threads, passed on together.
//!
//! Tokio writes to the worker's event file for each task that another thread wakes. A change wakes
//! thousands of sockets from the thread that publishes it, so each wake would cost a system call.

use std::cell::OnceCell;
use std::future::poll_fn;
use std::mem;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, ThreadId};

use futures_util::task::AtomicWaker;
use parking_lot::Mutex;
use tokio::task::spawn_local;

/// The tasks of a worker that other threads have woken.
struct WorkerWakes {
    worker: ThreadId,
    tasks: Mutex<Vec<Waker>>,
    /// The task of the worker that passes the wakes on.
    passing: AtomicWaker,
}

/// Wakes a task of a worker: at once in its thread, and together with others from other threads.
struct TaskWake {
    task: Waker,
    wakes: Arc<WorkerWakes>,
}

thread_local! {
    static WAKES: OnceCell<Arc<WorkerWakes>> = const { OnceCell::new() };
}

/// A waker of a task of this worker for other threads.
pub(super) fn waker_of(task: Waker) -> Waker {
    let wakes = WAKES.with(|wakes| Arc::clone(wakes.get_or_init(WorkerWakes::start)));
    Waker::from(Arc::new(TaskWake { task, wakes }))
}

impl WorkerWakes {
    fn start() -> Arc<Self> {
        let wakes = Arc::new(Self {
            worker: thread::current().id(),
            tasks: Mutex::default(),
            passing: AtomicWaker::new(),
        });
        let passing = Arc::clone(&wakes);
        spawn_local(poll_fn(move |context| passing.poll_pass(context)));
        wakes
    }

    /// Passes wakes on. It never ends.
    fn poll_pass(&self, context: &Context<'_>) -> Poll<()> {
        self.passing.register(context.waker());
        let tasks = mem::take(&mut *self.tasks.lock());
        tasks.into_iter().for_each(Waker::wake);
        Poll::Pending
    }
}

impl Wake for TaskWake {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if thread::current().id() == self.wakes.worker {
            self.task.wake_by_ref();
            return;
        }
        let mut tasks = self.wakes.tasks.lock();
        let is_first = tasks.is_empty();
        tasks.push(self.task.clone());
        drop(tasks);
        if is_first {
            self.wakes.passing.wake();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;

    #[actix_web::test]
    async fn every_task_is_woken_from_another_thread() {
        const TASKS: usize = 100;
        const TURNS: usize = 100;
        let turns: Arc<Vec<AtomicUsize>> =
            Arc::new((0..TASKS).map(|_| AtomicUsize::new(0)).collect());
        let wakers: Arc<Mutex<Vec<Waker>>> = Arc::default();
        let tasks = (0..TASKS).map(|task| {
            let (turns, wakers) = (Arc::clone(&turns), Arc::clone(&wakers));
            spawn_local(poll_fn(move |context| {
                if turns[task].fetch_add(1, Ordering::Relaxed) == TURNS {
                    return Poll::Ready(());
                }
                wakers.lock().push(waker_of(context.waker().clone()));
                Poll::Pending
            }))
        });
        let tasks: Vec<_> = tasks.collect();
        let waking = Arc::clone(&wakers);
        let other = thread::spawn(move || {
            let mut left = TASKS * TURNS;
            while left > 0 {
                let woken = mem::take(&mut *waking.lock());
                left -= woken.len();
                woken.into_iter().for_each(Waker::wake);
                thread::yield_now();
            }
        });
        for ended in join_all(tasks).await {
            ended.unwrap();
        }
        other.join().unwrap();
    }
}
