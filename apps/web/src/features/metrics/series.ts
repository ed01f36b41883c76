import type { Metrics } from '@/api/types';
import { formatDuration } from '@/ui/duration';
import { formatNumber, formatPercent } from '@/ui/format';
import type { Cell } from './csv';

/** A bar of a chart. */
export interface Point {
  id: string;
  name: string;
  value: number;
}

/** The data of one chart: what is drawn, what its table shows, and what its file contains. */
export interface Series {
  /** Bars, in the order of the chart. */
  points: Point[];
  /** Headings of the table. */
  head: string[];
  /** Cells of the table, as people read them. */
  rows: { id: string; cells: string[] }[];
  /** The file: headings and raw values. */
  file: Cell[][];
}

/** Most bars of a chart with one bar per component. The table has all of them. */
export const mostBars = 20;

export function uptimeSeries(heading: string, uptimes: Metrics['components']): Series {
  // The lowest ones first, those without data last.
  const sorted = uptimes.toSorted((a, b) => (a.percentage ?? 101) - (b.percentage ?? 101));
  const known = sorted.flatMap(({ id, name, percentage }) =>
    percentage === null ? [] : [{ id, name, value: percentage }],
  );
  return {
    points: known.slice(0, mostBars),
    head: [heading, 'Uptime'],
    rows: sorted.map(({ id, name, percentage }) => ({
      id,
      cells: [name, percentage === null ? 'No data' : formatPercent(percentage)],
    })),
    file: [
      [heading, 'Uptime in percent'],
      ...sorted.map(({ name, percentage }) => [name, percentage]),
    ],
  };
}

/** The start of the axis: near the lowest value, because uptimes lie close together. */
export function uptimeFloor(points: readonly Point[]): number {
  const lowest = Math.min(100, ...points.map(({ value }) => value));
  return [99.9, 99, 95, 90, 75, 50].find((floor) => floor < lowest) ?? 0;
}

const dayFormat = new Intl.DateTimeFormat('en', {
  month: 'short',
  day: '2-digit',
  year: 'numeric',
  timeZone: 'UTC',
});

/** Formats a day, YYYY-MM-DD: "MMM dd, yyyy". */
export function dayName(day: string): string {
  return dayFormat.format(new Date(`${day}T00:00:00Z`));
}

/** A Monday without its year. */
function weekName(week: string): string {
  return dayName(week).replace(/,.*/, '');
}

export function weekSeries(weeks: Metrics['incidentsByWeek']): Series {
  return {
    points: weeks.map(({ week, count: value }) => ({ id: week, name: weekName(week), value })),
    head: ['Week from', 'Incidents'],
    rows: weeks.map((week) => ({
      id: week.week,
      cells: [dayName(week.week), formatNumber(week.count)],
    })),
    file: [['Week from', 'Incidents'], ...weeks.map((week) => [week.week, week.count])],
  };
}

/**
 * The most affected components first, otherwise in the order of the page, in which `page` has them.
 */
export function incidentSeries(
  incidents: Metrics['incidentsByComponent'],
  page: Metrics['components'],
): Series {
  const places = new Map(page.map(({ id }, place) => [id, place]));
  const placeOf = ({ id }: { id: string }) => places.get(id) ?? places.size;
  const components = incidents.toSorted(
    (a, b) =>
      b.count - a.count ||
      placeOf(a) - placeOf(b) ||
      a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
  return {
    points: components
      .slice(0, mostBars)
      .map(({ id, name, count: value }) => ({ id, name, value })),
    head: ['Component', 'Incidents'],
    rows: components.map(({ id, name, count: value }) => ({
      id,
      cells: [name, formatNumber(value)],
    })),
    file: [
      ['Component', 'Incidents'],
      ...components.map(({ name, count: value }) => [name, value]),
    ],
  };
}

export function durationSeries(metrics: Metrics): Series {
  const measures = [
    ['First update, median', metrics.timeToFirstUpdate.median],
    ['First update, longest', metrics.timeToFirstUpdate.longest],
    ['Resolved, median', metrics.timeToResolve.median],
    ['Resolved, longest', metrics.timeToResolve.longest],
  ] as const;
  return {
    points: measures.flatMap(([name, value]) =>
      value === null ? [] : [{ id: name, name, value }],
    ),
    head: ['Measure', 'Time'],
    rows: measures.map(([name, value]) => ({
      id: name,
      cells: [name, value === null ? 'No data' : formatDuration(value)],
    })),
    file: [['Measure', 'Seconds'], ...measures.map(([name, value]) => [name, value])],
  };
}

/**
 * Even whole numbers for an axis, from 0 to at least the largest value, and to at least `least`.
 */
export function countTicks(points: readonly Point[], least = 1): number[] {
  const largest = Math.max(least, ...points.map(({ value }) => value));
  const power = 10 ** Math.floor(Math.log10(largest / 4));
  const step = [1, 2, 5, 10]
    .map((factor) => factor * power)
    .find((length) => largest <= 4 * length);
  return evenTicks(largest, Math.max(1, step ?? largest));
}

function evenTicks(largest: number, step: number): number[] {
  return Array.from({ length: Math.ceil(largest / step) + 1 }, (_, index) => index * step);
}

const steps = [15, 60, 300, 900, 1800, 3600, 2 * 3600, 6 * 3600, 12 * 3600, 86_400];

/** Round times for an axis, from 0 to at least the longest. */
export function durationTicks(points: readonly Point[]): number[] {
  const longest = Math.max(1, ...points.map(({ value }) => value));
  const day = 86_400;
  const step = steps.find((length) => longest <= 4 * length) ?? Math.ceil(longest / day / 4) * day;
  return evenTicks(longest, step);
}

export function messageSeries({ sent, failed }: Metrics['mails']): Series {
  const kinds = [
    ['Sent', sent],
    ['Failed', failed],
  ] as const;
  return {
    points: kinds.map(([name, value]) => ({ id: name, name, value })),
    head: ['Messages', 'Number'],
    rows: kinds.map(([name, value]) => ({ id: name, cells: [name, formatNumber(value)] })),
    file: [['Messages', 'Number'], ...kinds.map(([name, value]) => [name, value])],
  };
}
