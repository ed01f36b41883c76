//! What a node on PostgreSQL does periodically.

use std::sync::Arc;
use std::time::Duration;

use crate::infrastructure::Infrastructure;
use crate::tasks::Tasks;

/// Interval at which idle connections are closed.
const IDLE_INTERVAL: Duration = Duration::from_secs(30);
/// Interval at which the clocks are compared.
const CLOCK_INTERVAL: Duration = Duration::from_mins(1);

/// Starts the tasks.
pub(crate) fn start(tasks: &mut Tasks, infra: &Infrastructure) {
    let database = infra.store();
    tasks.repeat("close_idle_connections", IDLE_INTERVAL, move || {
        let database = Arc::clone(&database);
        async move {
            database.close_idle_connections().await;
            Ok(())
        }
    });
    let (database, clock) = (infra.store(), infra.node_clock());
    tasks.repeat("compare_clocks", CLOCK_INTERVAL, move || {
        let (database, clock) = (Arc::clone(&database), Arc::clone(&clock));
        async move { clock.compare(&*database).await }
    });
}
