//! Status changes that the clock alone causes.

use std::sync::Arc;
use std::time::Duration;

use allclear_application::clock::{Clock, TestClock};
use allclear_server::clock::SystemClock;
use chrono::TimeDelta;
use serde_json::json;

use super::{plan, text};
use crate::app::{Operator, TestApp};
use crate::events::Stream;

/// How much the clock gains with each saved change, and how long that takes at least.
const STEP: Duration = Duration::from_millis(50);

/// Drives the clock for as long as the test runs, with changes in the operator's organisation. The
/// clock is as slow as the machine: it stands still, gains one step with each change that the
/// server has saved, and never more than real time. So a second on it is the time of 20 saved
/// changes, however busy the machine is.
pub(crate) async fn drive(clock: Arc<TestClock>, operator: Operator) {
    let path = format!("/component/{}", operator.component("Work").await);
    for status in ["DEGRADED", "OPERATIONAL"].iter().cycle() {
        let save = operator.patch(&path, json!({"status": status}));
        let (saved, ()) = tokio::join!(save, tokio::time::sleep(STEP));
        assert_eq!(saved.status, 200, "{saved:?}");
        clock.advance(TimeDelta::from_std(STEP).unwrap());
    }
}

/// A server whose clock stands still at the present until it is driven.
pub(crate) async fn start_stopped() -> (TestApp, Arc<TestClock>) {
    let clock = TestClock::stopped();
    clock.advance(SystemClock.now() - TestClock::START);
    let app = TestApp::start_at(&[], Arc::clone(&clock) as _).await;
    (app, clock)
}

#[tokio::test(flavor = "multi_thread")]
async fn viewer_receives_each_change_made_by_the_clock_once_within_a_second() {
    let (app, clock) = start_stopped().await;
    let (operator, other) = (app.operator("Acme").await, app.operator("Other").await);
    let mut stream = Stream::open(&operator, "", None).await;
    let start = clock.now() + TimeDelta::milliseconds(500);
    let end = start + TimeDelta::milliseconds(1_500);
    let path = plan(&operator, &text(start), Some(&text(end))).await;
    assert_eq!(stream.next().await.0, "new-maintenance");

    let driver = tokio::spawn(drive(Arc::clone(&clock), other));
    for (moment, status, revision) in [(start, "IN_PROGRESS", 2), (end, "COMPLETED", 3)] {
        let (name, args, id) = stream.next().await;
        let late = clock.now() - moment;
        assert_eq!(
            (name.as_str(), &args[0]["status"], id),
            ("maintenance-updated", &json!(status), Some(revision))
        );
        assert!(
            late >= TimeDelta::zero() && late < TimeDelta::seconds(1),
            "{late}"
        );
        assert_eq!(
            operator.snapshot().await["maintenances"][0]["status"],
            status
        );
        assert_eq!(operator.get(&path).await.body["data"]["status"], status);
    }
    assert!(!driver.is_finished(), "the clock was driven to the end");
    driver.abort();
    // Another event of the same change would come before this one.
    operator.delete(&path).await;
    assert_eq!(stream.next().await.0, "maintenance-deleted");
}
