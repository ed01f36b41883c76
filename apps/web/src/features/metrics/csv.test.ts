import { expect, it } from 'vitest';
import { toCsv } from './csv';

it('writes a line for each row', () => {
  expect(
    toCsv([
      ['Component', 'Uptime'],
      ['API', 99.95],
      ['Web', null],
    ]),
  ).toBe('Component,Uptime\r\nAPI,99.95\r\nWeb,\r\n');
});

it('quotes separators, quotes and line breaks', () => {
  expect(toCsv([['a,b', 'say "hi"', 'two\nlines']])).toBe('"a,b","say ""hi""","two\nlines"\r\n');
});

it.each(['=1+1', '+1', '-1', '@SUM(A1)', '=HYPERLINK("x")'])(
  'keeps a spreadsheet from running %s',
  (text) => {
    expect(toCsv([[text]]).replaceAll('"', '')).toMatch(/^'[=+\-@]/);
  },
);

it('leaves numbers as they are', () => {
  expect(toCsv([[-1, 0]])).toBe('-1,0\r\n');
});
