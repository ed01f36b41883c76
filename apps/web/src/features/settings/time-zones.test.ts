import { expect, it } from 'vitest';
import { zoneLabel, zoneOf } from './time-zones';

it.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  [' Europe/Berlin ', 'Europe/Berlin'],
  ['berlin', 'Europe/Berlin'],
  ['new york', 'America/New_York'],
  ['America/New York', 'America/New_York'],
  ['Johannes', 'Africa/Johannesburg'],
])('takes %s for %s', (text, zone) => {
  expect(zoneOf(text)).toBe(zone);
});

it.each(['', 'Europe/Nowhere', 'S', 'Atlantis'])('takes “%s” for no zone', (text) => {
  expect(zoneOf(text)).toBeUndefined();
});

it('writes a name without underscores', () => {
  expect(zoneLabel('America/New_York')).toBe('America/New York');
});
