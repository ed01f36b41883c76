import { expect, it } from 'vitest';
import { everything, scopeInput, withoutDeleted, type ScopeEntry } from './scope';

const entries: ScopeEntry[] = [
  { group: null, components: [{ id: 'web', name: 'Website' }] },
  { group: { id: 'eu', name: 'Europe' }, components: [] },
];

it('leaves out components and groups that are deleted', () => {
  const values = { ...everything, components: ['web', 'gone'], groups: ['gone', 'eu'] };
  const left = { ...everything, components: ['web'], groups: ['eu'] };
  expect(withoutDeleted(values, entries)).toEqual(left);
});

it.each([
  [['web'], [], { components: ['web'], groups: null }],
  [[], ['eu'], { components: null, groups: ['eu'] }],
  // The server refuses it. Null in both would be everything.
  [[], [], { components: [], groups: null }],
])('sends a choice of components %j and groups %j', (components, groups, body) => {
  const values = { ...everything, choice: 'chosen' as const, components, groups };
  expect(scopeInput(values)).toEqual({ ...body, muteMaintenances: false });
});

it('sends no choice of those who receive everything', () => {
  const values = { ...everything, components: ['web'], groups: ['eu'] };
  expect(scopeInput(values)).toEqual({ components: null, groups: null, muteMaintenances: false });
});
