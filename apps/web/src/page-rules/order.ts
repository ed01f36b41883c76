import type { ComponentOrder, PublicComponent, PublicComponentGroup } from '@/api/types';

/** The entries of the page in order: groups, and at most one entry without a group. */
export type PageOrder = ComponentOrder['groups'];

interface Placed {
  groups: readonly Pick<PublicComponentGroup, 'id' | 'position'>[];
  components: readonly Pick<PublicComponent, 'id' | 'groupId' | 'position'>[];
}

/** Returns the order of groups and components that are in the order of the page. */
export function orderOf({ groups, components }: Placed): PageOrder {
  const alone = components.find(({ groupId }) => groupId === null);
  // Of the same position, groups come first.
  return [...groups, ...(alone ? [{ id: null, position: alone.position }] : [])]
    .sort((one, next) => one.position - next.position)
    .map(({ id }) => ({
      id,
      components: components.filter(({ groupId }) => groupId === id).map((member) => member.id),
    }));
}

/** Puts a component first in its group, unless it is there. */
export function insertComponent(order: PageOrder, id: string, group: string | null): PageOrder {
  if (order.some((entry) => entry.id === group && entry.components.includes(id))) return order;
  const rest = removeComponent(order, id);
  return rest.some((entry) => entry.id === group)
    ? rest.map((entry) =>
        entry.id === group ? { ...entry, components: [id, ...entry.components] } : entry,
      )
    : [{ id: group, components: [id] }, ...rest];
}

export function removeComponent(order: PageOrder, id: string): PageOrder {
  return withoutEmptyEntry(
    order.map((entry) => ({
      ...entry,
      components: entry.components.filter((other) => other !== id),
    })),
  );
}

/** Puts a group first, unless it is there. */
export function insertGroup(order: PageOrder, id: string): PageOrder {
  return order.some((entry) => entry.id === id) ? order : [{ id, components: [] }, ...order];
}

/** Removes a group. Its components come in front of those without a group. */
export function removeGroup(order: PageOrder, id: string): PageOrder {
  const freed = order.find((entry) => entry.id === id)?.components ?? [];
  const hasAlone = order.some((entry) => entry.id === null);
  return withoutEmptyEntry(
    order.flatMap((entry) => {
      if (entry.id === id) return hasAlone ? [] : [{ id: null, components: freed }];
      return entry.id === null
        ? [{ id: null, components: [...freed, ...entry.components] }]
        : [entry];
    }),
  );
}

/**
 * Returns `next`, with what it lacks where new things are put: an older order may lack newer ones.
 */
export function replaceOrder(order: PageOrder, next: PageOrder): PageOrder {
  return order.toReversed().reduce((result, { id, components }) => {
    const grouped = id === null ? result : insertGroup(result, id);
    return components
      .filter((component) => !next.some((entry) => entry.components.includes(component)))
      .reduceRight((placed, component) => insertComponent(placed, component, id), grouped);
  }, next);
}

function withoutEmptyEntry(order: PageOrder): PageOrder {
  return order.filter(({ id, components }) => id !== null || components.length > 0);
}
