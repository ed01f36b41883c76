//! Work that goes on after the answer, so that its length tells the asker nothing.

use std::future::Future;

use tokio_util::task::TaskTracker;

use crate::error::Error;

/// Runs work beside the answers and can be waited for.
#[derive(Debug, Clone, Default)]
pub struct Background {
    tasks: TaskTracker,
}

impl Background {
    /// Starts work whose failure only the log hears of. `what` names it there.
    pub fn start(&self, what: &'static str, work: impl Future<Output = Result<(), Error>> + Send + 'static) {
        self.tasks.spawn(async move {
            if let Err(error) = work.await {
                tracing::error!(error = &error as &dyn std::error::Error, "{what} failed");
            }
        });
    }

    /// Waits until everything that was started has ended: at shutdown, and in tests.
    pub async fn settle(&self) {
        self.tasks.close();
        self.tasks.wait().await;
        self.tasks.reopen();
    }
}
