import { describe, expect, it, vi } from 'vitest';
import type { PublicUptime } from '@/api/types';
import { formatPercent } from '@/ui/format';
import { aComponent, aMaintenance, anIncident, aSnapshot } from './fixtures';
import { areFiguresOld, dayOf } from './moving-figures';
import {
  barDays,
  groupUptimeText,
  percentageText,
  restText,
  uptimeDays,
  withFigures,
} from './uptime';

const uptime = (...days: PublicUptime['days']): PublicUptime => ({ percentage: 99.87, days });
const day = (date: string, seconds: Partial<PublicUptime['days'][0]> = {}) => ({
  date,
  partial: 0,
  major: 0,
  degraded: 0,
  ...seconds,
});
const snapshot = aSnapshot({ generatedAt: '2026-11-20T12:00:00.000Z' });

describe('the day of an instant', () => {
  it.each([
    ['2026-11-20T23:30:00Z', 'Etc/UTC', '2026-11-20'],
    ['2026-11-20T23:30:00Z', 'Europe/Berlin', '2026-11-21'],
    ['2026-11-20T03:30:00Z', 'America/New_York', '2026-11-19'],
  ])('of %s in %s is %s', (instant, zone, expected) => {
    expect(dayOf(instant, zone)).toBe(expected);
  });
});

describe('the uptime of a group', () => {
  const down = (major: number, startDate: string | null = null) =>
    aComponent({ startDate, uptime: uptime(day('2026-11-20', { major })) });

  // The server has the same numbers: crates/application/src/status_page/tests.rs.
  it.each([
    ['unrounded percentages', [down(2410), down(3188)], '99.96 % uptime'],
    ['days from the start on', [down(8640, '2026-11-20'), down(0)], '95.0 % uptime'],
    ['components that show theirs', [down(0), aComponent()], '100.0 % uptime'],
    ['a day of 25 hours', [down(90_000, '2026-11-20')], '0.0 % uptime'],
  ])('is the mean of %s', (_, members, expected) => {
    expect(groupUptimeText(members, snapshot)).toBe(expected);
  });

  it('is absent if no day counts', () => {
    expect(groupUptimeText([aComponent(), down(0, '2026-11-21')], snapshot)).toBeNull();
  });
});

describe('the days of the bars', () => {
  it('are the last ninety, today included', () => {
    const days = uptimeDays(aComponent(), uptime(), snapshot);
    expect(days).toHaveLength(barDays);
    expect([days[0]?.date, days.at(-1)?.date]).toEqual(['2026-08-23', '2026-11-20']);
    expect(days.at(-1)?.text).toBe('Nov 20, 2026: No downtime recorded');
    expect(restText(days)).toBe('No downtime recorded');
  });

  it.each([
    [{ major: 1 }, '1 min outage (major)', 1],
    [{ partial: 4805 }, '1 hr 20 mins outage (partial)', 2],
    [{ major: 1978 }, '32 mins outage (major)', 3],
    [
      { major: 7200, partial: 119, degraded: 86_400 },
      '2 hrs outage (major), 1 min outage (partial), 24 hrs degraded',
      4,
    ],
    [{ degraded: 60 }, '1 min degraded', 0],
  ])('say how long what lasted: %o', (seconds, text, level) => {
    const days = uptimeDays(aComponent(), uptime(day('2026-11-03', seconds)), snapshot);
    const found = days.filter(({ isNotable }) => isNotable);
    expect(found).toEqual([
      { date: '2026-11-03', text: `Nov 3, 2026: ${text}`, level, counts: true, isNotable: true },
    ]);
    expect(restText(days)).toBe('No downtime recorded on other days');
  });

  it('have their dates written once for all components', () => {
    uptimeDays(aComponent(), uptime(), snapshot);
    const written = vi.spyOn(Date.prototype, 'toISOString');
    const days = uptimeDays(aComponent({ id: 'component-2' }), uptime(), snapshot);
    expect(days.at(-1)?.text).toBe('Nov 20, 2026: No downtime recorded');
    expect(written).not.toHaveBeenCalled();
    const tomorrow = { ...snapshot, generatedAt: '2026-11-21T12:00:00.000Z' };
    expect(uptimeDays(aComponent(), uptime(), tomorrow).at(-1)?.date).toBe('2026-11-21');
  });

  it('have no data before the component started', () => {
    const component = aComponent({ startDate: '2026-11-19' });
    const days = uptimeDays(component, uptime(day('2026-11-18', { major: 60 })), snapshot);
    expect(days.at(-3)?.text).toBe('Nov 18, 2026: No data');
    expect(restText(days)).toBe('No downtime recorded; no data before Nov 19, 2026');
    const future = uptimeDays(aComponent({ startDate: '2026-11-21' }), uptime(), snapshot);
    expect(restText(future)).toBe('No data');
  });

  it('name the incidents that affected the component', () => {
    const affecting = anIncident({
      occuredAt: '2026-11-18T23:00:00.000Z',
      resolvedAt: '2026-11-19T01:00:00.000Z',
      components: [
        {
          componentId: 'component-1',
          status: 'DEGRADED',
          component: { id: 'component-1', code: '0123456789ab', name: 'Website' },
        },
      ],
    });
    const incidents = [affecting, anIncident({ title: 'Elsewhere' })];
    const days = uptimeDays(aComponent(), uptime(), { ...snapshot, incidents });
    expect(days.filter(({ isNotable }) => isNotable).map(({ text }) => text)).toEqual([
      'Nov 18, 2026: No downtime recorded. Payments fail',
      'Nov 19, 2026: No downtime recorded. Payments fail',
    ]);
  });

  it('do not name what ended when they began', () => {
    const components = [
      {
        componentId: 'component-1',
        component: { id: 'component-1', code: '0123456789ab', name: 'Website' },
      },
    ];
    const [startAt, endAt] = ['2026-11-18T22:00:00.000Z', '2026-11-19T00:00:00.000Z'];
    const maintenances = [aMaintenance({ status: 'COMPLETED', startAt, endAt, components })];
    const days = uptimeDays(aComponent(), uptime(), { ...snapshot, maintenances });
    expect(days.filter(({ isNotable }) => isNotable).map(({ date }) => date)).toEqual([
      '2026-11-18',
    ]);
  });

  it('name what the lists no longer have', () => {
    const past = { title: 'Slow', first: '2026-10-05', last: '2026-10-05' };
    const pastTitles = [
      { ...past, components: [{ componentId: 'component-1' }] },
      { ...past, title: 'Elsewhere', components: [{ componentId: 'component-2' }] },
    ];
    const days = uptimeDays(aComponent(), uptime(), { ...snapshot, pastTitles });
    expect(days.filter(({ isNotable }) => isNotable).map(({ text }) => text)).toEqual([
      'Oct 5, 2026: No downtime recorded. Slow',
    ]);
  });

  it('name the maintenances of the component that were in progress', () => {
    const planned = {
      startAt: '2026-11-18T23:00:00.000Z',
      endAt: '2026-11-19T01:00:00.000Z',
      components: [
        {
          componentId: 'component-1',
          component: { id: 'component-1', code: '0123456789ab', name: 'Website' },
        },
      ],
    };
    const maintenances = [
      aMaintenance({ ...planned, status: 'COMPLETED' }),
      aMaintenance({ ...planned, status: 'CANCELLED', title: 'Cancelled' }),
      aMaintenance({ status: 'COMPLETED', title: 'Elsewhere' }),
    ];
    const days = uptimeDays(aComponent(), uptime(), { ...snapshot, maintenances });
    expect(days.filter(({ isNotable }) => isNotable).map(({ text }) => text)).toEqual([
      'Nov 18, 2026: No downtime recorded. Maintenance: Database upgrade',
      'Nov 19, 2026: No downtime recorded. Maintenance: Database upgrade',
    ]);
  });
});

it.each([
  [100, '100.0 % uptime'],
  [99.5, '99.5 % uptime'],
  [99.87, '99.87 % uptime'],
  [null, 'No data'],
])('writes the percentage %s as %s', (percentage, text) => {
  expect(percentageText({ percentage })).toBe(text);
});

// The page has its own copy of the rule, because its script stays smaller so.
it.each([100, 99.5, 99.87])('writes the percentage %s as the screens of operators do', (value) => {
  expect(percentageText({ percentage: value })).toBe(`${formatPercent(value)} uptime`);
});

describe('newer figures', () => {
  const down = aComponent({ status: 'MAJOR_OUTAGE', uptime: uptime() });
  const newer = uptime(day('2026-11-20', { major: 60 }));
  const read = {
    components: [{ ...down, uptime: newer }],
    generatedAt: '2026-11-20T12:01:00.000Z',
    pastTitles: [],
  };

  it('are needed while an outage lasts', () => {
    const areOld = (component: typeof down) =>
      areFiguresOld({
        ...snapshot,
        components: [component],
        generatedAt: new Date().toISOString(),
      });
    expect(areOld(down)).toBe(true);
    expect(areOld({ ...down, status: 'OPERATIONAL' })).toBe(false);
    expect(areOld({ ...down, uptime: null })).toBe(false);
  });

  it('replace those of a component whose status is the same', () => {
    const { components, generatedAt } = withFigures({ ...snapshot, components: [down] }, read);
    expect(components[0]?.uptime).toBe(newer);
    expect(generatedAt).toBe(read.generatedAt);
    const ended = { ...down, status: 'OPERATIONAL' as const };
    expect(withFigures({ ...snapshot, components: [ended] }, read).components).toEqual([ended]);
  });
});
