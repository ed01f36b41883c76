import { describe, expect, it } from 'vitest';
import { emailAddress } from './rules';

const domainOf = (length: number) => 'b.'.repeat(length / 2 - 1) + 'cd';

describe('a mail address', () => {
  it.each([
    'ada@example.com',
    "ann.o'neil+status@example.com",
    'ada@localhost',
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
    'ada@example.com\nBcc: bob@example.com',
    'ädä@example.com',
    `${'a'.repeat(65)}@example.com`,
    `ada@${domainOf(252)}`,
  ])('may not be %j', (address) => {
    expect(() => emailAddress().validateSync(address)).toThrow('Invalid email address');
  });
});
