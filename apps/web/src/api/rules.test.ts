import { describe, expect, it } from 'vitest';
import { emailAddress, isNotInFuture, knownEmailAddress } from './rules';
import { readServerClock } from './server-clock';

const domainOf = (length: number) => 'b.'.repeat(length / 2 - 1) + 'cd';

describe('a mail address', () => {
  it.each([
    'ada@example.com',
    "ann.o'neil+status@example.com",
    'ada@exämple.com',
    'ada@xn--exmple-cua.com',
    'ada@例え.jp',
    'ada@उदाहरण.भारत',
    ' ada@example.com ',
    `${'a'.repeat(64)}@${domainOf(188)}`,
  ])('may be %j', (address) => {
    expect(emailAddress().isValidSync(address)).toBe(true);
  });

  it.each([
    '',
    'ada',
    'ada@',
    '@example.com',
    'ada@example..com',
    'ada@-example.com',
    'ada@example.com, bob@example.com',
    'ada lovelace@example.com',
    'ada@localhost',
    'ädä@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${domainOf(252)}`,
  ])('may not be %j', (address) => {
    expect(() => emailAddress().validateSync(address)).toThrow('Invalid email address');
  });

  it('may have a domain without a dot where it is known', () => {
    expect(knownEmailAddress().isValidSync('ada@localhost')).toBe(true);
  });

  it('must be one line', () => {
    const address = 'ada@example.com\nBcc: bob@example.com';
    expect(() => emailAddress().validateSync(address)).toThrow('Must be one line');
  });
});

it('compares a time with the server’s clock', () => {
  const inMinutes = (minutes: number) => new Date(Date.now() + minutes * 60_000);
  const setServerClock = (now: Date) =>
    readServerClock(new Response(null, { headers: { Date: now.toUTCString() } }));
  setServerClock(inMinutes(10));
  expect(isNotInFuture(inMinutes(5).toISOString())).toBe(true);
  setServerClock(inMinutes(-10));
  expect(isNotInFuture(inMinutes(-5).toISOString())).toBe(false);
  setServerClock(inMinutes(0));
  expect(isNotInFuture(inMinutes(-5).toISOString())).toBe(true);
});
