import { expect, it } from 'vitest';
import type { Update } from '@/api/types';
import { statusAfterDeletion, type IncidentState } from './status-after-deletion';

const update = (id: string, status: Update['status'], hour: number, recorded = hour): Update => ({
  id,
  status,
  message: 'We look.',
  user: { id: 'user-1', name: 'Ada Lovelace' },
  displayAt: at(hour),
  createdAt: at(recorded),
});
const at = (hour: number) => `2026-11-20T0${hour}:00:00.000Z`;

const resolved: IncidentState = { status: 'RESOLVED', resolvedAt: at(5) };
const resolution = update('c', 'RESOLVED', 5);
const monitoring = update('b', 'MONITORING', 4);
const identified = update('a', 'IDENTIFIED', 3);
/** Recorded after the resolution, displayed before it. */
const past = update('d', 'INVESTIGATING', 4, 6);

it.each<[string, IncidentState, Update[], Update[], Update['status'] | null]>([
  ['the newest update', resolved, [resolution, monitoring], [resolution], 'MONITORING'],
  [
    'the two newest',
    resolved,
    [resolution, monitoring, identified],
    [monitoring, resolution],
    'IDENTIFIED',
  ],
  ['an older update', resolved, [resolution, monitoring], [monitoring], null],
  ['all updates', resolved, [resolution, monitoring], [resolution, monitoring], null],
  [
    'the newest of equal ones',
    { status: 'MONITORING' },
    [monitoring, { ...monitoring, id: 'a' }],
    [monitoring],
    null,
  ],
  [
    'the newest, which another status followed',
    { status: 'RESOLVED', resolvedAt: at(6) },
    [monitoring, identified],
    [monitoring],
    'IDENTIFIED',
  ],
  ['a past update', resolved, [past, identified], [past], null],
  [
    'the resolution before a past update',
    resolved,
    [resolution, past],
    [resolution],
    'INVESTIGATING',
  ],
  [
    'another update before a past one',
    { status: 'RESOLVED', resolvedAt: at(6) },
    [resolution, past],
    [resolution],
    null,
  ],
])('tells the status after the deletion of %s', (_, incident, updates, deleted, status) => {
  expect(statusAfterDeletion(incident, updates, deleted)).toBe(status);
});
