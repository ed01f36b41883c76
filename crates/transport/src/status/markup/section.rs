//! The sections of the page.

use maud::{Markup, html};

/// A section with its heading. `id` is the fragment of its address.
pub(super) fn section(id: &str, title: &str, class: &str, content: &Markup) -> Markup {
    html! {
        section aria-labelledby=(id) class={ "grid min-w-0 content-start gap-3 " (class) } {
            h2 id=(id) class="text-xl font-semibold tracking-tight" { (title) }
            (content)
        }
    }
}

/// The title of an incident or a maintenance, which leads to its page.
pub(super) fn title_link(path: &str, title: &str) -> Markup {
    html! { a href=(path) class="rounded-sm underline-offset-2 hover:underline" { (title) } }
}

/// A note about omitted items.
pub(super) fn omitted(text: &str) -> Markup {
    html! { p class="text-sm text-subtle" { (text) } }
}

/// The note of an empty section.
pub(super) fn nothing_here(text: &str) -> Markup {
    html! { p class="rounded-lg border border-dashed border-line px-4 py-5 text-muted" { (text) } }
}
