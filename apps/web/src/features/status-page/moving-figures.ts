import type { Instant } from '@/api/types';
import type { PageState } from './page-state';

/**
 * Interval at which the figures of an outage are read again, and at which the page checks
 * for midnight.
 */
export const figuresMs = 60_000;

/** A day, as "2026-11-20". */
export type Day = string;

/** By time zone: formats are expensive to make. */
const formats: Partial<Record<string, Intl.DateTimeFormat>> = {};

/** Returns the day of an instant in a time zone. */
export function dayOf(instant: Instant | number, timeZone: string): Day {
  formats[timeZone] ??= formatOf(timeZone);
  const parts = formats[timeZone].formatToParts(new Date(instant));
  const part = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
  return `${part('year').padStart(4, '0')}-${part('month')}-${part('day')}`;
}

/** An older browser does not know every time zone of the server. Its days are then those of UTC. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      calendar: 'iso8601',
    });
  } catch {
    return formatOf('UTC');
  }
}

/** Whether figures change without an event, because an outage lasts. */
export function hasMovingFigures({ components }: Pick<PageState, 'components'>): boolean {
  return components.some(({ uptime, status }) => uptime && status !== 'OPERATIONAL');
}

/** The part of the page's state that its bars depend on. */
type BarsState = Pick<PageState, 'components' | 'organisation' | 'generatedAt'>;

/** Whether the bars of a page end on a day before today. */
export function areBarsOld({ components, organisation, generatedAt }: BarsState): boolean {
  const { timeZone } = organisation;
  return hasBars(components) && dayOf(generatedAt, timeZone) < dayOf(Date.now(), timeZone);
}

/** Whether the bars of a state end on another day than those that the server drew. */
export function haveBarsMoved(state: BarsState, drawnAt: Instant): boolean {
  const { components, organisation, generatedAt } = state;
  const { timeZone } = organisation;
  return hasBars(components) && dayOf(generatedAt, timeZone) !== dayOf(drawnAt, timeZone);
}

/**
 * Whether figures must be read again: an outage lasts, or a day has begun in the page's time zone.
 */
export function areFiguresOld(state: BarsState): boolean {
  return hasMovingFigures(state) || areBarsOld(state);
}

function hasBars(components: PageState['components']): boolean {
  return components.some(({ uptime }) => uptime);
}
