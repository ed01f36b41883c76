//! The heading of a page about all components, with a form that chooses one of them.

use allclear_application::public::history::NamedComponent;
use allclear_domain::code::Code;
use maud::{Markup, html};

use super::super::frame::{SECONDARY, button};

/// The heading and the form, which leads to `path`.
pub(super) fn filter(
    heading: &str,
    path: &str,
    components: &[NamedComponent],
    chosen: Option<Code>,
) -> Markup {
    html! {
        div class="flex flex-wrap items-end justify-between gap-x-4 gap-y-3" {
            h1 class="text-xl font-semibold tracking-tight" { (heading) }
            @if !components.is_empty() {
                form action=(path) class="flex min-w-0 items-end gap-2" data-print="hidden" {
                    label class="grid min-w-0 gap-1 text-sm font-medium text-ink" {
                        "Component"
                        select name="component" class="history-select" {
                            option value="" { "All components" }
                            @for component in components {
                                option value=(component.code) selected[chosen == Some(component.code)] { (component.name) }
                            }
                        }
                    }
                    button type="submit" class=(button(SECONDARY)) { "Show" }
                }
            }
        }
    }
}
