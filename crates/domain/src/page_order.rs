//! The order of groups and components on the status page.

use std::collections::HashMap;

use crate::event::{Changed, Event};
use crate::id::{ComponentGroupId, ComponentId};
use crate::validation::Invalid;

/// An entry of the page: a group with its components, or all components without a group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderEntry {
    /// The group; `None` for the components without one.
    pub group: Option<ComponentGroupId>,
    /// The components, in order.
    pub components: Vec<ComponentId>,
}

/// The entries of a page, in order. Every group and every component of the organisation
/// occurs once.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PageOrder {
    /// The entries; at most one has no group.
    pub entries: Vec<OrderEntry>,
}

/// Where a component is on the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ComponentPlace {
    /// Its group; `None` if it has none.
    pub group: Option<ComponentGroupId>,
    /// Its position from 1, within its group or among the page's entries.
    pub position: i32,
}

impl ComponentPlace {
    /// The first place in a group, or among the page's entries.
    #[must_use]
    pub const fn first(group: Option<ComponentGroupId>) -> Self {
        Self { group, position: 1 }
    }
}

/// The positions of everything on a page, from 1. Each component without a group takes a position
/// of the page, in place of the entry without a group.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Positions {
    /// The positions of groups among the page's entries.
    pub groups: HashMap<ComponentGroupId, i32>,
    /// The places of components.
    pub components: HashMap<ComponentId, ComponentPlace>,
}

impl PageOrder {
    /// The order that stored positions describe. Of equal positions, the greater identifier, which
    /// is newer, comes first.
    #[must_use]
    pub fn of(positions: &Positions) -> Self {
        let mut page: Vec<_> = positions
            .groups
            .iter()
            .map(|(group, position)| (*position, Some(*group)))
            .collect();
        let mut components: Vec<_> = positions.components.iter().collect();
        components.sort_by(|(a, left), (b, right)| {
            left.position.cmp(&right.position).then_with(|| b.cmp(a))
        });
        let first_alone = components.iter().find(|(_, place)| place.group.is_none());
        page.extend(first_alone.map(|(_, place)| (place.position, None)));
        page.sort_by(|(a, left), (b, right)| a.cmp(b).then_with(|| right.cmp(left)));
        let entry = |(_, group): (i32, Option<ComponentGroupId>)| OrderEntry {
            group,
            components: components
                .iter()
                .filter(|(_, place)| place.group == group)
                .map(|(component, _)| **component)
                .collect(),
        };
        Self {
            entries: page.into_iter().map(entry).collect(),
        }
    }

    /// The positions of everything on this page.
    #[must_use]
    pub fn positions(&self) -> Positions {
        let mut positions = Positions::default();
        let mut next = 1;
        for OrderEntry { group, components } in &self.entries {
            let mut within = 1;
            let counter = if let Some(group) = group {
                positions.groups.insert(*group, next);
                next += 1;
                &mut within
            } else {
                &mut next
            };
            for component in components {
                let place = ComponentPlace {
                    group: *group,
                    position: *counter,
                };
                positions.components.insert(*component, place);
                *counter += 1;
            }
        }
        positions
    }

    /// Puts a component first in a group, or first of the components without one.
    pub fn insert_component(&mut self, component: ComponentId, group: Option<ComponentGroupId>) {
        self.remove_component(component);
        match self.entries.iter_mut().find(|entry| entry.group == group) {
            Some(entry) => entry.components.insert(0, component),
            None => self.entries.insert(
                0,
                OrderEntry {
                    group,
                    components: vec![component],
                },
            ),
        }
    }

    /// Removes a component.
    pub fn remove_component(&mut self, component: ComponentId) {
        for entry in &mut self.entries {
            entry.components.retain(|other| *other != component);
        }
        self.entries
            .retain(|entry| entry.group.is_some() || !entry.components.is_empty());
    }

    /// Puts an empty group first on the page.
    pub fn insert_group(&mut self, group: ComponentGroupId) {
        let entry = OrderEntry {
            group: Some(group),
            components: Vec::new(),
        };
        self.entries.insert(0, entry);
    }

    /// Removes a group. Its components come, in order, in front of those without a group.
    pub fn remove_group(&mut self, group: ComponentGroupId) {
        let Some(index) = self
            .entries
            .iter()
            .position(|entry| entry.group == Some(group))
        else {
            return;
        };
        let mut components = self.entries.remove(index).components;
        match self.entries.iter_mut().find(|entry| entry.group.is_none()) {
            Some(alone) => {
                components.append(&mut alone.components);
                alone.components = components;
            }
            None if components.is_empty() => {}
            None => self.entries.insert(
                index,
                OrderEntry {
                    group: None,
                    components,
                },
            ),
        }
    }

    /// This order replaced by an operator's one.
    ///
    /// # Errors
    /// [`Invalid`] if the new one does not hold every group and every component exactly once, or
    /// has more than one entry without a group.
    pub fn replace(self, wanted: Self) -> Result<Changed<Self>, Invalid> {
        if wanted.contents() != self.contents() {
            let message = "Every group and every component must occur exactly once";
            return Err(Invalid::field("groups", message));
        }
        let mut alone = wanted.entries.iter().filter(|entry| entry.group.is_none());
        if alone.nth(1).is_some() {
            let message = "At most one entry may have no group";
            return Err(Invalid::field("groups", message));
        }
        let wanted = wanted.without_empty_entry();
        if wanted == self.clone().without_empty_entry() {
            return Ok(Changed::without_events(self));
        }
        Ok(Changed::new(wanted, vec![Event::ComponentOrderUpdated]))
    }

    fn contents(&self) -> (Vec<ComponentGroupId>, Vec<ComponentId>) {
        let mut groups: Vec<_> = self
            .entries
            .iter()
            .filter_map(|entry| entry.group)
            .collect();
        groups.sort_unstable();
        let components = self.entries.iter().flat_map(|entry| &entry.components);
        let mut components: Vec<_> = components.copied().collect();
        components.sort_unstable();
        (groups, components)
    }

    fn without_empty_entry(mut self) -> Self {
        self.entries
            .retain(|entry| entry.group.is_some() || !entry.components.is_empty());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn group(number: u128) -> ComponentGroupId {
        ComponentGroupId(Uuid::from_u128(number))
    }

    fn component(number: u128) -> ComponentId {
        ComponentId(Uuid::from_u128(number))
    }

    fn order(entries: &[(Option<u128>, &[u128])]) -> PageOrder {
        let entry = |(id, components): &(Option<u128>, &[u128])| OrderEntry {
            group: id.map(group),
            components: components.iter().copied().map(component).collect(),
        };
        PageOrder {
            entries: entries.iter().map(entry).collect(),
        }
    }

    #[test]
    fn components_without_a_group_take_positions_of_the_page() {
        let positions = order(&[(None, &[1, 2]), (Some(9), &[3, 4])]).positions();
        let place = |number| {
            let place = positions.components[&component(number)];
            (place.group.is_some(), place.position)
        };
        assert_eq!(
            [1, 2, 3, 4].map(place),
            [(false, 1), (false, 2), (true, 1), (true, 2)]
        );
        assert_eq!(positions.groups[&group(9)], 3);
    }

    #[test]
    fn new_things_come_first() {
        let mut page = order(&[(Some(8), &[1]), (None, &[2])]);
        page.insert_component(component(3), None);
        page.insert_component(component(4), Some(group(8)));
        page.insert_group(group(9));
        let expected = [(Some(9), &[][..]), (Some(8), &[4, 1]), (None, &[3, 2])];
        assert_eq!(page, order(&expected));
        let mut grouped = order(&[(Some(8), &[1])]);
        grouped.insert_component(component(2), None);
        assert_eq!(grouped, order(&[(None, &[2]), (Some(8), &[1])]));
    }

    #[test]
    fn components_of_a_deleted_group_come_before_those_without_one() {
        let mut page = order(&[(Some(8), &[1, 2]), (Some(9), &[]), (None, &[3])]);
        page.remove_group(group(8));
        assert_eq!(page, order(&[(Some(9), &[]), (None, &[1, 2, 3])]));
        let mut grouped = order(&[(Some(9), &[]), (Some(8), &[1, 2])]);
        grouped.remove_group(group(8));
        assert_eq!(grouped, order(&[(Some(9), &[]), (None, &[1, 2])]));
    }

    #[test]
    fn order_must_hold_everything_once() {
        let page = || order(&[(Some(8), &[1]), (None, &[2])]);
        let moved = order(&[(None, &[]), (Some(8), &[2, 1])]);
        let changed = page().replace(moved).unwrap();
        assert_eq!(changed.state, order(&[(Some(8), &[2, 1])]));
        assert_eq!(changed.events, [Event::ComponentOrderUpdated]);
        assert!(page().replace(page()).unwrap().has_no_events());
        let wrong: [&[(Option<u128>, &[u128])]; 6] = [
            &[(Some(8), &[1])],
            &[(Some(8), &[1, 2, 2])],
            &[(Some(8), &[1, 3])],
            &[(None, &[1, 2])],
            &[(Some(8), &[]), (Some(8), &[]), (None, &[1, 2])],
            &[(Some(8), &[]), (None, &[1]), (None, &[2])],
        ];
        for entries in wrong {
            let refused = page().replace(order(entries)).unwrap_err();
            assert_eq!(refused.errors[0].field, "groups", "{entries:?}");
        }
    }

    proptest! {
        #[test]
        fn order_is_found_again_from_its_positions(
            sizes in proptest::collection::vec(0_usize..4, 0..5),
            alone in proptest::option::of((0_usize..5, 1_usize..4)),
        ) {
            let mut next = 0;
            let mut take = |count: usize| -> Vec<ComponentId> {
                (0..count).map(|_| { next += 1; component(next) }).collect()
            };
            let mut page = PageOrder::default();
            for (number, size) in (100..).zip(sizes) {
                page.entries.push(OrderEntry { group: Some(group(number)), components: take(size) });
            }
            if let Some((index, size)) = alone {
                let entry = OrderEntry { group: None, components: take(size) };
                page.entries.insert(index.min(page.entries.len()), entry);
            }
            prop_assert_eq!(PageOrder::of(&page.positions()), page);
        }
    }
}
