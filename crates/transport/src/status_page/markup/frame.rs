//! The frame around every page. An element carries at most one class of the style sheets
//! `public-frame.css` and `status-page.css`.

use maud::{Markup, html};

use super::icon::Icon;

/// Where "Powered by Allclear" leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// The root of the host. A page that does not know its host leads there too: below an
    /// organisation's own domain, that is its status page.
    Root,
    /// Nowhere: the root of an organisation's own domain is its status page, and the page does not
    /// know the address of the installation.
    Nowhere,
}

impl Home {
    /// The home of the pages of an organisation.
    pub(super) const fn of(has_domain: bool) -> Self {
        if has_domain {
            Self::Nowhere
        } else {
            Self::Root
        }
    }

    const fn path(self) -> Option<&'static str> {
        match self {
            Self::Root => Some("/"),
            Self::Nowhere => None,
        }
    }
}

/// The page. `actions` are the buttons beside the heading.
pub(super) fn frame(home: Home, heading: &Markup, actions: &Markup, content: &Markup) -> Markup {
    html! {
        div class="page" {
            header {
                div {
                    p class="brand" { (Icon::LOGO.svg()) "Allclear Status" }
                    (heading)
                }
                div { (actions) (theme_switch()) }
            }
            main { (content) }
            footer {
                a href=[home.path()] class="brand" { (Icon::LOGO.svg()) "Powered by Allclear" }
            }
        }
    }
}

fn theme_switch() -> Markup {
    let label = "Switch to light theme";
    html! {
        button class="ghost" data-script="needed" aria-label=(label) title=(label) { (Icon::SUN.svg()) }
    }
}
