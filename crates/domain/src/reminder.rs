//! Reminders of open incidents without updates.

use chrono::{DateTime, TimeDelta, Utc};

/// The times of an open incident that decide when its operators are reminded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenIncident {
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When its newest update was recorded; `None` if it has none.
    pub updated_at: Option<DateTime<Utc>>,
    /// When its operators were last reminded or it was reopened; `None` if neither has happened.
    pub reminded_at: Option<DateTime<Utc>>,
}

impl OpenIncident {
    /// Maximum number of incidents of an organisation of which its operators are reminded in one
    /// period: the newest ones.
    pub const REMINDED: usize = 20;

    /// Time of the newest update, or of the creation.
    #[must_use]
    pub fn silent_since(&self) -> DateTime<Utc> {
        self.updated_at
            .map_or(self.created_at, |at| at.max(self.created_at))
    }

    /// When the operators are reminded next: `hours` after the newest update or the last reminder,
    /// whichever is later.
    #[must_use]
    pub fn reminder_due_at(&self, hours: u16) -> DateTime<Utc> {
        let silent_since = self.silent_since();
        let from = self
            .reminded_at
            .map_or(silent_since, |at| at.max(silent_since));
        from + TimeDelta::hours(i64::from(hours))
    }

    /// Number of whole hours without an update.
    #[must_use]
    pub fn silent_hours(&self, now: DateTime<Utc>) -> i64 {
        (now - self.silent_since()).num_hours().max(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn at(hour: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(hour * 3600, 0).unwrap()
    }

    fn created(hour: i64) -> OpenIncident {
        OpenIncident {
            created_at: at(hour),
            updated_at: None,
            reminded_at: None,
        }
    }

    #[test]
    fn a_reminder_is_due_after_silence_and_again_after_the_same_time() {
        let silent = created(10);
        assert_eq!(silent.reminder_due_at(4), at(14));
        let reminded = OpenIncident {
            reminded_at: Some(at(15)),
            ..silent
        };
        assert_eq!(reminded.reminder_due_at(4), at(19));
        assert_eq!(reminded.silent_hours(at(19)), 9);
    }

    #[test]
    fn an_update_starts_the_count_again() {
        let updated = OpenIncident {
            updated_at: Some(at(16)),
            reminded_at: Some(at(15)),
            ..created(10)
        };
        assert_eq!(updated.reminder_due_at(4), at(20));
        assert_eq!(updated.silent_since(), at(16));
    }

    proptest! {
        /// Hour by hour, some with an update: reminders come exactly once per period of silence.
        #[test]
        fn each_period_of_silence_has_one_reminder(
            hours in 1_u16..30, updates in proptest::collection::vec(any::<bool>(), 1..200),
        ) {
            let mut incident = created(0);
            let mut quiet = 0;
            for (hour, updated) in (1..).zip(updates) {
                quiet += 1;
                if updated {
                    incident.updated_at = Some(at(hour));
                    quiet = 0;
                }
                let is_due = incident.reminder_due_at(hours) <= at(hour);
                prop_assert_eq!(is_due, quiet == hours);
                if is_due {
                    incident.reminded_at = Some(at(hour));
                    quiet = 0;
                }
            }
        }

        #[test]
        fn no_reminder_is_due_within_a_period_of_an_update_or_a_reminder(
            hours in 1_u16..200, updated in proptest::option::of(0_i64..1000), reminded in proptest::option::of(0_i64..1000),
        ) {
            let incident = OpenIncident { updated_at: updated.map(at), reminded_at: reminded.map(at), ..created(0) };
            let due = incident.reminder_due_at(hours);
            for last in [Some(0), updated, reminded].into_iter().flatten() {
                prop_assert!(due >= at(last + i64::from(hours)));
            }
        }
    }
}
