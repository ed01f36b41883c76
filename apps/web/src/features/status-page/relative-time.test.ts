import { expect, it } from 'vitest';
import { distanceText } from './relative-time';

const now = Date.parse('2026-11-20T12:00:00.000Z');

it.each([
  ['2026-11-20T12:00:59.000Z', ' just now'],
  ['2026-11-20T11:59:01.000Z', ' just now'],
  ['2026-11-20T11:58:30.000Z', ' 1 minute ago'],
  ['2026-11-20T14:59:00.000Z', ' in 2 hours'],
  ['2026-11-19T11:00:00.000Z', ' 1 day ago'],
  // In 24 hours, and in 47, which are the day after tomorrow.
  ['2026-11-21T12:00:00.000Z', ' in 1 day'],
  ['2026-11-22T11:00:00.000Z', ' in 1 day'],
  ['2026-11-25T12:00:00.000Z', ' in 5 days'],
])('%s is "%s"', (instant, text) => {
  expect(distanceText(instant, now, false)).toBe(text);
});

it('says “just now” of a past time that a slow clock takes for a future one', () => {
  expect(distanceText('2026-11-20T12:10:00.000Z', now, true)).toBe(' just now');
  expect(distanceText('2026-11-20T11:58:30.000Z', now, true)).toBe(' 1 minute ago');
});
