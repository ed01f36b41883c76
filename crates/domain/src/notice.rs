//! What subscribers are mailed of: that something begins, moves on or ends. A correction is no news.

use chrono::{DateTime, Utc};

use crate::incident::{Incident, IncidentStatus};
use crate::maintenance::{Maintenance, MaintenanceStatus};

/// What happened to an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IncidentChange {
    /// It was created.
    Created,
    /// An update was recorded, or the status changed.
    Updated,
    /// It is over.
    Resolved,
}

impl IncidentChange {
    /// Every change.
    pub const ALL: [Self; 3] = [Self::Created, Self::Updated, Self::Resolved];

    /// What a write is to subscribers, `recorded` where it recorded an update; none where it is none of their concern.
    #[must_use]
    pub fn of(before: Option<&Incident>, after: &Incident, recorded: bool) -> Option<Self> {
        let Some(before) = before else {
            return Some(Self::Created);
        };
        let moved = before.status != after.status;
        match after.status {
            IncidentStatus::Resolved if moved => Some(Self::Resolved),
            _ => (moved || recorded).then_some(Self::Updated),
        }
    }

    /// The word of the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Created => "CREATED",
            Self::Updated => "UPDATED",
            Self::Resolved => "RESOLVED",
        }
    }
}

/// What happened to a maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MaintenanceChange {
    /// It was announced, or is to take place after all.
    Scheduled,
    /// An update was recorded, or its times changed.
    Updated,
    /// It has begun.
    Began,
    /// It is over.
    Ended,
    /// It does not take place.
    Cancelled,
}

impl MaintenanceChange {
    /// Every change.
    pub const ALL: [Self; 5] = [
        Self::Scheduled,
        Self::Updated,
        Self::Began,
        Self::Ended,
        Self::Cancelled,
    ];

    /// What a write, or the clock, is to subscribers at this moment, `recorded` where it recorded an update; none where it is
    /// none of their concern. `before` is the maintenance with the status that was told last, none where it is new.
    #[must_use]
    pub fn of(
        before: Option<(&Maintenance, MaintenanceStatus)>,
        after: &Maintenance,
        recorded: bool,
        now: DateTime<Utc>,
    ) -> Option<Self> {
        let status = after.status(now);
        match before {
            Some((before, told)) if told == status => {
                let moved = (before.start_at, before.end_at) != (after.start_at, after.end_at);
                // Where one that does not take place would have lain concerns nobody.
                let concerns = moved && status != MaintenanceStatus::Cancelled;
                (concerns || recorded).then_some(Self::Updated)
            }
            _ => Some(match status {
                MaintenanceStatus::Scheduled => Self::Scheduled,
                MaintenanceStatus::InProgress => Self::Began,
                MaintenanceStatus::Completed => Self::Ended,
                MaintenanceStatus::Cancelled => Self::Cancelled,
            }),
        }
    }

    /// The word of the database.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Scheduled => "SCHEDULED",
            Self::Updated => "UPDATED",
            Self::Began => "BEGAN",
            Self::Ended => "ENDED",
            Self::Cancelled => "CANCELLED",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    use crate::id::MaintenanceId;
    use crate::incident::IncidentPatch;
    use crate::incident::tests::{any_status, at, incident, set};
    use crate::maintenance::{MaintenanceDraft, MaintenancePatch, NewEnd};

    fn planned(start: i64, end: Option<i64>) -> Maintenance {
        let draft = MaintenanceDraft {
            title: "Move".into(),
            description: "All of it".into(),
            start_at: at(start),
            end_at: end.map(at),
            status: MaintenanceStatus::default(),
        };
        Maintenance::create(MaintenanceId(Uuid::from_u128(1)), draft, at(0))
            .unwrap()
            .state
    }

    /// What an edit at second 5 is to subscribers who were told the status of that second.
    fn edited(before: &Maintenance, patch: MaintenancePatch) -> Option<MaintenanceChange> {
        let after = before.clone().edit(patch, at(5)).unwrap().state;
        MaintenanceChange::of(Some((before, before.status(at(5)))), &after, false, at(5))
    }

    proptest! {
        #[test]
        fn an_incident_is_news_exactly_when_it_is_new_moves_or_is_recorded_of(
            before in any_status(), after in any_status(), recorded in any::<bool>(),
        ) {
            let change = IncidentChange::of(Some(&incident(before)), &incident(after), recorded);
            prop_assert_eq!(change.is_some(), recorded || before != after);
            let over = after == IncidentStatus::Resolved && before != after;
            prop_assert_eq!(change == Some(IncidentChange::Resolved), over);
            prop_assert_eq!(IncidentChange::of(None, &incident(after), recorded), Some(IncidentChange::Created));
        }

        #[test]
        fn the_clock_is_news_exactly_when_the_status_told_is_no_longer_true(
            told in proptest::sample::select(MaintenanceStatus::ALL.to_vec()), second in 0_i64..30,
        ) {
            let maintenance = planned(10, Some(20));
            let change = MaintenanceChange::of(Some((&maintenance, told)), &maintenance, false, at(second));
            prop_assert_eq!(change.is_some(), !maintenance.announce(told, at(second)).is_empty());
        }
    }

    #[test]
    fn correcting_a_text_is_no_news() {
        let before = incident(IncidentStatus::Monitoring);
        let patch = IncidentPatch {
            title: Some("Typo".into()),
            ..set(IncidentStatus::Monitoring)
        };
        let after = before.clone().edit(patch, at(2)).unwrap().state;
        assert_eq!(IncidentChange::of(Some(&before), &after, false), None);
        let patch = MaintenancePatch {
            description: Some("Typo".into()),
            ..Default::default()
        };
        assert_eq!(edited(&planned(10, None), patch), None);
    }

    #[test]
    fn a_maintenance_that_moves_is_called_off_or_comes_back_is_news() {
        let (coming, running) = (planned(10, None), planned(1, None));
        let end = MaintenancePatch {
            end_at: Some(NewEnd::At(at(600))),
            ..Default::default()
        };
        let start = MaintenancePatch {
            start_at: Some(at(12)),
            ..Default::default()
        };
        let status = |status| MaintenancePatch {
            status: Some(status),
            ..Default::default()
        };
        let over = MaintenancePatch {
            end_at: Some(NewEnd::At(at(5))),
            ..Default::default()
        };
        let cancelled = coming
            .clone()
            .edit(status(MaintenanceStatus::Cancelled), at(2))
            .unwrap()
            .state;
        assert_eq!(
            edited(&coming, end.clone()),
            Some(MaintenanceChange::Updated)
        );
        assert_eq!(
            edited(&coming, status(MaintenanceStatus::Cancelled)),
            Some(MaintenanceChange::Cancelled)
        );
        assert_eq!(
            edited(&cancelled, status(MaintenanceStatus::Scheduled)),
            Some(MaintenanceChange::Scheduled)
        );
        assert_eq!(edited(&cancelled, end), None);
        assert_eq!(edited(&running, over), Some(MaintenanceChange::Ended));
        assert_eq!(edited(&running, start), Some(MaintenanceChange::Scheduled));
    }

    #[test]
    fn a_new_maintenance_is_told_as_it_is() {
        for (second, change) in [
            (5, MaintenanceChange::Scheduled),
            (15, MaintenanceChange::Began),
            (25, MaintenanceChange::Ended),
        ] {
            assert_eq!(
                MaintenanceChange::of(None, &planned(10, Some(20)), false, at(second)),
                Some(change)
            );
        }
    }
}
