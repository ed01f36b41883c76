import { expect, it } from 'vitest';
import { formatDuration } from './duration';

it.each([
  [0, '0 s'],
  [-5, '0 s'],
  [59.9, '59 s'],
  [60, '1 min'],
  [3599, '59 min'],
  [3600, '1 h'],
  [8040, '2 h 14 min'],
  [86_400, '1 d'],
  [273_600, '3 d 4 h'],
  // Minutes beside days say nothing.
  [86_460, '1 d'],
])('writes %s seconds by the two largest units', (seconds, text) => {
  expect(formatDuration(seconds)).toBe(text);
});
