import { expect, it } from 'vitest';
import {
  countTicks,
  durationTicks,
  incidentSeries,
  mostBars,
  uptimeFloor,
  uptimeSeries,
} from './series';

const points = (...values: number[]) =>
  values.map((value) => ({ id: String(value), name: 'x', value }));

it.each([
  [[100], 99.9],
  [[99.95, 100], 99.9],
  [[99.9], 99],
  [[96, 100], 95],
  [[12], 0],
])('starts the axis of the uptimes %j at %s', (values, floor) => {
  expect(uptimeFloor(points(...values))).toBe(floor);
});

it.each([
  [40, [0, 15, 30, 45]],
  [600, [0, 300, 600]],
  [8040, [0, 3600, 7200, 10_800]],
  [5 * 86_400, [0, 172_800, 345_600, 518_400]],
])('names round times up to %s seconds', (longest, ticks) => {
  expect(durationTicks(points(longest))).toEqual(ticks);
});

it.each([
  [0, [0, 1]],
  [3, [0, 1, 2, 3]],
  [7, [0, 2, 4, 6, 8]],
  [25, [0, 10, 20, 30]],
  [40, [0, 10, 20, 30, 40]],
  [1203, [0, 500, 1000, 1500]],
])('names even numbers up to %s', (largest, ticks) => {
  expect(countTicks(points(largest))).toEqual(ticks);
});

it('draws the lowest uptimes and lists all in the same order, those without data last', () => {
  const uptimes = Array.from({ length: 30 }, (_, index) => ({
    id: String(index),
    name: `Component ${String(index)}`,
    percentage: index === 0 ? null : 100 - index / 100,
  }));
  const series = uptimeSeries('Component', uptimes);
  expect(series.points).toHaveLength(mostBars);
  expect(series.points[0]?.id).toBe('29');
  expect(series.rows.map(({ id }) => id)).toEqual(uptimes.map(({ id }) => id).toReversed());
  expect(series.file.at(-1)).toEqual(['Component 0', null]);
});

it('puts the most affected components first, and equal ones in the order of the page', () => {
  const incidents = ['Service 1', 'Service 10', 'Service 2', 'Gone 10', 'Gone 2'].map((name) => ({
    id: name,
    name,
    count: name === 'Service 10' ? 2 : 1,
  }));
  const page = ['Service 2', 'Service 1', 'Service 10'].map((name) => ({
    id: name,
    name,
    percentage: 100,
  }));
  expect(incidentSeries(incidents, page).points.map(({ name }) => name)).toEqual([
    'Service 10',
    'Service 2',
    'Service 1',
    'Gone 2',
    'Gone 10',
  ]);
});
