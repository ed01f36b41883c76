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

it.each([
  ['x;=1+1;y', "x;'=1+1;y"],
  ['x; "=1', `"x; ""'=1"`],
  ['x\t-1', "x\t'-1"],
  ['x\n@y', `"x\n'@y"`],
  ['x;y=1, -1', '"x;y=1, -1"'],
])('keeps a spreadsheet with other separators from running %j', (text, line) => {
  expect(toCsv([[text]])).toBe(`${line}\r\n`);
});

it('leaves numbers as they are', () => {
  expect(toCsv([[-1, 0]])).toBe('-1,0\r\n');
});
