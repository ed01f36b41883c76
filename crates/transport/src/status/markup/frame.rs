//! The frame around every page.

use maud::{Markup, html};

use super::icon::{Icon, logo};

/// The page. `actions` are the buttons beside the heading.
pub(super) fn frame(heading: &Markup, actions: &Markup, content: &Markup) -> Markup {
    html! {
        div data-status-page="true"
            class="mx-auto flex min-h-dvh w-full max-w-3xl flex-col px-4 sm:px-6 xl:max-w-6xl print:max-w-none" {
            header class="flex flex-wrap items-end justify-between gap-x-4 gap-y-3 pt-6 pb-5 sm:pt-10 sm:pb-6" {
                div class="grid min-w-0 flex-1 basis-48 gap-1.5" {
                    p class="inline-flex items-center gap-1.5 text-sm text-subtle" {
                        (logo("size-4!")) "Allclear Status"
                    }
                    (heading)
                }
                div class="flex flex-wrap items-center gap-2" { (actions) (theme_switch()) }
            }
            main class="grid flex-1 content-start gap-8" { (content) }
            footer class="mt-12 flex flex-wrap items-center justify-between gap-2 border-t border-line py-5 text-sm text-subtle" {
                a href="/" class="inline-flex items-center gap-1.5 rounded-sm hover:text-ink" {
                    (logo("size-4!")) "Powered by Allclear"
                }
            }
        }
    }
}

/// Classes of the main button of a page.
pub(super) const PRIMARY: &str = "bg-primary text-on-primary enabled:hover:bg-primary-hover [a]:hover:bg-primary-hover h-8 px-3 text-base pointer-coarse:h-10";
/// Classes of other buttons.
pub(super) const SECONDARY: &str = "border border-line bg-raised text-ink shadow-low enabled:hover:bg-hover [a]:hover:bg-hover h-8 px-3 text-base pointer-coarse:h-10";

fn theme_switch() -> Markup {
    let label = "Switch to light theme";
    html! {
        button type="button" class=(button("text-muted enabled:hover:bg-hover enabled:hover:text-ink [a]:hover:bg-hover [a]:hover:text-ink size-8 pointer-coarse:size-10"))
            data-script="needed" aria-label=(label) title=(label) { (Icon::SUN.svg("")) }
    }
}

/// Classes common to all buttons.
pub(super) fn button(variant: &str) -> String {
    format!(
        "inline-flex shrink-0 items-center justify-center gap-2 rounded-md font-medium whitespace-nowrap \
         transition-colors select-none disabled:opacity-50 aria-disabled:opacity-50 [&_svg]:size-4 [&_svg]:shrink-0 {variant}"
    )
}
