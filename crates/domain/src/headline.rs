//! The headline of a status page. Badges and programs get a [`Rollup`](crate::rollup::Rollup),
//! which also says how severe it is, and counts components under maintenance.

use serde::Serialize;
use utoipa::ToSchema;

use crate::component::ComponentStatus;

/// Headline of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct Banner {
    /// Whether every component is operational.
    pub operational: bool,
    /// "All Systems Operational" or "Some systems are experiencing issues".
    pub text: &'static str,
}

/// The headline of a page with components of these statuses; `None` if there are none.
#[must_use]
pub fn headline(statuses: impl IntoIterator<Item = ComponentStatus>) -> Option<Banner> {
    let operational = ComponentStatus::worst(statuses)? == ComponentStatus::Operational;
    let text = if operational {
        "All Systems Operational"
    } else {
        "Some systems are experiencing issues"
    };
    Some(Banner { operational, text })
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
            prop_assert_eq!(found.text == "All Systems Operational", all);
        }
    }
}
