//! The components and the banner.

use allclear_application::public::{Banner, PublicComponent, Snapshot};
use allclear_domain::component::ComponentStatus;
use maud::{Markup, html};

use super::icon::Icon;
use super::section::{nothing_here, section};
use super::status_style::StatusStyle;
use super::text::prose;
use super::uptime::{Bars, rule};

fn is_affected(component: &PublicComponent) -> bool {
    component.status != ComponentStatus::Operational
}

/// The banner; nothing without components.
pub(super) fn banner(banner: Option<Banner>, components: &[PublicComponent]) -> Markup {
    let Some(banner) = banner else {
        return Markup::default();
    };
    let (tone, icon) = if banner.operational {
        ("operational", Icon::CIRCLE_CHECK)
    } else {
        ("degraded", Icon::TRIANGLE_ALERT)
    };
    html! {
        section aria-label="Current status" data-tone=(tone) class={
            "tinted flex items-center gap-4 rounded-xl border px-4 py-5 shadow-low sm:gap-5 sm:px-6 sm:py-6 border-" (tone) "-line"
        } {
            span aria-hidden="true" class={
                "grid size-11 shrink-0 place-items-center rounded-full text-canvas sm:size-14 bg-" (tone) "-solid"
            } { (icon.svg("size-6 sm:size-8")) }
            div class="min-w-0" {
                p class="text-2xl font-semibold tracking-tight text-balance text-ink sm:text-3xl" { (banner.text) }
                p class="text-sm text-muted" { (extent(components)) }
            }
        }
    }
}

fn extent(components: &[PublicComponent]) -> String {
    let all = components.len();
    match components
        .iter()
        .filter(|component| is_affected(component))
        .count()
    {
        0 if all == 1 => "1 component, operational".to_owned(),
        0 => format!("All {all} components are operational"),
        affected => format!(
            "{affected} of {all} {} affected",
            if all == 1 { "component" } else { "components" }
        ),
    }
}

/// The list of components. An affected component has the colour of its status across the row. One that is only shown when it is
/// affected is left out while it is operational.
pub(super) fn list(snapshot: &Snapshot) -> Markup {
    let shown: Vec<_> = snapshot
        .components
        .iter()
        .filter(|component| is_affected(component) || !component.only_show_when_affected)
        .collect();
    let bars = Bars::new(snapshot);
    section(
        "components",
        "Components",
        "xl:col-start-1",
        &html! {
            @if shown.is_empty() {
                (nothing_here("No components are shown here yet."))
            } @else {
                section class="min-w-0 rounded-lg border border-line bg-surface shadow-low" {
                    ul class="divide-y divide-line" { @for component in &shown { (row(component, &bars)) } }
                }
                @if shown.iter().any(|component| component.uptime.is_some()) { (rule()) }
            }
        },
    )
}

fn row(component: &PublicComponent, bars: &Bars<'_>) -> Markup {
    let style = StatusStyle::from(component.status);
    let affected = is_affected(component);
    html! {
        li class={
            "relative flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-3 first:rounded-t-lg "
            "last:rounded-b-lg print:break-inside-avoid" (if affected { " tinted" } else { "" })
        } data-tone=[affected.then_some(style.tone)] {
            @if affected {
                span aria-hidden="true" class={ "absolute inset-y-0 left-0 w-1 rounded-l-[inherit] bg-" (style.tone) "-solid" } {}
            }
            div class="min-w-0 flex-1 basis-48" {
                h3 dir="auto" class="font-medium wrap-anywhere text-ink" { (component.name) }
                (prose(&component.description, " text-sm text-muted"))
            }
            @if affected { (style.badge("")) } @else { (style.quiet()) }
            @if let Some(uptime) = &component.uptime { (bars.of(component, uptime)) }
        }
    }
}
