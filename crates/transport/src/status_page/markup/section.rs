//! The sections of the page.

use maud::{Markup, html};

/// A section with its heading. `id` is the fragment of its address.
pub(super) fn section(id: &str, title: &str, content: &Markup) -> Markup {
    html! {
        section aria-labelledby=(id) class="section" {
            h2 id=(id) { (title) }
            (content)
        }
    }
}

/// The title of an incident, a maintenance or a component, which leads to its page.
pub(super) fn title_link(path: &str, title: &str) -> Markup {
    html! { h3 dir="auto" { a href=(path) { (title) } } }
}

/// A note about omitted items.
pub(super) fn omitted(text: &str) -> Markup {
    html! { p class="note" { (text) } }
}

/// The note of an empty section.
pub(super) fn nothing_here(text: &str) -> Markup {
    html! { p class="empty" { (text) } }
}
