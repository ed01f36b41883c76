//! Bounds how many pages and documents are rendered at a time.

use std::num::NonZero;
use std::sync::LazyLock;
use std::thread::available_parallelism;

use allclear_application::error::Error;
use tokio::runtime::Handle;
use tokio::sync::Semaphore;

/// As many as there are processors: more would not be faster, and each large document takes memory.
static SLOTS: LazyLock<Semaphore> =
    LazyLock::new(|| Semaphore::new(available_parallelism().map_or(1, NonZero::get)));

/// Renders a page or document on a thread of the runtime for blocking work, once there is a
/// free slot.
pub(crate) async fn render<T: Send + 'static>(
    runtime: &Handle,
    work: impl FnOnce() -> Result<T, Error> + Send + 'static,
) -> Result<T, Error> {
    let slot = SLOTS.acquire().await.map_err(Error::internal)?;
    let rendered = runtime.spawn_blocking(move || {
        // Kept until the work ends, also if nobody waits for it any more.
        let _slot = slot;
        work()
    });
    rendered.await.map_err(Error::internal)?
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use futures_util::future::join_all;

    use super::*;

    #[tokio::test]
    async fn no_more_documents_are_rendered_at_a_time_than_there_are_processors() {
        let processors = available_parallelism().map_or(1, NonZero::get);
        let (running, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let runtime = Handle::current();
        let documents = (0..4 * processors).map(|_| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            render(&runtime, move || {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                std::thread::yield_now();
                running.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            })
        });
        for rendered in join_all(documents).await {
            rendered.unwrap();
        }
        assert!((1..=processors).contains(&most.load(Ordering::SeqCst)));
    }
}
