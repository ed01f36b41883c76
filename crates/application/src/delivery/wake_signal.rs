//! Wakes the delivery workers of this node.

use tokio::sync::Notify;

use super::DeliveryRoute;
use crate::broadcast::Broadcast;

/// Wakes the delivery workers of this node when there may be something to send.
#[derive(Debug, Default)]
pub struct WakeSignal {
    mail: Notify,
    message: Notify,
}

impl WakeSignal {
    /// Wakes each worker, or prevents its next sleep.
    pub fn notify(&self) {
        self.mail.notify_one();
        self.message.notify_one();
    }

    /// Wakes the worker of the other route than this one, which has queued deliveries for both.
    pub(super) fn notify_other(&self, route: DeliveryRoute) {
        match route {
            DeliveryRoute::Mail => self.message.notify_one(),
            DeliveryRoute::Message => self.mail.notify_one(),
        }
    }

    /// Waits for a notification of the worker of this route.
    pub(super) async fn notified(&self, route: DeliveryRoute) {
        match route {
            DeliveryRoute::Mail => self.mail.notified().await,
            DeliveryRoute::Message => self.message.notified().await,
        }
    }
}

/// Notifies the workers whenever a node has committed something of which messages may be due, until
/// the broadcast ends. So every node sends messages.
pub async fn listen(broadcast: &dyn Broadcast, wake_signal: &WakeSignal) {
    let mut arriving = broadcast.subscribe().await;
    while let Some(commit) = arriving.recv().await {
        if commit.may_have_messages {
            wake_signal.notify();
        }
    }
}
