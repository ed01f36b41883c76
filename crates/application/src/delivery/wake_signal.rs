use tokio::sync::Notify;

use super::Route;
use crate::broadcast::Broadcast;

/// Wakes the delivery workers of this node when there may be something to send.
#[derive(Debug, Default)]
pub struct WakeSignal {
    mail: Notify,
    request: Notify,
}

impl WakeSignal {
    /// Wakes each worker, or prevents its next sleep.
    pub fn notify(&self) {
        self.mail.notify_one();
        self.request.notify_one();
    }

    /// Waits for a notification of the worker of this route.
    pub(super) async fn notified(&self, route: Route) {
        match route {
            Route::Mail => self.mail.notified().await,
            Route::Request => self.request.notified().await,
        }
    }
}

/// Notifies the workers whenever a node has committed events that may have notices, until the broadcast ends. So every node sends
/// mails.
pub async fn listen(broadcast: &dyn Broadcast, wake_signal: &WakeSignal) {
    let mut arriving = broadcast.subscribe().await;
    while let Some(commit) = arriving.recv().await {
        if commit
            .events
            .iter()
            .any(|event| may_have_notice(&event.name))
        {
            wake_signal.notify();
        }
    }
}

/// Whether a change with an event of this name may have a notice: of a component too, because a status may be set by hand.
fn may_have_notice(event: &str) -> bool {
    let subjects = ["component", "incident", "maintenance"];
    subjects.iter().any(|subject| event.contains(subject))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_of_components_incidents_and_maintenances_may_have_notices() {
        for event in ["component-update", "new-incident", "maintenance-updated"] {
            assert!(may_have_notice(event), "{event}");
        }
        assert!(!may_have_notice("organisation-updated"));
    }
}
