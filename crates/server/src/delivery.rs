//! Wires the queue of messages to subscribers and its workers.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::broadcast::Broadcast;
use allclear_application::clock::Clock;
use allclear_application::delivery::worker::DeliveryWorker;
use allclear_application::delivery::{
    self, ChannelSender, Deliveries, DeliverySender, MailComposer, MailSender, MessageComposer,
    MessagePorts, MessageSender, Outcome, Route, WakeSignal,
};
use allclear_application::link::Links;
use allclear_application::mail::Mailer;
use allclear_application::mail_budget::MailBudget;
use allclear_application::message::Messenger;
use allclear_application::operator_mail::OperatorMails;
use allclear_application::secret::HmacKey;
use allclear_application::subscriber::{SubscriberPorts, Subscribers};
use allclear_domain::channel::Channel;
use allclear_outbound::messenger::HttpMessenger;
use allclear_persistence::database::Database;

use crate::identity::{Identity, load_secrets};
use crate::settings::Settings;
use crate::tasks::Tasks;

/// Interval of the count of waiting mails.
const COUNT_INTERVAL: Duration = Duration::from_secs(10);
/// Interval of the removal of old deliveries and counts.
const PRUNE_INTERVAL: Duration = Duration::from_hours(1);

/// Number of requests to webhooks and chats at the same time. One that does not answer keeps its place for the time limit of a request.
const REQUESTS: usize = 64;

/// Subscribers and the messages to them, before the workers are started.
pub(crate) struct DeliveryServices {
    pub(crate) subscribers: Arc<Subscribers>,
    pub(crate) deliveries: Arc<Deliveries>,
    mail_budget: Arc<MailBudget>,
    wake_signal: Arc<WakeSignal>,
    workers: [Arc<DeliveryWorker>; 2],
    operator_mails: OperatorMails,
}

/// The running workers.
pub(crate) struct RunningDeliveries(Tasks);

impl DeliveryServices {
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
        let secrets = load_secrets(database, clock.as_ref()).await?;
        let hmac_key = HmacKey::new(&secrets.salt).map_err(|error| error.to_string())?;
        let (wake_signal, clock) = (Arc::new(WakeSignal::default()), Arc::clone(clock));
        let links = Links::new(public_url);
        let limit = settings.limits.verification_mail();
        let operator_mails =
            OperatorMails::new(Arc::clone(&store) as _, Arc::clone(&mailer), links.clone());
        let mail: Arc<dyn DeliverySender> = Arc::new(MailSender {
            composer: MailComposer::new(
                Arc::clone(&store) as _,
                Arc::clone(&clock),
                links.clone(),
                hmac_key.clone(),
                limit,
            ),
            mailer,
        });
        let messenger = HttpMessenger::new(settings.webhook.outbound()?, Arc::clone(&clock));
        let messenger: Arc<dyn Messenger> = Arc::new(messenger);
        let message_ports = MessagePorts {
            subscribers: Arc::clone(&store) as _,
            states: Arc::clone(&store) as _,
            clock: Arc::clone(&clock),
        };
        let request: Arc<dyn DeliverySender> = Arc::new(MessageSender {
            composer: MessageComposer::new(message_ports, links, hmac_key.clone(), limit),
            messenger: Arc::clone(&messenger),
        });
        let tester = ChannelSender {
            mail: Arc::clone(&mail),
            request: Arc::clone(&request),
        };
        let ports = SubscriberPorts {
            subscribers: Arc::clone(&store) as _,
            organisations: Arc::clone(&store) as _,
            mail_budget: Arc::clone(&identity.mail_budget),
            clock: Arc::clone(&clock),
            states: Arc::clone(&store) as _,
            messenger,
            tester: Arc::new(tester),
            wake_signal: Arc::clone(&wake_signal),
        };
        let worker = |route, sender, concurrency| {
            Arc::new(DeliveryWorker {
                queue: Arc::clone(&store) as _,
                route,
                sender,
                wake_signal: Arc::clone(&wake_signal),
                concurrency,
                observe,
            })
        };
        let workers = [
            worker(Route::Mail, mail, settings.mail_concurrency),
            worker(Route::Request, request, REQUESTS),
        ];
        Ok(Self {
            subscribers: Arc::new(Subscribers::new(ports, hmac_key)),
            deliveries: Arc::new(Deliveries::new(store, clock)),
            mail_budget: Arc::clone(&identity.mail_budget),
            wake_signal,
            workers,
            operator_mails,
        })
    }

    /// Starts the workers. `tasks` takes those that need no time to end.
    pub(crate) fn start(
        self,
        tasks: &mut Tasks,
        broadcast: Arc<dyn Broadcast>,
    ) -> RunningDeliveries {
        let mut workers = Tasks::default();
        let stop = workers.stop_token();
        for (name, worker) in ["mails", "requests"].into_iter().zip(self.workers) {
            let stop = stop.clone();
            workers.start(name, move || Arc::clone(&worker).run(stop.clone()));
        }
        let (operator_mails, stopping) = (Arc::new(self.operator_mails), stop.clone());
        workers.start("operator_mails", move || {
            let (mails, stop) = (Arc::clone(&operator_mails), stopping.clone());
            async move { mails.run(stop).await }
        });
        let wake_signal = self.wake_signal;
        tasks.start("wake_deliveries", move || {
            let (broadcast, wake_signal) = (Arc::clone(&broadcast), Arc::clone(&wake_signal));
            async move { delivery::listen(&*broadcast, &wake_signal).await }
        });
        let deliveries = Arc::clone(&self.deliveries);
        tasks.repeat("count_deliveries", COUNT_INTERVAL, move || {
            let deliveries = Arc::clone(&deliveries);
            async move {
                count(&deliveries).await;
                Ok(())
            }
        });
        let deliveries = self.deliveries;
        tasks.repeat("prune_deliveries", PRUNE_INTERVAL, move || {
            let deliveries = Arc::clone(&deliveries);
            async move { deliveries.prune().await }
        });
        let subscribers = self.subscribers;
        tasks.repeat("prune_followers", PRUNE_INTERVAL, move || {
            let subscribers = Arc::clone(&subscribers);
            async move { subscribers.prune().await }
        });
        let mail_budget = self.mail_budget;
        tasks.repeat("prune_mail_counts", PRUNE_INTERVAL, move || {
            let mail_budget = Arc::clone(&mail_budget);
            async move { mail_budget.prune().await }
        });
        RunningDeliveries(workers)
    }
}

impl RunningDeliveries {
    /// Finishes the messages in flight within the shutdown grace; the rest stays in the queue.
    pub(crate) async fn stop(self) {
        self.0.stop().await;
    }
}

fn observe(channel: Channel, outcome: &Outcome) {
    let outcome = match outcome {
        Outcome::Sent => "sent",
        Outcome::Retried { .. } => "retried",
        Outcome::GivenUp { .. } => "given_up",
        Outcome::Ended => "ended",
        Outcome::Unwanted => return,
    };
    let channel = channel.to_string();
    metrics::counter!("allclear_deliveries_total", "channel" => channel, "outcome" => outcome)
        .increment(1);
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
