//! Icons of Lucide (ISC licence). Those of statuses and of the frame are in the sprite that the web
//! app's build writes into the page.

use maud::{Markup, PreEscaped, html};

/// An icon of the sprite, by its name in Lucide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Icon(&'static str);

impl Icon {
    pub(super) const ACTIVITY: Self = Self("activity");
    pub(super) const CALENDAR_CLOCK: Self = Self("calendar-clock");
    pub(super) const CIRCLE_ALERT: Self = Self("circle-alert");
    pub(super) const CIRCLE_CHECK: Self = Self("circle-check");
    pub(super) const CIRCLE_SLASH: Self = Self("circle-slash");
    pub(super) const CROSSHAIR: Self = Self("crosshair");
    /// The logo of the product.
    pub(super) const LOGO: Self = Self("logo");
    pub(super) const OCTAGON_X: Self = Self("octagon-x");
    pub(super) const SEARCH: Self = Self("search");
    pub(super) const SUN: Self = Self("sun");
    pub(super) const TRIANGLE_ALERT: Self = Self("triangle-alert");
    pub(super) const WRENCH: Self = Self("wrench");

    /// The icon as decoration, hidden from assistive technology.
    pub(super) fn svg(self) -> Markup {
        PreEscaped(format!(
            r##"<svg aria-hidden="true"><use href="#{}"/></svg>"##,
            self.0
        ))
    }
}

/// The icon of a page that does not exist. It is not in the sprite, because other pages do not
/// show it.
pub(super) fn search_x() -> Markup {
    html! {
        svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none"
            stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round" class="" aria-hidden="true" {
            path d="m13.5 8.5-5 5" {}
            path d="m8.5 8.5 5 5" {}
            circle cx="11" cy="11" r="8" {}
            path d="m21 21-4.3-4.3" {}
        }
    }
}
