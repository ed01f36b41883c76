//! Wires the mail queue and its worker.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::broadcast::Broadcast;
use allclear_application::clock::Clock;
use allclear_application::delivery::worker::DeliveryWorker;
use allclear_application::delivery::{self, Deliveries, MailComposer, Outcome, WakeSignal};
use allclear_application::link::Links;
use allclear_application::mail::Mailer;
use allclear_application::mail_budget::MailBudget;
use allclear_application::secret::HmacKey;
use allclear_application::subscriber::{SubscriberPorts, Subscribers};
use allclear_identity::secrets;
use allclear_persistence::database::Database;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::identity::Identity;
use crate::settings::Settings;

/// Interval of the count of waiting mails.
const COUNT_INTERVAL: Duration = Duration::from_secs(10);
/// Interval of the removal of old deliveries and counts.
const PRUNE_INTERVAL: Duration = Duration::from_hours(1);

/// Subscribers and their mail, before the worker is started.
pub(crate) struct MailQueue {
    pub(crate) subscribers: Arc<Subscribers>,
    pub(crate) deliveries: Arc<Deliveries>,
    mail_budget: Arc<MailBudget>,
    wake_signal: Arc<WakeSignal>,
    worker: Arc<DeliveryWorker>,
}

/// The running worker and its tasks.
pub(crate) struct RunningMailQueue {
    stop: CancellationToken,
    worker: JoinHandle<()>,
    tasks: [JoinHandle<()>; 3],
}

impl MailQueue {
    /// Over a database. Links in mails are signed with the installation's secret.
    pub(crate) async fn new(
        settings: &Settings,
        public_url: &str,
        database: &Database,
        clock: &Arc<dyn Clock>,
        mailer: Arc<dyn Mailer>,
        identity: &Identity,
    ) -> Result<Self, String> {
        let store = Arc::new(database.clone());
        let secrets = secrets::load(store.as_ref(), clock.as_ref())
            .await
            .map_err(|error| error.to_string())?;
        let hmac_key = HmacKey::new(&secrets.salt).map_err(|error| error.to_string())?;
        let (wake_signal, clock) = (Arc::new(WakeSignal::default()), Arc::clone(clock));
        let ports = SubscriberPorts {
            subscribers: Arc::clone(&store) as _,
            organisations: Arc::clone(&store) as _,
            mail_budget: Arc::clone(&identity.mail_budget),
            clock: Arc::clone(&clock),
            wake_signal: Arc::clone(&wake_signal),
        };
        let composer = MailComposer::new(
            Arc::clone(&store) as _,
            Arc::clone(&clock),
            Links::new(public_url),
            hmac_key.clone(),
            settings.limits.verification_mail(),
        );
        let worker = DeliveryWorker {
            queue: Arc::clone(&store) as _,
            composer,
            mailer,
            wake_signal: Arc::clone(&wake_signal),
            concurrency: settings.mail_concurrency,
            observe,
        };
        Ok(Self {
            subscribers: Arc::new(Subscribers::new(ports, hmac_key)),
            deliveries: Arc::new(Deliveries::new(store, clock)),
            mail_budget: Arc::clone(&identity.mail_budget),
            wake_signal,
            worker: Arc::new(worker),
        })
    }

    /// Starts the worker.
    pub(crate) fn start(self, broadcast: Arc<dyn Broadcast>) -> RunningMailQueue {
        let (stop, wake_signal) = (CancellationToken::new(), self.wake_signal);
        let worker = tokio::spawn(self.worker.run(stop.clone()));
        let listening =
            tokio::spawn(async move { delivery::listen(&*broadcast, &wake_signal).await });
        let counting = tokio::spawn(count(Arc::clone(&self.deliveries)));
        let pruning = tokio::spawn(prune(self.deliveries, self.mail_budget));
        RunningMailQueue {
            stop,
            worker,
            tasks: [listening, counting, pruning],
        }
    }
}

impl RunningMailQueue {
    /// Finishes the mails in flight within the shutdown grace; the rest stays in the queue.
    pub(crate) async fn stop(self) {
        for task in &self.tasks {
            task.abort();
        }
        self.stop.cancel();
        if let Err(error) = self.worker.await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the mail worker did not stop cleanly"
            );
        }
    }
}

fn observe(outcome: &Outcome) {
    let outcome = match outcome {
        Outcome::Sent => "sent",
        Outcome::Retried { .. } => "retried",
        Outcome::GivenUp { .. } => "given_up",
        Outcome::Unwanted => return,
    };
    metrics::counter!("allclear_deliveries_total", "outcome" => outcome).increment(1);
}

async fn count(deliveries: Arc<Deliveries>) {
    let mut tick = tokio::time::interval(COUNT_INTERVAL);
    loop {
        tick.tick().await;
        // While the database is unavailable, the gauge keeps its last value.
        if let Ok(waiting) = deliveries.waiting().await {
            #[expect(
                clippy::cast_precision_loss,
                reason = "a gauge is a float; no queue has 2^52 mails"
            )]
            metrics::gauge!("allclear_deliveries_waiting").set(waiting as f64);
        }
    }
}

async fn prune(deliveries: Arc<Deliveries>, mail_budget: Arc<MailBudget>) {
    let mut tick = tokio::time::interval(PRUNE_INTERVAL);
    loop {
        tick.tick().await;
        let pruned = deliveries.prune().await;
        if let Err(error) = pruned.and(mail_budget.prune().await) {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "old deliveries and counts of mails were not removed; retrying later"
            );
        }
    }
}
