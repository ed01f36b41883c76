import { expect, it } from 'vitest';
import { zoneLabel, zoneOf } from './time-zones';

it.each([
  ['Europe/Berlin', 'Europe/Berlin'],
  [' Europe/Berlin ', 'Europe/Berlin'],
  ['berlin', 'Europe/Berlin'],
  ['new york', 'America/New_York'],
  ['America/New York', 'America/New_York'],
  ['Johannes', 'Africa/Johannesburg'],
  ['europe/berlin', 'Europe/Berlin'],
  ['us/pacific', 'America/Los_Angeles'],
  ['UTC', 'Etc/UTC'],
])('takes %s for %s', (text, zone) => {
  expect(zoneOf(text)).toBe(zone);
});

it.each(['', 'Europe/Nowhere', 'S', 'Atlantis', '+02:00', '-0500'])(
  'takes “%s” for no zone',
  (text) => {
    expect(zoneOf(text)).toBeUndefined();
  },
);

it('writes a name without underscores', () => {
  expect(zoneLabel('America/New_York')).toBe('America/New York');
});
