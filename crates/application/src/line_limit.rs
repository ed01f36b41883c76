//! Limits the log lines about failed requests and writes: in an outage each one fails, and
//! strangers could fill the disk.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Allows a number of lines in each period. The first line after a limited period says how many
/// were left out.
pub struct LineLimit {
    lines: u32,
    period: Duration,
    window: Mutex<Option<Window>>,
}

struct Window {
    began: Instant,
    lines: u32,
}

impl LineLimit {
    /// Allows so many lines in each second.
    #[must_use]
    pub const fn new(per_second: u32) -> Self {
        Self::within(Duration::from_secs(1), per_second)
    }

    /// Allows one line in each minute.
    #[must_use]
    pub const fn once_a_minute() -> Self {
        Self::within(Duration::from_mins(1), 1)
    }

    const fn within(period: Duration, lines: u32) -> Self {
        Self {
            lines,
            period,
            window: Mutex::new(None),
        }
    }

    /// Whether a line may be written now.
    pub fn allows(&self) -> bool {
        self.allows_at(Instant::now())
    }

    fn allows_at(&self, now: Instant) -> bool {
        let mut window = self.window.lock();
        if let Some(window) = window.as_mut()
            && now.duration_since(window.began) < self.period
        {
            window.lines = window.lines.saturating_add(1);
            return window.lines <= self.lines;
        }
        let before = window.replace(Window {
            began: now,
            lines: 1,
        });
        let lines = before.map_or(0, |before| before.lines);
        if lines > self.lines {
            let left_out = lines - self.lines;
            tracing::warn!(left_out, "lines about failures were left out");
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_second_are_bounded() {
        let limit = LineLimit::new(2);
        let start = Instant::now();
        let allowed = |milliseconds: u64| {
            let at = start + Duration::from_millis(milliseconds);
            (0..5).filter(|_| limit.allows_at(at)).count()
        };
        assert_eq!((allowed(0), allowed(999)), (2, 0));
        assert_eq!((allowed(1_000), allowed(5_000)), (2, 2));
    }

    #[test]
    fn one_line_of_a_minute_is_allowed() {
        let limit = LineLimit::once_a_minute();
        let start = Instant::now();
        let allowed = |seconds: u64| limit.allows_at(start + Duration::from_secs(seconds));
        assert_eq!(
            [0, 1, 59, 60, 61].map(allowed),
            [true, false, false, true, false]
        );
    }
}
