//! Wires the queue of messages to subscribers and its workers.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use allclear_application::delivery::worker::DeliveryWorker;
use allclear_application::delivery::{
    self, ChannelSender, Deliveries, DeliveryOutcome, DeliveryRoute, DeliverySender, MailComposer,
    MailSender, MessageComposer, MessagePorts, MessageSender, WakeSignal,
};
use allclear_application::mail_budget::MailBudget;
use allclear_application::message::Messenger;
use allclear_application::operator_mail::OperatorMails;
use allclear_application::subscriber::{SubscriberPorts, Subscribers};
use allclear_domain::channel::Channel;
use allclear_outbound::messenger::HttpMessenger;
use parking_lot::Mutex;
use strum::VariantArray;

use crate::infrastructure::Infrastructure;
use crate::tasks::Tasks;

/// Interval of the count of waiting mails.
const COUNT_INTERVAL: Duration = Duration::from_secs(10);
/// Interval of the removal of old deliveries and counts.
const PRUNE_INTERVAL: Duration = Duration::from_hours(1);

/// Number of messages to webhooks and chats at the same time. A receiver that does not respond
/// keeps a place for the time limit of a request.
const MAX_CONCURRENT_MESSAGES: usize = 64;

/// Subscribers and the messages to them, before the workers are started.
pub(crate) struct DeliveryServices {
    pub(crate) subscribers: Arc<Subscribers>,
    pub(crate) deliveries: Arc<Deliveries>,
    mail_budget: Arc<MailBudget>,
    wake_signal: Arc<WakeSignal>,
    workers: [Arc<DeliveryWorker>; 2],
    operator_mails: Arc<OperatorMails>,
}

/// The running workers.
pub(crate) struct RunningDeliveries(Tasks);

impl DeliveryServices {
    /// # Errors
    /// One line that names the wrong setting.
    pub(crate) fn new(
        infra: &Infrastructure,
        mail_budget: &Arc<MailBudget>,
    ) -> Result<Self, String> {
        let outbound = infra.settings.webhook.outbound()?;
        let messenger = HttpMessenger::new(outbound, infra.machine_clock());
        let messenger: Arc<dyn Messenger> = Arc::new(messenger);
        let mail = mail_sender(infra);
        let message = message_sender(infra, Arc::clone(&messenger));
        let wake_signal = Arc::new(WakeSignal::default());
        let ports = SubscriberPorts {
            subscribers: infra.store(),
            organisations: infra.store(),
            mail_budget: Arc::clone(mail_budget),
            clock: infra.clock(),
            states: infra.store(),
            messenger,
            mailer: infra.mailer(),
            sender: Arc::new(ChannelSender {
                mail: Arc::clone(&mail),
                message: Arc::clone(&message),
            }),
            wake_signal: Arc::clone(&wake_signal),
        };
        let worker = |route, sender, concurrency| {
            Arc::new(DeliveryWorker {
                queue: infra.store(),
                route,
                sender,
                wake_signal: Arc::clone(&wake_signal),
                concurrency,
                observe,
            })
        };
        let workers = [
            worker(DeliveryRoute::Mail, mail, infra.settings.mail_concurrency),
            worker(DeliveryRoute::Message, message, MAX_CONCURRENT_MESSAGES),
        ];
        let subscribers = Subscribers::new(ports, infra.installation.hmac_key.clone());
        let operator_mails = OperatorMails::new(infra.store(), infra.mailer(), infra.links.clone());
        Ok(Self {
            subscribers: Arc::new(subscribers),
            deliveries: Arc::new(Deliveries::new(infra.store(), infra.clock())),
            mail_budget: Arc::clone(mail_budget),
            wake_signal,
            workers,
            operator_mails: Arc::new(operator_mails),
        })
    }

    /// Starts the workers. `tasks` receives the tasks that need no time to end.
    pub(crate) fn start(&self, tasks: &mut Tasks, infra: &Infrastructure) -> RunningDeliveries {
        register_counters();
        self.start_maintenance(tasks);
        let (wake_signal, broadcast) = (Arc::clone(&self.wake_signal), infra.broadcast());
        tasks.start("wake_deliveries", move || {
            let (broadcast, wake_signal) = (Arc::clone(&broadcast), Arc::clone(&wake_signal));
            async move { delivery::listen(&*broadcast, &wake_signal).await }
        });
        let mut workers = Tasks::default();
        let stop = workers.stop_token();
        // The names are published as a label of `allclear_task_failures_total`.
        for (name, worker) in ["mails", "requests"].into_iter().zip(&self.workers) {
            let (worker, stop) = (Arc::clone(worker), stop.clone());
            workers.start(name, move || Arc::clone(&worker).run(stop.clone()));
        }
        let operator_mails = Arc::clone(&self.operator_mails);
        workers.start("operator_mails", move || {
            let (mails, stop) = (Arc::clone(&operator_mails), stop.clone());
            async move { mails.run(stop).await }
        });
        RunningDeliveries(workers)
    }

    /// Starts the tasks that count waiting messages and remove old data.
    fn start_maintenance(&self, tasks: &mut Tasks) {
        let deliveries = Arc::clone(&self.deliveries);
        tasks.repeat("count_deliveries", COUNT_INTERVAL, move || {
            let deliveries = Arc::clone(&deliveries);
            async move {
                count(&deliveries).await;
                Ok(())
            }
        });
        let deliveries = Arc::clone(&self.deliveries);
        tasks.repeat_removal("prune_deliveries", PRUNE_INTERVAL, move || {
            let deliveries = Arc::clone(&deliveries);
            async move { deliveries.prune().await }
        });
        let subscribers = Arc::clone(&self.subscribers);
        tasks.repeat_removal("prune_subscribers", PRUNE_INTERVAL, move || {
            let subscribers = Arc::clone(&subscribers);
            async move { subscribers.prune().await }
        });
        let mail_budget = Arc::clone(&self.mail_budget);
        tasks.repeat_removal("prune_mail_counts", PRUNE_INTERVAL, move || {
            let mail_budget = Arc::clone(&mail_budget);
            async move { mail_budget.prune().await }
        });
    }
}

/// Sends mails to subscribers. Their links are signed with the installation's key.
fn mail_sender(infra: &Infrastructure) -> Arc<dyn DeliverySender> {
    let composer = MailComposer::new(
        infra.store(),
        infra.clock(),
        infra.links.clone(),
        infra.installation.hmac_key.clone(),
        infra.settings.limits.verification_mail(),
    );
    Arc::new(MailSender {
        composer,
        mailer: infra.mailer(),
    })
}

/// Sends messages to webhooks and chats.
fn message_sender(
    infra: &Infrastructure,
    messenger: Arc<dyn Messenger>,
) -> Arc<dyn DeliverySender> {
    let ports = MessagePorts {
        subscribers: infra.store(),
        states: infra.store(),
        clock: infra.clock(),
    };
    let composer = MessageComposer::new(
        ports,
        infra.links.clone(),
        infra.installation.hmac_key.clone(),
        infra.settings.limits.verification_mail(),
    );
    Arc::new(MessageSender {
        composer,
        messenger,
    })
}

impl RunningDeliveries {
    /// Finishes the messages in flight within the shutdown grace; the rest stays in the queue.
    pub(crate) async fn stop(self) {
        self.0.stop().await;
    }
}

const SENT: &str = "sent";
const RETRIED: &str = "retried";
const GIVEN_UP: &str = "given_up";
const ENDED: &str = "ended";

/// Shows the counter of each channel and outcome from the start: an alert on an increase would miss
/// the first message otherwise.
fn register_counters() {
    for &channel in Channel::VARIANTS {
        for outcome in [SENT, RETRIED, GIVEN_UP, ENDED] {
            counter(channel, outcome).increment(0);
        }
    }
}

fn observe(channel: Channel, outcome: &DeliveryOutcome) {
    if let DeliveryOutcome::Retried { reason, .. } | DeliveryOutcome::GivenUp { reason } = outcome {
        log_failure(channel, reason);
    }
    let outcome = match outcome {
        DeliveryOutcome::Sent => SENT,
        DeliveryOutcome::Retried { .. } => RETRIED,
        DeliveryOutcome::GivenUp { .. } => GIVEN_UP,
        DeliveryOutcome::Ended => ENDED,
        DeliveryOutcome::Unwanted => return,
    };
    counter(channel, outcome).increment(1);
}

/// Logs why messages do not arrive, at most once a minute for each channel: many fail for
/// one reason.
fn log_failure(channel: Channel, reason: &str) {
    static LOGGED_AT: LazyLock<Mutex<HashMap<Channel, Instant>>> = LazyLock::new(Mutex::default);
    let mut logged_at = LOGGED_AT.lock();
    let last = logged_at.get(&channel);
    if last.is_none_or(|at| at.elapsed() >= Duration::from_mins(1)) {
        logged_at.insert(channel, Instant::now());
        tracing::warn!(%channel, reason, "a message to a subscriber did not arrive");
    }
}

fn counter(channel: Channel, outcome: &'static str) -> metrics::Counter {
    let channel = channel.to_string();
    metrics::counter!("allclear_deliveries_total", "channel" => channel, "outcome" => outcome)
}

async fn count(deliveries: &Deliveries) {
    // While the database is unavailable, the gauge keeps its last value; others log the outage.
    if let Ok(waiting) = deliveries.waiting().await {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a gauge is a float; no queue has 2^52 mails"
        )]
        metrics::gauge!("allclear_deliveries_waiting").set(waiting as f64);
    }
}
