//! The components that an incident or a maintenance affects.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;

use allclear_application::status_page::Snapshot;
use allclear_application::status_page::incident::ComponentName;
use allclear_domain::component::ComponentStatus;
use maud::{Markup, html};

use super::status_style::StatusStyle;

/// Number of components up to which their list is always open.
const MOST_OPEN: usize = 8;

/// The groups of components with a shared name.
pub(super) struct UniqueNames<'a> {
    uses: HashMap<&'a str, u32>,
    /// Names of the groups by the identifiers of their components.
    groups: HashMap<&'a str, &'a str>,
}

impl<'a> UniqueNames<'a> {
    /// Of the components of a page.
    pub(super) fn of(snapshot: &'a Snapshot) -> Self {
        let names: HashMap<_, _> = snapshot
            .groups
            .iter()
            .map(|group| (&*group.id, &*group.name))
            .collect();
        let mut uses = HashMap::new();
        let mut groups = HashMap::new();
        for component in &snapshot.components {
            *uses.entry(&*component.name).or_default() += 1;
            let group = component.group_id.as_deref();
            if let Some(name) = group.and_then(|id| names.get(id)) {
                groups.insert(&*component.id, *name);
            }
        }
        Self { uses, groups }
    }

    fn name<'b>(&self, component: &'b ComponentName) -> Cow<'b, str> {
        let is_shared = self
            .uses
            .get(&*component.name)
            .is_some_and(|uses| *uses > 1);
        let group = self.groups.get(&*component.id).copied();
        unique_name(&component.name, group, is_shared)
    }
}

/// The name of a component. One that several components have gets that of its group:
/// `API (Europe)`.
pub(super) fn unique_name<'a>(name: &'a str, group: Option<&str>, is_shared: bool) -> Cow<'a, str> {
    match group {
        Some(group) if is_shared => format!("{name} ({group})").into(),
        _ => name.into(),
    }
}

/// The names of affected components, those with the worst impact first, each with its impact if it
/// has one.
pub(super) fn affected<'a>(
    title: &str,
    names: &UniqueNames<'_>,
    components: impl Iterator<Item = (&'a ComponentName, Option<ComponentStatus>)>,
) -> Markup {
    let mut components: Vec<_> = components.collect();
    if components.is_empty() {
        return Markup::default();
    }
    components.sort_by_key(|(_, impact)| Reverse(*impact));
    let list = html! {
        ul aria-label={ "Components affected by " (title) } class="affected" {
            @for (component, impact) in &components {
                (item(&names.name(component), impact.map(StatusStyle::from)))
            }
        }
    };
    folded(components.len(), &list)
}

fn item(name: &str, impact: Option<StatusStyle>) -> Markup {
    html! {
        li data-tone=[impact.map(|style| style.tone)] {
            @if let Some(style) = impact { (style.icon.svg()) }
            span dir="auto" { (name) }
            @if let Some(style) = impact { span { (style.label) } }
        }
    }
}

/// A list of affected components, which the reader opens if it is long.
pub(super) fn folded(count: usize, list: &Markup) -> Markup {
    html! {
        @if count > MOST_OPEN {
            details class="folded" {
                summary { (count) " components affected" }
                (list)
            }
        } @else { (list) }
    }
}
