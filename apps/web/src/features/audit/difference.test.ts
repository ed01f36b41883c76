import { expect, it } from 'vitest';
import { fieldChanges } from './difference';

it('puts the changed fields first', () => {
  const before = { id: 'c1', name: 'API', status: 'OPERATIONAL' };
  const after = { id: 'c1', name: 'API', status: 'DEGRADED' };
  expect(fieldChanges(before, after)).toEqual([
    { field: 'status', before: 'OPERATIONAL', after: 'DEGRADED', isChanged: true },
    { field: 'id', before: 'c1', after: 'c1', isChanged: false },
    { field: 'name', before: 'API', after: 'API', isChanged: false },
  ]);
});

it('shows every field of what was created or deleted as changed', () => {
  const state = { name: 'API', groupId: null };
  for (const fields of [fieldChanges(null, state), fieldChanges(state, null)]) {
    expect(fields.map(({ field, isChanged }) => [field, isChanged])).toEqual([
      ['name', true],
      ['groupId', true],
    ]);
  }
  expect(fieldChanges(null, null)).toEqual([]);
});

it('shows several things as one field', () => {
  expect(fieldChanges([{ id: 'u1' }], null)).toEqual([
    { field: 'items', before: [{ id: 'u1' }], after: undefined, isChanged: true },
  ]);
});
