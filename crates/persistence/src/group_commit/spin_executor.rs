//! A thread for a future that waits often and briefly. SQLite answers a statement in less time than it takes to put a thread
//! to sleep and wake it again; so this one stays awake for a moment before it sleeps.

use std::hint;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

/// How long it stays awake: longer than a statement takes, shorter than anybody minds.
const MOMENT: Duration = Duration::from_micros(100);

/// Tells the thread that the future can go on.
struct Signal {
    given: AtomicBool,
    thread: Thread,
    /// How long it waits for one before it sleeps.
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
                // Not giving way: on a busy machine the next turn would come after the slices of all others.
                hint::spin_loop();
            } else {
                thread::park();
            }
        }
    }
}

/// Runs a future to its end on a thread of its own. What it uses of the runtime is the present one's.
pub(super) fn spawn(future: impl Future<Output = ()> + Send + 'static) {
    let runtime = Handle::current();
    thread::spawn(move || {
        let _inside = runtime.enter();
        // With one processor it would wait for SQLite, and SQLite for it.
        let is_alone =
            thread::available_parallelism().is_ok_and(|processors| processors.get() == 1);
        let awake = if is_alone { Duration::ZERO } else { MOMENT };
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
