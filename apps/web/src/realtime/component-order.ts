import type { ListChange } from '@/api/list-changes';
import type { Component, ComponentGroup, ComponentOrder } from '@/api/types';

/** Gives components the groups and positions of an order. */
export function placeComponents(order: ComponentOrder): ListChange<Component> {
  return placeBy<Component>(placesOf(order).components);
}

/** Gives groups the positions of an order. */
export function placeGroups(order: ComponentOrder): ListChange<ComponentGroup> {
  return placeBy<ComponentGroup>(placesOf(order).groups);
}

/** Items that an order lacks, because they are newer, stay where they are. */
function placeBy<T extends { id: string }>(places: ReadonlyMap<string, Partial<T>>): ListChange<T> {
  return (pages) => pages.map((page) => page.map((item) => ({ ...item, ...places.get(item.id) })));
}

/**
 * Positions count from 1: those in a group on their own, those of groups and of components without
 * one on the page.
 */
function placesOf({ groups }: ComponentOrder) {
  const components = new Map<string, Pick<Component, 'groupId' | 'position'>>();
  const placedGroups = new Map<string, Pick<ComponentGroup, 'position'>>();
  let onPage = 0;
  for (const { id: groupId, components: members } of groups) {
    if (groupId !== null) placedGroups.set(groupId, { position: (onPage += 1) });
    members.forEach((id, index) => {
      const position = groupId === null ? (onPage += 1) : index + 1;
      components.set(id, { groupId, position });
    });
  }
  return { components, groups: placedGroups };
}
