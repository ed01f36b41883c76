//! Tasks that run beside the requests, as long as the server.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use allclear_application::error::Error;
use futures_util::FutureExt;
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval_at, sleep};
use tokio_util::sync::CancellationToken;

/// Delay before a task that has panicked starts again.
const RESTART_DELAY: Duration = Duration::from_secs(5);
/// Delay before the first removal of old data. A clock that is wrong when the machine starts is
/// right by then.
const REMOVAL_DELAY: Duration = Duration::from_mins(5);

/// The running tasks. They are aborted on drop.
///
/// A task that panics is logged, counted, and started again: without the scheduler or the relay,
/// the server would look healthy and its pages would be out of date. The server does not end for
/// it, because the status pages have to stay.
#[derive(Default)]
pub(crate) struct Tasks {
    running: JoinSet<()>,
    stop: CancellationToken,
}

impl Tasks {
    /// Starts a task that returns when it is no longer needed. `work` makes its future, once for
    /// each start.
    pub(crate) fn start<F>(&mut self, name: &'static str, work: impl Fn() -> F + Send + 'static)
    where
        F: Future<Output = ()> + Send,
    {
        // An alert on an increase needs the counter from the start.
        let failures = metrics::counter!("allclear_task_failures_total", "task" => name);
        failures.increment(0);
        let stop = self.stop.clone();
        self.running.spawn(async move {
            while let Err(panic) = AssertUnwindSafe(work()).catch_unwind().await {
                tracing::error!(
                    task = name,
                    panic = message(&*panic),
                    "a background task failed and will start again"
                );
                failures.increment(1);
                if stop
                    .run_until_cancelled(sleep(RESTART_DELAY))
                    .await
                    .is_none()
                {
                    return;
                }
            }
        });
    }

    /// Runs `work` immediately and then at an interval. A failure is logged.
    pub(crate) fn repeat<F>(
        &mut self,
        name: &'static str,
        period: Duration,
        work: impl Fn() -> F + Clone + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<(), Error>> + Send,
    {
        self.repeat_after(Duration::ZERO, name, period, work);
    }

    /// Runs `work`, which removes old data, after [`REMOVAL_DELAY`] and then at an interval. A
    /// failure is logged.
    pub(crate) fn repeat_removal<F>(
        &mut self,
        name: &'static str,
        period: Duration,
        work: impl Fn() -> F + Clone + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<(), Error>> + Send,
    {
        self.repeat_after(REMOVAL_DELAY, name, period, work);
    }

    fn repeat_after<F>(
        &mut self,
        delay: Duration,
        name: &'static str,
        period: Duration,
        work: impl Fn() -> F + Clone + Send + Sync + 'static,
    ) where
        F: Future<Output = Result<(), Error>> + Send,
    {
        self.start(name, move || {
            let work = work.clone();
            async move {
                let mut ticks = interval_at(Instant::now() + delay, period);
                ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
                loop {
                    ticks.tick().await;
                    if let Err(error) = work().await {
                        tracing::warn!(
                            task = name,
                            error = &error as &dyn std::error::Error,
                            "a background task failed and will be repeated"
                        );
                    }
                }
            }
        });
    }

    /// Token that is cancelled when the tasks have to return.
    pub(crate) fn stop_token(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Stops the tasks and waits until all have returned. None starts again.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.running.join_all().await;
    }
}

/// What a panic says.
fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_starts_again_until_it_returns() {
        let starts = Arc::new(AtomicUsize::new(0));
        let (mut tasks, begun, counted) = (Tasks::default(), Instant::now(), Arc::clone(&starts));
        tasks.start("test", move || {
            let start = counted.fetch_add(1, Ordering::Relaxed);
            async move { assert!(start >= 2, "attempt {start}") }
        });
        tasks.running.join_all().await;
        assert_eq!(starts.load(Ordering::Relaxed), 3);
        assert_eq!(begun.elapsed(), 2 * RESTART_DELAY);
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_that_panics_while_it_stops_does_not_start_again() {
        let (mut tasks, begun) = (Tasks::default(), Instant::now());
        let (sender, mut starts) = tokio::sync::mpsc::unbounded_channel();
        let stop = tasks.stop_token();
        tasks.start("test", move || {
            let stopped = stop.clone().cancelled_owned();
            let _ = sender.send(());
            async move {
                stopped.await;
                panic!("at the end");
            }
        });
        assert_eq!(starts.recv().await, Some(()));
        tasks.stop().await;
        assert_eq!(starts.recv().await, None);
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn repeated_work_goes_on_after_a_failure_and_ends_with_the_tasks() {
        let (mut tasks, begun) = (Tasks::default(), Instant::now());
        let (sender, mut calls) = tokio::sync::mpsc::unbounded_channel();
        tasks.repeat("test", Duration::from_mins(1), move || {
            let _ = sender.send(begun.elapsed());
            async { Err(Error::internal("the disk is full")) }
        });
        for minutes in 0..3 {
            assert_eq!(calls.recv().await, Some(Duration::from_mins(minutes)));
        }
        drop(tasks);
        assert_eq!(calls.recv().await, None);
    }

    #[tokio::test(start_paused = true)]
    async fn old_data_is_not_removed_as_soon_as_the_server_starts() {
        let (mut tasks, begun) = (Tasks::default(), Instant::now());
        let (sender, mut calls) = tokio::sync::mpsc::unbounded_channel();
        tasks.repeat_removal("test", Duration::from_hours(1), move || {
            let _ = sender.send(begun.elapsed());
            async { Ok(()) }
        });
        assert_eq!(calls.recv().await, Some(Duration::from_mins(5)));
        assert_eq!(calls.recv().await, Some(Duration::from_mins(65)));
    }

    #[test]
    fn both_kinds_of_panic_messages_are_read() {
        assert_eq!(message(&"text"), "text");
        assert_eq!(message(&"text".to_owned()), "text");
        assert_eq!(message(&7), "no message");
    }
}
