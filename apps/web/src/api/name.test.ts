import { expect, it } from 'vitest';
import { nameRule } from './name';

it.each([
  ['nothing', undefined, false],
  ['one letter', 'a', false],
  ['one character of two UTF-16 units', '😀', false],
  ['one letter between spaces', '  a ', false],
  ['two letters', 'ab', true],
  ['two characters of two UTF-16 units', '😀😀', true],
])('counts characters as the server does: %s', async (_, value, isValid) => {
  expect(await nameRule().isValid(value)).toBe(isValid);
});
