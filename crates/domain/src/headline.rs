//! The headline of a status page.

use crate::component::ComponentStatus;

/// The public banner. Badges and programs get a [`Rollup`](crate::rollup::Rollup), which also says
/// how severe it is, and counts components under maintenance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headline {
    /// Whether every component is operational.
    pub operational: bool,
}

impl Headline {
    /// The banner's text.
    #[must_use]
    pub const fn text(self) -> &'static str {
        if self.operational {
            "All Systems Operational"
        } else {
            "Some systems are experiencing issues"
        }
    }
}

/// The headline of a page with components of these statuses; `None` if there are none.
#[must_use]
pub fn headline(statuses: impl IntoIterator<Item = ComponentStatus>) -> Option<Headline> {
    let worst = ComponentStatus::worst(statuses)?;
    Some(Headline {
        operational: worst == ComponentStatus::Operational,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use strum::VariantArray;

    #[test]
    fn a_page_without_components_has_no_headline() {
        assert_eq!(headline([]), None);
    }

    proptest! {
        #[test]
        fn headline_is_green_exactly_when_every_component_is_operational(
            statuses in proptest::collection::vec(proptest::sample::select(ComponentStatus::VARIANTS.to_vec()), 1..9)
        ) {
            let all = statuses.iter().all(|status| *status == ComponentStatus::Operational);
            let found = headline(statuses).unwrap();
            prop_assert_eq!(found.operational, all);
            prop_assert_eq!(found.text() == "All Systems Operational", all);
        }
    }
}
