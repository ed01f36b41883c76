import { expect, it } from 'vitest';
import { formatCount, formatNames, formatNumber, formatPercent } from './format';

it('separates thousands', () => {
  expect(formatNumber(1234567)).toBe('1,234,567');
});

it('names one thing in the singular and any other number in the plural', () => {
  expect([0, 1, 1240].map((count) => formatCount(count, 'row'))).toEqual([
    '0 rows',
    '1 row',
    '1,240 rows',
  ]);
  expect(formatCount(2, 'person', 'people')).toBe('2 people');
});

it('lists the first three of many names', () => {
  const names = ['API', 'Shop', 'Web', 'Mail', 'CDN'];
  expect(formatNames(names.slice(0, 3))).toBe('API, Shop, Web');
  expect(formatNames(names)).toBe('API, Shop, Web and 2 more');
});

it('formats percentages with one or two decimals', () => {
  expect([100, 99.95, 99.9].map(formatPercent)).toEqual(['100.0 %', '99.95 %', '99.9 %']);
});
