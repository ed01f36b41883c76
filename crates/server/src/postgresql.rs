//! What a node on PostgreSQL does periodically.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::clock::Clock;
use allclear_application::delivery::DeliveryQueue;
use allclear_application::error::Error;
use chrono::TimeDelta;

use crate::infrastructure::Infrastructure;
use crate::tasks::Tasks;

/// Interval at which idle connections are closed.
const IDLE_INTERVAL: Duration = Duration::from_secs(30);
/// Interval at which the clocks are compared.
const CLOCK_INTERVAL: Duration = Duration::from_mins(1);
/// Difference of the clocks above which it is logged.
const MAX_DIFFERENCE: TimeDelta = TimeDelta::seconds(10);

/// Longest time of a response that is compared.
const MAX_ROUND_TRIP: TimeDelta = TimeDelta::seconds(2);

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
    let (database, clock) = (infra.store(), infra.clock());
    tasks.repeat("compare_clocks", CLOCK_INTERVAL, move || {
        let (database, clock) = (Arc::clone(&database), Arc::clone(&clock));
        async move { compare_clocks(&*database, &*clock).await }
    });
}

/// Measures how far the node's clock is ahead of the database's. A node whose clock is ahead stores
/// times from the future. A slow response says nothing about the clocks.
async fn compare_clocks(database: &dyn DeliveryQueue, clock: &dyn Clock) -> Result<(), Error> {
    let before = clock.now();
    let of_database = database.now().await?;
    let took = clock.now() - before;
    if took > MAX_ROUND_TRIP {
        return Ok(());
    }
    let ahead = before + took / 2 - of_database;
    metrics::gauge!("allclear_clock_ahead_seconds").set(ahead.as_seconds_f64());
    if ahead.abs() > MAX_DIFFERENCE {
        tracing::error!(
            seconds = ahead.as_seconds_f64(),
            "the clock of this node differs from the database's; stored times are wrong"
        );
    }
    Ok(())
}
