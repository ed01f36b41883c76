//! The components, their groups, and the banner.

use allclear_application::status_page::component_group::PublicComponentGroup;
use allclear_application::status_page::{PublicComponent, Snapshot};
use allclear_domain::component::ComponentStatus;
use allclear_domain::component_group::GroupDisplay;
use allclear_domain::tone::Tone;
use maud::{Markup, html};

use super::icon::Icon;
use super::incident::is_unresolved;
use super::section::{nothing_here, section};
use super::status_style::{StatusStyle, tone_name};
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
pub(super) fn banner(snapshot: &Snapshot) -> Markup {
    let Some(banner) = snapshot.banner else {
        return Markup::default();
    };
    let (tone, icon) = if banner.operational {
        (Tone::Operational, Icon::CIRCLE_CHECK)
    } else {
        (Tone::Degraded, Icon::TRIANGLE_ALERT)
    };
    html! {
        section aria-label="Current status" class="headline" data-tone=(tone_name(tone)) {
            span { (icon.svg()) }
            div {
                p class="title" { (banner.text) }
                p { (extent(snapshot)) }
            }
        }
    }
}

/// How many components are affected, and how many incidents are open.
fn extent(snapshot: &Snapshot) -> String {
    let components = &snapshot.components;
    let all = components.len();
    let affected = components.iter().filter(|one| is_affected(one)).count();
    let text = match affected {
        0 if all == 1 => "1 component, operational".to_owned(),
        0 => format!("All {all} components are operational"),
        affected => format!("{affected} of {} affected", several(all, "component")),
    };
    let incidents = snapshot.incidents.iter();
    match incidents.filter(|one| is_unresolved(one)).count() {
        0 => text,
        open => format!("{text} · {}", several(open, "open incident")),
    }
}

/// A number of things.
fn several(count: usize, thing: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{ending}")
}

/// Whether the page shows a component: one that is only shown when it is affected is left out while
/// it does not stand out.
fn is_shown(component: &PublicComponent) -> bool {
    stands_out(component) || !component.only_show_when_affected
}

/// The list of components and groups. A component that stands out has the colour of its status
/// across the row. A group that shows no component is left out.
pub(super) fn list(snapshot: &Snapshot) -> Markup {
    // The components are in the order of the page, so those of a group follow one another.
    let entries: Vec<_> = snapshot
        .components
        .chunk_by(|one, next| one.group_id == next.group_id)
        .filter(|members| members.iter().any(is_shown))
        .collect();
    let bars = Bars::new(snapshot);
    // The uptime of a group counts its components that are not shown, too.
    let has_uptime = entries.iter().copied().flatten().any(|component| {
        component.uptime.is_some() && (component.group_id.is_some() || is_shown(component))
    });
    section(
        "components",
        "Components",
        &html! {
            @if entries.is_empty() {
                (nothing_here("No components are shown here yet."))
            } @else {
                ul class="card" { @for members in &entries { (entry(snapshot, members, &bars)) } }
                @if has_uptime { (rule()) }
            }
        },
    )
}

/// A group, or the components without one.
fn entry(snapshot: &Snapshot, members: &[PublicComponent], bars: &Bars<'_>) -> Markup {
    let id = members.first().and_then(|member| member.group_id.as_ref());
    let rows = |in_group| html! { @for member in members { @if is_shown(member) { (row(member, in_group, bars)) } } };
    match snapshot.groups.iter().find(|group| Some(&group.id) == id) {
        Some(found) => group(found, &bars.of_group(members), &rows(true)),
        None => rows(false),
    }
}

fn group(group: &PublicComponentGroup, uptime: &Markup, rows: &Markup) -> Markup {
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
                    (uptime)
                    (StatusStyle::marks(&styles, stands_out))
                }
                (prose(&group.description))
                ul { (rows) }
            }
        }
    }
}

fn row(component: &PublicComponent, in_group: bool, bars: &Bars<'_>) -> Markup {
    let styles = StatusStyle::of_component(component.status, component.under_maintenance);
    let tone = styles.first().map_or("", |style| style.tone);
    let stands_out = stands_out(component);
    html! {
        li class="row" data-tone=[stands_out.then_some(tone)] {
            div {
                @if in_group { h4 dir="auto" { (component.name) } } @else { h3 dir="auto" { (component.name) } }
                (prose(&component.description))
            }
            (StatusStyle::marks(&styles, stands_out))
            @if let Some(uptime) = &component.uptime { (bars.of(component, uptime)) }
        }
    }
}
