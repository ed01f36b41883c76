use tokio::sync::Notify;

use crate::broadcast::Broadcast;

/// Wakes the delivery worker of this node when there may be something to send.
#[derive(Debug, Default)]
pub struct WakeSignal(Notify);

impl WakeSignal {
    /// Wakes the worker, or prevents its next sleep.
    pub fn notify(&self) {
        self.0.notify_one();
    }

    /// Waits for a notification.
    pub(super) async fn notified(&self) {
        self.0.notified().await;
    }
}

/// Notifies the worker whenever a node has committed events that may have notices, until the broadcast ends. So every node sends
/// mails.
pub async fn listen(broadcast: &dyn Broadcast, wake_signal: &WakeSignal) {
    let mut arriving = broadcast.subscribe().await;
    while let Some(commit) = arriving.recv().await {
        let mailed = |name: &str| name.contains("incident") || name.contains("maintenance");
        if commit.events.iter().any(|event| mailed(&event.name)) {
            wake_signal.notify();
        }
    }
}
