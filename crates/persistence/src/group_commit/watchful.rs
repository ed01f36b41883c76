//! A thread for a future that waits often and briefly. SQLite answers a statement in less time than it takes to put a thread
//! to sleep and wake it again; so this one stays awake for a moment before it sleeps.

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
        let asleep = Instant::now() + MOMENT;
        while !self.given.swap(false, Ordering::Acquire) {
            if Instant::now() < asleep {
                // Whoever else has something to do goes first: where there is one processor, that is SQLite.
                thread::yield_now();
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
        let signal = Arc::new(Signal { given: AtomicBool::new(false), thread: thread::current() });
        let waker = Waker::from(Arc::clone(&signal));
        let (mut future, mut context) = (pin!(future), Context::from_waker(&waker));
        while future.as_mut().poll(&mut context).is_pending() {
            signal.wait();
        }
    });
}
