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
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::Error;
use crate::mail::{Mail, Mailer, SendError};

/// Runs work after responses. [`wait_idle`](Self::wait_idle) waits for it.
#[derive(Debug, Clone)]
pub struct Background {
    tasks: TaskTracker,
    runtime: Handle,
    /// Cancelled when the work is waited for.
    ending: CancellationToken,
    /// Whether work has panicked: so a mock reports an unexpected call.
    #[cfg(test)]
    panicked: Arc<AtomicBool>,
}

impl Background {
    /// Work that starts later does so within this time, in milliseconds.
    const LATER_MS: u64 = 1000;
    /// Delays before the further attempts of a mail: a mail server restarts within them.
    const MAIL_RETRY_DELAYS: [Duration; 2] = [Duration::from_secs(5), Duration::from_mins(1)];

    /// Runs work on the given runtime. The runtime of a worker thread would not do: it ends with
    /// its thread and drops unfinished work.
    #[must_use]
    pub fn on(runtime: Handle) -> Self {
        Self {
            tasks: TaskTracker::new(),
            runtime,
            ending: CancellationToken::new(),
            #[cfg(test)]
            panicked: Arc::default(),
        }
    }

    /// Starts work. A failure is only logged, as an error unless it is a refusal
    /// ([`Error::Conflict`]); `what` names the work in the log.
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
                // For example a mistyped address that the mail server refuses.
                Ok(Err(Error::Conflict(reason))) => tracing::info!(reason, "{what} was refused"),
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

    /// [`Self::start`] after a random delay. Work that begins while the response is being sent
    /// slows it down, and thousands of such responses would reveal which requests cause work.
    pub(crate) fn start_later(
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

    /// Sends a mail of started work. Nothing else repeats it, so it is tried three times if the
    /// mail server is unavailable. [`Self::wait_idle`] brings the last attempt forward.
    ///
    /// # Errors
    /// [`Error::Unavailable`] after the last attempt, [`Error::Conflict`] if the mail is rejected.
    pub(crate) async fn send_mail(&self, mailer: &dyn Mailer, mut mail: Mail) -> Result<(), Error> {
        // An attempt that failed may have been delivered all the same.
        mail.headers
            .message_id
            .get_or_insert_with(|| format!("account.{:032x}", rand::random::<u128>()));
        for delay in Self::MAIL_RETRY_DELAYS {
            match mailer.send(mail.clone()).await {
                Err(SendError::Temporary { reason } | SendError::Unconfirmed { reason }) => {
                    tracing::warn!(reason, "a mail could not be sent; trying again");
                }
                result => return Ok(result?),
            }
            if timeout(delay, self.ending.cancelled()).await.is_ok() {
                break;
            }
        }
        Ok(mailer.send(mail).await?)
    }

    /// Waits until all started work has ended: at shutdown, and in tests. Mails do not wait for
    /// another attempt any more.
    ///
    /// # Panics
    /// In tests of this crate, if work has panicked.
    pub async fn wait_idle(&self) {
        self.ending.cancel();
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
    use std::collections::VecDeque;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use parking_lot::Mutex;
    use tokio::time::Instant;

    use super::*;
    use crate::mail::{MailContent, MockMailer};

    fn mail() -> Mail {
        let link = "https://status.example.com/reset".to_owned();
        Mail::new(
            "ann@example.com".into(),
            MailContent::PasswordReset { link },
        )
    }

    /// A mailer with these results, one for each attempt, that stores the Message-ID of each.
    fn mailer(
        results: impl IntoIterator<Item = Result<(), SendError>>,
    ) -> (MockMailer, Arc<Mutex<Vec<String>>>) {
        let mut results: VecDeque<_> = results.into_iter().collect();
        let ids = Arc::new(Mutex::new(Vec::new()));
        let (mut mailer, stored) = (MockMailer::new(), Arc::clone(&ids));
        mailer
            .expect_send()
            .times(results.len())
            .returning(move |mail| {
                let id = mail.headers.message_id.unwrap();
                stored.lock().push(id);
                results.pop_front().unwrap()
            });
        (mailer, ids)
    }

    fn unavailable() -> Result<(), SendError> {
        let reason = "connection refused".into();
        Err(SendError::Temporary { reason })
    }

    #[tokio::test(start_paused = true)]
    async fn mail_is_sent_once_the_mail_server_is_available_again() {
        let background = Background::on(Handle::current());
        let (mailer, ids) = mailer([unavailable(), unavailable(), Ok(())]);
        let begun = Instant::now();
        background.send_mail(&mailer, mail()).await.unwrap();
        assert_eq!(begun.elapsed().as_secs(), 65);
        let mut ids = ids.lock().clone();
        ids.dedup();
        assert_eq!(ids.len(), 1, "{ids:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn mail_is_given_up_after_three_attempts_and_when_it_is_rejected() {
        let background = Background::on(Handle::current());
        let (down, _) = mailer([unavailable(), unavailable(), unavailable()]);
        let failed = background.send_mail(&down, mail()).await;
        assert!(matches!(failed, Err(Error::Unavailable(_))), "{failed:?}");
        let reason = "no such mailbox".into();
        let (rejects, _) = mailer([Err(SendError::Permanent { reason })]);
        let failed = background.send_mail(&rejects, mail()).await;
        assert!(matches!(failed, Err(Error::Conflict(_))), "{failed:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn shutdown_does_not_wait_for_the_next_attempt_of_a_mail() {
        let background = Background::on(Handle::current());
        let (mailer, _) = mailer([unavailable(), Ok(())]);
        let (sender, begun) = (background.clone(), Instant::now());
        background.start(
            "a test",
            async move { sender.send_mail(&mailer, mail()).await },
        );
        tokio::task::yield_now().await;
        background.wait_idle().await;
        assert_eq!(begun.elapsed(), Duration::ZERO);
    }

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
