//! Work that continues after the response, so that the response time does not depend on it.

use std::future::Future;

use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use crate::error::Error;

/// Runs work after responses. [`wait_idle`](Self::wait_idle) waits for it.
#[derive(Debug, Clone)]
pub struct Background {
    tasks: TaskTracker,
    runtime: Handle,
}

impl Background {
    /// Runs work on the given runtime. The runtime of a worker thread would not do: it ends with its thread and drops unfinished
    /// work.
    #[must_use]
    pub fn on(runtime: Handle) -> Self {
        Self {
            tasks: TaskTracker::new(),
            runtime,
        }
    }

    /// Starts work. A failure is only logged; `what` names the work in the log.
    pub fn start(
        &self,
        what: &'static str,
        work: impl Future<Output = Result<(), Error>> + Send + 'static,
    ) {
        let logged = async move {
            if let Err(error) = work.await {
                tracing::error!(error = &error as &dyn std::error::Error, "{what} failed");
            }
        };
        self.tasks.spawn_on(logged, &self.runtime);
    }

    /// Waits until all started work has ended: at shutdown, and in tests.
    pub async fn wait_idle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

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
