import { expect, it } from 'vitest';
import { component } from '@/testing/component';
import { componentGroup } from '@/testing/component-group';
import { placeComponents, placeGroups } from './component-order';

const order = {
  groups: [
    { id: null, components: ['a', 'b'] },
    { id: 'g', components: ['c', 'd'] },
    { id: 'h', components: [] },
  ],
};

it('gives components their groups and positions', () => {
  const before = ['D', 'C', 'B', 'A'].map((name) => component(name, { position: 9 }));
  const [after] = placeComponents(order)([before]);
  expect(after?.map(({ id, groupId, position }) => [id, groupId, position])).toEqual([
    ['d', 'g', 2],
    ['c', 'g', 1],
    ['b', null, 2],
    ['a', null, 1],
  ]);
});

it('gives groups their positions, after the components without one that are before them', () => {
  const [after] = placeGroups(order)([[componentGroup('H'), componentGroup('G')]]);
  expect(after?.map(({ id, position }) => [id, position])).toEqual([
    ['h', 4],
    ['g', 3],
  ]);
});

it('leaves a newer component where it is', () => {
  const newer = component('New', { groupId: 'g', position: 1 });
  expect(placeComponents(order)([[newer]])).toEqual([[newer]]);
});
