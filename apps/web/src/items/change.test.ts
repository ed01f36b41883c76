import { expect, it } from 'vitest';
import type { Change } from '@/api/types';
import { changeText } from './change';

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

it('says once who signed in', () => {
  const change: Change = {
    id: 'change-1',
    createdAt: '2026-11-21T13:07:16.000Z',
    actor: { type: 'USER', id: 'user-1', name: 'Ada' },
    action: 'session.created',
    target: { type: 'USER', id: 'user-1', name: 'Ada' },
    requestId: null,
  };
  expect(changeText(change)).toEqual({ who: 'Ada', what: 'signed in', name: undefined });
});
