import { expect, it } from 'vitest';
import { hasPublicName } from './dns-record';

it.each([
  ['allclear.example.com', true],
  ['allclear.xn--p1ai', true],
  ['localhost', false],
  ['192.0.2.1', false],
  ['[2001:db8::1]', false],
])('knows whether a CNAME record can lead to %s', (host, expected) => {
  expect(hasPublicName(host)).toBe(expected);
});
