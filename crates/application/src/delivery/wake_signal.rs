use tokio::sync::Notify;

use crate::broadcast::Broadcast;

/// Wakes this node's worker: there may be something to send.
#[derive(Debug, Default)]
pub struct WakeSignal(Notify);

impl WakeSignal {
    /// Wakes it, or keeps it from falling asleep.
    pub fn ring(&self) {
        self.0.notify_one();
    }

    /// Waits until it rings.
    pub(super) async fn rung(&self) {
        self.0.notified().await;
    }
}

/// Rings whenever a node has written what subscribers may be mailed of, for as long as broadcasts come: so every node helps.
pub async fn listen(broadcast: &dyn Broadcast, bell: &WakeSignal) {
    let mut arriving = broadcast.subscribe().await;
    while let Some(commit) = arriving.recv().await {
        let mailed = |name: &str| name.contains("incident") || name.contains("maintenance");
        if commit.events.iter().any(|event| mailed(&event.name)) {
            bell.ring();
        }
    }
}
