//! The frame around every page. An element carries at most one class of the style sheets
//! `public-frame.css` and `status-page.css`.

use maud::{Markup, html};

use super::icon::Icon;

/// The page. `actions` are the buttons beside the heading.
pub(super) fn frame(heading: &Markup, actions: &Markup, content: &Markup) -> Markup {
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
                a href="/" class="brand" { (Icon::LOGO.svg()) "Powered by Allclear" }
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
