//! Limits the log lines about failed requests and writes: in an outage each one fails, and
//! strangers could fill the disk.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Allows a number of lines in each second. The first line after a limited second says how many
/// were left out.
pub struct LineLimit {
    per_second: u32,
    window: Mutex<Option<Window>>,
}

struct Window {
    began: Instant,
    lines: u32,
}

impl LineLimit {
    const WINDOW: Duration = Duration::from_secs(1);

    /// Allows so many lines in each second.
    #[must_use]
    pub const fn new(per_second: u32) -> Self {
        Self {
            per_second,
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
            && now.duration_since(window.began) < Self::WINDOW
        {
            window.lines = window.lines.saturating_add(1);
            return window.lines <= self.per_second;
        }
        let before = window.replace(Window {
            began: now,
            lines: 1,
        });
        let lines = before.map_or(0, |before| before.lines);
        if lines > self.per_second {
            let left_out = lines - self.per_second;
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
}
