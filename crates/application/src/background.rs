//! Work that continues after the response, so that the response time does not depend on it.

use std::future::Future;
use std::panic::AssertUnwindSafe;
#[cfg(test)]
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use std::time::Duration;

use futures_util::FutureExt;
use tokio::runtime::Handle;
use tokio::time::sleep;
use tokio_util::task::TaskTracker;

use crate::error::Error;

/// Runs work after responses. [`wait_idle`](Self::wait_idle) waits for it.
#[derive(Debug, Clone)]
pub struct Background {
    tasks: TaskTracker,
    runtime: Handle,
    /// Whether work has panicked: so a mock reports an unexpected call.
    #[cfg(test)]
    panicked: Arc<AtomicBool>,
}

impl Background {
    /// Work that starts later does so within this time, in milliseconds.
    const LATER_MS: u64 = 1000;

    /// Runs work on the given runtime. The runtime of a worker thread would not do: it ends with its thread and drops unfinished
    /// work.
    #[must_use]
    pub fn on(runtime: Handle) -> Self {
        Self {
            tasks: TaskTracker::new(),
            runtime,
            #[cfg(test)]
            panicked: Arc::default(),
        }
    }

    /// Starts work. A failure is only logged; `what` names the work in the log.
    pub fn start(
        &self,
        what: &'static str,
        work: impl Future<Output = Result<(), Error>> + Send + 'static,
    ) {
        #[cfg(test)]
        let panicked = Arc::clone(&self.panicked);
        let logged = async move {
            match AssertUnwindSafe(work).catch_unwind().await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => {
                    tracing::error!(error = &error as &dyn std::error::Error, "{what} failed");
                }
                Err(_) => {
                    tracing::error!("{what} failed: it panicked");
                    #[cfg(test)]
                    panicked.store(true, Ordering::Relaxed);
                }
            }
        };
        self.tasks.spawn_on(logged, &self.runtime);
    }

    /// [`Self::start`] after a random delay. Work that begins while the response is being sent slows it down, and thousands of such
    /// responses would reveal which requests cause work.
    pub fn start_later(
        &self,
        what: &'static str,
        work: impl Future<Output = Result<(), Error>> + Send + 'static,
    ) {
        let delay = Duration::from_millis(rand::random_range(0..Self::LATER_MS));
        self.start(what, async move {
            sleep(delay).await;
            work.await
        });
    }

    /// Waits until all started work has ended: at shutdown, and in tests.
    ///
    /// # Panics
    /// In tests of this crate, if work has panicked.
    pub async fn wait_idle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
        #[cfg(test)]
        assert!(
            !self.panicked.load(Ordering::Relaxed),
            "background work has panicked"
        );
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use tokio::time::Instant;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn later_work_starts_at_a_random_time_and_is_waited_for() {
        let background = Background::on(Handle::current());
        let begun = Instant::now();
        let (sender, mut starts) = tokio::sync::mpsc::unbounded_channel();
        for _ in 0..50 {
            let sender = sender.clone();
            background.start_later("a test", async move {
                let _ = sender.send(begun.elapsed().as_millis());
                Ok(())
            });
        }
        background.wait_idle().await;
        let mut delays = Vec::new();
        while let Ok(delay) = starts.try_recv() {
            delays.push(delay);
        }
        assert_eq!(delays.len(), 50);
        assert!(
            delays
                .iter()
                .all(|delay| *delay <= u128::from(Background::LATER_MS))
        );
        delays.dedup();
        assert!(delays.len() > 20, "{delays:?}");
    }

    #[tokio::test]
    async fn work_is_finished_although_the_runtime_it_was_started_from_has_ended() {
        let (background, done) = (
            Background::on(Handle::current()),
            Arc::new(AtomicBool::new(false)),
        );
        let (starter, mark) = (background.clone(), Arc::clone(&done));
        let thread = std::thread::spawn(move || {
            let short = tokio::runtime::Builder::new_current_thread()
                .build()
                .unwrap();
            short.block_on(async {
                starter.start("a test", async move {
                    tokio::task::yield_now().await;
                    mark.store(true, Ordering::Relaxed);
                    Ok(())
                });
            });
        });
        thread.join().unwrap();
        background.wait_idle().await;
        assert!(done.load(Ordering::Relaxed));
    }
}
