import { expect, it } from 'vitest';
import {
  everything,
  newScopeSchema,
  scopeInput,
  scopeSchema,
  withoutDeleted,
  type ScopeEntry,
} from './scope';

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

it.each(['components', 'groups'])('takes at most 200 %s in a new choice', async (field) => {
  const values = (length: number) => ({
    ...everything,
    choice: 'chosen',
    [field]: Array.from({ length }, (_, at) => `id-${at}`),
  });
  await expect(newScopeSchema.validate(values(200))).resolves.toBeDefined();
  await expect(newScopeSchema.validate(values(201))).rejects.toThrow('Choose at most 200');
  await expect(
    newScopeSchema.validate({ ...values(201), choice: 'everything' }),
  ).resolves.toBeDefined();
  await expect(scopeSchema.validate(values(201))).resolves.toBeDefined();
});

it('sends no choice of those who receive everything', () => {
  const values = { ...everything, components: ['web'], groups: ['eu'] };
  expect(scopeInput(values)).toEqual({ components: null, groups: null, muteMaintenances: false });
});
