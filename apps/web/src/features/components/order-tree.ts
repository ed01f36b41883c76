import type { ComponentOrder } from '@/api/types';

/** The key of the components without a group. */
export const noGroup = 'no-group';

/**
 * A group on the page. The components without a group have one of their own, with the
 * key `noGroup`.
 */
export interface OrderGroup {
  key: string;
  components: readonly string[];
}

/** The page as the screen shows it: wherever there is a group, there is also `noGroup`. */
export type OrderTree = readonly OrderGroup[];

/** A thing that moves. */
export interface Item {
  kind: 'component' | 'group';
  key: string;
}

/** A place between two neighbours: in a group for components, on the page for groups. */
export interface Place {
  kind: Item['kind'];
  /** The group of a place for components. */
  group: string | null;
  after: string | null;
  before: string | null;
}

export function treeOf({ groups }: ComponentOrder): OrderTree {
  const tree = groups.map(({ id, components }) => ({ key: id ?? noGroup, components }));
  const hasGroups = groups.some(({ id }) => id !== null);
  const isComplete = groups.some(({ id }) => id === null) || !hasGroups;
  return isComplete ? tree : [...tree, { key: noGroup, components: [] }];
}

/** What is sent: without `noGroup` if it is empty. */
export function toComponentOrder(tree: OrderTree): ComponentOrder {
  return {
    groups: tree
      .filter(({ key, components }) => key !== noGroup || components.length > 0)
      .map(({ key, components }) => ({
        id: key === noGroup ? null : key,
        components: [...components],
      })),
  };
}

export function isSameOrder(a: OrderTree, b: OrderTree): boolean {
  return JSON.stringify(toComponentOrder(a)) === JSON.stringify(toComponentOrder(b));
}

/** Whether two orders are the same, apart from what one of them lacks. */
export function isSameWhereShared(a: OrderTree, b: OrderTree): boolean {
  return isSameOrder(onlyShared(a, b), onlyShared(b, a));
}

/** Leaves out what the other order lacks. */
function onlyShared(tree: OrderTree, other: OrderTree): OrderTree {
  return tree
    .filter((group) => other.some(({ key }) => key === group.key))
    .map(({ key, components }) => ({
      key,
      components: components.filter((component) => groupOf(other, component)),
    }));
}

/** The number of groups and components. */
export function countThings(tree: OrderTree): number {
  return tree.reduce(
    (sum, { key, components }) => sum + components.length + (key === noGroup ? 0 : 1),
    0,
  );
}

export function groupOf(tree: OrderTree, component: string): OrderGroup | undefined {
  return tree.find(({ components }) => components.includes(component));
}

/**
 * Whether an item may be dropped at a place. The place behind the item is the same as the one
 * before it.
 */
export function accepts(item: Item, place: Place): boolean {
  return place.kind === item.kind && place.after !== item.key;
}

/** Whether the item is at the place. */
export function isAt(item: Item, place: Place): boolean {
  return place.before === item.key;
}

/**
 * The place one step above (-1) or below (1) an item, also in the next group; undefined if
 * there is none.
 */
export function placeBeside(tree: OrderTree, item: Item, step: -1 | 1): Place | undefined {
  const places = placesOf(tree, item.kind).filter((place) => accepts(item, place));
  return places[places.findIndex((place) => isAt(item, place)) + step];
}

/** The places for things of a kind, from top to bottom. */
function placesOf(tree: OrderTree, kind: Item['kind']): Place[] {
  const between = (group: string | null, keys: readonly string[]): Place[] =>
    [null, ...keys].map((after, at) => ({ kind, group, after, before: keys[at] ?? null }));
  return kind === 'group'
    ? between(
        null,
        tree.map(({ key }) => key),
      )
    : tree.flatMap(({ key, components }) => between(key, components));
}

export function moveTo(tree: OrderTree, item: Item, place: Place): OrderTree {
  if (isAt(item, place)) return tree;
  if (item.kind === 'group') {
    const moved = tree.find(({ key }) => key === item.key);
    if (moved === undefined) return tree;
    const others = tree.filter((group) => group !== moved);
    return insertBefore(others, moved, ({ key }) => key === place.before);
  }
  return tree.map((group) => {
    const others = group.components.filter((key) => key !== item.key);
    const components =
      group.key === place.group
        ? insertBefore(others, item.key, (key) => key === place.before)
        : others;
    return { ...group, components };
  });
}

/** A thing and the place where it is dropped. */
export interface Move {
  item: Item;
  place: Place;
}

/**
 * Repeats a move in an order that may have changed since. A place whose next neighbour is gone is
 * found by the previous one. Without the item or the group of the place the order stays.
 */
export function repeatMove(tree: OrderTree, { item, place }: Move): OrderTree {
  const keys = tree.map(({ key }) => key);
  const isThere = item.kind === 'group' ? keys.includes(item.key) : groupOf(tree, item.key);
  const neighbours =
    item.kind === 'group' ? keys : tree.find(({ key }) => key === place.group)?.components;
  if (!isThere || neighbours === undefined) return tree;
  return moveTo(tree, item, { ...place, before: nextOf(neighbours, place) });
}

/** The neighbour behind a place; null at the end. */
function nextOf(neighbours: readonly string[], { after, before }: Place): string | null {
  if (before !== null && neighbours.includes(before)) return before;
  if (after === null) return neighbours[0] ?? null;
  return neighbours.includes(after) ? (neighbours[neighbours.indexOf(after) + 1] ?? null) : null;
}

/** Inserts before the element that matches; at the end if none does. */
function insertBefore<T>(list: readonly T[], item: T, isNext: (other: T) => boolean): T[] {
  const found = list.findIndex(isNext);
  const index = found === -1 ? list.length : found;
  return [...list.slice(0, index), item, ...list.slice(index)];
}

/** "2 of 5 in Platform": where an item is. */
export function describePosition(
  tree: OrderTree,
  item: Item,
  nameOf: (key: string) => string,
): string {
  if (item.kind === 'group') {
    const index = tree.findIndex(({ key }) => key === item.key);
    return `${index + 1} of ${tree.length} on the page`;
  }
  const group = groupOf(tree, item.key);
  if (group === undefined) return '';
  const position = `${group.components.indexOf(item.key) + 1} of ${group.components.length}`;
  return group.key === noGroup
    ? `${position} without a group`
    : `${position} in ${nameOf(group.key)}`;
}
