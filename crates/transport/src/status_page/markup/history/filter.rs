//! The heading of a page about all components, with a form that chooses one of them.

use allclear_application::status_page::history::NamedComponent;
use allclear_domain::code::Code;
use maud::{Markup, html};

/// The heading and the form, which leads to `path`.
pub(super) fn filter(
    heading: &str,
    path: &str,
    components: &[NamedComponent],
    chosen: Option<Code>,
) -> Markup {
    html! {
        div class="filter" {
            h1 { (heading) }
            @if !components.is_empty() {
                form action=(path) data-print="hidden" {
                    label {
                        "Component"
                        select name="component" class="history-select" {
                            option value="" { "All components" }
                            @for members in components.chunk_by(|a, b| a.group == b.group) {
                                @match &members[0].group {
                                    Some(group) => optgroup label=(group) { (options(members, chosen)) },
                                    None => (options(members, chosen)),
                                }
                            }
                        }
                    }
                    button type="submit" class="button" { "Show" }
                }
            }
        }
    }
}

fn options(components: &[NamedComponent], chosen: Option<Code>) -> Markup {
    html! {
        @for component in components {
            option value=(component.code) selected[chosen == Some(component.code)] { (component.name) }
        }
    }
}
