//! The components, their groups, and the banner.

use allclear_application::public::component_group::PublicComponentGroup;
use allclear_application::public::{Banner, PublicComponent, Snapshot};
use allclear_domain::component::ComponentStatus;
use allclear_domain::component_group::GroupDisplay;
use maud::{Markup, html};

use super::icon::Icon;
use super::section::{nothing_here, section};
use super::status_style::StatusStyle;
use super::text::prose;
use super::uptime::{Bars, rule};

fn is_affected(component: &PublicComponent) -> bool {
    component.status != ComponentStatus::Operational
}

/// Whether it is affected or under maintenance.
fn stands_out(component: &PublicComponent) -> bool {
    is_affected(component) || component.under_maintenance
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

/// Whether the page shows a component: one that is only shown when it is affected is left out while it does not stand out.
fn is_shown(component: &PublicComponent) -> bool {
    stands_out(component) || !component.only_show_when_affected
}

/// The list of components and groups. A component that stands out has the colour of its status across the row. A group that shows no
/// component is left out.
pub(super) fn list(snapshot: &Snapshot) -> Markup {
    // The components are in the order of the page, so those of a group follow one another.
    let entries: Vec<_> = snapshot
        .components
        .chunk_by(|one, next| one.group_id == next.group_id)
        .filter(|members| members.iter().any(is_shown))
        .collect();
    let shown = || entries.iter().copied().flatten().filter(|it| is_shown(it));
    let bars = Bars::new(snapshot);
    section(
        "components",
        "Components",
        "xl:col-start-1",
        &html! {
            @if entries.is_empty() {
                (nothing_here("No components are shown here yet."))
            } @else {
                section class="min-w-0 rounded-lg border border-line bg-surface shadow-low" {
                    ul class="divide-y divide-line" { @for members in &entries { (entry(snapshot, members, &bars)) } }
                }
                @if shown().any(|component| component.uptime.is_some()) { (rule()) }
            }
        },
    )
}

/// A group, or the components without one.
fn entry(snapshot: &Snapshot, members: &[PublicComponent], bars: &Bars<'_>) -> Markup {
    let id = members.first().and_then(|member| member.group_id.as_ref());
    let rows = |in_group| html! { @for member in members { @if is_shown(member) { (row(member, in_group, bars)) } } };
    match snapshot.groups.iter().find(|group| Some(&group.id) == id) {
        Some(found) => group(found, &rows(true)),
        None => rows(false),
    }
}

fn group(group: &PublicComponentGroup, rows: &Markup) -> Markup {
    let styles = StatusStyle::of_component(group.status, group.under_maintenance);
    let stands_out = group.status != ComponentStatus::Operational || group.under_maintenance;
    let open = match group.display {
        GroupDisplay::Open => true,
        GroupDisplay::Closed => false,
        GroupDisplay::OpenWhenAffected => stands_out,
    };
    html! {
        li class="group-entry" {
            details data-group=(group.code) open[open] {
                summary {
                    h3 dir="auto" { (group.name) }
                    @for style in styles { @if stands_out { (style.badge("")) } @else { (style.quiet()) } }
                }
                (prose(&group.description, " text-sm text-muted"))
                ul class="divide-y divide-line" { (rows) }
            }
        }
    }
}

fn row(component: &PublicComponent, in_group: bool, bars: &Bars<'_>) -> Markup {
    let styles = StatusStyle::of_component(component.status, component.under_maintenance);
    let tone = styles.first().map_or("", |style| style.tone);
    let stands_out = stands_out(component);
    html! {
        li class={
            "relative flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-4 py-3 first:rounded-t-lg "
            "last:rounded-b-lg print:break-inside-avoid" (if stands_out { " tinted" } else { "" })
        } data-tone=[stands_out.then_some(tone)] {
            @if stands_out {
                span aria-hidden="true" class={ "absolute inset-y-0 left-0 w-1 rounded-l-[inherit] bg-" (tone) "-solid" } {}
            }
            div class="min-w-0 flex-1 basis-48" {
                @if in_group {
                    h4 dir="auto" class="font-medium wrap-anywhere text-ink" { (component.name) }
                } @else {
                    h3 dir="auto" class="font-medium wrap-anywhere text-ink" { (component.name) }
                }
                (prose(&component.description, " text-sm text-muted"))
            }
            @for style in styles { @if stands_out { (style.badge("")) } @else { (style.quiet()) } }
            @if let Some(uptime) = &component.uptime { (bars.of(component, uptime)) }
        }
    }
}
