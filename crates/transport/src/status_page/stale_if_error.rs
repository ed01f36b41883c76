//! When the caches of public pages serve the last value instead of a newer one, as
//! `stale-if-error` allows shared caches (RFC 5861, section 4): after a failed read, and while
//! the database is unavailable.

use std::time::Duration;

use allclear_application::error::Error;
use allclear_application::line_limit::LineLimit;
use allclear_application::relay::Relay;
use allclear_domain::id::OrganisationId;
use chrono::{DateTime, TimeDelta, Utc};

/// How long after a failed read the last value is served without another read.
pub(super) const RETRY_DELAY: TimeDelta = TimeDelta::seconds(1);
/// How long requests wait for a read while there is a last value. A database that hangs does not
/// fail for much longer.
pub(super) const READ_TIMEOUT: Duration = Duration::from_secs(2);

/// Whether a read would fail, or wait for a database that is known to be unavailable. `failed_at`
/// is when the last read failed.
pub(super) fn is_unavailable(
    relay: &Relay,
    failed_at: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> bool {
    has_just_failed(failed_at, now) || relay.is_stale()
}

/// Whether the last read failed so recently that the next one would fail too.
pub(super) fn has_just_failed(failed_at: Option<DateTime<Utc>>, now: DateTime<Utc>) -> bool {
    // A negative duration means that the clock was set back, so the real one is unknown.
    failed_at.is_some_and(|at| (TimeDelta::zero()..RETRY_DELAY).contains(&(now - at)))
}

/// Logs that a read has failed: as an error if the cause is the product's, as a warning if the
/// database is unavailable. In an outage the reads of all organisations fail, so some lines are
/// left out.
pub(super) fn log_failed_read(organisation: &OrganisationId, error: &Error, message: &str) {
    static LINES: LineLimit = LineLimit::new(20);
    if !LINES.allows() {
        return;
    }
    let cause = error as &dyn std::error::Error;
    if matches!(error, Error::Internal(_)) {
        tracing::error!(%organisation, error = cause, "{message}");
    } else {
        tracing::warn!(%organisation, error = cause, "{message}");
    }
}
