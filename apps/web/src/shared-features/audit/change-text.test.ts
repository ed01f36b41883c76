import { expect, it } from 'vitest';
import type { Change } from '@/api/types';
import { changeText, joinChanges, targetPath } from './change-text';

it('says that subscribers were imported without a name behind it', () => {
  const change: Change = {
    id: 'change-1',
    createdAt: '2026-11-21T13:07:16.000Z',
    actor: { type: 'USER', id: 'user-1', name: 'Ada' },
    action: 'subscriber.imported',
    target: { type: 'ORGANISATION', id: 'org-1', name: 'Analytical Engines' },
    requestId: null,
  };
  expect(changeText(change)).toEqual({
    who: 'Ada',
    what: 'imported subscribers',
    name: undefined,
  });
});

/** A change of an account by its owner. */
function ownChange(action: string): Change {
  return {
    id: 'change-1',
    createdAt: '2026-11-21T13:07:16.000Z',
    actor: { type: 'USER', id: 'user-1', name: 'Ada' },
    action,
    target: { type: 'USER', id: 'user-1', name: 'Ada' },
    requestId: null,
  };
}

it.each([
  ['session.created', 'signed in'],
  ['account.updated', 'changed their account'],
  ['member.removed', 'left the organisation'],
])('says once who made the change of themselves: %s', (action, what) => {
  expect(changeText(ownChange(action))).toEqual({ who: 'Ada', what, name: undefined });
});

it('says whose account another person changed', () => {
  const change = ownChange('account.updated');
  change.actor = { type: 'USER', id: 'user-2', name: 'Grace' };
  expect(changeText(change)).toEqual({ who: 'Grace', what: 'changed the account of', name: 'Ada' });
});

/** A change by nobody that the server knows. */
function anonymousChange(action: string): Change {
  return { ...ownChange(action), actor: { type: 'PROVIDER', id: null, name: 'Identity provider' } };
}

it.each([
  ['session.refused', 'failed to sign in as'],
  ['organisation.created', 'created the organisation'],
])('does not take an identity provider for who did it: %s', (action, what) => {
  expect(changeText(anonymousChange(action))).toEqual({ who: 'Somebody', what, name: 'Ada' });
});

it.each([
  ['member.added', 'joined the organisation'],
  ['password.changed', 'changed their password'],
])('says who followed a link in a mail: %s', (action, what) => {
  expect(changeText(anonymousChange(action))).toEqual({ who: 'Ada', what, name: undefined });
});

it('says what the command line and an identity provider changed', () => {
  const change = anonymousChange('member.added');
  change.actor.name = 'Command line';
  expect(changeText(change)).toMatchObject({ who: 'Command line', what: 'added member' });
  expect(changeText(anonymousChange('member.removed'))).toMatchObject({
    who: 'Identity provider',
    what: 'removed member',
  });
});

it('joins neighbouring changes that read the same', () => {
  const added = (id: string, actor: Partial<Change['actor']> = {}): Change => ({
    ...ownChange('subscriber.created'),
    id,
    actor: { type: 'USER', id: 'user-1', name: 'Ada', ...actor },
    target: { type: 'SUBSCRIBER', id: `subscriber-${id}`, name: null },
  });
  const component: Change = {
    ...ownChange('component.created'),
    target: { type: 'COMPONENT', id: 'component-1', name: 'API' },
  };
  const byGrace = added('4', { id: 'user-2', name: 'Grace' });
  const joined = joinChanges([added('1'), added('2'), component, component, added('3'), byGrace]);
  expect(joined.map(({ change, count }) => changeText(change, count))).toEqual([
    { who: 'Ada', what: 'added 2 subscribers', name: undefined },
    { who: 'Ada', what: 'created component', name: 'API' },
    { who: 'Ada', what: 'created component', name: 'API' },
    { who: 'Ada', what: 'added a subscriber', name: undefined },
    { who: 'Grace', what: 'added a subscriber', name: undefined },
  ]);
  expect(joined[0]?.change.id).toBe('1');
});

it('leads to the screen of what was changed', () => {
  const change: Change = {
    ...ownChange('api-key.created'),
    target: { type: 'API_KEY', id: 'key-1', name: 'Monitor' },
  };
  expect(targetPath(change, new Set())).toBe('/settings');
  expect(targetPath(change, new Set(['key-1']))).toBeUndefined();
});
