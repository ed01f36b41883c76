import type {
  Instant,
  PastTitle,
  PublicComponent,
  PublicIncident,
  PublicMaintenance,
  PublicUptime,
} from '@/api/types';
import { dayOf, type Day } from './moving-figures';
import type { PageState } from './page-state';

/** Number of days that the bars show, today included. */
export const barDays = 90;

export interface UptimeDay {
  date: Day;
  text: string;
  /** 0 without downtime, up to 4 from a weighted hour on. */
  level: number;
  /** Whether the component had started. */
  counts: boolean;
  /** Whether the summary of the days mentions it. */
  isNotable: boolean;
}

/** Weighted seconds, in tenths, from which a day has the next colour. */
const levels = [1, 11_920, 19_780, 36_000];
const dayMs = 86_400_000;
const dayTenths = 864_000;
/** Longest title of an incident or a maintenance in the text of a day, in characters. */
const titleLength = 90;

/** Returns how many calendar months later `to` is. */
export function monthsBetween(from: Day, to: Day): number {
  const months = (day: Day) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
  return months(to) - months(from);
}

const nothing = { major: 0, partial: 0, degraded: 0 };

type Downtime = Pick<PublicUptime['days'][number], 'major' | 'partial'>;

/** The part of the page's state that the days depend on. */
type DaysState = Pick<
  PageState,
  'organisation' | 'generatedAt' | 'incidents' | 'maintenances' | 'pastTitles'
>;

/** Returns the days of the bars, oldest first. */
export function uptimeDays(
  component: PublicComponent,
  { days }: PublicUptime,
  { organisation, generatedAt, incidents, maintenances, pastTitles }: DaysState,
): UptimeDay[] {
  const { timeZone } = organisation;
  const today = dayOf(generatedAt, timeZone);
  const seconds = new Map(days.map((day) => [day.date, day]));
  const affects = (it: PublicIncident | PublicMaintenance | PastTitle) =>
    it.components.some(({ componentId }) => componentId === component.id);
  const spanOf = (start: Instant, end: Instant | null, title: string) => ({
    first: dayOf(start, timeZone),
    // What ends at midnight does not reach the day that begins then.
    last: dayOf(Math.max(Date.parse(start), Date.parse(end ?? generatedAt) - 1), timeZone),
    title,
  });
  const affecting = [
    ...incidents
      .filter(affects)
      .map(({ occuredAt, resolvedAt, title }) => spanOf(occuredAt, resolvedAt, cut(title))),
    ...maintenances
      .filter(affects)
      .filter(hasBegun)
      .map(({ startAt, endAt, title }) => spanOf(startAt, endAt, `Maintenance: ${cut(title)}`)),
    ...pastTitles.filter(affects),
  ];
  return datesUntil(today).map(({ date, words }) => {
    const counts = (component.startDate ?? '') <= date;
    const { major, partial, degraded } = (counts ? seconds.get(date) : undefined) ?? nothing;
    const titles = affecting
      .filter(({ first, last }) => counts && first <= date && date <= last)
      .map(({ title }) => `. ${title}`)
      .join('');
    const kinds = [
      [major, 'outage (major)'] as const,
      [partial, 'outage (partial)'] as const,
      [degraded, 'degraded'] as const,
    ]
      .filter(([lasted]) => lasted > 0)
      .map(([lasted, kind]) => `${duration(lasted)} ${kind}`)
      .join(', ');
    const what = counts ? `${kinds || 'No downtime recorded'}${titles}` : 'No data';
    const tenths = downtimeTenths({ major, partial });
    return {
      date,
      text: `${words}: ${what}`,
      level: levels.filter((level) => tenths >= level).length,
      counts,
      isNotable: kinds + titles !== '',
    };
  });
}

/** Returns the seconds that count as downtime, in tenths. */
function downtimeTenths({ major, partial }: Downtime): number {
  return major * 10 + partial * 3;
}

/** Whether a maintenance was or is in progress. When a cancelled one was is not known. */
function hasBegun({ status }: PublicMaintenance): boolean {
  return status === 'IN_PROGRESS' || status === 'COMPLETED';
}

/** Returns the text of all days that are not notable. */
export function restText(days: readonly UptimeDay[]): string {
  const first = days.find(({ counts }) => counts);
  if (first === undefined) return 'No data';
  const others = days.some(({ isNotable }) => isNotable) ? ' on other days' : '';
  const start = () => format.format(new Date(first.date));
  const before = first === days[0] ? '' : `; no data before ${start()}`;
  return `No downtime recorded${others}${before}`;
}

/** Formats a percentage with one or two decimals. */
export function percentageText({ percentage }: Pick<PublicUptime, 'percentage'>): string {
  return percentage === null ? 'No data' : `${percentage.toFixed(2).replace(/0$/, '')} % uptime`;
}

/**
 * Formats the uptime of a group, by the rule of `mean` in `domain/src/uptime.rs`: the mean of the
 * unrounded percentages of its components, rounded down. Null if no day of them counts.
 */
export function groupUptimeText(
  members: readonly PublicComponent[],
  { organisation, generatedAt }: Pick<PageState, 'organisation' | 'generatedAt'>,
): string | null {
  const dates = datesUntil(dayOf(generatedAt, organisation.timeZone));
  const losses = members.flatMap(({ startDate, uptime }) => {
    const counted = dates.filter(({ date }) => (startDate ?? '') <= date).length;
    if (!uptime || counted === 0) return [];
    return Math.min(1, sum(uptime.days.map(downtimeTenths)) / counted / dayTenths);
  });
  if (losses.length === 0) return null;
  // The rounding error of the sums is smaller than what is added.
  const hundredths = Math.floor(10_000 * (1 - sum(losses) / losses.length) + 1e-7);
  return percentageText({ percentage: hundredths / 100 });
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** What a reading of the figures renews. */
type FiguresState = Pick<PageState, 'components' | 'generatedAt' | 'pastTitles'>;

/** Returns the state with the figures of a newer reading. */
export function withFigures<State extends FiguresState>(state: State, read: FiguresState): State {
  const figures = new Map(read.components.map((it) => [it.id, it]));
  const components = state.components.map((component) => {
    const newer = figures.get(component.id);
    // A component whose status has changed since the read has newer figures from that change.
    return newer?.status === component.status ? { ...component, uptime: newer.uptime } : component;
  });
  return { ...state, components, generatedAt: read.generatedAt, pastTitles: read.pastTitles };
}

/** The days that the bars of a page show, oldest first. */
let dates: readonly { date: Day; words: string }[] = [];

/**
 * Returns the days of the bars. All components of a page share them, because it is slow to write
 * dates in words.
 */
function datesUntil(today: Day): typeof dates {
  if (dates.at(-1)?.date !== today) {
    dates = Array.from({ length: barDays }, (_, index) => {
      const day = new Date(Date.parse(today) + (index + 1 - barDays) * dayMs);
      return { date: day.toISOString().slice(0, 10), words: format.format(day) };
    });
  }
  return dates;
}

const format = new Intl.DateTimeFormat('en-US', {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  timeZone: 'UTC',
});

/** Hours and minutes, rounded down; less than a minute is shown as one. */
function duration(seconds: number): string {
  const minutes = Math.max(1, Math.floor(seconds / 60));
  return `${several(Math.floor(minutes / 60), 'hr')} ${several(minutes % 60, 'min')}`.trim();
}

/** "1 min", "2 mins"; empty if there are none. */
export function several(count: number, unit: string): string {
  return count === 0 ? '' : `${count} ${unit}${count === 1 ? '' : 's'}`;
}

function cut(title: PublicIncident['title']): string {
  const characters = Array.from(title);
  return characters.length > titleLength ? `${characters.slice(0, titleLength).join('')}…` : title;
}
