//! One status from several, as the Statuspage API derives it: the indicator and the description of
//! a page, the status of a group, and the impact of an incident.

use strum::{EnumString, IntoStaticStr, VariantArray};

use crate::component::ComponentStatus;

/// Status of a component as the public sees it, from best to worst.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    EnumString,
    IntoStaticStr,
    VariantArray,
)]
#[strum(serialize_all = "SCREAMING_SNAKE_CASE")]
pub enum PublicStatus {
    /// Works as it should.
    Operational,
    /// A maintenance is in progress, and nothing else is wrong.
    UnderMaintenance,
    /// Works, but slowly or with faults.
    Degraded,
    /// Works in part.
    PartialOutage,
    /// Does not work.
    MajorOutage,
}

impl PublicStatus {
    /// The status of a component. A status other than operational takes precedence over a
    /// maintenance.
    #[must_use]
    pub const fn new(status: ComponentStatus, under_maintenance: bool) -> Self {
        match status {
            ComponentStatus::Operational if under_maintenance => Self::UnderMaintenance,
            ComponentStatus::Operational => Self::Operational,
            ComponentStatus::Degraded => Self::Degraded,
            ComponentStatus::PartialOutage => Self::PartialOutage,
            ComponentStatus::MajorOutage => Self::MajorOutage,
        }
    }

    /// The worst of the given statuses, which is the status of a group; operational if there
    /// are none.
    #[must_use]
    pub fn worst(statuses: impl IntoIterator<Item = Self>) -> Self {
        statuses.into_iter().max().unwrap_or(Self::Operational)
    }

    /// The name that people read.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Operational => ComponentStatus::Operational.label(),
            Self::UnderMaintenance => "Under Maintenance",
            Self::Degraded => ComponentStatus::Degraded.label(),
            Self::PartialOutage => ComponentStatus::PartialOutage.label(),
            Self::MajorOutage => ComponentStatus::MajorOutage.label(),
        }
    }

    /// The word of the Statuspage API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Operational => "operational",
            Self::UnderMaintenance => "under_maintenance",
            Self::Degraded => "degraded_performance",
            Self::PartialOutage => "partial_outage",
            Self::MajorOutage => "major_outage",
        }
    }
}

impl From<ComponentStatus> for PublicStatus {
    fn from(status: ComponentStatus) -> Self {
        Self::new(status, false)
    }
}

/// Severity of the state of a page or of an incident, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Indicator {
    /// Nothing is wrong.
    None,
    /// Nothing is wrong except for maintenances.
    Maintenance,
    /// Something is slow, or a part of something does not work.
    Minor,
    /// Something does not work.
    Major,
    /// Nothing works.
    Critical,
}

impl Indicator {
    /// The word of the Statuspage API.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// The state of a page in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rollup {
    /// Severity of the state.
    pub indicator: Indicator,
    /// The state as a sentence.
    pub description: &'static str,
}

impl Rollup {
    /// The state of a page whose components have these statuses. Groups do not count. The first
    /// condition that is met decides.
    #[must_use]
    pub fn of(statuses: impl IntoIterator<Item = PublicStatus>) -> Self {
        use PublicStatus::{Degraded, MajorOutage, Operational, PartialOutage, UnderMaintenance};
        let statuses: Vec<_> = statuses.into_iter().collect();
        let any = |status| statuses.contains(&status);
        let all = |status| statuses.iter().all(|other| *other == status);
        let (indicator, description) = if all(Operational) {
            (Indicator::None, "All Systems Operational")
        } else if all(MajorOutage) {
            (Indicator::Critical, "Major System Outage")
        } else if all(PartialOutage) || any(MajorOutage) {
            (Indicator::Major, "Partial System Outage")
        } else if any(PartialOutage) {
            (Indicator::Minor, "Minor Service Outage")
        } else if all(Degraded) && statuses.len() > 1 {
            (Indicator::Minor, "Degraded System Service")
        } else if any(Degraded) {
            (Indicator::Minor, "Partially Degraded Service")
        } else {
            debug_assert!(
                any(UnderMaintenance),
                "the other statuses are handled above"
            );
            (Indicator::Maintenance, "Service Under Maintenance")
        };
        Self {
            indicator,
            description,
        }
    }
}

/// The impact of an incident on components with these statuses; [`Indicator::None`]
/// without components.
#[must_use]
pub fn impact(statuses: impl IntoIterator<Item = ComponentStatus>) -> Indicator {
    Rollup::of(statuses.into_iter().map(PublicStatus::from)).indicator
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    use PublicStatus::{
        Degraded as D, MajorOutage as X, Operational as O, PartialOutage as P,
        UnderMaintenance as M,
    };

    #[test]
    fn each_indicator_has_the_word_of_the_statuspage_api() {
        for (indicator, word) in [
            (Indicator::None, "none"),
            (Indicator::Maintenance, "maintenance"),
            (Indicator::Minor, "minor"),
            (Indicator::Major, "major"),
            (Indicator::Critical, "critical"),
        ] {
            assert_eq!(indicator.as_str(), word);
        }
    }

    #[test]
    fn every_row_of_the_table_is_met() {
        let rows: &[(&[PublicStatus], &str, &str)] = &[
            (&[], "none", "All Systems Operational"),
            (&[O], "none", "All Systems Operational"),
            (&[O, O], "none", "All Systems Operational"),
            (&[X], "critical", "Major System Outage"),
            (&[X, X], "critical", "Major System Outage"),
            (&[P], "major", "Partial System Outage"),
            (&[P, P], "major", "Partial System Outage"),
            (&[X, O], "major", "Partial System Outage"),
            (&[X, P], "major", "Partial System Outage"),
            (&[X, M], "major", "Partial System Outage"),
            (&[P, O], "minor", "Minor Service Outage"),
            (&[P, D, M, O], "minor", "Minor Service Outage"),
            (&[D, D], "minor", "Degraded System Service"),
            (&[D], "minor", "Partially Degraded Service"),
            (&[D, O], "minor", "Partially Degraded Service"),
            (&[D, D, M], "minor", "Partially Degraded Service"),
            (&[M], "maintenance", "Service Under Maintenance"),
            (&[M, O], "maintenance", "Service Under Maintenance"),
        ];
        for (statuses, indicator, description) in rows {
            let found = Rollup::of(statuses.iter().copied());
            assert_eq!(
                (found.indicator.as_str(), found.description),
                (*indicator, *description),
                "{statuses:?}"
            );
        }
    }

    #[test]
    fn real_pages_have_the_state_that_they_showed() {
        let page = |counts: &[(PublicStatus, usize)]| {
            let statuses = counts
                .iter()
                .flat_map(|(status, count)| std::iter::repeat_n(*status, *count));
            Rollup::of(statuses).description
        };
        assert_eq!(page(&[(O, 29), (X, 1)]), "Partial System Outage");
        assert_eq!(page(&[(O, 8), (P, 2)]), "Minor Service Outage");
        assert_eq!(
            page(&[(O, 421), (P, 28), (M, 17), (D, 1)]),
            "Minor Service Outage"
        );
    }

    #[test]
    fn impact_follows_the_same_conditions() {
        use ComponentStatus::{Degraded, Operational, PartialOutage};
        assert_eq!(impact([]).as_str(), "none");
        assert_eq!(impact([Operational]).as_str(), "none");
        assert_eq!(impact([PartialOutage, PartialOutage]).as_str(), "major");
        assert_eq!(impact([Degraded; 8]).as_str(), "minor");
    }

    #[test]
    fn trouble_is_shown_rather_than_a_maintenance() {
        use ComponentStatus::{MajorOutage, Operational};
        assert_eq!(PublicStatus::new(Operational, true), M);
        assert_eq!(PublicStatus::new(MajorOutage, true), X);
        assert_eq!(PublicStatus::worst([M, O]), M);
        assert_eq!(PublicStatus::worst([]), O);
    }

    /// The rows as conditions on counts: of all components, and of each status from operational to
    /// major outage.
    fn row(all: usize, count: [usize; 5]) -> usize {
        let [operational, maintained, degraded, partial, major] = count;
        let rows = [
            all == 0 || operational == all,
            major == all,
            partial == all,
            major > 0,
            partial > 0,
            degraded == all && all > 1,
            degraded > 0,
            maintained > 0,
        ];
        rows.iter().position(|fits| *fits).unwrap()
    }

    proptest! {
        #[test]
        fn first_condition_that_is_met_decides(
            statuses in proptest::collection::vec(proptest::sample::select(PublicStatus::VARIANTS.to_vec()), 0..7)
        ) {
            let count = |status| statuses.iter().filter(|other| **other == status).count();
            let expected = [
                ("none", "All Systems Operational"),
                ("critical", "Major System Outage"),
                ("major", "Partial System Outage"),
                ("major", "Partial System Outage"),
                ("minor", "Minor Service Outage"),
                ("minor", "Degraded System Service"),
                ("minor", "Partially Degraded Service"),
                ("maintenance", "Service Under Maintenance"),
            ][row(statuses.len(), [O, M, D, P, X].map(count))];
            let found = Rollup::of(statuses.iter().copied());
            prop_assert_eq!((found.indicator.as_str(), found.description), expected);
            let mut reversed = statuses;
            reversed.reverse();
            prop_assert_eq!(Rollup::of(reversed), found);
        }
    }
}
