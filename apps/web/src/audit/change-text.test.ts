import { expect, it } from 'vitest';
import type { Change } from '@/api/types';
import { changeText } from './change-text';

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
