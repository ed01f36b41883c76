import { expect, it } from 'vitest';
import type { LiveEvent } from '@/realtime/live-events';
import { aMaintenance, anIncident, aSnapshot } from './fixtures';
import { initialLive, reduce } from './use-live';

const at = (minute: number) => new Date(Date.UTC(2026, 10, 20, 9, minute)).toISOString();

const past = Array.from({ length: 50 }, (_, minute) => minute).reverse();
const resolved = (minute: number) =>
  anIncident({ id: `i${minute}`, status: 'RESOLVED', resolvedAt: at(minute) });
const completed = (minute: number) =>
  aMaintenance({ id: `m${minute}`, status: 'COMPLETED', endAt: at(minute) });

const live = initialLive(
  aSnapshot({
    incidents: [anIncident({ id: 'open' }), ...past.map(resolved)],
    maintenances: [aMaintenance({ id: 'ahead' }), ...past.map(completed)],
  }),
);
const after = (event: LiveEvent) => reduce(live, { type: 'event', event });

it('drops the past item that ended first when there are more than 50, without a word', () => {
  const solved = anIncident({ id: 'open', status: 'RESOLVED', resolvedAt: at(59) });
  const incidents = after({ name: 'incident-updated', args: [solved] });
  expect(incidents.state.incidents.map(({ id }) => id)).toEqual([
    'open',
    ...past.slice(0, -1).map((minute) => `i${minute}`),
  ]);
  expect(incidents.announcements.map(({ text }) => text)).toEqual(['Payments fail: Resolved']);
  const done = aMaintenance({ id: 'ahead', status: 'COMPLETED', endAt: at(59) });
  const { maintenances } = after({ name: 'maintenance-updated', args: [done] }).state;
  expect(maintenances).toHaveLength(50);
  expect(maintenances.some(({ id }) => id === 'm0')).toBe(false);
});

it('keeps every item that is not over', () => {
  const { incidents } = after({ name: 'new-incident', args: [anIncident({ id: 'new' })] }).state;
  expect(incidents).toHaveLength(52);
});
