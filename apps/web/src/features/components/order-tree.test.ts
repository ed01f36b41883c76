import { expect, it } from 'vitest';
import {
  accepts,
  describePosition,
  isSameWhereShared,
  moveTo,
  noGroup,
  placeBeside,
  repeatMove,
  toComponentOrder,
  treeOf,
  type Item,
  type OrderTree,
  type Place,
} from './order-tree';

const tree: OrderTree = [
  { key: noGroup, components: ['a', 'b'] },
  { key: 'g', components: ['c', 'd', 'e'] },
  { key: 'h', components: [] },
];

const component = (key: string): Item => ({ kind: 'component', key });
const group = (key: string): Item => ({ kind: 'group', key });

/** The tree after a component comes before another one, or last. */
const put = (key: string, into: string, before: string | null) =>
  moveTo(tree, component(key), { kind: 'component', group: into, after: null, before });

const names = { a: 'API', c: 'CDN', g: 'Platform', [noGroup]: 'No group' };
const nameOf = (key: string) => names[key as keyof typeof names];

it('moves a component within its group, to another group and out of its group', () => {
  expect(put('e', 'g', 'c')[1]?.components).toEqual(['e', 'c', 'd']);
  expect(put('c', 'g', null)[1]?.components).toEqual(['d', 'e', 'c']);
  expect(put('a', 'h', null)).toEqual([
    { key: noGroup, components: ['b'] },
    { key: 'g', components: ['c', 'd', 'e'] },
    { key: 'h', components: ['a'] },
  ]);
  expect(put('d', noGroup, 'b')[0]?.components).toEqual(['a', 'd', 'b']);
});

it('moves groups and the components without a group among each other', () => {
  const keys = (key: string, before: string | null) =>
    moveTo(tree, group(key), { kind: 'group', group: null, after: null, before }).map(
      (each) => each.key,
    );
  expect(keys('h', noGroup)).toEqual(['h', noGroup, 'g']);
  expect(keys(noGroup, null)).toEqual(['g', 'h', noGroup]);
});

it('leaves the order as it is when something is dropped where it was', () => {
  expect(put('d', 'g', 'd')).toBe(tree);
});

/** Repeats the drop of `item` between two neighbours in an order that has changed since. */
const repeat = (
  newest: OrderTree,
  item: Item,
  group: string | null,
  after: string | null,
  before: string | null,
) => repeatMove(newest, { item, place: { kind: item.kind, group, after, before } });

it('repeats a move in a newer order, beside the neighbour that is left', () => {
  const groupOf = (...components: string[]) => [
    { key: noGroup, components: ['a'] },
    { key: 'g', components },
  ];
  const dropA = (newest: OrderTree, after: string | null, before: string | null) =>
    repeat(newest, component('a'), 'g', after, before)[1]?.components;
  expect(dropA(groupOf('new', 'c', 'd'), 'c', 'd')).toEqual(['new', 'c', 'a', 'd']);
  expect(dropA(groupOf('c', 'e'), 'c', 'd')).toEqual(['c', 'a', 'e']);
  expect(dropA(groupOf('d', 'e'), null, 'c')).toEqual(['a', 'd', 'e']);
  expect(dropA(groupOf('c', 'd'), 'e', null)).toEqual(['c', 'd', 'a']);
  expect(repeat(tree, group('h'), null, null, 'gone').map(({ key }) => key)).toEqual([
    'h',
    noGroup,
    'g',
  ]);
});

it('leaves out moves of what is gone, and into a group that is gone', () => {
  expect(repeat(tree, component('gone'), 'g', null, 'c')).toBe(tree);
  expect(repeat(tree, component('a'), 'gone', null, null)).toBe(tree);
  expect(repeat(tree, group('gone'), null, null, noGroup)).toBe(tree);
});

it('compares orders by what both have', () => {
  const newest = [
    { key: noGroup, components: ['new', 'a', 'b'] },
    { key: 'g', components: ['c', 'e'] },
    { key: 'new group', components: [] },
  ];
  expect(isSameWhereShared(tree, newest)).toBe(true);
  expect(isSameWhereShared(put('b', noGroup, 'a'), newest)).toBe(false);
  expect(isSameWhereShared(put('b', 'h', null), newest)).toBe(false);
});

it('offers each place once, and only to things of its kind', () => {
  const places = [null, 'c', 'd', 'e', null].flatMap((after, index, keys): Place[] => {
    const before = keys[index + 1];
    return before === undefined ? [] : [{ kind: 'component', group: 'g', after, before }];
  });
  const forD = places.filter((place) => accepts(component('d'), place));
  expect(forD.map(({ before }) => before)).toEqual(['c', 'd', null]);
  expect(places.filter((place) => accepts(group('g'), place))).toEqual([]);
});

it('steps up and down through all groups, and to no place beyond the ends', () => {
  const step = (item: Item, by: -1 | 1) => {
    const place = placeBeside(tree, item, by);
    return (
      place && moveTo(tree, item, place).map(({ key, components }) => [key, ...components].join())
    );
  };
  expect(step(component('d'), -1)).toEqual(['no-group,a,b', 'g,d,c,e', 'h']);
  expect(step(component('d'), 1)).toEqual(['no-group,a,b', 'g,c,e,d', 'h']);
  expect(step(component('c'), -1)).toEqual(['no-group,a,b,c', 'g,d,e', 'h']);
  expect(step(component('e'), 1)).toEqual(['no-group,a,b', 'g,c,d', 'h,e']);
  expect(step(component('a'), -1)).toBeUndefined();
  expect(step(group('g'), -1)).toEqual(['g,c,d,e', 'no-group,a,b', 'h']);
  expect(step(group('g'), 1)).toEqual(['no-group,a,b', 'h', 'g,c,d,e']);
  expect(step(group('h'), 1)).toBeUndefined();
});

it('shows a place without a group beside groups, and does not send it while it is empty', () => {
  const shown = treeOf({ groups: [{ id: 'g', components: ['c'] }] });
  expect(shown).toEqual([
    { key: 'g', components: ['c'] },
    { key: noGroup, components: [] },
  ]);
  expect(toComponentOrder(shown)).toEqual({ groups: [{ id: 'g', components: ['c'] }] });
  const alone = { groups: [{ id: null, components: ['a'] }] };
  expect(toComponentOrder(treeOf(alone))).toEqual(alone);
});

it('says in plain words where something is', () => {
  const words = (item: Item) => describePosition(tree, item, nameOf);
  expect(words(component('d'))).toBe('2 of 3 in Platform');
  expect(words(component('a'))).toBe('1 of 2 without a group');
  expect(words(group('h'))).toBe('3 of 3 on the page');
});
