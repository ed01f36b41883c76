//! Icons of Lucide (ISC licence), the same that the page's script draws.

use maud::{Markup, PreEscaped, html};

/// The content of an icon's `svg` element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Icon(&'static str);

impl Icon {
    pub(super) const ACTIVITY: Self = Self(
        r#"<path d="M22 12h-2.48a2 2 0 0 0-1.93 1.46l-2.35 8.36a.25.25 0 0 1-.48 0L9.24 2.18a.25.25 0 0 0-.48 0l-2.35 8.36A2 2 0 0 1 4.49 12H2"></path>"#,
    );
    pub(super) const CALENDAR_CLOCK: Self = Self(concat!(
        r#"<path d="M16 14v2.2l1.6 1"></path>"#,
        r#"<path d="M16 2v3"></path>"#,
        r#"<path d="M21 7.338V5a2 2 0 00-2-2H5a2 2 0 00-2 2v14a2 2 0 002 2h2.338"></path>"#,
        r#"<path d="M3 9h5.859"></path>"#,
        r#"<path d="M8 2v3"></path>"#,
        r#"<circle cx="16" cy="16" r="6"></circle>"#,
    ));
    pub(super) const CIRCLE_ALERT: Self = Self(concat!(
        r#"<circle cx="12" cy="12" r="10"></circle>"#,
        r#"<line x1="12" x2="12" y1="8" y2="12"></line>"#,
        r#"<line x1="12" x2="12.01" y1="16" y2="16"></line>"#,
    ));
    pub(super) const CIRCLE_CHECK: Self = Self(concat!(
        r#"<circle cx="12" cy="12" r="10"></circle>"#,
        r#"<path d="m16 9-5.5 5.5L8 12"></path>"#,
    ));
    pub(super) const CIRCLE_SLASH: Self = Self(concat!(
        r#"<circle cx="12" cy="12" r="10"></circle>"#,
        r#"<line x1="9" x2="15" y1="15" y2="9"></line>"#,
    ));
    pub(super) const CROSSHAIR: Self = Self(concat!(
        r#"<circle cx="12" cy="12" r="10"></circle>"#,
        r#"<line x1="22" x2="18" y1="12" y2="12"></line>"#,
        r#"<line x1="6" x2="2" y1="12" y2="12"></line>"#,
        r#"<line x1="12" x2="12" y1="6" y2="2"></line>"#,
        r#"<line x1="12" x2="12" y1="22" y2="18"></line>"#,
    ));
    pub(super) const OCTAGON_X: Self = Self(concat!(
        r#"<path d="m15 9-6 6"></path>"#,
        r#"<path d="M2.586 16.726A2 2 0 0 1 2 15.312V8.688a2 2 0 0 1 .586-1.414l4.688-4.688A2 2 0 0 1 8.688 2h6.624a2 2 0 0 1 1.414.586l4.688 4.688A2 2 0 0 1 22 8.688v6.624a2 2 0 0 1-.586 1.414l-4.688 4.688a2 2 0 0 1-1.414.586H8.688a2 2 0 0 1-1.414-.586z"></path>"#,
        r#"<path d="m9 9 6 6"></path>"#,
    ));
    pub(super) const SEARCH: Self = Self(concat!(
        r#"<path d="m21 21-4.34-4.34"></path>"#,
        r#"<circle cx="11" cy="11" r="8"></circle>"#,
    ));
    pub(super) const SEARCH_X: Self = Self(concat!(
        r#"<path d="m13.5 8.5-5 5"></path>"#,
        r#"<path d="m8.5 8.5 5 5"></path>"#,
        r#"<circle cx="11" cy="11" r="8"></circle>"#,
        r#"<path d="m21 21-4.3-4.3"></path>"#,
    ));
    pub(super) const SUN: Self = Self(concat!(
        r#"<circle cx="12" cy="12" r="4"></circle>"#,
        r#"<path d="M12 2v2"></path>"#,
        r#"<path d="M12 20v2"></path>"#,
        r#"<path d="m4.93 4.93 1.41 1.41"></path>"#,
        r#"<path d="m17.66 17.66 1.41 1.41"></path>"#,
        r#"<path d="M2 12h2"></path>"#,
        r#"<path d="M20 12h2"></path>"#,
        r#"<path d="m6.34 17.66-1.41 1.41"></path>"#,
        r#"<path d="m19.07 4.93-1.41 1.41"></path>"#,
    ));
    pub(super) const TRIANGLE_ALERT: Self = Self(concat!(
        r#"<path d="m21.73 18-8-14a2 2 0 0 0-3.48 0l-8 14A2 2 0 0 0 4 21h16a2 2 0 0 0 1.73-3"></path>"#,
        r#"<path d="M12 9v4"></path>"#,
        r#"<path d="M12 17h.01"></path>"#,
    ));
    pub(super) const WRENCH: Self = Self(
        r#"<path d="M14.7 6.3a1 1 0 0 0 0 1.4l1.6 1.6a1 1 0 0 0 1.4 0l3.106-3.105c.32-.322.863-.22.983.218a6 6 0 0 1-8.259 7.057l-7.91 7.91a1 1 0 0 1-2.999-3l7.91-7.91a6 6 0 0 1 7.057-8.259c.438.12.54.662.219.984z"></path>"#,
    );

    /// The icon as decoration, hidden from assistive technology.
    pub(super) fn svg(self, class: &str) -> Markup {
        html! {
            svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none"
                stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"
                class=(class) aria-hidden="true" {
                (PreEscaped(self.0))
            }
        }
    }
}

/// The logo of the product.
pub(super) fn logo(class: &str) -> Markup {
    html! {
        svg viewBox="0 0 32 32" fill="none" aria-hidden="true" class={ "size-6 shrink-0 " (class) } {
            path d="M27.2 12.1A12 12 0 1 1 21.6 5.4" stroke="currentColor" stroke-width="3" stroke-linecap="round" {}
            path d="m10.4 16.4 4.4 4.4L27.4 7.2" class="stroke-operational-solid" stroke-width="3.4"
                stroke-linecap="round" stroke-linejoin="round" {}
        }
    }
}
