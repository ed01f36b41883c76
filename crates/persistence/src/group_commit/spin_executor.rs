//! A thread for a future with many short waits. SQLite completes a statement faster than a thread
//! sleeps and wakes, so the thread spins before it sleeps.

use std::hint;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

/// How long the thread spins: longer than a statement takes.
const SPIN_TIME: Duration = Duration::from_micros(100);

/// Wakes the thread.
struct Signal {
    given: AtomicBool,
    thread: Thread,
    /// How long the thread spins before it sleeps.
    awake: Duration,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.given.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Signal {
    fn wait(&self) {
        let asleep = Instant::now() + self.awake;
        while !self.given.swap(false, Ordering::Acquire) {
            if Instant::now() < asleep {
                // No `yield_now`: on a busy machine all other threads would run first.
                hint::spin_loop();
            } else {
                thread::park();
            }
        }
    }
}

/// Runs a future on a thread of its own, in the context of the current runtime.
pub(super) fn spawn(future: impl Future<Output = ()> + Send + 'static) {
    let runtime = Handle::current();
    thread::spawn(move || {
        let _inside = runtime.enter();
        // With one processor, spinning would keep SQLite from running.
        let is_alone =
            thread::available_parallelism().is_ok_and(|processors| processors.get() == 1);
        let awake = if is_alone { Duration::ZERO } else { SPIN_TIME };
        let signal = Arc::new(Signal {
            given: AtomicBool::new(false),
            thread: thread::current(),
            awake,
        });
        let waker = Waker::from(Arc::clone(&signal));
        let (mut future, mut context) = (pin!(future), Context::from_waker(&waker));
        while future.as_mut().poll(&mut context).is_pending() {
            signal.wait();
        }
    });
}
