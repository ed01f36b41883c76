import { describe, expect, it } from 'vitest';
import { formatInstant } from './datetime';
import { fromLocalMinute, toLocalMinute } from './local-minute';

// The tests run in Europe/Berlin: UTC+1 in winter, UTC+2 from 29 March to 25 October 2026.
describe('local minutes', () => {
  it.each([
    ['winter', '2026-01-15T09:30:00.000Z', '2026-01-15T10:30'],
    ['summer', '2026-07-15T09:30:00.000Z', '2026-07-15T11:30'],
    ['the minute before the clock goes forward', '2026-03-29T00:59:00.000Z', '2026-03-29T01:59'],
    ['the minute the clock goes forward', '2026-03-29T01:00:00.000Z', '2026-03-29T03:00'],
    ['the last minute of summer time', '2026-10-25T00:59:00.000Z', '2026-10-25T02:59'],
    ['after the clock went back', '2026-10-25T02:00:00.000Z', '2026-10-25T03:00'],
  ])('go to local time and back in %s', (_when, utc, local) => {
    expect(toLocalMinute(utc)).toBe(local);
    expect(fromLocalMinute(local)).toBe(utc);
  });

  it('take the first of two equal times when the clock is set back', () => {
    expect(fromLocalMinute('2026-10-25T02:30')).toBe('2026-10-25T00:30:00.000Z');
    expect(toLocalMinute('2026-10-25T01:30:00.000Z')).toBe('2026-10-25T02:30');
  });

  it('stay in the second hour when a time of it is replaced', () => {
    const second = '2026-10-25T01:30:12.500Z';
    expect(fromLocalMinute('2026-10-25T02:31', second)).toBe('2026-10-25T01:31:00.000Z');
    expect(fromLocalMinute('2026-10-25T03:31', second)).toBe('2026-10-25T02:31:00.000Z');
    expect(fromLocalMinute('2026-10-24T02:31', second)).toBe('2026-10-24T00:31:00.000Z');
    const first = '2026-10-25T00:30:00.000Z';
    expect(fromLocalMinute('2026-10-25T02:31', first)).toBe('2026-10-25T00:31:00.000Z');
    const later = '2026-11-20T10:00:00.000Z';
    expect(fromLocalMinute('2026-10-25T02:31', later)).toBe('2026-10-25T00:31:00.000Z');
  });

  it('move a time that the clock skips to the hour after', () => {
    expect(fromLocalMinute('2026-03-29T02:30')).toBe('2026-03-29T01:30:00.000Z');
  });

  it('cut seconds off: 16 characters', () => {
    expect(toLocalMinute('2026-01-15T09:30:59.999Z')).toHaveLength(16);
  });

  it('are empty for what is no time, which stays as it is', () => {
    expect(toLocalMinute('')).toBe('');
    expect(toLocalMinute('soon')).toBe('');
    expect(fromLocalMinute('')).toBe('');
    expect(fromLocalMinute('20261-07-15T10:00')).toBe('20261-07-15T10:00');
  });
});

it.each([
  ['2026-11-21T13:07:16.000Z', 'Nov 21, 2026 02:07:16 PM'],
  ['2026-01-04T23:00:00.000Z', 'Jan 05, 2026 12:00:00 AM'],
  ['2026-07-05T10:05:09.999Z', 'Jul 05, 2026 12:05:09 PM'],
  ['2026-05-31T09:59:59.000Z', 'May 31, 2026 11:59:59 AM'],
])('formats the time %s', (instant, written) => {
  expect(formatInstant(instant)).toBe(written);
});
